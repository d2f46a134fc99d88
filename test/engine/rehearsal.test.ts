/**
 * A pipeline rehearsal: a repository with branches, the scripts of examples/gitops/github as they are, the real engine, and the
 * emulator. What reviewers are shown of each branch is kept in docs/reports/: `UPDATE_REPORTS=1 npx vitest run
 * test/engine/rehearsal.test.ts` writes it anew.
 */
import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { digestsIn, printedIn, runPrinted } from "./printed";
import { changes } from "./support";

const ROOT = resolve(__dirname, "../..");
const REPORTS = join(ROOT, "docs/reports");
const UPDATE = Boolean(process.env["UPDATE_REPORTS"]);

const PROGRAM = `const { Endpoint } = require("pulumi-compute-endpoint");

const production = { projectId: "${SEED.projectId}", branchId: "${SEED.branches.dev}" };

const primary = new Endpoint("primary", {
  ...production,
  name: "orders",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 2,
});
const reporting = new Endpoint("reporting", { ...production, type: "read_only", size: 1 });

exports.host = primary.host;
exports.reportingHost = reporting.host;
`;

describeWithEngine("a pipeline rehearsal", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  const git = (...args: string[]) =>
    execFileSync(
      "git",
      ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", ...args],
      {
        cwd: ws.programFolder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    ).trim();

  /** A branch from `from`, with a change of the program, committed. */
  async function branch(name: string, from: string, ...edit: [before: string, after: string]): Promise<void> {
    git("checkout", "-q", "-b", name, from);
    await ws.edit("index.js", (text) => text.replace(...edit));
    git("commit", "-qam", name);
  }

  /** The pipeline's preview job for a branch: in a checkout of its own, without a key, by the scripts that people copy. */
  async function pipeline(name: string): Promise<{ code: number; stdout: string; report: string }> {
    const checkout = join(ws.folder, `checkout-of-${name}`);
    git("clone", "-q", "--branch", name, ws.programFolder, checkout);
    await mkdir(join(checkout, "node_modules/.bin"), { recursive: true });
    for (const one of ["@pulumi", "pulumi-compute-endpoint"]) {
      await symlink(join(ws.programFolder, "node_modules", one), join(checkout, "node_modules", one));
    }
    await symlink(join(ROOT, "dist/cli/main.js"), join(checkout, "node_modules/.bin/compute-endpoint"));
    const scripts = async (file: string) => {
      const workflow = parse(await readFile(join(ROOT, "examples/gitops/github", file), "utf8"));
      const [job] = Object.values(workflow.jobs).slice(-1) as { steps: { name?: string; run?: string }[] }[];
      return { env: workflow.env, of: (name: string) => job!.steps.find((step) => step.name === name)!.run! };
    };
    const execute = async (text: string, cwd: string, more: NodeJS.ProcessEnv) => {
      const script = join(ws.folder, "script.sh");
      await writeFile(script, text);
      const PATH = [join(checkout, "node_modules/.bin"), engine.binDir, process.env["PATH"]].join(delimiter);
      return run("bash", ["-e", script], {
        cwd,
        env: { ...ws.env, ...more, STACK: "prod", PATH },
        limitMs: ENGINE_TEST_MS,
      });
    };
    const own = await scripts("compute-preview.yml");
    await execute(own.of("Preview"), checkout, own.env);
    const { code, stdout } = await execute(own.of("Annotations"), checkout, own.env);
    // The default branch's workflow has the document, and nothing else of the branch.
    const trusted = await scripts("compute-report.yml");
    const place = join(ws.folder, `report-of-${name}`);
    await mkdir(join(place, "document"), { recursive: true });
    await cp(join(checkout, "preview.json"), join(place, "document/preview.json"));
    await execute(trusted.of("Report"), place, { ...trusted.env, GITHUB_OUTPUT: join(place, "output") });
    expect(await readFile(join(place, "output"), "utf8")).toBe(`code=${code}\n`);
    const report = await readFile(join(place, "report.md"), "utf8");
    for (const folder of [checkout, place]) await rm(folder, { recursive: true });
    // What it set there for itself is gone with it.
    expect(git("status", "--porcelain")).toBe("");
    return { code, stdout, report };
  }

  /** `pulumi up` after the merge: with the key, and the config that is committed. */
  const up = (fails = false) =>
    ws.up({ args: ["--skip-preview"], fails, env: { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url } });

  /** The report as it is kept; the ids of this run made the same in all runs. */
  async function kept(name: string, report: string): Promise<void> {
    const file = join(REPORTS, `${name}.md`);
    const text = masked(report);
    if (UPDATE) await writeFile(file, text);
    expect(text).toBe(await readFile(file, "utf8"));
  }

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
    ws = await Workspace.create(engine, {
      project: "shop",
      stack: "prod",
      program: { "index.js": PROGRAM, ".gitignore": "node_modules/\n" },
    });
    await ws.setConfig({ "compute:pollSeconds": "0.2", "compute:onRestart": "refuse" });
    await up();
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-qm", "production");
    changes(em);
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  describe("branch A, another upper bound", () => {
    test(
      "is red: it restarts, and nobody has approved it",
      async () => {
        await branch("bigger", "main", "MaxCu: 2", "MaxCu: 4");
        const { code, stdout, report } = await pipeline("bigger");
        expect(code).toBe(3);
        expect(report).toMatch(/^### 🟠 `shop\/prod`: 1 compute restarts; 1 not approved$/m);
        expect(stdout).toMatch(/^::error file=index\.js,line=5,[^\n]*title=shop\/prod%3A compute primary restarts::/m);
        await kept("restart", report);
      },
      ENGINE_TEST_MS,
    );

    test(
      "is green once the report's own command has run and the file is committed, and `up` under refuse makes the change",
      async () => {
        const command = printedIn((await pipeline("bigger")).report);
        const [digest] = digestsIn(command);
        await runPrinted(ws, command);
        git("commit", "-qam", "Approve the restart of primary");
        const { code, report } = await pipeline("bigger");
        expect(code).toBe(0);
        expect(report).toContain(`✅ approved, \`${digest!.slice(0, 12)}…\``);
        git("checkout", "-q", "main");
        git("merge", "-q", "--ff-only", "bigger");
        await up();
        expect(changes(em).map(({ body }) => body)).toEqual([
          { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 } },
        ]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "opens no door: a further change is red again, and `up` refuses it before anything is sent",
      async () => {
        await branch("bigger-still", "main", "MaxCu: 4", "MaxCu: 8");
        const { code, report } = await pipeline("bigger-still");
        expect(code).toBe(3);
        expect(digestsIn(printedIn(report))).toHaveLength(1);
        const { stdout } = await up(true);
        expect(stdout).toMatch(/autoscalingLimitMaxCu 4 → 8: .*onRestart is "refuse"/);
        expect(digestsIn(printedIn(stdout))).toEqual(digestsIn(printedIn(report)));
        expect(changes(em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });

  test(
    "branch B, another name: green, nothing restarts",
    async () => {
      await branch("renamed", "main", 'name: "orders"', 'name: "orders-primary"');
      const { code, report } = await pipeline("renamed");
      expect(code).toBe(0);
      expect(report).toMatch(/^### 🟢 `shop\/prod`: Nothing in this preview restarts, .*: 1 changed in place$/m);
      await kept("rename", report);
    },
    ENGINE_TEST_MS,
  );

  test(
    "branch C, production in another project: red, with new hosts",
    async () => {
      const there = `{ projectId: "${SEED.second.projectId}", branchId: "${SEED.second.branchId}" }`;
      await branch("moved", "main", /\{ projectId.*\}/.exec(PROGRAM)![0], there);
      const { code, report } = await pipeline("moved");
      expect(code).toBe(3);
      expect(report).toMatch(/^### 🔴 `shop\/prod`: 2 computes get new hosts; 2 not approved$/m);
      expect(report.match(/🔴 \*\*new host\*\*/g)).toHaveLength(2);
      await kept("new-host", report);
    },
    ENGINE_TEST_MS,
  );
});

/** The same ids in all runs, in the order in which they come. */
function masked(report: string): string {
  const names = [SEED.primaryId, "ep-still-brook-a5d8k2mv"];
  const seen: string[] = [];
  return report.replace(/\bep-[a-z]+-[a-z]+-[a-z0-9]{8}\b/g, (id) => {
    if (!seen.includes(id)) seen.push(id);
    return names[seen.indexOf(id)]!;
  });
}
