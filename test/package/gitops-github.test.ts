/** The GitHub workflow that people copy: who may do what in it, and each of its scripts, run. */
import * as fs from "node:fs";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { bench, OUTCOMES, reportOf, syntaxOf, textOf } from "./pipelines";

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
  steps: Step[];
  env?: Record<string, string>;
}

const TEXT = textOf("github/compute-preview.yml");
const workflow = parse(TEXT) as { on: unknown; permissions: unknown; env: object; jobs: Record<string, Job> };
const { outside, preview, comment } = workflow.jobs as { outside: Job; preview: Job; comment: Job };
const stepOf = (job: Job, name: string) => job.steps.find((step) => step.name === name)!;
const MARKER = "<!-- compute-endpoint report v1 shop/prod -->";

describe("rights", () => {
  test("every action is pinned to a commit, with its version beside it", () => {
    const uses = [...TEXT.matchAll(/uses: (.*)$/gm)].map(([, what]) => what!);
    expect(uses.length).toBe(6);
    expect(uses.filter((what) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual([]);
  });

  test("nothing by default, to read the code for the preview, to comment for the comment", () => {
    expect(workflow.permissions).toEqual({});
    expect(Object.entries(workflow.jobs).map(([name, { permissions }]) => [name, permissions])).toEqual([
      ["outside", undefined],
      ["preview", { contents: "read" }],
      ["comment", { "pull-requests": "write" }],
    ]);
  });

  test("a fork's code never meets a secret", () => {
    expect(workflow.on).toBe("pull_request");
    // One of the two runs, never both.
    expect(preview.if).toBe(outside.if!.replace("!=", "==").replace("||", "&&").replace("r == 'dep", "r != 'dep"));
    expect(preview.if).toContain("head.repo.full_name == github.repository");
    const lines = TEXT.split("\n").filter((line) => line.includes("secrets."));
    expect(lines.map((line) => line.trim())).toEqual([
      expect.stringMatching(/^PULUMI_ACCESS_TOKEN: \$\{\{ secrets\.PULUMI_ACCESS_TOKEN \}\}$/),
    ]);
    expect(Object.keys(stepOf(preview, "Preview").env!)).toEqual(["PULUMI_ACCESS_TOKEN"]);
  });

  test("what may write runs no code of the pull request, and no checkout leaves a token behind", () => {
    expect(comment.steps.map(({ uses }) => uses?.split("@")[0])).toEqual([
      "actions/download-artifact",
      "actions/github-script",
    ]);
    expect(preview.steps[0]).toMatchObject({ with: { "persist-credentials": false } });
  });

  test("no script has an expression in it, which would be run as text", () => {
    const scripts = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap((step) => [step.run, step.with?.["script"]]),
    );
    expect(scripts.filter((text) => text?.includes("${{"))).toEqual([]);
  });
});

describe("the scripts", () => {
  test("can be read by bash", () => {
    const scripts = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts).toHaveLength(4);
    expect(scripts.map(syntaxOf)).toEqual(["", "", "", ""]);
  });

  test.each(OUTCOMES)("%s", (_what, document, pulumi, job, says) => {
    const { folder, run, pulumiCalls } = bench(document, pulumi);
    const env = {
      ...(workflow.env as NodeJS.ProcessEnv),
      STACK: "prod",
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    };
    const previewed = run(stepOf(preview, "Preview").run!, env);
    expect(previewed.code).toBe(0);
    expect(previewed.stdout).toBe(pulumi === 0 ? "" : `::error::pulumi preview ended with exit code ${pulumi}\n`);
    expect(pulumiCalls()).toEqual(["config set --stack prod compute:onRestart warn", "preview --stack prod --json"]);
    const reported = run(stepOf(preview, "Report").run!, env);
    expect(reported.code).toBe(job);
    expect(reported.stdout.includes("::error ")).toBe(job !== 0);
    expect(reportOf(folder).split("\n")[0]).toBe(MARKER);
    expect(reportOf(folder)).toMatch(says);
    expect(fs.readFileSync(env.GITHUB_STEP_SUMMARY, "utf8")).toBe(reportOf(folder));
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

  async function post(reports: Record<string, string>, comments: Comment[]) {
    const { folder } = bench(undefined);
    for (const [name, body] of Object.entries(reports)) {
      mkdirSync(join(folder, "reports", name), { recursive: true });
      writeFileSync(join(folder, "reports", name, "report.md"), body);
    }
    const did: unknown[] = [];
    const failures: string[] = [];
    const listComments = () => {};
    const github = {
      paginate: async (route: unknown, args: object) => {
        expect([route, args]).toEqual([listComments, { owner: "acme", repo: "infra", issue_number: 7, per_page: 100 }]);
        return comments;
      },
      rest: {
        issues: {
          listComments,
          createComment: async (args: { issue_number: number; body: string }) =>
            did.push(["new", args.issue_number, args.body]),
          updateComment: async (args: { comment_id: number; body: string }) => did.push([args.comment_id, args.body]),
        },
      },
    };
    const context = { repo: { owner: "acme", repo: "infra" }, issue: { number: 7 } };
    const core = { setFailed: (message: string) => failures.push(message) };
    const inFolder = () => ({
      readdirSync: (path: string) => fs.readdirSync(join(folder, path)),
      readFileSync: (path: string, encoding: "utf8") => fs.readFileSync(join(folder, path), encoding),
    });
    // As actions/github-script does it.
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>;
    const script = new AsyncFunction("github", "context", "core", "require", comment.steps[1]!.with!["script"]!);
    await script(github, context, core, inFolder);
    return { did, failures };
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
    expect(await post({ "compute-report-prod": report("b") }, comments)).toEqual({ did, failures: [] });
  });

  test("each stack has its own", async () => {
    const reports = { "compute-report-dev": report("d", "dev"), "compute-report-prod": report("p") };
    const { did } = await post(reports, [{ id: 1, user: BOT, body: report("old", "dev") }]);
    expect(did).toEqual([
      [1, reports["compute-report-dev"]],
      ["new", 7, reports["compute-report-prod"]],
    ]);
  });

  test.each([
    ["is no report", "@everyone look"],
    ["is too long for the host", report("x".repeat(70_000))],
  ])("what %s is not written, and the job fails", async (_what, body) => {
    expect(await post({ odd: body }, [])).toEqual({
      did: [],
      failures: ["odd holds no report that fits into a comment"],
    });
  });
});
