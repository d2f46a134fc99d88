/** Nothing in a document is trusted: what a program can name, it can't make a link, a tag, a command or a path of. */
import { describe, expect, test } from "vitest";
import { cleanLine, commentName, quote, renderQuotes, withoutQuoteMarks } from "../../../cli/report/clean";
import { code } from "../../../cli/report/markup";
import {
  BASE,
  inJson,
  oneCompute,
  type Parsed,
  preview,
  report,
  resize,
  type StepOptions,
  step,
  urnOf,
} from "./support";

const EVIL = [
  "a|b",
  "`c`",
  "``",
  "<script>alert(1)</script>",
  "<!-- x -->",
  "@octocat",
  "billing@evil.test",
  "#1",
  "org/repo#1",
  "https://evil.test",
  "www.evil.test",
  "[a](https://evil.test)",
  "![a](https://evil.test/a.png)",
  "**bold**",
  "a\nb",
  "\n\n# heading\n",
  "\r\n::error::x",
  "</details>",
  "&lt;",
  "\\|",
  "\\`",
  "$x$",
  "\u001b[31mred\u001b[0m",
  "\u001b]8;;https://evil.test\u0007a\u001b]8;;\u0007",
  "\u202egnp.exe",
  "a\u200bb",
  "\u{e0041}",
  "\ud800",
  "```sh",
  "~~~",
  "a\u2028b",
  "##[error]x",
  "\u0001x\u0002",
  "%0A::error::x",
  "-->",
  "x".repeat(5000),
  "\u0301".repeat(50),
];

describe("clean text", () => {
  test.each(EVIL)("%j is one line without control characters and unseen ones, of limited length", (text) => {
    const shown = cleanLine(`a${text}b`);
    expect(shown).toMatch(
      /^[^\p{Control}\u2028\u2029\u200b-\u200f\u202a-\u202e\p{Surrogate}\u{e0000}-\u{e007f}]{1,121}$/u,
    );
  });
  test.each([
    ["\u001b[1;31mred\u001b[0m", "\\u{1b}[1;31mred\\u{1b}[0m"],
    ["\u009b31mred", "\\u{9b}31mred"],
    ["\u001b]0;title\u0007x", "\\u{1b}]0;title\\u{7}x"],
    ["a\t\r\n  b", "a\\t\\r\\n b"],
    ["a\u202eb", "a\\u{202e}b"],
    ["a\u200bb\u00adc\ufeff", "a\\u{200b}b\\u{ad}c\\u{feff}"],
    ["a\u{e0041}", "a\\u{e0041}"],
    ["a\ud800", "a\\u{d800}"],
    ["a\u00a0b\u3000c\u2028d", "a\\u{a0}b\\u{3000}c\\u{2028}d"],
    ["a\ufe0f❤️", "a\\u{fe0f}❤️"],
    [`a${"\u0301".repeat(6)}`, `a${"\u0301".repeat(4)}\\u{301}\\u{301}`],
    ["y".repeat(200), `${"y".repeat(120)}…`],
    [`${"y".repeat(118)}\u202e`, `${"y".repeat(118)}…`],
    ["👍🏽 é", "👍🏽 é"],
    ["", ""],
  ])("%j is shown as %j", (text, shown) => expect(cleanLine(text)).toBe(shown));
  test("megabytes cost nothing", () => expect(cleanLine("\u001b[".repeat(5_000_000)).length).toBeLessThanOrEqual(121));
  test("somebody else's words inside a sentence are told apart, and can't be forged", () => {
    const sentence = `it says ${quote(cleanLine("\u0001x\u0002"))}, and goes`;
    expect(withoutQuoteMarks(sentence)).toBe("it says \\u{1}x\\u{2}, and goes");
    expect(renderQuotes(sentence, (text) => `<${text}>`)).toBe("it says <\\u{1}x\\u{2}>, and goes");
  });
  test("a name in the first line's comment can't end it", () => {
    expect(commentName("shop/prod --> <b>\n")).toBe("shop/prod -_ _b__");
  });
});

describe("code in Markdown", () => {
  test.each(EVIL)("%j makes nothing but text", (text) => {
    const shown = code(cleanLine(text));
    const inside =
      /^`([^`|\\<>&@#\n]+)`$/.exec(shown)?.[1] ??
      /^<code>((?:[\p{L}\p{N} \-,→="()]|[.:](?= |<\/)|&#(?!64;)\d+;|&#64;<wbr>)*)<\/code>$/u.exec(shown)?.[1];
    expect([shown, inside]).toEqual([shown, expect.any(String)]);
  });

  test("what has no meaning inside a line can be read in a log too", () => {
    expect(code("`up` fails at ep-amber-a5 (size 1 → 2): see www.evil.test, x:y:.")).toBe(
      "<code>&#96;up&#96; fails at ep-amber-a5 (size 1 → 2): see www&#46;evil&#46;test, x&#58;y&#58;.</code>",
    );
  });

  // Behind an entity too: GitHub looks for mail addresses in the text that it has read.
  test("a mail address is no link", () => {
    expect(code("billing@evil.test")).toBe("<code>billing&#64;<wbr>evil&#46;test</code>");
  });
});

/** Everything in it that a program or a service can write, as bad as can be. */
const document = (text: string): object => {
  const evil = {
    name: text,
    projectId: text,
    branchId: text,
    type: text,
    settings: { pgSettings: { [text]: text } },
    restart: `yes: ${text}; ${text}`,
  };
  const more: StepOptions = {
    outputs: { host: text },
    oldMore: { initErrors: [text] },
    more: { diffReasons: [text, "name"], detailedDiff: { [text]: { kind: text } } },
    nextMore: { sourcePosition: `project:///${text}#1,1` },
  };
  return preview(
    [
      step({
        name: text,
        id: text,
        old: { ...BASE, settings: { pgSettings: { [text]: "old" } } },
        next: evil,
        ...more,
      }),
      step({ op: "replace", name: `${text}2`, id: text, old: BASE, next: evil, ...more }),
      step({ op: text, name: `${text}3`, old: BASE, next: BASE }),
      step({ op: "create", name: `${text}4`, next: { ...BASE, adopt: text, restart: `maybe: adopts ${text}` } }),
    ],
    {
      config: { "compute:approve": text },
      diagnostics: [
        { severity: "error", urn: urnOf(text), message: `error: ${text}` },
        { severity: text, message: text },
      ],
    },
  );
};

describe("a report on a document full of it", () => {
  test.each(EVIL)("%j in Markdown stands inside code only", async (text) => {
    const { stdout, code: exit } = await report(["--format", "markdown"], JSON.stringify(document(text)));
    expect(exit).toBe(2);
    const bare = stdout
      .replace(/```sh\nnpx --no compute-endpoint approve --stack prod(?: [0-9a-f]{32}(?:=[\w./][\w./-]*)?)+\n```/g, "")
      .replace(/`[^`\n|]*`/g, "C")
      .replace(/<code>(?:[^<\n]|<wbr>)*<\/code>/g, "C");
    expect(bare).not.toMatch(/octocat|evil|script|alert|bold|heading|https?:|www\.|[@`]|#1|::/);
    expect(
      bare.replace(/<\/?(?:details|summary)>|<br>|<!-- compute-endpoint report v1 [\w./ -]* -->/g, ""),
    ).not.toMatch(/<(?!-)/);
    const tables = stdout.split("\n").filter((line) => line.startsWith("|"));
    const columns = new Set(tables.map((line) => line.split("|").length));
    expect(columns.size).toBe(1);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThan(8000);
  });

  test.each(EVIL)("%j in workflow commands starts no command and ends none", async (text) => {
    const { stdout } = await report(["--format", "github"], JSON.stringify(document(text)));
    const lines = stdout.trimEnd().split("\n");
    for (const line of lines.slice(0, -1)) {
      expect(line).toMatch(/^::(?:error|warning) (?:file=[^:,\n]+,line=\d+,(?:col=\d+,)?)?title=[^:,\n]*::[^\n\r]*$/u);
    }
    expect(lines.at(-1)).not.toMatch(/^\s*::/);
    expect(stdout).not.toMatch(/##\[|[\u202a-\u202e]/);
  });

  test.each(EVIL)("%j on a terminal commands nothing", async (text) => {
    const { stdout, stderr } = await report(["--format", "text"], JSON.stringify(document(text)), {
      terminal: true,
      env: { NO_COLOR: "1" },
    });
    expect(stdout + stderr).toMatch(/^(?:[^\p{Control}\u202a-\u202e]|\n)*$/u);
  });

  test.each(["json", "markdown"])(
    "__provider, and what else is ours or the engine's, is never in %s",
    async (format) => {
      const one = resize({ next: { __secret: ["a"], __urn: "hidden-urn", __autoName: "hidden-name" } });
      const { stdout } = await report(["--format", format], JSON.stringify(preview([one])));
      expect(stdout).not.toMatch(/exports\.handler|__|hidden-/);
    },
  );
});

describe("keys that mean something to JavaScript", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s", async (key) => {
    const text = JSON.stringify(preview([resize({ next: { settings: { pgSettings: { KEY: "1" } } } })])).replaceAll(
      "KEY",
      key,
    );
    const polluted = text
      .replace('"config":{}', `"config":{"${key}":{"polluted":1}}`)
      .replace('"changeSummary":{', `"changeSummary":{"${key}":1,`);
    const found = await oneCompute(polluted);
    expect(found.changes.map(({ property }: Parsed) => property)).toContain(`settings.pgSettings.${key}`);
    expect(({} as Parsed).polluted).toBeUndefined();
  });
});

describe("size", () => {
  test("what is nested without end", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = JSON.stringify(
      preview([resize({ old: { restartTriggers: ["DEEP"] }, next: { restartTriggers: ["DEEP"] } })]),
    ).replaceAll('"DEEP"', deep);
    expect((await inJson(text)).exitCode).toBe(3);
  });
  test("thousands of settings are counted, not listed", async () => {
    const settings = { pgSettings: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`s${at}`, "1"])) };
    const { stdout } = await report(["--format", "text"], JSON.stringify(preview([resize({ next: { settings } })])));
    expect(stdout).toMatch(/and 4901 more: `pulumi preview --diff` shows them\n[\s\S]*4901 more properties change/);
    expect(stdout.length).toBeLessThan(6000);
    const { changes } = await oneCompute(preview([resize({ next: { settings } })]));
    expect(changes.length).toBeLessThanOrEqual(100);
  });
});
