/** A stack moves from the class to the plugin, in TypeScript and in YAML, and back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOfChange } from "../../provider/rules/approval.js";
import { impactOf } from "../../provider/rules/impact.js";
import { desiredSettings, type SettingsInput } from "../../provider/rules/settings.js";
import { describeWithLanguage, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { PLUGIN } from "./languages/program";
import { compute, NATIVE } from "./languages/start";
import { YAML } from "./languages/yaml";
import { addBranch, changes, files, MAIN, PROJECT, SEED, type Story, startStory } from "./support";

const DYNAMIC = "pulumi-nodejs:dynamic/compute:Endpoint";
const PACKAGES = `packages:\n  compute: ${PLUGIN}\n`;
/** The class as Pulumi generates it from the schema, for the parts that count here. */
const GENERATED = `
class Native extends pulumi.CustomResource {
  constructor(name, args, opts) {
    const outputs = { host: undefined, restart: undefined, managed: undefined };
    super("${NATIVE}", name, { ...outputs, ...args }, pulumi.mergeOptions(opts, { aliases: [{ type: "${DYNAMIC}" }] }));
  }
}
class NativeProvider extends pulumi.ProviderResource {
  constructor(name, args, opts) { super("compute", name, args, opts); }
}`;

/** On the way back each compute names the type that it had. */
const RETURNED = `
class Returned extends Endpoint {
  constructor(name, args, opts) {
    super(name, args, pulumi.mergeOptions(opts, { aliases: [{ type: "${NATIVE}" }] }));
  }
}`;

type Form = "dynamic" | "native" | "returned";
const CLASSES: Record<Form, string> = {
  dynamic: "[Endpoint, Provider]",
  native: "[Native, NativeProvider]",
  returned: "[Returned, Provider]",
};

/** The same program in either form. @param more arguments of the first compute */
const program = (form: Form, url: string, more = "") => `
${GENERATED}
${RETURNED}
const { Provider } = require("pulumi-compute-endpoint");
const [One, Instance] = ${CLASSES[form]};
class Service extends pulumi.ComponentResource {
  constructor(name) {
    super("test:index:Service", name);
    this.compute = new One("child", { projectId, branchId: "br-child", size: 1 }, { parent: this });
    this.registerOutputs({});
  }
}
new One("primary", { projectId, branchId: "${SEED.branches.dev}", size: 1, ${more} });
new One("guarded", { projectId, branchId, type: "read_only", size: 1, settings: { pgSettings: { work_mem: "64MB" } } }, { protect: true });
new One("hidden", { projectId, branchId, type: "read_only", size: pulumi.secret(2) });
new One("slow", { projectId, branchId, type: "read_only", size: 1 }, { customTimeouts: { create: "5m" } });
new Service("service");
const eu = new Instance("eu", { apiKey: "key-of-this-story", apiUrl: "${url}" });
new One("abroad", { projectId, branchId, type: "read_only", size: 1 }, { provider: eu });
`;

const digestOf = (urn: string, old: SettingsInput, next: SettingsInput): string => {
  const [before, desired] = [desiredSettings(old), desiredSettings(next)];
  return digestOfChange(urn, impactOf(before, desired), before, desired)!;
};

const isCompute = ({ type }: StateResource) => type === NATIVE || type === DYNAMIC;
const NAMES = ["abroad", "child", "guarded", "hidden", "primary", "slow"];

describeWithLanguage("yaml", "a stack", (engine, { hosts }) => {
  let story: Story;
  const use = (form: Form, more?: string) =>
    story.ws.setProgram({
      ...files(program(form, story.em.url, more)),
      "Pulumi.yaml": `name: test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n${PACKAGES}`,
    });
  const computes = async () => {
    const all = ((await story.ws.export()).deployment.resources ?? []).filter(isCompute);
    return all.map(({ urn, type, id }) => [urn.split("::").at(-1), type, id]).sort();
  };

  beforeAll(async () => {
    story = await startStory(engine, { program: "", hosts, before: (em) => addBranch(em, "br-child") });
    await use("dynamic");
    await story.ws.up({ args: ["--skip-preview"] });
    story.em.requests.splice(0);
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "moves to the plugin without a change in the preview, and sends nothing",
    async () => {
      const before = await computes();
      expect(before.map(([name]) => name)).toEqual(NAMES);
      await use("native");
      const { document } = await story.ws.previewJson();
      const touched = (document.steps ?? []).filter(({ op, urn }) => op !== "same" && urn.includes("Endpoint"));
      expect(touched.map(({ op, urn }) => `${op} ${urn}`)).toEqual([]);
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await computes()).toEqual(before.map(([name, , id]) => [name, NATIVE, id]));
      expect(changes(story.em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "an approval that was given to the class holds",
    async () => {
      await use("native", "onRestart: 'refuse',");
      await story.ws.up({ args: ["--skip-preview"] });
      const urn = `urn:pulumi:dev::test::${DYNAMIC}::primary`;
      const args = { projectId: PROJECT, branchId: SEED.branches.dev };
      await story.ws.setConfig({ "compute:approve": digestOf(urn, { ...args, size: 1 }, { ...args, size: 2 }) });
      await use("native", "onRestart: 'refuse', size: 2,");
      await story.ws.up();
      expect(changes(story.em)).toMatchObject([{ line: expect.stringMatching(/^PATCH/), status: 200 }]);
      await use("native", "onRestart: 'warn', size: 2,");
      await story.ws.up();
    },
    ENGINE_TEST_MS,
  );

  test(
    "moves back with one update each that sends nothing, and can be refreshed then",
    async () => {
      const before = await computes();
      await use("returned", "size: 2,");
      const { document } = await story.ws.previewJson();
      const ops = (document.steps ?? []).filter(({ op, urn }) => op !== "same" && urn.includes("Endpoint"));
      expect(new Set(ops.map(({ op }) => op))).toEqual(new Set(["update"]));
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await computes()).toEqual(before.map(([name, , id]) => [name, DYNAMIC, id]));
      expect(changes(story.em)).toEqual([]);
      await story.ws.refresh();
      // The aliases have done their work.
      await use("dynamic", "size: 2,");
      await story.ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "moves to YAML too: the alias is in the schema",
    async () => {
      await story.ws.setProgram(
        files(`new Endpoint("primary", { projectId, branchId: "${SEED.branches.dev}", size: 2 });`),
      );
      await story.ws.pulumi(["state", "unprotect", "--all", "--yes"], { fails: false });
      await story.ws.up({ args: ["--skip-preview"] });
      changes(story.em);
      const { id } = await story.ws.resource("primary");
      await story.ws.setProgram(
        YAML.files({ computes: [compute("primary", { branchId: SEED.branches.dev, size: 2 })] }),
      );
      const { document } = await story.ws.previewJson();
      const touched = (document.steps ?? []).filter(({ op, urn }) => op !== "same" && urn.includes("Endpoint"));
      expect(touched.map(({ op, urn }) => `${op} ${urn}`)).toEqual([]);
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await story.ws.resource("primary")).toMatchObject({ type: NATIVE, id });
      expect(changes(story.em)).toEqual([]);
      await story.ws.destroy();
      expect(story.em.world.endpoints[id!]).toBeUndefined();
      expect(Object.values(story.em.world.endpoints).map(({ branch_id }) => branch_id)).toContain(MAIN);
    },
    ENGINE_TEST_MS,
  );
});
