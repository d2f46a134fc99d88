/** The preview of a creation in both forms: what is not known yet is called unknown, and so is what depends on it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_OUTPUTS } from "../../sdk/outputs.js";
import { describeWithLanguage, ENGINE_TEST_MS } from "../support/engine";
import { Ref } from "./languages/program";
import { compute, type LanguageStory, startLanguage } from "./languages/start";
import { YAML } from "./languages/yaml";
import { SEED, type Story, startStory } from "./support";

const ARGS = { branchId: SEED.branches.dev, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 };
/** What no compute has after a creation with these arguments. */
const ABSENT = ["size", "unfinished"];
const NAMES = Object.keys(NO_OUTPUTS).filter((name) => !ABSENT.includes(name));

describeWithLanguage("yaml", "the outputs in the preview of a creation", (engine, support) => {
  let [ofClass, ofPlugin]: [Story?, LanguageStory?] = [];

  beforeAll(async () => {
    const lines = NAMES.map((name) => `exports.${name}_ = compute.${name};`);
    const program = `const compute = new Endpoint("main", { projectId, ...${JSON.stringify(ARGS)} });\n${lines.join("\n")}`;
    ofClass = await startStory(engine, { program });
    const outputs = Object.fromEntries(NAMES.map((name) => [`${name}_`, new Ref("main", name)]));
    ofPlugin = await startLanguage(engine, support, YAML, { computes: [compute("main", ARGS)], outputs });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ofClass?.close();
    await ofPlugin?.close();
  });

  /** The stack's outputs that a preview calls unknown, without the letter at their end. */
  const unknownIn = (stdout: string) => [...stdout.matchAll(/^ {4}(\w+)_ *: \[unknown\]$/gm)].map(([, name]) => name!);

  test(
    "are unknown where they are unknown in the class; only the list of what the program manages is known",
    async () => {
      const plugin = unknownIn((await ofPlugin!.ws.preview()).stdout);
      expect(plugin).toEqual(expect.arrayContaining(["name", "host", "poolerMode"]));
      expect([...plugin, "managed"].sort()).toEqual(unknownIn((await ofClass!.ws.preview()).stdout).sort());
    },
    ENGINE_TEST_MS,
  );

  test(
    "and `up` gives each of them a value",
    async () => {
      await ofPlugin!.ws.up({ args: ["--skip-preview"] });
      const outputs = await ofPlugin!.ws.outputs();
      expect(outputs["name_"]).toMatch(/^main-[0-9a-f]{8}$/);
      const [row] = Object.values(ofPlugin!.em.world.endpoints).filter(({ branch_id }) => branch_id === ARGS.branchId);
      expect(outputs).toMatchObject({ host_: row!.host, name_: row!.name, poolerMode_: row!.pooler_mode });
    },
    ENGINE_TEST_MS,
  );
});
