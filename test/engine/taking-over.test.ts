/**
 * The pages for people who come from Terraform, rehearsed: their programs and their tables as they stand, with the fields and
 * values that the old tools hold.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EndpointRow, RunningEmulator } from "../../emulator/index.js";
import { programsOf, ROOT } from "../package/snippets";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, files, PROJECT, SEED, type Story, startStory } from "./support";

type Fields = Record<string, unknown>;

/** The rows of a page's table: the old field, the property here, and whether that is an output. */
function tableOf(file: string): { old: string; ours: string; isOutput: boolean }[] {
  const rows = [...readFileSync(join(ROOT, file), "utf8").matchAll(/^\| `(\w+)` \| (output )?`([\w.]+)` \|/gm)];
  return rows.map(([, old, output, ours]) => ({ old: old!, ours: ours!, isOutput: output !== undefined }));
}

/** The arguments of our resource for what the old tool holds, by the page's table. */
function argsFor(file: string, held: Fields): Fields {
  const args: Fields = {};
  for (const { old, ours, isOutput } of tableOf(file)) {
    if (isOutput || held[old] === undefined) continue;
    const [top, part] = ours.split(".");
    if (part === undefined) args[top!] = held[old];
    else args[top!] = { [part]: held[old] };
  }
  return args;
}

/** What the old provider holds of a compute: a value for every field, and the pooled host where pooling is on. */
const held = (one: EndpointRow): Fields => ({
  id: one.id,
  project_id: one.project_id,
  branch_id: one.branch_id,
  type: one.type,
  autoscaling_limit_min_cu: one.autoscaling_limit_min_cu,
  autoscaling_limit_max_cu: one.autoscaling_limit_max_cu,
  suspend_timeout_seconds: one.suspend_timeout_seconds,
  disabled: one.disabled,
  pg_settings: one.settings.pg_settings,
  pooler_enabled: one.pooler_enabled,
  pooler_mode: one.pooler_mode,
  region_id: one.region_id,
  compute_provisioner: one.provisioner,
  host: one.pooler_enabled ? one.host.replace(/^[^.]+/, "$&-pooler") : one.host,
  proxy_host: one.proxy_host,
});

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const camelled = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value]));

/** Computes of several kinds, made long ago, beside the seeded primary with the values of the pages' programs. */
function prepare(em: RunningEmulator): void {
  const primary = em.world.endpoints[SEED.primaryId]!;
  Object.assign(primary, { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 600 });
  const make = (id: string, fields: Partial<EndpointRow>) => {
    const host = primary.host.replace(SEED.primaryId, id);
    em.world.endpoints[id] = { ...structuredClone(primary), id, host, type: "read_only", ...fields };
  };
  addBranch(em, "br-old");
  const settings = { pg_settings: { work_mem: "64MB", jit: "off" } };
  make("ep-pooled", { pooler_enabled: true, settings, suspend_timeout_seconds: -1 });
  make("ep-idle", { type: "read_write", branch_id: "br-old", current_state: "idle", suspend_timeout_seconds: 0 });
  make("ep-off", { disabled: true, current_state: "idle", autoscaling_limit_min_cu: 2 });
}

const COMPUTES = [SEED.primaryId, "ep-pooled", "ep-idle", "ep-off"];

const source = (text: string): string =>
  ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS, esModuleInterop: true } }).outputText;

/** The outputs that the table promises, beside what the old tool held. */
function promised(file: string, old: Fields, outputs: Fields): [unknown, unknown][] {
  const pooled = old["pooler_enabled"] === true || old["poolerEnabled"] === true;
  return tableOf(file)
    .filter(({ isOutput }) => isOutput)
    .map(({ old: name, ours }) => [outputs[name === "host" && pooled ? "poolerHost" : ours], old[name]]);
}

describe.each(["docs/from-terraform.md", "docs/from-terraform-bridge.md"])("%s", (file) => {
  test("says something of every field that the old resource has", () => {
    const names = Object.keys(held({ settings: {} } as EndpointRow));
    const known = file.includes("bridge") ? names.map(camel) : names;
    expect(
      tableOf(file)
        .map(({ old }) => old)
        .sort(),
    ).toEqual(known.sort());
  });
});

describeWithEngine("docs/from-terraform.md", (engine) => {
  const file = "docs/from-terraform.md";
  let story: Story;
  let rows: Record<string, EndpointRow>;
  /** `terraform.tfstate`. */
  let state: { resources: { type: string; name: string; instances: { attributes: Fields }[] }[] };
  const one = (id: string) => state.resources.find(({ name }) => name === id)!.instances[0]!.attributes;

  /** What `terraform apply` does about what is in its state and no longer in its configuration. */
  async function apply(configuration: string[]): Promise<void> {
    const gone = state.resources.filter(({ name }) => !configuration.includes(name));
    for (const { name, instances } of gone) {
      const { project_id, id } = instances[0]!.attributes;
      const headers = { authorization: `Bearer ${story.em.apiKey}` };
      await fetch(`${story.em.url}/projects/${project_id}/endpoints/${id}`, { method: "DELETE", headers });
      state.resources = state.resources.filter((resource) => resource.name !== name);
    }
  }

  beforeAll(async () => {
    story = await startStory(engine, { program: "", before: prepare });
    rows = structuredClone(story.em.world.endpoints);
    state = {
      resources: COMPUTES.map((id) => ({
        type: "neon_endpoint",
        name: id,
        instances: [{ attributes: held(rows[id]!) }],
      })),
    };
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "the page's program takes the compute over as it is",
    async () => {
      const { ws, em } = story;
      const [program] = programsOf(file);
      await ws.setProgram({ "index.js": source(program!.text) });
      const shown = await ws.preview();
      expect(shown.stdout).toMatch(/Endpoint +primary +create/);
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(await ws.outputs()).toEqual({ host: one(SEED.primaryId)["host"] });
      await ws.preview({ args: ["--expect-no-changes"] });
      // adopt and onRestart may go.
      await ws.setProgram({ "index.js": source(program!.text.replace(/^ *(adopt|onRestart):.*\n/gm, "")) });
      await ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "every field as Terraform holds it, of computes of all kinds: same id and host, no request that changes anything",
    async () => {
      const { ws, em } = story;
      const all = COMPUTES.slice(1).map((id) => [id, { ...argsFor(file, one(id)), onRestart: "refuse" }]);
      const [program] = programsOf(file);
      const others = `for (const [name, args] of ${JSON.stringify(all)}) new Endpoint(name, args);`;
      await ws.setProgram({
        "index.js": `${source(program!.text)}\nconst { Endpoint } = require("pulumi-compute-endpoint");\n${others}`,
      });
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(em.world.endpoints).toEqual(rows);
      for (const id of COMPUTES.slice(1)) {
        const { id: ours, outputs = {} } = await ws.resource(id);
        expect(ours).toBe(id);
        for (const [is, was] of promised(file, one(id), outputs)) expect(is).toBe(was);
      }
      await ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test("forgotten with `terraform state rm`, they stay; a block that is only deleted takes its compute along", async () => {
    const [kept, careless] = [COMPUTES.slice(0, 3), COMPUTES[3]!];
    // terraform state rm
    state.resources = state.resources.filter(({ name }) => !kept.includes(name));
    await apply([careless]);
    expect(changes(story.em)).toEqual([]);
    await apply([]);
    expect(changes(story.em).map(({ line }) => line)).toEqual([`DELETE /projects/${PROJECT}/endpoints/${careless}`]);
    expect(Object.keys(story.em.world.endpoints).sort()).toEqual([...kept].sort());
  });
});

/** A resource with the fields of the bridge's, that does what the bridge does with the compute. */
const OLD_PACKAGE = {
  "node_modules/old-bridge/package.json": JSON.stringify({ name: "old-bridge", version: "1.0.0", main: "index.js" }),
  "node_modules/old-bridge/index.js": `
const base = ({ projectId }) => process.env.COMPUTE_API_URL + "/projects/" + projectId + "/endpoints";
const headers = { authorization: "Bearer " + process.env.COMPUTE_API_KEY, "content-type": "application/json" };
exports.provider = {
  async diff(id, olds, news) { return Object.keys(news).every((key) => JSON.stringify(olds[key]) === JSON.stringify(news[key])) ? { changes: false } : {}; },
  // Made long ago: the state was written then.
  async create(inputs) { return { id: inputs.madeAs, outs: inputs }; },
  async update(id, olds, news) { await fetch(base(news) + "/" + id, { method: "PATCH", headers, body: JSON.stringify({ endpoint: {} }) }); return { outs: news }; },
  async delete(id, props) { await fetch(base(props) + "/" + id, { method: "DELETE", headers }); },
};`,
};
const OLD_CLASS = `
class OldEndpoint extends pulumi.CustomResource {
  constructor(name, args, opts) {
    const __provider = 'exports.handler = () => require("old-bridge").provider;';
    super("pulumi-nodejs:dynamic/neon:Endpoint", name, { ...args, __provider }, opts);
  }
}`;

describeWithEngine("docs/from-terraform-bridge.md", (engine) => {
  const file = "docs/from-terraform-bridge.md";
  let story: Story;
  let rows: Record<string, EndpointRow>;
  const old = (id: string): Fields => camelled(held(rows[id]!));
  const RETAIN = "{ retainOnDelete: true }";

  /** The old resources by compute, with their options, and below them the new ones. */
  const program = (olds: Record<string, string>, news: string[] = []) => {
    const before = Object.entries(olds).map(([id, options]) => {
      const { id: madeAs, ...fields } = old(id);
      return `new OldEndpoint("${id}", ${JSON.stringify({ ...fields, madeAs })}, ${options});`;
    });
    const after = news.map((id) => {
      const args = { ...argsFor(file, old(id)), onRestart: "refuse" };
      return `new Dependant("dns-${id}", { on: new Endpoint("${id}", ${JSON.stringify(args)}).host });`;
    });
    return { ...files([OLD_CLASS, ...before, ...after].join("\n")), ...OLD_PACKAGE };
  };
  const [primary, pooled, idle, off] = COMPUTES as [string, string, string, string];

  beforeAll(async () => {
    story = await startStory(engine, { program: "", before: prepare });
    rows = structuredClone(story.em.world.endpoints);
    await story.ws.setProgram(program({ [primary]: "{}", [pooled]: "{}", [idle]: "{}", [off]: "{}" }));
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "step 1: retainOnDelete is learnt by the state alone",
    async () => {
      const { ws, em } = story;
      await ws.setProgram(program({ [primary]: RETAIN, [pooled]: RETAIN, [idle]: "{}", [off]: "{}" }));
      expect((await ws.up({ args: ["--skip-preview"] })).stdout).toMatch(/Resources:\n {4}5 unchanged/);
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "steps 2 and 3: every field as the bridge holds it, beside the old resources: same id and host, nothing changed",
    async () => {
      const { ws, em } = story;
      const news = [primary, pooled, idle];
      await ws.setProgram(program({ [primary]: RETAIN, [pooled]: RETAIN, [idle]: "{}", [off]: "{}" }, news));
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(em.world.endpoints).toEqual(rows);
      const resources = (await ws.export()).deployment.resources!;
      for (const id of news) {
        const ours = resources.find(({ urn }) => urn.includes("dynamic/compute:Endpoint") && urn.endsWith(`::${id}`))!;
        expect(ours.id).toBe(id);
        for (const [is, was] of promised(file, old(id), ours.outputs!)) expect(is).toBe(was);
      }
      await ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "step 4: the old resources go, by retainOnDelete or from the state, and the computes stay; a careless one goes along",
    async () => {
      const { ws, em } = story;
      const resources = (await ws.export()).deployment.resources!;
      const urn = resources.find(
        (one) => one.urn.includes("dynamic/neon:Endpoint") && one.urn.endsWith(`::${idle}`),
      )!.urn;
      await ws.pulumi(["state", "delete", urn, "--yes"], { fails: false });
      await ws.setProgram(program({ [off]: "{}" }, [primary, pooled, idle]));
      const shown = await ws.up({ args: ["--skip-preview"] });
      expect(shown.stdout).toMatch(/Resources:\n {4}- 2 deleted\n {4}8 unchanged/);
      expect(changes(em)).toEqual([]);
      expect(em.world.endpoints).toEqual(rows);
      // Neither protected nor taken out of the state: this is what the page warns of.
      await ws.setProgram(program({}, [primary, pooled, idle]));
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line)).toEqual([`DELETE /projects/${PROJECT}/endpoints/${off}`]);
      await ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "a value that differs and would restart: it stops, names both, and changes nothing",
    async () => {
      const { ws, em } = story;
      const text = programsOf(file)[0]!.text;
      em.world.endpoints[SEED.primaryId]!.autoscaling_limit_max_cu = 4;
      await ws.setProgram({ "index.js": source(text.replace('"primary"', '"again"')) });
      const { stdout, stderr } = await ws.up({ args: ["--skip-preview", "--target", "**again"], fails: true });
      expect(stdout + stderr).toMatch(
        /adopting ep-\S+ would change it: autoscalingLimitMaxCu 4 → 2 restarts this compute .*this compute was not changed/,
      );
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
