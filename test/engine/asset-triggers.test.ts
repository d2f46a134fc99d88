/** Assets and archives among `restartTriggers`: their content is compared, wherever triggers are compared. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { report } from "../cli/report/support";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { digestsIn, printedIn, runPrinted } from "./printed";
import { addBranch, changes, type Story, shownInDiff, shownInJson, shownInPlain, startStory } from "./support";

const SKIP = ["--skip-preview"];
const NAMES = ["file", "nested", "calm"];
const MARKER = "yes: restartTriggers (changed) restarts this compute if it is active; open connections drop then";

const PROGRAM = `
const { AssetArchive, FileArchive, FileAsset, StringAsset } = pulumi.asset;
const { readFileSync } = require("node:fs");
const text = readFileSync(__dirname + "/text", "utf8"), path = readFileSync(__dirname + "/path", "utf8");
const put = (name, restartTriggers) => new Endpoint(name, { projectId, branchId: "br-" + name, size: 1, restartTriggers });
put("file", [new FileAsset(path)]);
put("nested", [{ deep: [new AssetArchive({ "a.txt": new StringAsset(text), "b.txt": new FileAsset(path) })] }, 1]);
put("calm", [new StringAsset("calm"), new FileAsset(path === "one.txt" ? "calm.txt" : "also-calm.txt"), { a: 1 }]);`;

describeWithEngine("assets among restartTriggers", (engine) => {
  let story: Story;
  const write = (name: string, text: string) => writeFile(join(story.ws.programFolder, name), text);
  const posts = () => changes(story.em).map(({ line }) => line.replace(/ .*\//, " "));

  beforeAll(async () => {
    story = await startStory(engine, {
      program: PROGRAM,
      before: (em) => {
        for (const name of NAMES) addBranch(em, `br-${name}`);
      },
    });
    for (const name of ["calm.txt", "also-calm.txt"]) await write(name, "the same");
    for (const [name, text] of [
      ["one.txt", "1"],
      ["two.txt", "2"],
      ["path", "one.txt"],
      ["text", "a"],
    ] as const)
      await write(name, text);
    await story.ws.up({ args: SKIP });
    changes(story.em);
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "another content warns in each kind of preview, also after a change of the same kind, and restarts once",
    async () => {
      const { ws } = story;
      await write("one.txt", "changed");
      await ws.up({ args: SKIP });
      expect(posts()).toEqual(["POST restart", "POST restart"]);
      // From now on the text of the notice stays the same from change to change.
      await write("path", "two.txt");
      const plain = shownInPlain((await ws.preview()).stdout);
      const diff = shownInDiff((await ws.previewDiff()).stdout);
      const { document } = await ws.previewJson();
      const json = shownInJson(document);
      for (const name of ["file", "nested"]) {
        expect(plain.get(name)).toMatchObject({ op: "update", changed: ["restartTriggers"] });
        expect(diff.get(name)?.changed).toContain("restartTriggers");
        for (const { warnings } of [plain.get(name)!, json.get(name)!])
          expect(warnings).toEqual([expect.stringContaining(`: ${MARKER.slice(5)}.`)]);
      }
      for (const shown of [plain, json]) expect(shown.get("calm")?.op ?? "same").toBe("same");
      const { stdout, code } = await report(["--format", "json"], JSON.stringify(document));
      expect(code).toBe(3);
      const found = JSON.parse(stdout).stacks[0].computes as { name: string; approval: { digest?: string } }[];
      expect(found.map(({ name }) => name)).toEqual(["file", "nested"]);

      await ws.setConfig({ "compute:onRestart": "refuse" });
      const refused = await ws.preview({ fails: true });
      // The engine stops at the first refusal, and either resource may be registered first.
      const digests = found.map(({ approval }) => approval.digest);
      const [printed] = digestsIn(printedIn(refused.stdout + refused.stderr));
      expect(digests).toContain(printed);
      await runPrinted(ws, `approve --stack ${ws.stack} ${digests.join(" ")}`);
      await ws.up({ args: SKIP });
      expect(posts()).toEqual(["POST restart", "POST restart"]);
    },
    2 * ENGINE_TEST_MS,
  );

  test(
    "then nothing is to do, also where a file is gone: a state has the hashes",
    async () => {
      const { ws } = story;
      await ws.preview({ args: ["--expect-no-changes"] });
      await rm(join(ws.programFolder, "two.txt"));
      await ws.refresh({ args: SKIP });
      await ws.destroy({ args: SKIP });
      expect(posts().map((line) => line.split(" ")[0])).toEqual(NAMES.map(() => "DELETE"));
    },
    ENGINE_TEST_MS,
  );
});
