/** What Pulumi learns of a step that failed, and what the terminal shows of it. */
import { describe, expect, test } from "vitest";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { CallFailed, hint, type Props, type Shim } from "./shim";
import { BRANCH, KEY, PROJECT, type Rig, rig } from "./support";

const inputs = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  __autoName: hint("main"),
  ...more,
});

/** What the state has of a compute that nobody made. */
const state = (more: Props = {}): Props => ({ ...inputs(), adopted: false, managed: ["branchId", "size"], ...more });

async function failure(call: Promise<unknown>): Promise<CallFailed> {
  const error = await call.then(
    () => new Error("it was to fail"),
    (error: unknown) => error,
  );
  if (error instanceof CallFailed) return error;
  throw error;
}

function expectQuiet({ said, output }: Shim): void {
  const all = said + output.stderr;
  expect(all).not.toContain(KEY);
  expect(all).not.toMatch(/^\s+at /m);
  expect(all).not.toMatch(/node_modules|\.js:\d/);
}

const broken = (status: number, body: unknown = { message: "no luck today" }) => ({
  match: { path: `/projects/${PROJECT}` },
  times: 1000,
  then: { status, body },
});

describe("a step that fails after the service took the request", () => {
  test("create keeps the compute: its id, properties with the provider's text, and the reasons", async () => {
    const { shim, emulator } = await rig();
    emulator.faults.add({ operation: { action: "start_compute", then: "error" } });
    const { kept, message } = await failure(shim.create(inputs()));
    expect(kept).toMatchObject({
      id: expect.stringMatching(/^ep-/),
      properties: { __provider: PROVIDER_TEXT, projectId: PROJECT, branchId: BRANCH, restart: "no", adopted: false },
      reasons: [expect.stringMatching(/start_compute.*error/)],
    });
    expect(emulator.world.endpoints[kept!.id]).toBeDefined();
    expect(kept!.properties["unfinished"]).toHaveLength(1);
    expect(message).toBe(kept!.reasons.join("; "));
    expectQuiet(shim);
  });

  test("the next process finishes with an update what a create left, and makes nothing twice", async () => {
    const { shim, again, emulator } = await rig();
    emulator.faults.add({ operation: { action: "start_compute", then: "never" } });
    const { kept } = await failure(shim.create(inputs({ customTimeouts: { create: "1s" } })));
    expect(kept!.properties["unfinished"]).toHaveLength(1);
    emulator.faults.clear();
    const before = Object.keys(emulator.world.endpoints);
    const next = await again();
    const outputs = await next.update(kept!.id, kept!.properties, inputs());
    expect(outputs).toMatchObject({ __provider: PROVIDER_TEXT, size: 1, restart: "no" });
    expect(outputs).not.toHaveProperty("unfinished");
    expect(Object.keys(emulator.world.endpoints)).toEqual(before);
  });

  test("update keeps the compute as well, also where its time is up", async () => {
    const { shim, emulator } = await rig();
    const made = await shim.create(inputs());
    emulator.faults.add({ operation: { action: "apply_config", then: "never" } });
    const news = inputs({ size: 2, customTimeouts: { update: "1s" } });
    const { kept } = await failure(shim.update(made.id, made.outputs, news));
    expect(kept).toMatchObject({
      id: made.id,
      properties: { __provider: PROVIDER_TEXT, host: made.outputs["host"], unfinished: [expect.any(String)] },
      reasons: [expect.stringMatching(/apply_config/)],
    });
    expectQuiet(shim);
  });
});

describe("a step that fails before anything was done keeps nothing, and shows no stack and no key", () => {
  const calls: [string, (rig: Rig) => Promise<unknown>][] = [
    ["create", ({ shim }) => shim.create(inputs())],
    ["read", ({ shim }) => shim.read("ep-nobody-knows-123456", state())],
    ["update", ({ shim }) => shim.update("ep-nobody-knows-123456", state(), inputs({ size: 2 }))],
    ["delete", ({ shim }) => shim.delete("ep-nobody-knows-123456", state())],
  ];

  test.each([
    [
      "the service does not know the key",
      401,
      { code: "", message: `the key ${KEY} is not valid` },
      /401.*compute:apiKey/,
    ],
    ["the service answers a page of HTML", 403, "<html>\n  at your service\n</html>", /403/],
    ["the service answers what is no JSON", 400, "{ nothing", /400/],
  ])("where %s", async (_what, status, body, words) => {
    const it = await rig();
    it.emulator.faults.add(broken(status, body));
    for (const [name, call] of calls) {
      const { kept, message } = await failure(call(it));
      expect(kept, name).toBeUndefined();
      expect(message, name).toMatch(words);
      expect(message, name).not.toContain(KEY);
    }
    expectQuiet(it.shim);
  });

  test("where there is no key", async () => {
    const it = await rig();
    const shim = await it.again({ "compute:apiUrl": it.emulator.url });
    for (const [name, call] of calls) {
      const { kept, message } = await failure(call({ ...it, shim }));
      expect(kept, name).toBeUndefined();
      expect(message, name).toMatch(/compute:apiUrl \(stack config\) is set, but there is no key beside it/);
    }
    expect(it.requests()).toEqual([]);
    expectQuiet(shim);
  });

  test("create with a branch that does not exist", async () => {
    const { shim } = await rig();
    const { kept, message } = await failure(shim.create(inputs({ branchId: "br-nowhere-at-all-123456" })));
    expect(kept).toBeUndefined();
    expect(message).toMatch(/404/);
    expectQuiet(shim);
  });

  test("a key that does not reach the project is no sign that a compute is gone", async () => {
    const { again, emulator, config } = await rig({
      keys: [{ key: "napi_for_the_other_project", projectId: "calm-forest-51829374" }],
    });
    const shim = await again({ ...config, "compute:apiKey": "napi_for_the_other_project" });
    const { message } = await failure(shim.read(emulator.seed.primaryId, state()));
    expect(message).toMatch(/404/);
    expectQuiet(shim);
  });

  test("check and diff without a key do their work: they need none", async () => {
    const it = await rig();
    const shim = await it.again({});
    expect((await shim.check({}, inputs())).failures).toEqual([]);
    expect(await shim.diff("ep-x", state(), inputs({ size: 2, restart: "no" }))).toMatchObject({ changes: "unknown" });
    expectQuiet(shim);
  });
});

describe("a service that says little", () => {
  test("leads to a state without holes: nothing in it is null, and Pulumi can take it", async () => {
    const { shim, emulator } = await rig();
    const path = `/projects/${PROJECT}/endpoints`;
    const spare = { id: "ep-bare-minimum-123456", settings: null, name: null };
    const said = { endpoints: [spare], endpoint: spare, operations: null };
    emulator.faults.add({ match: { method: "POST", path }, then: { status: 201, body: said } });
    emulator.faults.add({ match: { method: "GET", path }, then: { status: 200, body: { endpoints: [] } } });
    emulator.faults.add({ match: { path }, times: 99, then: { status: 200, body: said } });
    const program = inputs({ settings: { pgSettings: { work_mem: "8MB" } } });
    const made = await shim.create(program);
    expect(made.outputs).toEqual({
      __provider: PROVIDER_TEXT,
      __autoName: hint("main"),
      adopted: false,
      branchId: BRANCH,
      managed: ["branchId", "projectId", "settings.pgSettings.work_mem", "size"],
      name: hint("main"),
      projectId: PROJECT,
      restart: "no",
      settings: expect.any(Object),
      size: 1,
      autoscalingLimitMinCu: 1,
      autoscalingLimitMaxCu: 1,
      type: "read_write",
    });
    const changed = await shim.update(made.id, made.outputs, { ...program, size: 2 });
    const read = await shim.read(made.id, changed);
    expect(JSON.stringify([changed, read])).not.toContain("null");
  });
});
