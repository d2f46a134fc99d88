/** A URL without `/api/v2`: `up`, `refresh` and `destroy` ask for it, and the state stays as it is. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, files, type Story, shownInJson, startStory } from "./support";

const program = (more = "") => `
new Endpoint("db", { projectId, branchId: "br-db", size: 1 });
${more}`;

describeWithEngine("a URL without its version", (engine) => {
  let story: Story;
  beforeAll(async () => {
    story = await startStory(engine, {
      program: program(),
      config: { "compute:liveNotices": "true" },
      before: (em) => addBranch(em, "br-db"),
    });
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test.each([
    ["up", 'new Endpoint("reader", { projectId, branchId: "br-db", type: "read_only", size: 1 });'],
    ["refresh", ""],
    ["destroy", ""],
  ])(
    "is doubted by %s",
    async (command, more) => {
      const { em, ws } = story;
      await ws.setProgram(files(program(more)));
      const before = await ws.export();
      const args = [command, "--yes", "--skip-preview"];
      const { stdout, stderr } = await ws.pulumi(args, { fails: true, env: { COMPUTE_API_URL: em.origin } });
      expect(stdout + stderr).toMatch(
        /project \S+ was not found \([^)]*is \/api\/v2 missing\? It comes from COMPUTE_API_URL \(environment\)\), so [^.]*\. Check the URL$/m,
      );
      const ids = ({ deployment }: typeof before) => (deployment.resources ?? []).map(({ id }) => id);
      expect(ids(await ws.export())).toEqual(ids(before));
    },
    ENGINE_TEST_MS,
  );

  test(
    "is doubted by a preview of a creation",
    async () => {
      const { em, ws } = story;
      await ws.setProgram(
        files(program('new Endpoint("reader", { projectId, branchId: "br-db", type: "read_only" });')),
      );
      const { document } = await ws.previewJson({ env: { COMPUTE_API_URL: em.origin } });
      expect(shownInJson(document).get("reader")?.warnings).toEqual([
        expect.stringMatching(
          /^project \S+ was not found \([^)]*is \/api\/v2 missing\? It comes from COMPUTE_API_URL \(environment\)\): `up` will fail\. Check the URL\./,
        ),
      ]);
    },
    ENGINE_TEST_MS,
  );
});
