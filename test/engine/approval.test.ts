/** A reviewer approves one change: it passes `refuse`, in the preview and in the update, and nothing else does. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { digestsIn, printedIn, runPrinted } from "./printed";
import { changes, files, requests, SEED, type Story, shownInJson, startStory } from "./support";

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
    await runPrinted(story.ws, printedIn(text));
    return digestsIn(printedIn(text))[0]!;
  }
  const entries = async () => JSON.parse((await story.ws.pulumi(["config", "get", "compute:approve"])).stdout);

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
      const digest = await approve(refused.stdout);
      expect(await entries()).toEqual([expect.stringMatching(new RegExp(`^${digest}@\\d{4}-\\d\\d-\\d\\d$`))]);
      const shown = shownInJson((await ws.previewJson()).document).get("db");
      expect(shown).toMatchObject({
        op: "update",
        restart: ["no", expect.stringMatching(/^yes: size 1 → 2 restarts/)],
      });
      expect(shown?.warnings).toEqual([expect.stringMatching(/^ep-\S+: .* restarts this compute.* Approved\.$/)]);
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
      await approve((await ws.preview({ fails: true })).stdout);
      expect(await entries()).toHaveLength(2);
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
        /violates plan: properties changed: .*restart\[\{yes: size 4 → 1 .*!=\{yes: size 2 → 1 /,
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
        restart: [expect.anything(), expect.stringMatching(/^yes: size 2 → 8 replaces this compute/)],
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
      const dated = "000000000000000000000000000000e1";
      const written = [...digests, `${dated}@2030-01-31`];
      await ws.removeConfig("compute:approve");
      await runPrinted(ws, `approve --stack ${ws.stack} --no-expiry ${digests.join(" ")}`);
      await runPrinted(ws, `approve --stack ${ws.stack} --until 2030-01-31 ${dated}`);
      const [file] = (await readdir(ws.programFolder)).filter((name) => /^Pulumi\..+\.yaml$/.test(name));
      const text = await readFile(join(ws.programFolder, file!), "utf8");
      for (const entry of written) expect(text).toContain(`- "${entry}"\n`);
      const { document } = await ws.previewJson();
      expect(JSON.parse((document.config as Record<string, string>)["compute:approve"]!)).toEqual(written);
      // By hand without quotes, one of them would be another number.
      const place = join(ws.programFolder, file!);
      await writeFile(place, text.replace(`"${digests[0]}"`, digests[0]!));
      expect((await ws.preview({ fails: true })).stdout).toContain(
        "is not an approval (entry 1 of compute:approve): an approval has 32 hex digits in quotes",
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
      const approved = await approve(change.stdout);
      await ws.setConfig({ "compute:approve": JSON.stringify([...EARLIER, approved]) });
      const { document } = await ws.previewJson();
      const told = (document.diagnostics ?? []).filter(({ message }) => message.includes("before the first release"));
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
      expect(stdout).toContain('"yes please" is not an approval: an approval has 32 hex digits');
    },
    ENGINE_TEST_MS,
  );

  test(
    "does not hold for a compute that somebody has changed by hand: preview and up say so, and refresh shows the change as it is",
    async () => {
      const { ws, em } = story;
      await ws.removeConfig("compute:approve");
      await ws.setConfig({ "compute:liveNotices": "true" });
      await use("type: 'read_only', size: 1", "{}", "by-hand");
      await ws.up({ args: ["--skip-preview"] });
      await use("type: 'read_only', size: 2", "{}", "by-hand");
      await approve((await ws.preview({ fails: true })).stdout);
      const { id } = await ws.resource("by-hand");
      Object.assign(em.world.endpoints[id!]!, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
      const warned = async () => shownInJson((await ws.previewJson()).document).get("by-hand")?.warnings;
      expect(await warned()).toEqual([
        expect.stringContaining(
          " But somebody has changed size 1 → 4 since the state was recorded: `up` will fail. Run `pulumi refresh`, and preview again.",
        ),
      ]);
      requests(em);
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toContain(`somebody has changed size 1 → 4 of compute ${id} since the state was recorded`);
      expect(changes(em)).toEqual([]);
      await ws.refresh({ args: ["--skip-preview"] });
      await approve((await ws.preview({ fails: true })).stdout);
      expect(await warned()).toEqual([expect.stringMatching(/size 4 → 2 restarts .* Approved\.( \[\w+ at \S+\])?$/)]);
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toHaveLength(1);
    },
    ENGINE_TEST_MS,
  );
});
