/**
 * The package is taken out of the project together with its last compute. No code of ours runs then: the state's text asks
 * for a package that is not there. What Pulumi prints is a heading of the page on
 * troubleshooting, and its advice works.
 */
import { readFile, rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { changes, files, type Story, startStory } from "./support";

const MESSAGE = "Cannot find module 'pulumi-compute-endpoint/provider'";
const REPLICA = `new Endpoint("replica", { projectId, branchId, type: "read_only", size: 1 });`;

test("the page on troubleshooting has the message as a heading", async () => {
  const page = await readFile(resolve(__dirname, "../../docs/troubleshooting.md"), "utf8");
  expect(page).toContain(`### ${MESSAGE}\n`);
});

describeWithEngine("a project without the package, and a compute in its state", (engine) => {
  let story: Story;
  const ids = async () => ((await story.ws.export()).deployment.resources ?? []).flatMap(({ id }) => id ?? []);
  const path = (name: string) => join(story.ws.programFolder, "node_modules", name);
  const uninstall = () => rename(path("pulumi-compute-endpoint"), path("elsewhere"));
  const install = () => rename(path("elsewhere"), path("pulumi-compute-endpoint"));

  beforeAll(async () => {
    story = await startStory(engine, { program: REPLICA });
    await story.ws.up({ args: ["--skip-preview"] });
    changes(story.em);
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "fails with that message, changes nothing, and goes on when the package is back",
    async () => {
      const { ws, em } = story;
      const before = await ids();
      await ws.setProgram({ "index.js": "" });
      await uninstall();
      for (const failing of [
        await ws.up({ args: ["--skip-preview"], fails: true }),
        await ws.destroy({ args: ["--skip-preview"], fails: true }),
        await ws.refresh({ args: ["--skip-preview"], fails: true }),
      ]) {
        expect(failing.stdout).toContain(MESSAGE);
      }
      expect([await ids(), changes(em)]).toEqual([before, []]);

      await install();
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line)).toEqual([expect.stringMatching(/^DELETE /)]);
      await uninstall();
      await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
      await install();
    },
    ENGINE_TEST_MS,
  );

  test(
    "forgets a compute that is to stay without the package",
    async () => {
      const { ws, em } = story;
      await ws.setProgram(files(REPLICA));
      await ws.up({ args: ["--skip-preview"] });
      changes(em);
      const { urn } = await ws.resource("replica");
      await ws.setProgram({ "index.js": "" });
      await uninstall();
      await ws.pulumi(["state", "delete", urn, "--yes"], { fails: false });
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      await install();
    },
    ENGINE_TEST_MS,
  );
});
