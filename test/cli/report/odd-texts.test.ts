/**
 * Laws of what goes out: whatever text stands at whatever place of a preview document, no line is a command to a forge
 * or its runner, nothing is a link, a mention or a tag, and every character is seen.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixture, preview, report, resize, step, urnOf } from "./support";

/** Stands in each odd text, so that it is found again wherever that goes. */
const CANARY = "qzx";
const FORMATS = ["markdown", "github", "text", "json"] as const;

const PIECES = [
  ..."\n,\r\n,\u2028,\u0085,\t,\u00a0,\u3000,\u0000,\u0001,\u0002,\u0007,\u001b[31m,\u001b]8;;https://evil.test\u0007".split(
    ",",
  ),
  ..."\u009b2J,\u202e,\u2066,\u200b,\u200d,\ufeff,\u00ad,\u2800,\ufe0f,\u{e0041},\u{e0100},\ud800,\u0301\u0301\u0301\u0301\u0301".split(
    ",",
  ),
  ..."/close,/merge,/label ~x,/assign me,::error::x,::set-output name=a::b,::add-mask::x,::stop-commands::x".split(","),
  ..."##vso[task.setvariable],##[error]x,###[group],##teamcity[message],--- x,+++ x,~~~,^^^,section_start:1:a".split(
    ",",
  ),
  ..."@octocat,@acme/team,@all,#1,!1,~bug,%1,acme/shop#1,GH-1,Closes #1,Fixes acme/shop#1,[a](javascript:x)".split(","),
  ..."![a](https://evil.test/a.png),<img src=https://evil.test>,<script>,<!-- x -->,-->,</details>,</code>".split(","),
  "<!-- compute-endpoint report v1 shop/dev -->",
  "<!-- compute-endpoint report v1 shop/prod -->",
  ..."`,``,```sh,|,\\|,\\`,**b**,__b__,$x$,$`x`$,&lt;,&#60;,[a]: https://evil.test,https://evil.test,www.evil.test".split(
    ",",
  ),
  ...">,# h,- x,1. x,---,===,* x,%0A::error::x,%0D,:smile:,a@b.test,commit 0123456789012345678901234567890123456789".split(
    ",",
  ),
  "[secret]",
  "__proto__",
  "",
];
const odd = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 6 })), {
    minLength: 1,
    maxLength: 5,
  })
  .chain((pieces) => fc.nat(pieces.length).map((at) => pieces.toSpliced(at, 0, CANARY).join("")));

const NOTES = [
  // What says a name of another compute in a sentence.
  preview([
    step({ op: "delete", name: "old", old: { projectId: "p", branchId: "b" }, oldMore: { retainOnDelete: true } }),
    step({ op: "create", name: "new", next: { projectId: "p", branchId: "b" } }),
    step({ op: "delete", name: "gone", old: { projectId: "p", branchId: "c" } }),
    step({ op: "create", name: "come", next: { projectId: "p", branchId: "c" } }),
  ]),
  preview(
    [
      resize({
        next: {
          settings: { pgSettings: { work_mem: "1" } },
          restart: "yes: size 1 → 4; x",
          __notice: { impact: "stop", properties: ["settings.pgSettings.a"] },
        },
      }),
      step({ op: "odd", old: { size: 1 }, next: { size: 1 } }),
      step({ op: "create", name: "taken", next: { size: 1, adopt: true, restart: "maybe: adopts it" } }),
    ],
    {
      config: { "compute:approve": "x" },
      diagnostics: [{ severity: "error", urn: urnOf("db"), message: "error: a\nb" }],
    },
  ),
].map((one) => JSON.stringify(one));
const DOCUMENTS = [
  ...["changes", "failed-late", "refused", "replace-asked", "destroy", "sames-and-halves"].map((name) =>
    fixture(`${name}.json`),
  ),
  ...NOTES,
];

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Json = any;
type Place = (text: string) => string;

/** Every text and key in a document; each gives the document with another text there. */
function placesIn(document: string): Place[] {
  const count = { seen: 0, at: -1, text: "" };
  const next = (text: string, isKey: boolean) =>
    count.seen++ !== count.at ? text : isKey || /^urn:/.test(text) ? withinUrn(text, count.text) : count.text;
  const walk = (value: Json): Json => {
    if (typeof value === "string") return next(value, false);
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [next(key, true), walk(inner)]));
  };
  const value = JSON.parse(document);
  walk(value);
  return Array.from({ length: count.seen }, (_, at) => (text) => {
    Object.assign(count, { seen: 0, at, text });
    return JSON.stringify(walk(value));
  });
}

/** A URN is still one: its stack, project and name are odd in turn. */
const withinUrn = (urn: string, text: string): string => {
  const parts = urn.split("::");
  if (parts.length < 4) return `${urn}${text}`;
  const at = [0, 1, 3][text.length % 3]!;
  return parts.map((part, index) => (index === at ? `${part}${text}` : part)).join("::");
};

/** The same odd text in place of every text that people and services choose. */
const everywhere =
  (document: string): Place =>
  (text) => {
    const walk = (value: Json, key: string): Json => {
      if (typeof value === "string")
        return STRUCTURE.has(key) ? value : value.startsWith("urn:") ? withinUrn(value, text) : `${value}${text}`;
      if (Array.isArray(value)) return value.map((one) => walk(one, key));
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner, name)]));
    };
    return JSON.stringify(walk(JSON.parse(document), ""));
  };
const STRUCTURE = new Set(["op", "type", "severity", "impact", "__provider"]);

const PLACES = DOCUMENTS.flatMap((document) => [...placesIn(document), everywhere(document)]);
const EVERYWHERE = DOCUMENTS.map(everywhere);
const place = fc.oneof(fc.constantFrom(...PLACES), fc.constantFrom(...EVERYWHERE));

const UNSEEN =
  /(?!\n)[\p{Control}\u00a0\u00ad\u061c\u115f\u1160\u180e\u2000-\u200f\u2028-\u202f\u2060-\u206f\u2800\u3000\u3164\ufeff\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;

/** Our own marks in Markdown, and what stands in code. */
function bareOf(markdown: string): string {
  return markdown
    .replace(
      /```sh\nnpx --no compute-endpoint approve(?: --stack [\w./-]+)?(?: [0-9a-f]{32}(?:=[\w./][\w./-]*)?)+\n```/g,
      "",
    )
    .replace(/<code>(?:[\p{L}\p{N} \-,→="()]|[.:](?= |<\/)|&#\d+;(?:<wbr>)?)*<\/code>/gu, "")
    .replace(/`[^`\n]*`/g, "");
}

const LAWS: Record<(typeof FORMATS)[number], (stdout: string) => void> = {
  markdown(stdout) {
    const [first, ...lines] = stdout.split("\n");
    expect(first).toBe("<!-- compute-endpoint report v1 shop/prod -->");
    expect(lines.join("\n")).not.toContain("<!--");
    for (const line of lines) expect(line).not.toMatch(/^\s*(?:\/|::)|##(?!#? [🟢🟡🟠🔴⛔])/u);
    const bare = bareOf(lines.join("\n"));
    expect(bare).not.toContain(CANARY);
    expect(bare).not.toMatch(/@|:\/\/|www\.|\]\(|!\[|#\d|javascript:/);
    expect(bare.replace(/<\/?(?:details|summary)>|<br>/g, "")).not.toContain("<");
  },
  github(stdout) {
    const lines = stdout.trimEnd().split("\n");
    for (const line of lines.slice(0, -1))
      expect(line).toMatch(/^::(?:error|warning) (?:file=[^:,\n]+,line=\d+,(?:col=\d+,)?)?title=[^:,\n]*::/u);
    expect(lines.at(-1)).not.toMatch(/^\s*::|^\//);
    expect(stdout).not.toContain("##");
  },
  text(stdout) {
    expect(stdout).not.toMatch(/^\s*::|^\/|^(?:---|\+\+\+|~~~|\^\^\^)|##/m);
  },
  json(stdout) {
    expect(stdout).not.toMatch(/^\s*::|^\/|##/m);
    expect(() => JSON.parse(stdout)).not.toThrow();
  },
};

describe("whatever a document says, and wherever", () => {
  test.each(FORMATS)(
    "no line of %s is a command, and every character is seen",
    { timeout: 120_000 },
    async (format) => {
      await fc.assert(
        fc.asyncProperty(place, odd, async (put, text) => {
          const { stdout, stderr, code } = await report(["--format", format, "--name", "shop/prod"], put(text));
          expect([0, 2, 3]).toContain(code);
          expect(stdout).not.toMatch(UNSEEN);
          expect(stderr).not.toMatch(UNSEEN);
          expect(stderr).not.toMatch(/^\s*::|^\/|##/m);
          LAWS[format](stdout);
        }),
        { numRuns: Number(process.env["ODD_TEXT_RUNS"] ?? 300) },
      );
    },
  );

  test("the laws see what is put in: an odd text is found again in each format", async () => {
    const document = everywhere(DOCUMENTS[0]!)(` ${CANARY}`);
    for (const format of FORMATS) expect((await report(["--format", format], document)).stdout).toContain(CANARY);
  });
});
