/** The native form over gRPC: what a request gets as its answer, what is said at the resource, and what the service is asked. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { approvalOf } from "../../provider/rules/approval.js";
import { impactOf } from "../../provider/rules/impact.js";
import { autoNameOf } from "../../provider/rules/name.js";
import { desiredSettings, type SettingsInput } from "../../provider/rules/settings.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { Plugin, type Said, secret, startEngineLog, UNKNOWN, urnOf } from "./plugin";
import { type CallFailed, type Props, programFolder, urnOf as urnOfDynamic } from "./shim";

const KEY = "napi_a_key_that_nobody_may_see";
const PROJECT = SEED.projectId;
const BRANCH = SEED.branches.dev;
const BASE = { projectId: PROJECT, branchId: BRANCH, size: 1 };

interface Rig {
  em: RunningEmulator;
  plugin: Plugin;
  /** What was said so far, and forgets it. */
  said(): Said[];
  /** Requests that change something, as "PATCH 200", and forgets all requests. */
  changes(): string[];
  /** The process of a further command, which has an engine of its own. */
  again(args?: Props): Promise<Plugin>;
  args: Props;
}

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
let program: Awaited<ReturnType<typeof programFolder>>;
beforeAll(async () => {
  program = await programFolder();
});
afterAll(() => program?.remove());

async function rig(options: EmulatorOptions = {}, args: Props = {}, env: NodeJS.ProcessEnv = {}): Promise<Rig> {
  const em = await startEmulator({ apiKey: KEY, operationMs: 100, ...options });
  open.push(() => em.close());
  const said: Said[] = [];
  const all = { apiKey: secret(KEY), apiUrl: em.url, pollSeconds: "0.2", ...args };
  const again = async (own: Props = all) => {
    const engine = await startEngineLog(said);
    open.push(engine.kill);
    const plugin = await Plugin.start(engine.address, program.path, env);
    open.push(() => plugin.close());
    await plugin.configure(own);
    return plugin;
  };
  const changes = () =>
    em.requests
      .splice(0)
      .filter(({ method }) => method !== "GET")
      .map(({ method, status }) => `${method} ${status}`);
  return { em, plugin: await again(), said: () => said.splice(0), changes, again, args: all };
}

/** A compute as `pulumi up` makes it. */
async function made({ plugin, changes }: Rig, news: Props = BASE) {
  const { inputs } = await plugin.check({}, news);
  const { id, outputs } = await plugin.create(inputs);
  changes();
  return { id, inputs, outputs };
}

const failure = (work: Promise<unknown>): Promise<CallFailed> =>
  work.then(
    () => Promise.reject(new Error("it was to fail")),
    (error: unknown) => error as CallFailed,
  );

describe("a compute's life", () => {
  test("the preview of a creation knows what the program says, asks nothing to be made, and calls the rest unknown", async () => {
    const it = await rig();
    const { inputs, failures } = await it.plugin.check({}, BASE);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...BASE, __autoName: autoNameOf(urnOf("main")), restart: "no" });
    const { id, outputs } = await it.plugin.create(inputs, { preview: true });
    expect(id).toBe("");
    expect(outputs).toMatchObject({
      ...BASE,
      host: UNKNOWN,
      createdAt: UNKNOWN,
      autoscalingLimitMaxCu: 1,
      restart: "no",
    });
    expect(it.changes()).toEqual([]);
    expect(it.said()).toEqual([]);
  });

  test("it is made, changed, read and deleted; the name is that of the dynamic form", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    expect(it.em.world.endpoints[id]!.name).toBe(autoNameOf(urnOfDynamic("main")));
    expect(outputs).toMatchObject({ ...BASE, type: "read_write", host: expect.stringContaining(id), adopted: false });
    expect(Object.keys(outputs)).not.toContain("__secret");
    expect(await it.plugin.diff(id, outputs, inputs, { oldInputs: inputs })).toMatchObject({
      changes: "none",
      details: {},
    });

    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    expect(next["__notice"]).toEqual({ impact: "restart", properties: ["size"] });
    const compared = await it.plugin.diff(id, outputs, next, { oldInputs: inputs });
    expect(compared).toMatchObject({ changes: "some", replaces: [], details: { size: "update", restart: "update" } });
    expect(compared.stables).toContain("host");
    const after = await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(it.changes()).toEqual(["PATCH 200"]);
    expect(after).toMatchObject({ size: 2, autoscalingLimitMinCu: 2, host: outputs["host"], restart: "no" });

    it.em.world.endpoints[id]!.autoscaling_limit_max_cu = 4;
    it.em.world.endpoints[id]!.autoscaling_limit_min_cu = 4;
    const read = await (await it.again()).read(id, after, next);
    expect(read).toMatchObject({ id, outputs: { size: 4 }, inputs: { size: 4, branchId: BRANCH } });

    // The run that made it spares it.
    await (await it.again()).delete(id, after);
    expect(it.em.world.endpoints[id]).toBeUndefined();
    expect(await (await it.again()).read(id, after, next)).toEqual({ id: "", outputs: {}, inputs: {} });
    expect(it.plugin.output.stderr).toBe("");
  });

  test("an update's preview keeps what stays, so that nothing that depends on the compute seems to change", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    const seen = await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    for (const name of [
      "host",
      "poolerHost",
      "proxyHost",
      "regionId",
      "createdAt",
      "name",
      "disabled",
      "settings",
      "adopted",
    ]) {
      expect([name, seen[name]]).toEqual([name, outputs[name]]);
    }
    expect(seen).toMatchObject({ size: 2, autoscalingLimitMinCu: 2, type: "read_write" });
    expect(Object.values(seen)).not.toContain(UNKNOWN);
    expect(it.changes()).toEqual([]);

    const unknown = (await it.plugin.check(inputs, { ...BASE, size: UNKNOWN })).inputs;
    const unsure = await it.plugin.update(id, outputs, unknown, { oldInputs: inputs, preview: true });
    expect(unsure).toMatchObject({ size: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN, host: outputs["host"] });
    const parts = (await it.plugin.check(inputs, { ...BASE, settings: { pgSettings: { work_mem: "64MB" } } })).inputs;
    expect(await it.plugin.update(id, outputs, parts, { oldInputs: inputs, preview: true })).toMatchObject({
      settings: UNKNOWN,
      host: outputs["host"],
    });
  });

  test("a replacement is shown by its kinds, and its second check says what becomes of the old compute", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const asked = { ...BASE, type: "read_only" };
    const first = (await it.plugin.check(inputs, asked)).inputs;
    expect(await it.plugin.diff(id, outputs, first, { oldInputs: inputs })).toMatchObject({
      changes: "some",
      replaces: ["type"],
      deleteBeforeReplace: true,
      stables: [],
    });
    const { inputs: second } = await it.plugin.check({}, asked);
    expect(second["restart"]).toMatch(/^yes: type .* replaces this compute; clients then need the new host/);
    expect(second["__notice"]).toMatchObject({ impact: "new-host", replaces: { id, fate: "perhaps-deleted" } });
    it.said();
    await it.plugin.create(second, { preview: true });
    expect(it.said()).toEqual([
      {
        urn: urnOf("main"),
        severity: "warning",
        message: expect.stringMatching(new RegExp(`^${id}: type .* replaces`)),
      },
    ]);
  });
});

describe("what is said at the resource", () => {
  test("a check and a diff say nothing: a refresh asks for diffs too", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, disabled: true })).inputs;
    await it.plugin.diff(id, outputs, next, { oldInputs: inputs });
    expect(it.said()).toEqual([]);
  });

  test("an update's preview warns with what is true of the compute now, and the update itself without a look", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, disabled: true })).inputs;
    await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    const [line, ...more] = it.said();
    expect(more).toEqual([]);
    expect(line).toMatchObject({ urn: urnOf("main"), severity: "warning" });
    expect(line!.message).toMatch(/disabled false → true stops this compute.*It is active.*\[active at /);
    await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(it.said()).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/open connections drop then/) },
    ]);
  });

  test.each<[string, Props, Props]>([
    ["onRestart: allow", { onRestart: "allow" }, {}],
    ["a change that drops nothing", {}, { size: 1, name: "reporting" }],
  ])("%s is silent", async (_what, always, change) => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, ...always });
    const next = (await it.plugin.check(inputs, { ...BASE, ...always, size: 2, ...change })).inputs;
    await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    expect(it.said()).toEqual([]);
  });

  test("with liveNotices: false the service is not asked", async () => {
    const it = await rig({}, { liveNotices: "false" });
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    expect(it.said()).toMatchObject([
      { message: expect.stringMatching(/if it is active; open connections drop then\.$/) },
    ]);
    expect(it.em.requests).toEqual([]);
  });
});

describe("refuse and approvals", () => {
  test("a check refuses, with the digest that the dynamic form has; approved, the change passes", async () => {
    const it = await rig({}, { onRestart: "refuse" });
    const { inputs } = await made(it);
    const asked = { ...BASE, size: 2 };
    const { failures } = await it.plugin.check(inputs, asked);
    expect(failures).toMatchObject([["size", expect.stringContaining('onRestart is "refuse"')]]);
    const [old, next] = [desiredSettings(BASE), desiredSettings(asked as SettingsInput)];
    const digest = approvalOf(urnOfDynamic("main"), impactOf(old, next), old, next)!;
    expect(failures[0]![1]).toContain(digest);
    const approved = await it.again({ ...it.args, onRestart: "refuse", approve: JSON.stringify([digest]) });
    expect((await approved.check(inputs, asked)).failures).toEqual([]);
  });

  test("a variable of the environment softens no check of which nobody knows that it is a preview", async () => {
    const it = await rig({}, { onRestart: "refuse" }, { COMPUTE_ON_RESTART: "warn" });
    const { inputs } = await made(it);
    expect((await it.plugin.check(inputs, { ...BASE, size: 2 })).failures).toHaveLength(1);
  });
});

describe("secret values", () => {
  test("come and go wrapped, and stand in no text", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, size: secret(1) });
    expect(inputs["size"]).toEqual(secret(1));
    expect(outputs["size"]).toEqual(secret(1));
    expect(outputs).not.toHaveProperty("autoscalingLimitMaxCu");
    const { inputs: next } = await it.plugin.check(inputs, { ...BASE, size: secret(7) });
    expect(next["restart"]).toMatch(/^yes: size/);
    expect(JSON.stringify([next["restart"], next["__notice"]])).not.toMatch(/\b[17]\b/);
    const seen = await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    expect(seen["size"]).toEqual(secret(7));
    const after = await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(after["size"]).toEqual(secret(7));
    for (const { message } of it.said()) expect(message).not.toMatch(/\b7\b/);
    expect(await it.plugin.diff(id, after, next, { oldInputs: next })).toMatchObject({ changes: "none" });
  });

  test("a part that is secret makes the whole property one", async () => {
    const it = await rig();
    const settings = { pgSettings: { "app.token": secret("hush"), work_mem: "64MB" } };
    const { inputs, outputs } = await made(it, { ...BASE, settings });
    const open = { pgSettings: { "app.token": "hush", work_mem: "64MB" } };
    expect(inputs["settings"]).toEqual(secret(open));
    expect(outputs["settings"]).toMatchObject(secret(expect.objectContaining(open) as never));
  });

  test("stand in no line about a step that will fail", async () => {
    const it = await rig();
    const { inputs } = await it.plugin.check({}, { ...BASE, projectId: secret("hush-hush-12345678") });
    await it.plugin.create(inputs, { preview: true });
    const [line, ...more] = it.said();
    expect(more).toEqual([]);
    expect(line!.message).toMatch(/project \[secret\].*`up` will fail/);
  });

  test("one that the program takes out stays secret in the state", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, name: secret("hush-hush") });
    const next = (await it.plugin.check(inputs, BASE)).inputs;
    const after = await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(after["name"]).toEqual(secret("hush-hush"));
  });
});

describe("an import", () => {
  const primary = (em: RunningEmulator) =>
    Object.values(em.world.endpoints).find(({ branch_id }) => branch_id === SEED.branches.main)!;

  test("takes PROJECT/ep-…, gives the id alone, and the arguments that keep the compute as it is", async () => {
    const it = await rig();
    const { id } = primary(it.em);
    const read = await it.plugin.read(`${PROJECT}/${id}`);
    expect(read).toMatchObject({
      id,
      inputs: { projectId: PROJECT, branchId: SEED.branches.main, restart: "no" },
      outputs: { adopted: true, host: expect.stringContaining(id) },
    });
    const { restart: _, ...args } = read.inputs;
    const { inputs, failures } = await it.plugin.check(read.inputs, args);
    expect(failures).toEqual([]);
    expect(await it.plugin.diff(id, read.outputs, inputs, { oldInputs: read.inputs })).toMatchObject({
      changes: "none",
    });
    await it.plugin.delete(id, read.outputs);
    expect(primary(it.em)).toMatchObject({ id });
  });

  test.each<[string, string, RegExp]>([
    ["an id without its project", "ep-amber-field-a5x7w3rt", /names no project.*PROJECT\/ep-…/],
    [
      "a compute that is not there",
      `${PROJECT}/ep-not-here-a5x7w3rt`,
      /compute ep-not-here-a5x7w3rt is not in project/,
    ],
    ["a project that is not there", "other-project-12345678/ep-a", /project other-project-12345678 does not exist/],
  ])("%s is an error in words", async (_what, id, words) => {
    const it = await rig();
    expect((await failure(it.plugin.read(id))).message).toMatch(words);
  });

  test("a look-up by id manages nothing", async () => {
    const it = await rig();
    const { id } = primary(it.em);
    const read = await it.plugin.read(id, { projectId: PROJECT }, { projectId: PROJECT });
    expect(read).toMatchObject({ id, outputs: { managed: [], host: expect.stringContaining(id) } });
  });
});

describe("a step that fails", () => {
  test("after the compute exists keeps id, properties and reasons, and the next update finishes it", async () => {
    const it = await rig();
    it.em.faults.add({ operation: { action: "start_compute", then: "never" } });
    const { inputs } = await it.plugin.check({}, { ...BASE, size: secret(1) });
    const { kept } = await failure(it.plugin.create(inputs, { timeout: 1 }));
    expect(kept).toMatchObject({
      id: expect.stringMatching(/^ep-/),
      properties: { projectId: PROJECT, size: secret(1) },
      reasons: [expect.stringContaining("start_compute")],
    });
    expect(kept!.properties["unfinished"]).toHaveLength(1);
    expect(kept!.properties).not.toHaveProperty("__secret");
    it.em.faults.clear();
    const next = await it.again();
    const after = await next.update(kept!.id, kept!.properties, inputs, { oldInputs: inputs });
    expect(after).not.toHaveProperty("unfinished");
    expect(it.em.world.endpoints[kept!.id]).toMatchObject({ current_state: "active" });
  });

  test("a cancel ends the waiting, with the id", async () => {
    const it = await rig();
    it.em.faults.add({ operation: { action: "start_compute", then: "never" } });
    const { inputs } = await it.plugin.check({}, BASE);
    const call = failure(it.plugin.create(inputs));
    await expect.poll(() => it.em.requests.some(({ path }) => path.includes("/operations/"))).toBe(true);
    await it.plugin.cancel();
    const { kept, message } = await call;
    expect(kept?.id).toMatch(/^ep-/);
    expect(message).toMatch(/^interrupted: start_compute of ep-/);
  });

  test("shows no key", async () => {
    const it = await rig();
    it.em.faults.add({ match: {}, times: 100, then: { status: 400, body: { message: `no: ${KEY}` } } });
    const { inputs } = await it.plugin.check({}, BASE);
    const { message } = await failure(it.plugin.create(inputs));
    expect(message).toContain("the service answered 400");
    expect(message).not.toContain(KEY);
  });
});

describe("the account", () => {
  test("is a pair from one layer, in the words of the dynamic form", async () => {
    const it = await rig();
    const { inputs } = await it.plugin.check({}, BASE);
    const alone = await it.again({ apiUrl: "https://example.com/api/v2" });
    expect((await failure(alone.create(inputs))).message).toMatch(/compute:apiUrl \(stack config\) is set, but no key/);
    const foreign = await it.again({ apiKey: KEY, apiUrl: "https://example.com/api/v2" });
    expect((await foreign.check({}, BASE)).failures).toMatchObject([
      ["compute:apiUrl", expect.stringContaining("is not used beside compute:apiKey")],
    ]);
    const nobody = await it.again({});
    expect((await failure(nobody.create(inputs))).message).toMatch(/^no API key: set COMPUTE_API_KEY/);
  });

  test("of the stack is refused where it names a host in plain text, and mistakes in it are told, as in the class", async () => {
    const it = await rig();
    it.said();
    const bound = "https://keys.example.com/api/v2#key-of-theirs";
    expect((await failure(it.again({ apiKey: bound }))).message).toMatch(
      /^compute:apiKey .* names a host in plain text/,
    );
    await it.again({ apiKey: secret(bound), version: "0.1.0" });
    expect(it.said()).toEqual([]);
    await it.again({ apiKey: KEY, onRestrat: "refuse", approve: '["0123456789ab"]' });
    expect(it.said().map(({ severity, message }) => [severity, message])).toEqual([
      ["warning", expect.stringMatching(/^compute:apiKey stands in plain text/)],
      ["warning", expect.stringContaining("0123456789ab approves nothing")],
      ["warning", expect.stringMatching(/^compute:onRestrat .* is not known/)],
    ]);
  });

  test("of an explicit provider is named in errors, and wins over the environment", async () => {
    const it = await rig({}, {}, { COMPUTE_API_KEY: KEY, COMPUTE_API_URL: "http://127.0.0.1:1/api/v2" });
    const { inputs } = await it.plugin.check({}, BASE);
    const plugin = await it.again({});
    await plugin.configure({ apiKey: secret("another-key"), apiUrl: it.em.url }, "eu");
    expect((await failure(plugin.create(inputs))).message).toMatch(/apiKey of the Provider "eu"/);
    await plugin.configure({ apiKey: secret(KEY), apiUrl: it.em.url }, "eu");
    expect((await plugin.create(inputs)).id).toMatch(/^ep-/);
  });

  test("a change of it never replaces the provider, and so no compute", async () => {
    const it = await rig();
    expect(await it.plugin.diffConfig({ apiKey: "a" }, { apiKey: "b" })).toEqual({ changes: "some", replaces: [] });
    expect(await it.plugin.diffConfig({ apiKey: "a" }, { apiKey: "a" })).toEqual({ changes: "none", replaces: [] });
  });
});

test("look-ups are functions, and a connection URI is a secret", async () => {
  const it = await rig();
  const { id } = await made(it);
  expect(await it.plugin.invoke("getEndpoint", { projectId: PROJECT, id })).toMatchObject({
    id,
    capacity: { vcpu: 1 },
  });
  const { endpoints } = await it.plugin.invoke("listEndpoints", { projectId: PROJECT, branchId: BRANCH });
  expect(endpoints).toMatchObject([{ id }]);
  const { operations } = await it.plugin.invoke("listOperations", { projectId: PROJECT, limit: 1 });
  expect(operations).toHaveLength(1);
  const [operation] = operations as Props[];
  expect(await it.plugin.invoke("getOperation", { projectId: PROJECT, id: operation!["id"] })).toEqual(operation);
  expect((await failure(it.plugin.invoke("getEndpoint", { projectId: PROJECT, id: "ep-no" }))).message).toMatch(
    /compute ep-no is not in project/,
  );
  expect((await failure(it.plugin.invoke("getAll", {}))).message).toMatch(/no function compute:index:getAll/);
});

test("a state of the dynamic form is taken over without a change", async () => {
  const it = await rig();
  const { id, inputs, outputs } = await made(it);
  const left = { __provider: PROVIDER_TEXT, customTimeouts: { create: "5m" } };
  const [olds, oldInputs] = [
    { ...outputs, ...left },
    { ...inputs, ...left },
  ];
  const next = (await it.plugin.check(oldInputs, BASE)).inputs;
  expect(next).toEqual(inputs);
  expect(await it.plugin.diff(id, olds, next, { oldInputs })).toMatchObject({ changes: "none" });
  const read = await (await it.again()).read(id, olds, oldInputs);
  expect(Object.keys(read.outputs)).not.toContain("__provider");
});

test("the process ends with its engine, and needs nothing of Pulumi's", async () => {
  const engine = await startEngineLog();
  const plugin = await Plugin.start(engine.address, program.path);
  expect(plugin.alive).toBe(true);
  await engine.kill();
  expect(await plugin.ended).toBe(1);
});
