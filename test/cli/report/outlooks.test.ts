/** What a preview's look has foreseen: that `up` will fail, and what an adoption takes over. */
import { describe, expect, test } from "vitest";
import { factsTail, type MessageFact } from "../../../provider/rules/message-data";
import { BASE, inJson, oneCompute, outputsOf, type Parsed, preview, report, resize, step, urnOf } from "./support";

const AT = "2026-05-04T12:00:05Z";
const TEXT = "branch br-a has its primary already (ep-b): `up` will fail. Add adopt: true to manage it.";
const says = (facts: readonly MessageFact[], text = TEXT, more: object = {}) => ({
  severity: "warning",
  urn: urnOf("primary"),
  message: `warning: ${text}${factsTail(facts, Date.parse(AT))}\n`,
  ...more,
});
const creation = (next: object = {}) => step({ op: "create", next: { ...BASE, restart: "no", ...next } });
const ADOPTION = {
  adopt: true,
  restart:
    "maybe: takes over the branch's primary, if there is one, and sets size 1; a compute with other values may restart",
  __notice: { impact: "may-restart", properties: ["size"] },
};

describe("a preview that says that `up` will fail", () => {
  const failing = preview([creation()], { diagnostics: [says(["fails"])] });

  test("is not green, with its text, and ends with exit code 2", async () => {
    const { exitCode, complete, verdict, stacks } = await inJson(failing);
    expect({ exitCode, complete, verdict }).toEqual({
      exitCode: 2,
      complete: true,
      verdict: "`pulumi up` will fail at 1 compute",
    });
    expect(stacks[0].computes[0].upFails).toEqual({ why: TEXT, at: AT });
  });

  test("also where nothing fails the check", async () => {
    expect((await inJson(failing, ["--fail-on", "none"])).exitCode).toBe(2);
  });

  test.each([
    [
      "markdown",
      /### ⛔ .*will fail at 1 compute\n[\s\S]*An approval does not help[\s\S]*\| ⛔ \*\*`up` will fail\*\* \| <code>branch br/,
    ],
    [
      "text",
      /will fail at 1 compute\n[\s\S]*new compute {2}primary\n {4}branch br-a has its primary already \(ep-b\): `up` will fail\./,
    ],
    ["github", /^::error [^\n]*makes `up` fail::branch br-a has its primary/m],
  ])("in %s", async (format, expected) => {
    const { code, stdout, stderr } = await report(["--format", format], JSON.stringify(failing));
    expect(code).toBe(2);
    expect(stdout).toMatch(expected);
    expect(stdout).not.toContain("🟢");
    expect(stdout.match(/has its primary already/g)).toHaveLength(1);
    expect(stderr).toMatch(/^compute-endpoint report: shop\/prod: `pulumi up` will fail at 1 compute/);
  });

  test("of a change that restarts: both are said, and it comes first", async () => {
    const steps = [resize(), resize({ name: "other", id: "ep-other-1" })];
    const { verdict, stacks } = await inJson(
      preview(steps, { diagnostics: [says(["active", "fails"], TEXT, { urn: urnOf("other") })] }),
    );
    expect(verdict).toBe("`pulumi up` will fail at 1 compute. 2 computes restart; 1 not approved");
    expect(stacks[0].computes.map(({ name }: Parsed) => name)).toEqual(["other", "primary"]);
    expect(stacks[0].computes[0]).toMatchObject({
      impact: "restart",
      seen: { state: "active", at: AT },
      upFails: { at: AT },
    });
  });

  test("and failed itself: the report says both", async () => {
    const { verdict } = await inJson(
      preview([creation()], { diagnostics: [says(["fails"]), { severity: "error", message: "error: boom" }] }),
    );
    expect(verdict).toBe("This preview is incomplete; known so far: `pulumi up` will fail at 1 compute");
  });

  test("of a creation that may be a forced replacement: the step tells", async () => {
    const diagnostics = [says(["fails unless replaced"])];
    expect((await oneCompute(preview([creation()], { diagnostics }))).upFails).toEqual({ why: TEXT, at: AT });
    const replaced = step({ op: "replace", old: BASE, next: { ...BASE, restart: "no" }, outputs: outputsOf(BASE) });
    expect(await oneCompute(preview([replaced], { diagnostics }))).not.toHaveProperty("upFails");
  });

  test("of a compute without a step: the document is not whole", async () => {
    const { exitCode, stacks } = await inJson(preview([], { diagnostics: [says(["fails"])] }));
    expect(exitCode).toBe(2);
    expect(stacks[0].incomplete.join()).toMatch(/`up` will fail at primary, but has no step for it/);
  });

  test.each([
    ["words without data", says([], TEXT)],
    ["data that is not at the end", says(["fails"], TEXT, { message: `x [fails at ${AT}] and more` })],
    ["data without a time", says(["fails"], TEXT, { message: "x [fails at noon]" })],
    ["an error of another resource", says(["fails"], TEXT, { urn: urnOf("x", "aws:s3/bucket:Bucket") })],
  ])("not by %s", async (_what, diagnostic) => {
    const { exitCode, stacks } = await inJson(preview([creation()], { diagnostics: [diagnostic] }));
    expect(exitCode).toBe(0);
    expect(stacks[0].computes[0]).not.toHaveProperty("upFails");
  });

  test("in a text of others: one line, bounded, and no markup", async () => {
    const evil = `${"x".repeat(5000)}\n| <b> @team \u001b[31m\u202e`;
    const one = await oneCompute(
      preview([creation()], { diagnostics: [says(["fails"], `\n<b>|@team\u202e ${evil}`)] }),
    );
    expect(one.upFails.why.length).toBeLessThan(1000);
    expect(one.upFails.why).toContain("\\u{202e}");
    const { stdout } = await report(
      [],
      JSON.stringify(preview([creation()], { diagnostics: [says(["fails"], "<b>|@team")] })),
    );
    expect(stdout).not.toMatch(/<b>|@team/);
  });
});

describe("an approved change at which `up` will fail says one state, and each thing once", async () => {
  const why =
    "ep-a: size 1 → 4 restarts this compute. But somebody has changed size 1 → 8 since the state was recorded: `up` will fail. Run `pulumi refresh`, and preview again.";
  const { approval } = await oneCompute(preview([resize()]));
  const failing = JSON.stringify(
    preview([resize()], {
      config: { "compute:approve": approval.digest, "compute:onRestart": "refuse" },
      diagnostics: [says(["active", "fails"], why)],
    }),
  );

  test.each(["markdown", "text", "github"])("in %s", async (format) => {
    const { stdout } = await report(["--format", format], failing);
    expect(stdout).not.toMatch(/[^-]approved|`size`/);
    expect(stdout.match(/somebody has changed/g)).toHaveLength(1);
  });

  test("and is not offered for approval", async () => {
    const { stacks } = await inJson(failing.replace(approval.digest, ""));
    expect(stacks[0]).not.toHaveProperty("approveCommand");
    expect(stacks[0].computes[0].approval).not.toHaveProperty("command");
  });
});

describe("an adoption", () => {
  test.each<[what: string, expected: boolean, next: object, config: object, diagnostics: object[]]>([
    ["under refuse, without a look", true, {}, { "compute:onRestart": "refuse" }, []],
    ["under its own refuse, without a look", true, { onRestart: "refuse" }, {}, []],
    ["with a look", false, {}, { "compute:onRestart": "refuse" }, [says(["makes"], "branch br-a has no primary")]],
    ["without refuse", false, {}, {}, []],
    ["that allows it", false, { onRestart: "allow" }, { "compute:onRestart": "refuse" }, []],
  ])("%s: what nobody could see is said: %s", async (_what, expected, next, config, diagnostics) => {
    const one = await oneCompute(preview([creation({ ...ADOPTION, ...next })], { config, diagnostics }));
    expect(one.notes.filter((note: string) => note.startsWith("without a key"))).toHaveLength(Number(expected));
  });

  const adoption = (facts: readonly MessageFact[], text: string, severity = "info") =>
    oneCompute(preview([creation(ADOPTION)], { diagnostics: [says(facts, text, { severity })] }));

  test("says what the look found", async () => {
    const text = "takes over ep-late-1: size 0.25 → 1 restarts this compute. It is active: open connections drop.";
    expect(await adoption(["active", "adopts"], text, "warning")).toMatchObject({
      what: "adopts a compute",
      impact: "may-restart",
      effect: text,
      seen: { state: "active" },
    });
  });

  test("on a branch without a primary makes a new compute", async () => {
    const text = "branch br-free has no primary to take over: a new compute is created, and nothing drops.";
    // A look lowers no verdict: `up` goes by what is there then, and the program itself could write such a line.
    expect(await adoption(["makes"], text)).toMatchObject({
      what: "new compute",
      impact: "may-restart",
      effect: text,
    });
  });

  test("without a look says what it may do", async () => {
    expect(await oneCompute(preview([creation(ADOPTION)]))).toMatchObject({
      what: "adopts a compute",
      effect: expect.stringMatching(/^takes over the branch's primary, if there is one/),
    });
  });

  test("that sets nothing is no new compute", async () => {
    expect(await oneCompute(preview([creation({ adopt: true })]))).toMatchObject({
      what: "adopts a compute",
      impact: "none",
    });
  });
});

test("a protected compute that leaves the program is not deleted: `up` fails there", async () => {
  const document = preview([step({ op: "delete", old: BASE, oldMore: { protect: true } })]);
  const { verdict, exitCode, stacks } = await inJson(document);
  expect({ verdict, exitCode }).toEqual({ verdict: "`pulumi up` will fail at 1 compute", exitCode: 2 });
  expect(stacks[0].computes[0]).toMatchObject({
    impact: "none",
    what: "is protected",
    upFails: { why: expect.stringMatching(/protect/) },
  });
  expect((await report([], JSON.stringify(document))).stdout).not.toMatch(/Deleted|is deleted/);
});

describe("a preview that has not looked at the service", () => {
  const WARNED = says([], "ep-amber-field-a5x7w3rt: size 1 → 4 restarts this compute if it is active.");
  const NOT_LOOKED = /^ *This preview had no key, or no answer from the service\..*`up` may fail/m;
  const restart = (more: object = {}) =>
    resize({ ...more, next: { __notice: { impact: "restart", properties: ["size"] } } });
  const adoption = creation(ADOPTION);
  const renamed = step({ old: { ...BASE, restart: "no" }, next: { ...BASE, name: "b", restart: "no" } });

  test.each([
    ["a restart whose warning has no state", [restart()], [WARNED]],
    [
      "an adoption that nobody has looked up",
      [adoption],
      [says([], "takes over the branch's primary, if there is one.")],
    ],
    ["several", [restart(), restart({ name: "other", id: "ep-b" })], [WARNED]],
  ])("says so, in Markdown and on a terminal: %s", async (_what, steps, diagnostics) => {
    const document = JSON.stringify(preview(steps, { diagnostics }));
    for (const format of ["markdown", "text"]) {
      expect((await report(["--format", format], document)).stdout).toMatch(NOT_LOOKED);
    }
  });

  test.each<[what: string, steps: object[], diagnostics: object[]]>([
    ["it has looked at one of the computes", [restart()], [WARNED, says(["idle"], "x", { urn: urnOf("other") })]],
    ["it has looked", [restart()], [says(["active"], "ep-a: size 1 → 4 restarts this compute.")]],
    ["nobody can tell: warnings are off", [restart()], []],
    ["nobody can tell: a compute with a new name needs no look", [renamed], [says([], "onDelete is not said")]],
    ["nobody can tell: a new compute has no line where all is well", [creation()], [says([], "x")]],
    [
      "nobody can tell: the program itself has warned",
      [restart()],
      [says([], "x", { urn: urnOf("x", "aws:s3/bucket:Bucket") })],
    ],
    ["nobody can tell: an earlier version warned without the state", [resize()], [WARNED]],
    ["nothing changes", [], [WARNED]],
  ])("is not claimed where %s", async (_what, steps, diagnostics) => {
    const document = JSON.stringify(preview(steps, { diagnostics }));
    for (const format of ["markdown", "text"]) {
      expect((await report(["--format", format], document)).stdout).not.toMatch(NOT_LOOKED);
    }
  });
});
