/** A reviewer approves one change: it passes `refuse`, in the preview and in the update, and nothing else does. */
import { exec } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { approveCommand } from "../../provider/rules/approval";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { changes, files, requests, SEED, type Story, shownInJson, startStory } from "./support";

const APPROVE =
  /To approve exactly this change, [0-9a-f]{32}: (pulumi config set --stack [\w.-]+ --path "compute:approve\[\d\]" [0-9a-f]{32})$/m;

describeWithEngine("an approval", (engine) => {
  let story: Story;
  const use = (args: string, options = "{}", name = "db") =>
    story.ws.setProgram(
      files(
        `const db = new Endpoint("${name}", { projectId, branchId: "${SEED.branches.dev}", ${args} }, ${options}); exports.host = db.host;`,
      ),
    );
  /** Does what the refusal says, as somebody who copies the line. */
  async function approve(text: string): Promise<string> {
    const line = APPROVE.exec(text)?.[1];
    if (!line) throw new Error(`no approval in: ${text}`);
    await promisify(exec)(line, { cwd: story.ws.programFolder, env: story.ws.env });
    return line;
  }

  beforeAll(async () => {
    story = await startStory(engine, { program: "", config: { "compute:onRestart": "refuse" } });
    await use("size: 1");
    await story.ws.up({ args: ["--skip-preview"] });
    requests(story.em);
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "that the refusal names lets that change pass, with its marker and warning",
    async () => {
      const { ws, em } = story;
      await use("size: 2");
      const refused = await ws.preview({ fails: true });
      expect(await approve(refused.stdout)).toContain("compute:approve[0]");
      const shown = shownInJson((await ws.previewJson()).document).get("db");
      expect(shown).toMatchObject({ op: "update", restart: ["no", expect.stringMatching(/^yes: size 1 → 2;/)] });
      expect(shown?.warnings).toEqual([
        expect.stringMatching(/^approved in compute:approve: this change restarts compute ep-/),
      ]);
      expect(requests(em)).toEqual([]);
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ status }) => status)).toEqual([200]);
      requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "passes no other change of the compute, nor the way back, nor the same one of another resource",
    async () => {
      const { ws, em } = story;
      for (const args of ["size: 4", "size: 1", "size: 2, branchId: 'br-other'"]) {
        await use(args);
        await ws.preview({ fails: true });
        const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
        expect(stdout).toMatch(/onRestart is "refuse"/);
      }
      expect(requests(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "of the next change is added to the first, and each holds",
    async () => {
      const { ws } = story;
      await use("size: 1");
      expect(await approve((await ws.preview({ fails: true })).stdout)).toContain("compute:approve[1]");
      await ws.up({ args: ["--skip-preview"] });
      // Back to 2: the first approval says 1 → 2, which this is once more.
      await use("size: 2");
      await ws.up({ args: ["--skip-preview"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "goes with a saved plan, which holds the stack's config as well: approve first, then plan",
    async () => {
      const { ws, em } = story;
      await use("size: 4");
      await approve((await ws.preview({ fails: true })).stdout);
      await ws.preview({ args: ["--save-plan", "plan.json"] });
      requests(em);
      await ws.up({ args: ["--plan", "plan.json", "--skip-preview"] });
      expect(changes(em)).toHaveLength(1);
      requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "or the notice alone: a plan made for one change refuses the other that it has become meanwhile",
    async () => {
      const { ws, em } = story;
      const warn = (size: number) => use(`size: ${size}, onRestart: "warn"`);
      await warn(1);
      await ws.preview({ args: ["--save-plan", "plan.json"] });
      await warn(2);
      await ws.up({ args: ["--skip-preview"] });
      requests(em);
      await warn(1);
      const refused = await ws.up({ args: ["--plan", "plan.json", "--skip-preview"], fails: true });
      expect(refused.stdout).toMatch(
        /violates plan: properties changed: .*restart\[\{yes: size 4 → 1;.*!=\{yes: size 2 → 1;/,
      );
      expect(requests(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "of a resize that replaceOnChanges makes a new host is one, for both checks of it",
    async () => {
      const { ws, em } = story;
      await use("size: 8", '{ replaceOnChanges: ["size"] }');
      await approve((await ws.preview({ fails: true })).stdout);
      const { document } = await ws.previewJson();
      expect(shownInJson(document).get("db")).toMatchObject({
        op: "replace",
        restart: [expect.anything(), expect.stringMatching(/^yes: size 2 → 8; a compute with another id and host/)],
      });
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["DELETE", "POST"]);
      requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "of digits only, or with an e among them, is written in quotes by the command, and read as it is",
    async () => {
      const { ws } = story;
      const digests = ["12345678901234567890123456789012", "01234567890123456789012345678901", `12e5${"0".repeat(28)}`];
      const entries = [...digests, `${digests[0]}@2030-01-31`, "000000000000000000000000000000e1"];
      await ws.removeConfig("compute:approve");
      for (const [index, entry] of entries.entries()) {
        const line = approveCommand(entry, { count: index }, undefined);
        await promisify(exec)(line, { cwd: ws.programFolder, env: ws.env });
      }
      const [file] = (await readdir(ws.programFolder)).filter((name) => /^Pulumi\..+\.yaml$/.test(name));
      const text = await readFile(join(ws.programFolder, file!), "utf8");
      for (const entry of entries) expect(text).toMatch(new RegExp(`- (["']?)${entry}\\1\n`));
      const { document } = await ws.previewJson();
      expect(JSON.parse((document.config as Record<string, string>)["compute:approve"]!)).toEqual(entries);
      // By hand without quotes, one of them would be another number.
      const place = join(ws.programFolder, file!);
      await writeFile(place, text.replace(`"${digests[0]}"`, digests[0]!));
      expect((await ws.preview({ fails: true })).stdout).toContain(
        "is no approval (entry 1 of compute:approve): 32 hex digits in quotes",
      );
      await writeFile(place, text);
    },
    ENGINE_TEST_MS,
  );

  const EARLIER = ["0123456789ab", "123456789012@2030-01-31"];
  test(
    "of version 1 approves nothing and fails nothing: one warning names it, and it is to be approved again",
    async () => {
      const { ws } = story;
      const change = await use("size: 16", '{ replaceOnChanges: ["size"] }').then(() => ws.preview({ fails: true }));
      const approved = (await approve(change.stdout)).split(" ").at(-1)!;
      await ws.setConfig({ "compute:approve": JSON.stringify([...EARLIER, approved]) });
      const { document } = await ws.previewJson();
      const told = (document.diagnostics ?? []).filter(({ message }) => message.includes("version 1"));
      expect(told).toEqual([
        expect.objectContaining({
          severity: "warning",
          message: expect.stringContaining(`compute:approve: ${EARLIER.join(", ")} approve nothing. `),
        }),
      ]);
      await ws.setConfig({ "compute:approve": JSON.stringify([approved.slice(0, 12)]) });
      expect((await ws.preview({ fails: true })).stdout).toContain('onRestart is "refuse"');
    },
    ENGINE_TEST_MS,
  );

  test(
    "that can't be read fails every preview, at its name",
    async () => {
      const { ws } = story;
      await ws.setConfig({ "compute:approve": "yes please" });
      const { stdout } = await ws.preview({ fails: true });
      expect(stdout).toContain('"yes please" is no approval: 32 hex digits');
    },
    ENGINE_TEST_MS,
  );
});
