/** Annotations for a pipeline, and text for a terminal. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BASE, inJson, preview, report, resize, step } from "./support";

const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-formats-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gone = (name: string) => step({ op: "delete", name, id: `ep-${name}`, old: BASE });

describe("workflow commands", () => {
  const at = (line: number) => ({ nextMore: { sourcePosition: `project:///index.ts#${line},17` } });

  test("an error for what fails, a warning for what is approved or less, nothing for what is harmless", async () => {
    const { stacks } = await inJson(preview([resize()]));
    const config = { "compute:approve": stacks[0].computes[0].approval.digest };
    const may = step({
      name: "may",
      old: BASE,
      next: { ...BASE, settings: { pgSettings: { a: "1" } }, restart: "maybe: …" },
      ...at(3),
    });
    const fine = step({ name: "fine", old: BASE, next: { ...BASE, name: "b", restart: "no" }, ...at(4) });
    const steps = [resize(at(1)), resize({ name: "second: 100%, or", ...at(2) }), may, fine, gone("a")];
    const { stdout, code } = await report(["--format", "github"], JSON.stringify(preview(steps, { config })));
    expect(code).toBe(3);
    expect(stdout.split("\n").map((line) => line.replace(/^(::.+?)::.*$/, "$1"))).toEqual([
      "::error file=index.ts,line=2,col=17,title=shop/prod%3A compute second%3A 100%25%2C or restarts",
      expect.stringMatching(/^::warning title=shop\/prod%3A compute a is deleted/),
      "::warning file=index.ts,line=1,col=17,title=shop/prod%3A compute primary restarts",
      "::warning file=index.ts,line=3,col=17,title=shop/prod%3A compute may may restart",
      "1 compute is deleted. 2 computes restart, 1 may restart; 1 not approved",
      "",
    ]);
  });

  test("a title is a sentence, for each kind of change", async () => {
    const steps = [
      step({ op: "replace", name: "moves", old: BASE, next: { ...BASE, projectId: "p" } }),
      step({ name: "stops", old: BASE, next: { ...BASE, disabled: true, restart: "no" } }),
      step({ op: "create", name: "takes", next: { ...BASE, adopt: true, restart: "maybe: adopts it; …" } }),
    ];
    const { stdout } = await report(["--format", "github"], JSON.stringify(preview(steps)));
    expect([...stdout.matchAll(/title=shop\/prod%3A compute (.*?)::/g)].map(([, title]) => title)).toEqual([
      "moves gets a new host",
      "stops stops",
      "takes adopts a compute",
    ]);
  });

  test("of each kind ten, the last of which counts the rest", async () => {
    const steps = Array.from({ length: 30 }, (_, index) =>
      resize({ name: `c${index}`, id: `ep-${index}`, ...at(index + 1) }),
    );
    const { stdout } = await report(["--format", "github"], JSON.stringify(preview(steps)));
    const errors = stdout.split("\n").filter((line) => line.startsWith("::error "));
    expect(errors).toHaveLength(10);
    expect(errors.at(-1)).toContain("title=And 21 more::");
  });

  test("the Markdown is added to the job's summary", async () => {
    const summary = join(folder, "summary.md");
    writeFileSync(summary, "before\n");
    await report(["--format", "github"], JSON.stringify(preview([resize()])), {
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    expect(readFileSync(summary, "utf8")).toBe(
      `before\n${(await report(["--format", "markdown"], JSON.stringify(preview([resize()])))).stdout}`,
    );
  });

  test("a summary that can't be written is said, and changes no exit code", async () => {
    const env = { GITHUB_STEP_SUMMARY: join(folder, "none", "summary.md") };
    const { code, stderr } = await report(["--format", "github"], JSON.stringify(preview([resize()])), { env });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^compute-endpoint report: the job's summary can't be written: .*\n$/),
    ]);
  });

  test.each<[what: string, place: "file" | "cwd", env: NodeJS.ProcessEnv, path: string]>([
    ["where the command runs, in the repository", "cwd", { GITHUB_WORKSPACE: folder }, "infra/index.ts"],
    ["beside the document", "file", { GITHUB_WORKSPACE: folder }, "infra/index.ts"],
    ["outside of the repository: as it is", "cwd", { GITHUB_WORKSPACE: join(folder, "elsewhere") }, "index.ts"],
    ["without a repository: as it is", "cwd", {}, "index.ts"],
  ])("Pulumi.yaml %s", async (_what, place, env, path) => {
    const project = join(folder, "infra");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "Pulumi.yaml"), "name: shop\n");
    writeFileSync(join(project, "preview.json"), JSON.stringify(preview([resize(at(1))])));
    const { stdout } = await report(["--format", "github", join(project, "preview.json")], "", {
      env,
      cwd: place === "cwd" ? project : folder,
    });
    expect(/file=([^,]+)/.exec(stdout)?.[1]).toBe(path);
  });
});

describe("text", () => {
  test("is the default on a terminal, Markdown elsewhere", async () => {
    const input = JSON.stringify(preview([resize()]));
    expect((await report([], input, { terminal: true })).stdout).toMatch(/^shop\/prod: /);
    expect((await report([], input)).stdout).toMatch(/^<!-- /);
  });

  test.each<[what: string, terminal: boolean, env: NodeJS.ProcessEnv, coloured: boolean]>([
    ["a terminal", true, {}, true],
    ["no terminal", false, {}, false],
    ["NO_COLOR", true, { NO_COLOR: "1" }, false],
    ["a dumb terminal", true, { TERM: "dumb" }, false],
  ])("colours: %s", async (_what, terminal, env, coloured) => {
    const { stdout } = await report(["--format", "text"], JSON.stringify(preview([resize()])), { terminal, env });
    expect(stdout.includes("\u001b[33mrestarts\u001b[0m")).toBe(coloured);
    expect(stdout.includes("\u001b")).toBe(coloured);
  });

  test("as a reader sees it", async () => {
    const { stdout } = await report(["--format", "text"], JSON.stringify(preview([resize(), gone("old")])));
    expect(stdout).toMatchInlineSnapshot(`
      "shop/prod: 1 compute is deleted. 1 compute restarts; 1 not approved

        is deleted  old (ep-old)
          connections drop, and its host no longer exists
          memory 4 GB, disk 20 GiB, max_connections 450
          host ep-old.us-east-2.aws.neon.tech → none

        restarts  primary (ep-amber-field-a5x7w3rt)
          size 1 → 4
          if the compute is active it restarts, and open connections drop
          memory 4 → 16 GB, disk 20 → 60 GiB, max_connections 450 → 1802
          not approved (892732bba34f…)

        To approve all of it, run this in the program's folder, and commit the stack's file:
        npx --no compute-endpoint approve --stack prod 892732bba34fe224daeb2c8e9caf949a=primary
      "
    `);
  });

  test("--help names every flag and the exit codes", async () => {
    const { stdout, code } = await report(["--help"]);
    expect(code).toBe(0);
    for (const flag of [
      "format",
      "fail-on",
      "max-bytes",
      "name",
      "folder",
      "approve",
      "until",
      "no-expiry",
      "tidy",
      "help",
    ])
      expect(stdout).toContain(`  --${flag}`);
    expect(stdout).toMatch(/Exit codes: 0 .* 3 .* 2 [\s\S]* 1 /);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(130);
  });

  test.each([
    [["--format", "html"]],
    [["--name", " "]],
    [["--nope"]],
    [["--fail-on"]],
    [["--tidy"]],
    [["--until", "2027-01-31"]],
  ])("%j is bad usage", async (args) => {
    expect(await report(args)).toMatchObject({ code: 2, stdout: "" });
  });
});
