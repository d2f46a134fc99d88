/** What can be handed in: every wrong or odd document is one clear line and exit code 2. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fixture, inJson, pretty, preview, report, resize, step } from "./support";

const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const whole = pretty(preview([resize()]));
const other = whole.replaceAll("prod::shop", "dev::shop").replaceAll("shop-prod", "shop-dev");

const calm = pretty(preview([]));
const BOM = "\ufeff";
const minified = (text: string) => JSON.stringify(JSON.parse(text));
/** A harmless document and one with a restart in one stream, put together by somebody who did not care how. */
const TOGETHER: [how: string, input: string | Buffer][] = [
  ["a byte order mark at each", `${BOM}${calm}${BOM}${whole}`],
  ["a byte order mark in a line of its own", `${calm}\n${BOM}\n${whole}`],
  ["the second in UTF-16, as PowerShell appends it", Buffer.concat([Buffer.from(calm), Buffer.from(whole, "utf16le")])],
  ["the second indented", calm + whole.replace(/^/gm, "  ")],
  ["a tab before the second", `${calm}\t${whole}`],
  ["a time before each line", calm + whole.replace(/^/gm, "2026-05-01T12:00:00Z ")],
  ["the second without its first line", calm + whole.slice(whole.indexOf("\n") + 1)],
  ["the second in a list", `${calm}[\n${whole}]\n`],
  ["a blank between the braces", `${calm.trimEnd()} ${whole}`],
  ["the line ends of an old system", calm + whole.replaceAll("\n", "\r")],
  ["minified, a comma between", `${minified(calm)},${minified(whole)}`],
  ["minified, a record mark between", `${minified(calm)}\u001e${minified(whole)}`],
  ["minified, the second cut off", minified(calm) + minified(whole).slice(0, -40)],
];

const ODD: [what: string, text: string, says: RegExp][] = [
  ["nothing", "", /is empty: the preview failed before it printed a document/],
  ["only blank lines", "\n  \r\n", /is empty/],
  ["words", "error: no stack selected; please use `pulumi stack select`\n", /is not JSON/],
  ["HTML", "<html>\n<body>502</body>\n</html>\n", /is not JSON/],
  ["a document without its end", whole.slice(0, -200), /is not a complete document: it was cut off/],
  [
    "a minified document without its end",
    JSON.stringify(preview([resize()])).slice(0, -20),
    /is not a complete document/,
  ],
  ["a document with a hole", whole.replace('"op":', '"op" '), /is not a complete document/],
  ["an empty object", "{}\n", /is `{}`: the preview failed before its first step/],
  ["an array", "[1]", /is a JSON array/],
  ["a number", "42", /is a JSON value/],
  ["null", "null", /is a JSON value/],
  ["another tool's JSON", '{"name":"x","version":"1"}', /is another tool's JSON/],
  ["Terraform's plan", '{"format_version":"1.2","resource_changes":[]}', /is a plan of Terraform/],
  [
    "the summary of --output json",
    '{"result":"succeeded","duration":1,"summary":{},"resources":[]}',
    /use `pulumi preview --json`/,
  ],
  [
    "engine events",
    '{"sequence":0,"timestamp":1,"preludeEvent":{"config":{}}}\n{"sequence":1,"timestamp":1,"diagnosticEvent":{"message":"s3cr3t"}}\n',
    /is a stream of engine events, which can hold secrets/,
  ],
  ["one engine event", '{"sequence":0,"timestamp":1}', /is a stream of engine events/],
  ["a saved plan", pretty({ manifest: {}, resourcePlans: {} }), /is a saved plan/],
  ["a state", pretty({ version: 3, deployment: {} }), /is a state/],
  ["a refresh", fixture("refresh-only.json"), /is `pulumi refresh --preview-only`/],
  ["diagnostics alone", pretty({ config: {}, diagnostics: [], duration: 1 }), /failed before its first step/],
];

describe("what is no preview is one line that says what it is, and exit code 2", () => {
  test.each(ODD)("%s", async (_what, text, says) => {
    const { code, stdout, stderr } = await report(["--format", "markdown"], text);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toMatch(/^<!-- compute-endpoint report v1 unknown -->\n\n### ⛔ /);
    expect(stdout + stderr).not.toContain("s3cr3t");
  });

  test("a file that does not exist", async () => {
    const { code, stderr } = await report([join(folder, "none.json")]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^compute-endpoint report: \S+none\.json does not exist\n$/),
    ]);
  });

  test("a folder", async () => {
    expect(await report([folder])).toMatchObject({ code: 2, stderr: expect.stringContaining("is a folder") });
  });

  test("more than any preview has", async () => {
    const { code, stderr } = await report([], Buffer.alloc(64 * 1024 * 1024 + 1, " "));
    expect([code, stderr]).toEqual([2, expect.stringContaining("is larger than 64 MB")]);
  });

  test("nothing at a terminal", async () => {
    const { code, stderr } = await report([], "", { stdinIsTerminal: true });
    expect([code, stderr]).toEqual([2, "which preview? give the file, or pipe it in\n"]);
  });
});

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

describe("what is a preview is found", () => {
  test.each([
    ["as the engine prints it", whole],
    ["minified", JSON.stringify(preview([resize()]))],
    ["with a byte order mark", `\ufeff${whole}`],
    ["with the line ends of Windows", whole.replaceAll("\n", "\r\n")],
    ["in UTF-16, as PowerShell's > writes it", utf16(whole)],
    ["in UTF-16 without a mark", Buffer.from(whole, "utf16le")],
    ["in UTF-16 of the other order", utf16(whole).swap16()],
    [
      "between the lines of npm",
      `\n> shop@1.0.0 preview\n> pulumi preview --json\n\n${whole}npm notice { new } version\n`,
    ],
    ["before a line of stderr", `${whole}error: no changes were expected but changes were proposed\n`],
    ["after lines that begin with a brace", `{ starting }\n{x}\n${whole}`],
    ["minified, between other lines", `hello\n${JSON.stringify(preview([resize()]))}\nbye\n`],
  ])("%s", async (_what, input) => {
    const { code, stdout, stderr } = await report(["--format", "json"], input);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    expect(JSON.parse(stdout).stacks).toMatchObject([
      { project: "shop", stack: "prod", computes: [{ impact: "restart" }] },
    ]);
  });

  test.each([
    ["one after the other", whole + other],
    ["without a line end between them", whole.trimEnd() + other],
    ["minified, on two lines", [whole, other].map((text) => JSON.stringify(JSON.parse(text))).join("\n")],
    ["minified, on one line", [whole, other].map((text) => JSON.stringify(JSON.parse(text))).join("")],
    ["with words between them", `${whole}Logging in\n${other}`],
  ])("several in one stream: %s", async (_what, text) => {
    const { stacks } = await inJson(text);
    expect(stacks.map(({ stack }: { stack: string }) => stack)).toEqual(["prod", "dev"]);
  });

  test("several files and stdin, in their order; the same file twice counts once", async () => {
    const path = file("other.json", other);
    const { stdout, code } = await report(["--format", "json", path, "-", path], whole);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).stacks.map(({ source }: { source: string }) => source)).toEqual([path, "stdin"]);
  });

  test("what is good beside what is not is still told, with exit code 2", async () => {
    const { code, stdout, stderr } = await report([file("broken.json", whole.slice(0, 300)), "-"], whole);
    expect(code).toBe(2);
    expect(stderr).toMatch(/broken\.json is not a complete document/);
    expect(stdout).toContain("known so far: 1 compute restarts");
  });

  test("a document that was cut off before a whole one is told", async () => {
    const { code, stderr, stdout } = await report(["--format", "json"], `${whole.slice(0, 300)}\n${other}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is not a complete document")]);
    expect(JSON.parse(stdout).stacks).toHaveLength(1);
  });
});

describe("a document that can't be the whole truth is incomplete, exit code 2", () => {
  const cut = (change: (document: ReturnType<typeof preview>) => void) => {
    const document = preview([resize(), step({ op: "delete", name: "gone", old: { projectId: "p", branchId: "b" } })]);
    change(document);
    return document;
  };
  test.each([
    ["no steps", cut((one) => delete one["steps"]), /has no steps/],
    ["steps that are null", cut((one) => Object.assign(one, { steps: null })), /has no steps/],
    [
      "a deletion cut out by a filter",
      cut((one) => (one["steps"] as unknown[]).pop()),
      /counts 1 "delete" and has the steps of 0/,
    ],
    ["a step that is no object", cut((one) => (one["steps"] as unknown[]).push(null)), /steps that can't be read/],
    ["a step without an op", cut((one) => (one["steps"] as unknown[]).push({ urn: "x" })), /steps that can't be read/],
    ["a document that Pulumi doubts", cut((one) => Object.assign(one, { maybeCorrupt: true })), /corrupt/],
  ])("%s", async (_what, document, says) => {
    const { exitCode, complete, stacks, verdict } = await inJson(document);
    expect({ exitCode, complete }).toEqual({ exitCode: 2, complete: false });
    expect(stacks[0].incomplete).toContainEqual(expect.stringMatching(says));
    expect(verdict).toMatch(/^This preview is incomplete/);
  });

  test("missing and unknown fields elsewhere are no harm", async () => {
    const { exitCode } = await inJson({
      steps: [
        { ...resize(), more: 1, detailedDiff: undefined },
        { op: "same", urn: "urn:pulumi:prod::shop::t::n" },
      ],
      future: [],
      diagnostics: null,
      changeSummary: { same: 1, update: 1, future: 3 },
      config: null,
    });
    expect(exitCode).toBe(3);
  });
});

describe("two documents in one stream, put together carelessly", () => {
  test.each(TOGETHER)("%s: the second is read, or the report is incomplete", async (_how, input) => {
    const { code } = await report(["--format", "markdown"], input);
    expect([2, 3]).toContain(code);
  });

  test("alone, the first is harmless", async () => {
    expect(await report([], calm)).toMatchObject({ code: 0 });
  });
});
