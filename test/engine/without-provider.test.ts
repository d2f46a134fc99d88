/** A state that has lost the provider's text: Pulumi can't load the provider from it, and the next `up` has to put it back. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, type Story, startStory } from "./support";

const SKIP = ["--skip-preview"];

describeWithEngine("a state without the provider's text", (engine) => {
  let story: Story;

  beforeAll(async () => {
    const program = 'new Endpoint("db", { projectId, branchId: "br-db", size: 1 });';
    story = await startStory(engine, { program, before: (em) => addBranch(em, "br-db") });
    await story.ws.up({ args: SKIP });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "is healed by the next up without a request, and then refresh and destroy work",
    async () => {
      const { em, ws } = story;
      const state = await ws.export();
      const db = state.deployment.resources!.find(({ type }) => type.endsWith(":Endpoint"))!;
      delete db.outputs!["__provider"];
      const file = join(ws.folder, "state.json");
      await writeFile(file, JSON.stringify(state));
      await ws.pulumi(["stack", "import", "--file", file], { fails: false });
      changes(em);

      const refused = await ws.refresh({ args: SKIP, fails: true });
      expect(refused.stdout + refused.stderr).toContain("code must be a string");
      expect((await ws.preview()).stdout).toMatch(/~ 1 to update/);
      await ws.up({ args: SKIP });
      expect((await ws.resource("db")).outputs).toMatchObject({ __provider: PROVIDER_TEXT, size: 1 });
      expect(changes(em)).toEqual([]);

      await ws.preview({ args: ["--expect-no-changes"] });
      await ws.refresh({ args: SKIP });
      await ws.destroy({ args: SKIP });
      expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["DELETE"]);
    },
    ENGINE_TEST_MS,
  );
});
