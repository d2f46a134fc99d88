/** `pulumi import --from compute`: what it says where it can import nothing. What it imports is in the stories of each language. */
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithLanguage, ENGINE_TEST_MS } from "../support/engine";
import { type LanguageStory, startLanguage } from "./languages/start";
import { YAML } from "./languages/yaml";

const PLUGIN = resolve(__dirname, "../../plugin");

describeWithLanguage("yaml", "a project", (engine, support) => {
  let story: LanguageStory;
  beforeAll(async () => {
    story = await startLanguage(engine, support, YAML, { computes: [] });
    story.ws.env["PATH"] = `${PLUGIN}:${story.ws.env["PATH"]}`;
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "that does not exist, or no project at all, is an error in words",
    async () => {
      const one = await story.ws.pulumi(["import", "--from", "compute", "other-project-12345678", "--yes"], {
        fails: true,
      });
      expect(one.stdout + one.stderr).toMatch(
        /project other-project-12345678 does not exist, or the key .* can't see it/,
      );
      const none = await story.ws.pulumi(["import", "--from", "compute", "--yes"], { fails: true });
      expect(none.stdout + none.stderr).toMatch(/no computes named: run `pulumi import --from compute PROJECT`/);
    },
    ENGINE_TEST_MS,
  );
});
