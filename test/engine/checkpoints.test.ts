/** `PULUMI_SKIP_CHECKPOINTS` for previews, as docs/scale.md and the pipelines recommend it: the document is the same, and so is the state. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, type Story, startStory } from "./support";

/** A restart, a replacement, a deletion and a creation in one preview, beside a dependant. */
const PROGRAM = `
const later = process.env.LATER === "yes";
for (let index = 0; index < 3; index++) {
  const one = new Endpoint("r" + index, { projectId, branchId: "br-a" + index, size: later ? 4 : 2 });
  new Dependant("dns" + index, { on: one.host });
}
new Endpoint("moved", { projectId, branchId: later ? "br-a4" : "br-a3" }, { replaceOnChanges: ["branchId"] });
if (!later) new Endpoint("gone", { projectId, branchId: "br-a5" });
if (later) new Endpoint("added", { projectId, branchId: "br-a6" });
`;

const textOf = (one: object): string => JSON.stringify(one);
const sorted = (some: object[] = []) => some.toSorted((a, b) => textOf(a).localeCompare(textOf(b)));

describeWithEngine("a preview without checkpoints", (engine) => {
  let story: Story;
  beforeAll(async () => {
    const before = (em: Story["em"]) => {
      for (let index = 0; index < 7; index++) addBranch(em, `br-a${index}`);
    };
    story = await startStory(engine, { program: PROGRAM, before });
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story.close());

  const stateOf = () => story.ws.export();
  const documentOf = async (env: NodeJS.ProcessEnv) => {
    const { stdout } = await story.ws.pulumi(["preview", "--json"], { env: { LATER: "yes", ...env } });
    const { duration: _, steps, diagnostics, ...document } = JSON.parse(stdout) as Record<string, object[]>;
    // The order of resources that do not depend on each other differs from run to run.
    return { ...document, steps: sorted(steps), diagnostics: sorted(diagnostics) };
  };

  test(
    "has the same document, and leaves the state as it is",
    async () => {
      const state = await stateOf();
      const usual = await documentOf({});
      expect(usual).toMatchObject({ changeSummary: { create: 1, delete: 1, replace: 1 } });
      const skipped = await documentOf({ PULUMI_SKIP_CHECKPOINTS: "true" });
      expect(skipped).toEqual(usual);
      expect(await stateOf()).toEqual(state);
    },
    ENGINE_TEST_MS,
  );
});
