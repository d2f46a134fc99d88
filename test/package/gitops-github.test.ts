/** The GitHub workflow that people copy: who may do what in it, and each of its scripts, run. */
import * as fs from "node:fs";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { bench, documentOf, INTEGRITY, OUTCOMES, reportOf, syntaxOf, textOf } from "./pipelines";

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  if?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}
interface Job {
  if?: string;
  permissions?: Record<string, string>;
  environment?: string;
  strategy?: object;
  steps: Step[];
  env?: Record<string, string>;
}
interface Workflow {
  name: string;
  on: unknown;
  permissions: unknown;
  env: NodeJS.ProcessEnv;
  jobs: Record<string, Job>;
}

/** The pull request's own, the default branch's, and the one that updates after the merge. */
const [OWN, TRUSTED, UP] = ["compute-preview", "compute-report", "compute-up"].map((name) =>
  textOf(`github/${name}.yml`),
) as [string, string, string];
const [own, trusted, merged] = [OWN, TRUSTED, UP].map((text) => parse(text)) as [Workflow, Workflow, Workflow];
const updater = merged.jobs["up"]!;
const { outside, preview } = own.jobs as { outside: Job; preview: Job };
const { report: reporter } = trusted.jobs as { report: Job };
const stepOf = (job: Job, name: string) => job.steps.find((step) => step.name === name)!;
const MARKER = "<!-- compute-endpoint report v1 shop/prod -->";

describe("rights", () => {
  test("every action is pinned to a commit, with its version beside it", () => {
    const uses = [...`${OWN}${TRUSTED}${UP}`.matchAll(/\buses: (\S+(?: # v\S+)?)/g)].map(([, what]) => what!);
    expect(uses.length).toBe(10);
    expect(uses.filter((what) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual([]);
  });

  test.each([
    ["the pull request's workflow", own, { outside: undefined, preview: { contents: "read" } }],
    ["the one after the merge", merged, { up: { contents: "read" } }],
    ["the default branch's", trusted, { report: { actions: "read", "pull-requests": "write", statuses: "write" } }],
  ])("%s has none by default, and each job what it needs", (_what, { permissions, jobs }, wanted) => {
    expect(permissions).toEqual({});
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual(wanted);
  });

  test("where the change's code runs, nothing may be written, and the secret is its environment's", () => {
    expect(Object.values(preview.permissions!)).toEqual(["read"]);
    expect(preview.environment).toBe("compute-preview");
    expect(preview.steps[0]).toMatchObject({ with: { "persist-credentials": false } });
    const lines = OWN.split("\n").filter((line) => line.includes("secrets."));
    expect(lines.map((line) => line.trim())).toEqual([`PULUMI_ACCESS_TOKEN: \${{ secrets.PULUMI_ACCESS_TOKEN }}`]);
    expect(Object.keys(stepOf(preview, "Preview").env!)).toEqual(["PULUMI_ACCESS_TOKEN"]);
  });

  test("a fork's code never meets a secret, nor a token that may write", () => {
    expect(own.on).toBe("pull_request");
    // One of the two runs, never both.
    expect(preview.if).toBe(outside.if!.replace("!=", "==").replace("||", "&&").replace("r == 'dep", "r != 'dep"));
    expect(preview.if).toContain("head.repo.full_name == github.repository");
    expect(reporter.if).toContain("github.event.workflow_run.head_repository.full_name == github.repository");
    expect(reporter.if).toContain("github.event.workflow_run.event == 'pull_request'");
    expect(`${OWN}${TRUSTED}`).not.toMatch(/^\s*(?:on: )?pull_request_target/m);
  });

  test("what may write runs on the default branch's word, has no checkout and no secret, and installs one file", () => {
    expect(trusted.on).toEqual({ workflow_run: { workflows: [own.name], types: ["completed"] } });
    expect(TRUSTED).not.toContain("secrets.");
    expect(reporter.steps.map(({ uses, name }) => uses?.split("@")[0] ?? name)).toEqual([
      "actions/setup-node",
      "Install",
      "actions/download-artifact",
      "Report",
      "actions/github-script",
    ]);
    expect(trusted.env["PACKAGE"]).toMatch(/^pulumi-compute-endpoint@\d+\.\d+\.\d+$/);
    expect(stepOf(reporter, "Report").run).not.toContain("npx");
  });

  test("the stack is the artifact's name, and of the same list in both", () => {
    expect(reporter.strategy).toEqual(preview.strategy);
    expect(trusted.env["PROJECT"]).toBe(own.env["PROJECT"]);
    const name = `compute-preview-\${{ matrix.stack }}`;
    expect(preview.steps.at(-1)!.with).toMatchObject({ name, path: `\${{ env.FOLDER }}/preview.json` });
    expect(reporter.steps[2]!.with).toMatchObject({ name, path: "document" });
    expect(reporter.env).toEqual({ STACK: `\${{ matrix.stack }}` });
  });

  test("no script has an expression in it, which would be run as text", () => {
    const scripts = [own, trusted, merged].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => [step.run, step.with?.["script"]])),
    );
    expect(scripts.filter((text) => text?.includes("${{"))).toEqual([]);
  });
});

describe("the update", () => {
  test("is of the default branch, of the same stacks, one after the other, with the key of its own environment", () => {
    expect(merged.on).toEqual({ push: { branches: ["main"] } });
    expect(updater.strategy).toEqual({ ...(preview.strategy as object), "max-parallel": 1, "fail-fast": true });
    expect(updater.environment).toBe("compute-up");
    expect(updater.steps.slice(0, 4)).toEqual(preview.steps.slice(0, 4));
    expect(Object.keys(stepOf(updater, "Update").env!)).toEqual(["PULUMI_ACCESS_TOKEN", "COMPUTE_API_KEY"]);
    expect(UP).toMatch(/^concurrency:\n {2}group: compute-up\n {2}cancel-in-progress: false$/m);
  });

  test("softens nothing", () => {
    const { run, pulumiCalls } = bench(undefined);
    expect(run(stepOf(updater, "Update").run!, { STACK: "prod" }).code).toBe(0);
    expect(pulumiCalls()).toEqual(["up --stack prod --yes --skip-preview --parallel 100"]);
  });
});

describe("the scripts", () => {
  test("can be read by bash", () => {
    const scripts = [own, trusted, merged].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? [])),
    );
    expect(scripts).toHaveLength(8);
    expect(scripts.map(syntaxOf)).toEqual(scripts.map(() => ""));
  });

  test.each(OUTCOMES)("%s", (_what, document, pulumi, job, says) => {
    const { folder, run, pulumiCalls } = bench(document, pulumi);
    const env = { ...own.env, STACK: "prod", GITHUB_STEP_SUMMARY: join(folder, "summary.md") };
    const previewed = run(stepOf(preview, "Preview").run!, env);
    expect(previewed.code).toBe(0);
    expect(previewed.stdout).toBe(pulumi === 0 ? "" : `::error::pulumi preview ended with exit code ${pulumi}\n`);
    expect(pulumiCalls()).toEqual(["COMPUTE_ON_RESTART=warn PULUMI_SKIP_CHECKPOINTS=true preview --stack prod --json"]);
    const annotated = run(stepOf(preview, "Annotations").run!, env);
    expect(annotated.code).toBe(job);
    expect(annotated.stdout.includes("::error ")).toBe(job !== 0);

    const { code, report } = reported(folder, run);
    expect(code).toBe(job);
    expect(report.split("\n")[0]).toBe(MARKER);
    expect(report).toMatch(says);
    expect(fs.readFileSync(env.GITHUB_STEP_SUMMARY, "utf8")).toBe(
      report.replaceAll("document/", "").replace(NO_DOCUMENT, ""),
    );
  });

  /** The trusted job's part: it finds the document, and tells the next step the verdict. */
  function reported(folder: string, run: ReturnType<typeof bench>["run"]) {
    mkdirSync(join(folder, "document"), { recursive: true });
    const from = join(folder, "preview.json");
    if (fs.existsSync(from)) fs.renameSync(from, join(folder, "document/preview.json"));
    const env = {
      ...trusted.env,
      INTEGRITY,
      STACK: "prod",
      RUN: "https://run.test",
      GITHUB_OUTPUT: join(folder, "output"),
    };
    expect(run(stepOf(reporter, "Install").run!, env).code).toBe(0);
    const made = run(stepOf(reporter, "Report").run!, env);
    expect(made.code).toBe(0);
    const [, code] = /^code=(\d+)\n$/.exec(fs.readFileSync(env.GITHUB_OUTPUT, "utf8")) ?? [];
    const report = reportOf(folder);
    // The log of the job has the verdict too.
    expect(made.stderr).toContain(`exit code ${code}: ${/^#+ (.*)$/m.exec(report)![1]}\n`);
    return { code: Number(code), report };
  }
  const NO_DOCUMENT = "\nThe preview's job left no document: see [its run](https://run.test).\n";

  test("a run without a document is reported as one, with the place where to look", () => {
    const { folder, run } = bench(undefined);
    const { code, report } = reported(folder, run);
    expect([code, report]).toEqual([
      2,
      expect.stringMatching(/^<!-- .* shop\/prod -->\n\n### ⛔ .*\n[\s\S]*does not exist/),
    ]);
    expect(report.endsWith(NO_DOCUMENT)).toBe(true);
  });

  test("a file with another checksum is not installed, and the job says which one it has", () => {
    const { folder, run } = bench("nothing");
    const { code, stdout } = run(stepOf(reporter, "Install").run!, { ...trusted.env, STACK: "prod" });
    expect([code, fs.existsSync(join(folder, "bin/installed-in"))]).toEqual([1, false]);
    expect(stdout).toContain(
      `::error::${trusted.env["PACKAGE"]} has the integrity ${INTEGRITY}, not sha512-…. It was not`,
    );
    // A required status is set nevertheless.
    expect(reporter.steps.at(-1)!.if).toBe(`\${{ !cancelled() }}`);
  });

  test("a document of another stack is refused, and takes no other comment's place", () => {
    const { folder, run } = bench(undefined);
    writeFileSync(join(folder, "preview.json"), documentOf("nothing").replaceAll("prod::shop", "dev::shop"));
    const { code, report } = reported(folder, run);
    expect([code, report.split("\n")[0]]).toEqual([2, MARKER]);
    expect(report).toContain("the document is for `shop/dev`");
  });

  test("a pull request from outside is told why there is no preview", () => {
    const { folder, run } = bench(undefined);
    const { code, stdout } = run(outside.steps[0]!.run!, { GITHUB_STEP_SUMMARY: join(folder, "summary.md") });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^::warning title=No compute report::No preview/)]);
    expect(fs.readFileSync(join(folder, "summary.md"), "utf8")).toContain("A maintainer who has read it");
  });
});

describe("the comment", () => {
  interface Comment {
    id: number;
    body?: string;
    user?: { login: string };
  }
  const BOT = { login: "github-actions[bot]" };

  const REPOSITORY = { id: 1 };
  const SHA = "a".repeat(40);
  const pull = (more: object = {}) => ({ number: 7, base: { repo: REPOSITORY }, head: { sha: SHA }, ...more });

  async function post(body: string | undefined, comments: Comment[], pulls: object[] = [pull()], code = "0") {
    const { folder } = bench(undefined);
    if (body !== undefined) writeFileSync(join(folder, "report.md"), body);
    const statuses: unknown[] = [];
    const did: unknown[] = [];
    const failures: string[] = [];
    const listComments = () => {};
    const github = {
      paginate: async (route: unknown, args: object) => {
        expect([route, args]).toEqual([listComments, { owner: "acme", repo: "infra", issue_number: 7, per_page: 100 }]);
        return comments;
      },
      rest: {
        repos: {
          createCommitStatus: async ({ sha, context, state, target_url }: Record<string, string>) =>
            statuses.push([sha, context, state, target_url]),
        },
        issues: {
          listComments,
          createComment: async (args: { issue_number: number; body: string }) =>
            did.push(["new", args.issue_number, args.body]),
          updateComment: async (args: { comment_id: number; body: string }) => did.push([args.comment_id, args.body]),
        },
      },
    };
    const run = { head_sha: SHA, html_url: "https://run.test", pull_requests: pulls };
    const context = { repo: { owner: "acme", repo: "infra" }, payload: { repository: REPOSITORY, workflow_run: run } };
    const core = { setFailed: (message: string) => failures.push(message) };
    const inFolder = () => ({
      existsSync: (path: string) => fs.existsSync(join(folder, path)),
      readFileSync: (path: string, encoding: "utf8") => fs.readFileSync(join(folder, path), encoding),
    });
    // As actions/github-script does it.
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>;
    const parameters = ["github", "context", "core", "require", "process"];
    const script = new AsyncFunction(...parameters, reporter.steps.at(-1)!.with!["script"]!);
    await script(github, context, core, inFolder, { env: { PROJECT: "shop", STACK: "prod", CODE: code } });
    return { did, failures, statuses };
  }

  const report = (text: string, stack = "prod") => `${MARKER.replace("prod", stack)}\n\n### ${text}\n`;

  test.each<[what: string, comments: Comment[], did: unknown[]]>([
    ["is made where there is none", [], [["new", 7, report("b")]]],
    ["is written over at the next push", [{ id: 3, user: BOT, body: report("a") }], [[3, report("b")]]],
    [
      "is found with the host's line ends",
      [{ id: 3, user: BOT, body: report("a").replaceAll("\n", "\r\n") }],
      [[3, report("b")]],
    ],
    ["stays where it says so already", [{ id: 3, user: BOT, body: report("b") }], []],
    ["is not taken for another stack's", [{ id: 3, user: BOT, body: report("a", "prod2") }], [["new", 7, report("b")]]],
    [
      "is not somebody else's, whatever that says",
      [{ id: 3, user: { login: "eve" }, body: report("a") }, { id: 4 }],
      [["new", 7, report("b")]],
    ],
    [
      "is the first of several",
      [
        { id: 3, user: BOT, body: report("a") },
        { id: 4, user: BOT, body: report("c") },
      ],
      [[3, report("b")]],
    ],
  ])("%s", async (_what, comments, did) => {
    expect(await post(report("b"), comments)).toMatchObject({ did, failures: [] });
  });

  test.each<[what: string, body: string | undefined]>([
    ["is not there", undefined],
    ["is no report", "@everyone look"],
    ["is another stack's report", report("x", "dev")],
    ["has another marker in it", report(`x\n${MARKER.replace("prod", "dev")}`)],
    ["is too long for the host", report("x".repeat(70_000))],
  ])("what %s is not written, and the job fails", async (_what, body) => {
    expect(await post(body, [])).toMatchObject({ did: [], failures: [expect.stringMatching(/^no comment: /)] });
  });

  test.each<[what: string, pulls: object[]]>([
    ["none", []],
    ["another repository's", [pull({ base: { repo: { id: 2 } } })]],
    ["one of another commit", [pull({ head: { sha: "b" } })]],
    ["two", [pull(), pull({ number: 8 })]],
  ])("is not written where GitHub names %s as the run's pull request", async (_what, pulls) => {
    expect(await post(report("b"), [], pulls)).toMatchObject({
      did: [],
      failures: [expect.stringMatching(/^no comment: /)],
    });
  });

  test.each([
    ["0", "success"],
    ["3", "failure"],
    ["2", "failure"],
    ["1", "error"],
    ["", "error"],
  ])("beside it stands a status: exit code %j is %s", async (code, state) => {
    const { statuses } = await post(report("b"), [], [], code);
    expect(statuses).toEqual([[SHA, "compute report (prod)", state, "https://run.test"]]);
  });
});
