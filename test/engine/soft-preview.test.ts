/** `COMPUTE_ON_RESTART=warn`: previews go on under `refuse`, updates don't, and nothing of it stays anywhere. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { printedIn, runPrinted } from "./printed";
import { addBranch, changes, files, PROJECT, type Story, shownInJson, startStory } from "./support";

const SOFT = { COMPUTE_ON_RESTART: "warn" };
const REFUSED = 'onRestart is "refuse"';
const names = ["first", "second"];
const program = (size: number, more = "") =>
  names
    .map((name) => `new Endpoint("${name}", { projectId, branchId: "br-${name}", size: ${size}, ${more} });`)
    .join("\n");

/**
 * Where the hint to check stands in a document or a plan. The engine notes the names of all inputs that a program registers, also of
 * those that check takes out, with what they depend on.
 */
function withHint(value: unknown, path = ""): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "propertyDependencies" ? [] : key === "__preview" ? [path] : withHint(inner, `${path}/${key}`),
  );
}

describeWithEngine("a softened preview", (engine) => {
  let story: Story;
  const use = (size: number, more?: string) => story.ws.setProgram(files(program(size, more)));
  const stackFile = () => readFile(join(story.ws.programFolder, "Pulumi.dev.yaml"), "utf8");

  beforeAll(async () => {
    story = await startStory(engine, {
      program: program(1),
      config: { "compute:onRestart": "refuse" },
      before: (em) => {
        for (const name of [...names, "inline"]) addBranch(em, `br-${name}`);
      },
    });
    await story.ws.up({ args: ["--skip-preview"] });
    story.em.requests.length = 0;
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "shows every change, and says of each that `up` refuses it",
    async () => {
      const { ws, em } = story;
      await use(2);
      const before = await stackFile();
      const { document } = await ws.previewJson({ env: SOFT });
      const shown = shownInJson(document);
      for (const name of names) {
        expect(shown.get(name)).toMatchObject({
          op: "update",
          restart: ["no", expect.stringMatching(/^yes: size 1 → 2/)],
        });
        expect(shown.get(name)?.warnings.join("\n")).toContain("`pulumi up` refuses this unless it is approved");
      }
      expect(withHint(document)).toEqual([]);
      expect(await stackFile()).toBe(before);
      expect(em.requests).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "softens no update: not one with a soft preview of its own, not one by a plan from a soft preview",
    async () => {
      const { ws, em } = story;
      const { stdout } = await ws.up({ env: SOFT, fails: true });
      expect(stdout).toContain("`pulumi up` refuses this unless it is approved");
      expect(stdout).toContain(REFUSED);
      expect((await ws.up({ args: ["--skip-preview"], env: SOFT, fails: true })).stdout).toContain(REFUSED);
      await ws.preview({ args: ["--save-plan", "plan.json"], env: SOFT });
      expect(withHint(JSON.parse(await readFile(join(ws.programFolder, "plan.json"), "utf8")))).toEqual([]);
      const planned = await ws.up({ args: ["--plan", "plan.json", "--skip-preview"], env: SOFT, fails: true });
      expect(planned.stdout).toContain(REFUSED);
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "without the variable, the preview stops; with another value too, and a warning says why",
    async () => {
      const { ws } = story;
      expect((await ws.preview({ fails: true })).stdout).toContain(REFUSED);
      const { stdout } = await ws.preview({ env: { COMPUTE_ON_RESTART: "Warn" }, fails: true });
      expect(stdout).toContain(REFUSED);
      expect(stdout).toContain('does nothing with this value: only "warn" is valid');
    },
    ENGINE_TEST_MS,
  );

  test(
    "softens the resource's own refuse too, and tells what is approved from what is not",
    async () => {
      const { ws, em } = story;
      await use(4, 'onRestart: "refuse"');
      const command = printedIn((await ws.preview({ fails: true })).stdout);
      await runPrinted(ws, command);
      const { document } = await ws.previewJson({ env: SOFT });
      const said = names.map((name) => shownInJson(document).get(name)?.warnings.join("\n") ?? "");
      expect(said.filter((text) => /approved in compute:approve|Approved\./.test(text))).toHaveLength(1);
      expect(said.filter((text) => text.includes("`pulumi up` refuses this unless"))).toHaveLength(1);
      await use(1);
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(JSON.stringify(await ws.export())).not.toContain("__preview");
    },
    ENGINE_TEST_MS,
  );

  test(
    "is to be had for an inline program of the Automation API, by envVars too",
    async () => {
      const { ws, em } = story;
      const folder = join(ws.folder, "automation");
      await mkdir(folder);
      await symlink(join(ws.programFolder, "node_modules"), join(folder, "node_modules"));
      await writeFile(
        join(folder, "script.js"),
        `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { Endpoint } = require("pulumi-compute-endpoint");
let size = 1;
const program = async () => ({ host: new Endpoint("one", { projectId: "${PROJECT}", branchId: "br-inline", size, onRestart: "refuse" }).host });
const stackOf = (envVars) => LocalWorkspace.createOrSelectStack({ stackName: "inline", projectName: "inline", program }, { envVars });
const tried = (work) => work.then(({ changeSummary }) => changeSummary ?? "done", (error) => /refuse/.test(error.message) ? "refused" : error.message);
(async () => {
  const plain = await stackOf({});
  await plain.up();
  size = 2;
  const soft = await stackOf({ COMPUTE_ON_RESTART: "warn" });
  const found = [await tried(plain.preview()), await tried(soft.preview()), await tried(soft.up())];
  await plain.destroy();
  console.log(JSON.stringify(found));
})();`,
      );
      const env = { ...ws.env, COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url };
      const { stdout, stderr } = await run(process.execPath, ["script.js"], {
        cwd: folder,
        env,
        limitMs: ENGINE_TEST_MS,
      });
      expect([stdout.trim().split("\n").at(-1), stderr]).toEqual([
        JSON.stringify(["refused", { same: 1, update: 1 }, "refused"]),
        "",
      ]);
    },
    ENGINE_TEST_MS,
  );
});
