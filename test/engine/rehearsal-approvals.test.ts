/**
 * From a refused preview to the update, for one compute and for a fleet: report, approve all, preview, `up`, tidy. The reports are kept in
 * docs/reports/: `UPDATE_REPORTS=1 npx vitest run test/engine/rehearsal-approvals.test.ts` writes them anew.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { changes } from "./support";

const ROOT = resolve(__dirname, "../..");
const REPORTS = join(ROOT, "docs/reports");
const SOFT = { COMPUTE_ON_RESTART: "warn" };

const names = (count: number) => Array.from({ length: count }, (_, at) => `reader-${at + 1}`);
/** The program's computes, each with its arguments. */
const programOf = (computes: Map<string, string>) =>
  [
    'const { Endpoint } = require("pulumi-compute-endpoint");',
    `const at = { projectId: "${SEED.projectId}", branchId: "${SEED.branches.dev}", type: "read_only" };`,
    ...[...computes].map(([name, args]) => `new Endpoint("${name}", { ...at, ${args} });`),
    "",
  ].join("\n");

interface Story {
  computes: number;
  /** How many restart, get another name, and go. */
  restarts: number;
  renamed: number;
  deleted: number;
  verdict: string;
}

const STORIES: Record<string, Story> = {
  "one-compute": { computes: 1, restarts: 1, renamed: 0, deleted: 0, verdict: "1 compute restarts" },
  fleet: {
    computes: 20,
    restarts: 12,
    renamed: 3,
    deleted: 1,
    verdict: "1 compute is deleted. 12 computes restart",
  },
};

describeWithEngine("approving many", (engine) => {
  describe.each(Object.entries(STORIES))("%s", (story, { computes, restarts, renamed, deleted, verdict }) => {
    let em: RunningEmulator;
    let ws: Workspace;
    const before = new Map(names(computes).map((name) => [name, `size: 2, name: "${name}"`]));
    const after = new Map(
      [...before].slice(0, computes - deleted).map(([name], at): [string, string] => {
        if (at < restarts) return [name, `size: 1, name: "${name}"`];
        return [name, `size: 2, name: "${at < restarts + renamed ? `${name}-eu` : name}"`];
      }),
    );
    const stackFile = () => readFile(join(ws.programFolder, "Pulumi.prod.yaml"), "utf8");
    async function preview(env: NodeJS.ProcessEnv, fails = false): Promise<void> {
      const { stdout } = await ws.pulumi(["preview", "--json"], { env, fails });
      await writeFile(join(ws.programFolder, "preview.json"), stdout);
    }
    const report = (...args: string[]) =>
      run(process.execPath, [join(ROOT, "dist/cli/main.js"), "report", "preview.json", ...args], {
        cwd: ws.programFolder,
        env: ws.env,
        limitMs: ENGINE_TEST_MS,
      });

    beforeAll(async () => {
      em = await startEmulator({ operationMs: 20 });
      ws = await Workspace.create(engine, {
        project: "shop",
        stack: "prod",
        program: { "index.js": programOf(before) },
        env: { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url },
      });
      await ws.setConfig({ "compute:pollSeconds": "0.2" });
      await ws.up({ args: ["--skip-preview"] });
      // Half of them sleep when the change is previewed.
      for (const one of Object.values(em.world.endpoints)) {
        const number = Number(/^reader-(\d+)$/.exec(one.name ?? "")?.[1]);
        if (number % 2 === 0) one.current_state = "idle";
      }
      const text = await stackFile();
      await writeFile(
        join(ws.programFolder, "Pulumi.prod.yaml"),
        `# Reviewed by the database team.\n${text.trimEnd()}\n  compute:onRestart: 'refuse'   # decided in spring\n`,
      );
      await ws.setProgram({ "index.js": programOf(after) });
      changes(em);
    }, ENGINE_TEST_MS);
    afterAll(async () => {
      await ws?.close();
      await em?.close();
    });

    test(
      "the refused preview's report says what is known, and the one variable to set",
      async () => {
        await preview({}, true);
        const { code, stdout } = await report();
        expect(code).toBe(2);
        expect(stdout).toMatch(
          /^- ⛔ the preview refused the change of `reader-\d+`.*COMPUTE_ON_RESTART=warn in the environment/m,
        );
        expect(stdout).toMatch(/^npx --no compute-endpoint approve --stack prod [0-9a-f]{32}/m);
      },
      ENGINE_TEST_MS,
    );

    test(
      "the soft preview's report shows everything, with one command",
      async () => {
        await preview(SOFT);
        const { code, stdout } = await report("--name", "shop/prod");
        expect(code).toBe(3);
        expect(stdout).toContain(`: ${verdict}; ${restarts} not approved\n`);
        const [command] = /^npx --no compute-endpoint approve --stack prod .*$/m.exec(stdout) ?? [];
        expect(command?.match(/\b[0-9a-f]{32}\b/g)).toHaveLength(restarts);
        await kept(story, stdout);
      },
      ENGINE_TEST_MS,
    );

    let unapproved: string;
    test(
      "--approve writes them into the stack's file, and nothing else of it changes",
      async () => {
        unapproved = await stackFile();
        const { code, stdout } = await report("--approve", "Pulumi.prod.yaml");
        expect([code, stdout]).toEqual([0, expect.stringContaining(`: ${verdict}; approved\n`)]);
        const text = await stackFile();
        expect(text.startsWith(`${unapproved}  compute:approve:\n`)).toBe(true);
        const entries = text.slice(unapproved.length).trimEnd().split("\n").slice(1);
        expect(entries.map((line) => /^ {4}- "[0-9a-f]{32}@\d{4}-\d\d-\d\d" # (.*)$/.exec(line)?.[1])).toEqual(
          names(restarts).map((name) => `${name}: size 2 → 1`),
        );
      },
      ENGINE_TEST_MS,
    );

    test(
      "then the preview passes, the report is green, and `up` makes exactly these changes",
      async () => {
        await preview({});
        expect((await report()).code).toBe(0);
        expect(changes(em)).toEqual([]);
        await ws.up();
        const done = changes(em);
        const count = (method: string, has = "") =>
          done.filter(({ line, body }) => line.startsWith(method) && JSON.stringify(body ?? "").includes(has)).length;
        expect([count("PATCH", "autoscaling_limit_max_cu"), count("PATCH", '"name"'), count("DELETE")]).toEqual([
          restarts,
          renamed,
          deleted,
        ]);
      },
      2 * ENGINE_TEST_MS,
    );

    test(
      "afterwards the entries match nothing, and --tidy leaves the file as it was",
      async () => {
        await preview({});
        const { code, stdout } = await report();
        expect([code, stdout]).toEqual([
          0,
          expect.stringMatching(/nothing in this preview: (it was|they were) used already, (is|are) for/),
        ]);
        const { stderr } = await report("--tidy", "Pulumi.prod.yaml");
        expect(stderr.match(/^(?:removed:| ) .* {2}# reader-\d+: size 2 → 1$/gm)).toHaveLength(restarts);
        expect(await stackFile()).toBe(unapproved);
      },
      ENGINE_TEST_MS,
    );
  });
});

/** The report as it is kept, with the ids and the time of this run made the same in all runs. */
async function kept(name: string, report: string): Promise<void> {
  const seen: string[] = [];
  const text = report
    .replace(/\bep-[a-z]+-[a-z]+-[a-z0-9]{8}\b/g, (id) => {
      if (!seen.includes(id)) seen.push(id);
      return `ep-still-brook-a5d8k${String(seen.indexOf(id)).padStart(2, "0")}v`;
    })
    .replace(
      /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC(?: to \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)?/g,
      "2026-05-04 12:00:05 UTC",
    );
  const file = join(REPORTS, `${name}.md`);
  if (process.env["UPDATE_REPORTS"]) await writeFile(file, text);
  expect(text).toBe(await readFile(file, "utf8"));
}
