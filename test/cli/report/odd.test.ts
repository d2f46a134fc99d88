/** Documents of which no engine would make one: a line each, exit code 2, and never a crash. */
import { describe, expect, test } from "vitest";
import { BASE, preview, ROOT, report, resize, step, urnOf } from "./support";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const text = (value: unknown) => JSON.stringify(value);
const withConfig = (approve: string) =>
  text(preview([resize()], { config: { "compute:approve": "X" } })).replace('"X"', approve);
const EVIL = { toString: 1, valueOf: {} };

describe("a document that no engine writes", () => {
  test.each<[what: string, document: string, code: number]>([
    ["objects in the place of reasons", text(preview([resize({ more: { diffReasons: [EVIL, "size"] } })])), 3],
    ["objects in the place of names", text(preview([resize({ next: { __secret: [EVIL] } })])), 3],
    [
      "objects in the place of libraries",
      text(preview([resize({ next: { settings: { preloadLibraries: { enabledLibraries: [EVIL] } } } })])),
      3,
    ],
    [
      "an object in the place of the first URN",
      text({ ...preview([resize()]), steps: [{ op: "refresh", urn: EVIL }] }),
      2,
    ],
    ["approvals nested 20,000 times", withConfig(nested(20_000)), 3],
    ["approvals nested in a text", withConfig(text(nested(20_000))), 3],
    [
      "triggers nested 20,000 times",
      text(preview([resize({ next: { restartTriggers: "X" } })])).replace('"X"', nested(20_000)),
      3,
    ],
    [
      "settings nested 20,000 times",
      text(preview([resize({ next: { settings: "X" } })])).replace('"X"', nested(20_000)),
      3,
    ],
    ["130,000 empty documents in a line", `x\n${"{}".repeat(130_000)}`, 2],
    ["no counts of changes", text({ ...preview([resize()]), changeSummary: undefined }), 2],
    ["counts that are texts", text({ ...preview([resize()]), changeSummary: { update: "1" } }), 2],
    ["counts that are negative", text({ ...preview([resize()]), changeSummary: { update: -1 } }), 2],
    ["an update without what is asked", text(preview([step({ old: BASE })])), 2],
    ["an update whose new inputs are a text", text(preview([resize({ nextMore: { inputs: "x" } })])), 2],
    ["an update whose old inputs are a list", text(preview([resize({ oldMore: { inputs: [1] } })])), 2],
    ["an update without an old state", text(preview([step({ next: BASE })])), 2],
    ["a replacement without what was", text(preview([step({ op: "replace", next: BASE })])), 2],
    ["a creation of nothing", text(preview([step({ op: "create" })])), 2],
    ["counts that are a list", text({ ...preview([resize()]), changeSummary: [1] }), 2],
  ])("%s", async (_what, document, code) => {
    for (const format of ["markdown", "json", "text", "github"]) {
      const ran = await report(["--format", format], document);
      expect([format, ran.code]).toEqual([format, code]);
      if (code === 2) expect(ran.stderr.trim()).not.toBe("");
      expect(ran.stderr).not.toMatch(/ {4}at |RangeError|TypeError/);
    }
  });

  test("of 20,000 computes is read whole", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => resize({ name: `c${index}` }));
    const { code, stdout } = await report(["--format", "markdown"], text(preview(many)));
    expect(code).toBe(3);
    expect(stdout).toContain("20000 computes restart");
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(60_000);
  });

  test("a compute whose state has no type is one by its URN, also below a component", async () => {
    for (const type of [
      "pulumi-nodejs:dynamic/compute:Endpoint",
      "shop:index:Db$pulumi-nodejs:dynamic/compute:Endpoint",
    ]) {
      const gone = step({ op: "delete", urn: urnOf("db", type), old: { size: 1 }, oldMore: { type: undefined } });
      expect((await report(["--fail-on", "delete"], text(preview([gone])))).code).toBe(3);
    }
  });
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
  "a step %s, named like what each object has, is one that the report does not know",
  async (op) => {
    const { code, stdout, stderr } = await report(["--format", "markdown"], text(preview([resize({ more: { op } })])));
    expect([code, stderr]).toEqual([2, expect.stringContaining("is incomplete: it has a step")]);
    expect(stdout).toContain(`it has a step \`${op}\`, which this version of the report does not know`);
  },
);

test.each([1000, 1500, 3000])("the verdict stays, however few bytes there are: %d", async (bytes) => {
  const failed = { severity: "error", message: `error: ${"x ".repeat(2000)}`, urn: urnOf("db") };
  for (const document of [
    text(preview(Array.from({ length: 50 }, (_, index) => resize({ name: `c${index}` })))),
    text({ ...preview([resize()]), diagnostics: [failed] }),
  ]) {
    const { stdout } = await report(["--format", "markdown", "--max-bytes", String(bytes)], document);
    expect(stdout).toMatch(/^#{2,3} .*(?:50 computes restart|This preview is incomplete)/m);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(Math.max(bytes, 400));
  }
});

test("no word of a document becomes a command to GitHub's runner", async () => {
  const message = "::stop-commands::x\n::set-output name=a::b ##[add-mask]x";
  const failed = preview([resize({ name: "##[add-mask]x" })], { diagnostics: [{ severity: "error", message }] });
  for (const format of ["text", "github"]) {
    const { stdout, stderr } = await report(["--format", format], text(failed));
    const commands = `${stdout}\n${stderr}`.split("\n").filter((line) => /^\s*::|##\[/.test(line));
    expect(commands.filter((line) => !/^::(?:error|warning) /.test(line) || line.includes("##["))).toEqual([]);
  }
});

test.each<[name: string, code: number, said: RegExp]>([
  ["shop/dev", 2, /the document is for shop\/prod, and --name says that the report is for shop\/dev/],
  ["shop/prod", 0, /^$/],
  ["computes of the shop", 0, /^$/],
  ["acme/shop/dev", 0, /^$/],
])("a document of another stack than --name says is no report of it: %s", async (name, code, said) => {
  const ran = await report(["--name", name], text(preview([resize()], { config: { "compute:approve": [] } })));
  if (name !== "shop/dev") return expect([ran.code, ran.stderr]).toEqual([3, ""]);
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(said)]);
  if (code === 2)
    expect(ran.stdout).toMatch(
      /^<!-- .* shop\/dev -->\n\n### ⛔ `shop\/dev`: .*\n\n- ⛔ `stdin`: the document is for `shop\/prod`, and --name says that the report is for `shop\/dev`: preview that stack, or correct --name\n$/,
    );
});

test.each(["", "urn:pulumi:prod", "db"])("a document whose only URN is %j is incomplete", async (urn) => {
  const { code, stdout } = await report([], text({ ...preview([]), steps: [{ op: "same", urn }] }));
  expect(code).toBe(2);
  expect(stdout).toContain("its URNs belong to no stack");
});

describe("with --name PROJECT/STACK, the report is of one preview of that stack alone", () => {
  const named = (...documents: unknown[]) => report(["--name", "shop/prod"], documents.map(text).join("\n"));
  const approving = { config: { "compute:approve": [] } };
  const inUrn = (from: string, to: string) => (document: unknown) => JSON.parse(text(document).replaceAll(from, to));
  const ofDev = inUrn("urn:pulumi:prod::", "urn:pulumi:dev::");
  const mine = preview([resize()], approving);
  const nothing = preview([]);
  const warning = (urn: string) => ({ severity: "warning", message: "warning: x", urn });

  test.each<[what: string, documents: unknown[]]>([
    ["two documents of the stack", [nothing, nothing]],
    ["a harmless one before another stack's", [nothing, ofDev(mine)]],
    ["another stack's before a harmless one", [ofDev(mine), nothing]],
    ["another project's", [inUrn("::shop::", "::shop2::")(nothing)]],
    ["a stack whose name is unknown", [inUrn("urn:pulumi:prod::shop", "urn:pulumi:unknown::unknown")(nothing)]],
    ["no URN in any step", [inUrn("urn:pulumi:", "")(mine)]],
    ["a URN without its parts", [{ ...nothing, steps: [{ op: "same", urn: "urn:pulumi:prod" }] }]],
    ["an empty URN in its only step", [{ ...nothing, steps: [{ op: "same", urn: "" }] }]],
    ["one step with an empty URN", [{ ...nothing, steps: [ROOT, { op: "same", urn: "" }] }]],
    ["one step of another stack", [preview([ofDev(resize())], approving)]],
    ["one step of another project", [preview([inUrn("::shop::", "::shop2::")(resize())])]],
    ["one step without a URN of Pulumi", [preview([inUrn("urn:pulumi:", "")(resize())])]],
    ["its own step last", [{ ...nothing, steps: [ofDev(resize()), ROOT] }]],
    ["a message of another stack", [{ ...nothing, diagnostics: [warning(ofDev(urnOf("db")))] }]],
    ["a message at no URN of Pulumi", [{ ...nothing, diagnostics: [warning("db")] }]],
    [
      "an error of another stack, and no step",
      [{ changeSummary: { same: 1 }, diagnostics: [{ ...warning(ofDev(urnOf("db"))), severity: "error" }] }],
    ],
  ])("not with %s", async (_what, documents) => {
    const { code, stdout, stderr } = await named(...documents);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^<!-- compute-endpoint report v1 shop\/prod -->\n\n### ⛔ `shop\/prod`: This preview is incomplete/,
    );
    expect(stdout).not.toMatch(/🟢|🟠|\| `|approve --stack/);
    expect(stderr).toMatch(/--name says that the report is for shop\/prod/);
  });

  test.each<[what: string, document: unknown, code: number, said: RegExp]>([
    ["a change", mine, 3, /1 compute restarts; 1 not approved/],
    ["no change", nothing, 0, /Nothing in this preview restarts/],
    ["a message without a URN", { ...nothing, diagnostics: [{ severity: "info", message: "x" }] }, 0, /Nothing/],
    ["a message whose URN is empty", { ...nothing, diagnostics: [warning("")] }, 0, /Nothing/],
    [
      "an error at its start, without a URN",
      { ...nothing, diagnostics: [{ severity: "error", message: "error: no such module" }] },
      2,
      /incomplete[\s\S]*no such module/,
    ],
    [
      "an error before its first step",
      { changeSummary: { same: 1 }, diagnostics: [{ severity: "error", message: "error: no such module" }] },
      2,
      /incomplete[\s\S]*no such module/,
    ],
    ["a filter that took its steps", { changeSummary: { same: 1 } }, 2, /incomplete[\s\S]*no steps/],
    [
      "a resource that had another stack's URN before",
      preview([resize({ oldMore: { urn: ofDev(urnOf("primary")) } })]),
      3,
      /1 compute restarts/,
    ],
  ])("with %s", async (_what, document, code, said) => {
    const ran = await named(document);
    expect([ran.code, ran.stdout]).toEqual([code, expect.stringMatching(said)]);
    expect(ran.stderr).not.toContain("--name");
    if (code === 2) expect(ran.stdout).not.toMatch(/🟢/);
  });

  test.each<[what: string, document: unknown]>([
    ["steps of two stacks", preview([ofDev(resize())], approving)],
    ["a message of another stack", { ...nothing, diagnostics: [warning(ofDev(urnOf("db")))] }],
    ["steps without a URN of Pulumi", inUrn("urn:pulumi:", "")(nothing)],
  ])("without it, %s make the report incomplete", async (_what, document) => {
    const { code, stdout, stderr } = await report([], text(document));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is incomplete: .*URN/)]);
    expect(stdout).not.toMatch(/🟢/);
  });
});
