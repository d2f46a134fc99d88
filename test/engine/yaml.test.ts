/** The plugin, as a YAML program has it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithLanguage, ENGINE_TEST_MS } from "../support/engine";
import { PLUGIN } from "./languages/program";
import { compute, type LanguageStory, NATIVE, startLanguage } from "./languages/start";
import { playStories } from "./languages/stories";
import { YAML } from "./languages/yaml";

playStories(YAML);

describeWithLanguage("yaml", "the plugin in a YAML program", (engine, support) => {
  let story: LanguageStory;
  beforeAll(async () => {
    story = await startLanguage(engine, support, YAML, {
      computes: [compute("primary", { branchId: "br-any", size: 1 })],
    });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "a host in the stack's config in plain text is refused; encrypted it is not, nor told to be plain",
    async () => {
      const bound = "https://keys.example.com/api/v2#key-of-theirs";
      await story.ws.setConfig({ "compute:apiKey": bound });
      const refused = await story.ws.preview({ fails: true });
      expect(refused.stdout + refused.stderr).toContain("names a host in plain text");
      await story.ws.setConfig({}, { "compute:apiKey": bound });
      const { stdout, stderr } = await story.ws.preview();
      expect(stdout + stderr).not.toContain("plain text");
      await story.ws.setConfig({ "compute:apiKey": story.em.apiKey });
      expect((await story.ws.preview()).stdout).toContain("compute:apiKey is in plain text");
      await story.ws.removeConfig("compute:apiKey");
    },
    ENGINE_TEST_MS,
  );

  test(
    "the engine accepts the schema",
    async () => {
      const { stdout } = await story.ws.pulumi(["package", "get-schema", PLUGIN], {
        fails: false,
      });
      expect(JSON.parse(stdout)).toMatchObject({
        name: "compute",
        resources: { [NATIVE]: { requiredInputs: ["branchId", "projectId"] } },
      });
      await story.use({ computes: [compute("a", { branch: "b" })] });
      const wrong = await story.ws.preview({ fails: true });
      expect(wrong.stdout + wrong.stderr).toMatch(/branch/);
    },
    ENGINE_TEST_MS,
  );
});
