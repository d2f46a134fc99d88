/**
 * Whatever secret or key a service repeats, however it writes it and wherever somebody cuts it: no run of eight of its letters
 * stands in the error.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../provider/api/redact.js";
import { NotReady } from "../../provider/errors.js";
import { formatFailure } from "../../provider/operations/format.js";
import { ProviderProcess } from "../../provider/provider-process.js";
import { SecretRedactor } from "../../provider/secret-redactor.js";
import { escapeInvisible } from "../../provider/visible-text.js";
import type { WireOperation } from "../../provider/wire/operation.js";
import { failed, post } from "../support/client-calls.js";
import { scripted } from "../support/scripted-service.js";

const RUN = 8;

const letter = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abcdefghXYZ0123456789") },
  { weight: 2, arbitrary: fc.constantFrom(..."\\\"'/&<>%+-_.=$({[|:@;,") },
  { weight: 1, arbitrary: fc.constantFrom(" ", "\n", "\t", "\r\n", "  ", "\u0001", "\u00a0") },
  { weight: 1, arbitrary: fc.constantFrom("é", "ß", "Ü", "ñ", "字", "ж", "😀", "İ") },
  // What a reader takes for an escape.
  { weight: 1, arbitrary: fc.constantFrom("\\n", "\\\\", "\\u", "\\u{a0}", "\\u00a0", "&amp;", "%20", "\u202e") },
);
const word = (minLength: number, maxLength = 80) =>
  fc.array(letter, { minLength, maxLength }).map((parts) => parts.join(""));
const secretText = word(RUN, 120).filter((one) => lettersOf(one).length >= RUN);
const key = fc.stringMatching(/^napi_[a-z0-9]{16,64}$/);

/** A key, and secrets of which some hold others, or the key, or are a connection. */
const hidden = fc
  .record({
    key,
    texts: fc.array(secretText, { minLength: 1, maxLength: 3 }),
    around: fc.tuple(word(0, 12), word(0, 12)),
  })
  .chain(({ key, texts, around: [before, after] }) =>
    fc.record({
      key: fc.constant(key),
      secrets: fc.subarray(
        [
          ...texts,
          `${before}${texts[0]}${after}`,
          `${before}${key}${after}`,
          `postgresql://owner:${encodeURIComponent(texts[0]!)}@ep-amber.example/db`,
          texts[0]!.slice(0, -1),
          "12345678901",
        ].filter((one) => lettersOf(one).length >= RUN),
        { minLength: 1 },
      ),
    }),
  );

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const escaped = (text: string, upper: boolean) =>
  inJson(text).replace(/[^\x20-\x7e]|[<>&]/g, (one) => {
    const hex = one.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${upper ? hex.toUpperCase() : hex}`;
  });
const html = (text: string) =>
  text.replace(/[&<>"']/g, (one) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" }[one]};`);
const inUrl = (text: string) =>
  [...text].map((one) => (/\p{Surrogate}/u.test(one) ? "" : encodeURIComponent(one))).join("");
const FORMS: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "in one line": (text) => text.replace(/[\s\p{Cc}]+/gu, " "),
  "in JSON": inJson,
  "in JSON, ASCII only": (text) => escaped(text, false),
  "in JSON, ASCII only, upper case": (text) => escaped(text, true),
  "in a URL": inUrl,
  "in a URL, lower case": (text) => inUrl(text).replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
  "in a form": (text) => inUrl(text).replaceAll("%20", "+"),
  "in HTML": html,
  composed: (text) => text.normalize("NFC"),
  decomposed: (text) => text.normalize("NFD"),
  "in upper case": (text) => text.toUpperCase(),
  "in lower case": (text) => text.toLowerCase(),
  visible: escapeInvisible,
  "wrapped at 20": (text) => text.replace(/(.{20})/gsu, "$1\n   "),
};
/** Up to two after each other: a JSON text in a page, a URL in a JSON text. */
const form = fc.array(fc.constantFrom(...Object.keys(FORMS)), { minLength: 1, maxLength: 2 });
const written = (text: string, names: readonly string[]) => names.reduce((left, name) => FORMS[name]!(left), text);

type Cut = [how: string, at: number, to: number];
const cut: fc.Arbitrary<Cut> = fc.tuple(
  fc.constantFrom("not", "end", "begin", "both", "middle", "stars"),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
function cutBy(text: string, [how, one, other]: Cut): string {
  const [from, to] = [one, other].sort((a, b) => a - b).map((share) => Math.round(share * text.length));
  switch (how) {
    case "end":
      return text.slice(0, to);
    case "begin":
      return text.slice(from);
    case "both":
      return `…${text.slice(from, to)}…`;
    case "middle":
      return `${text.slice(0, from)}...${text.slice(to)}`;
    case "stars":
      return `${text.slice(0, from)}****${text.slice(to)}`;
    default:
      return text;
  }
}

/** What counts as the same letters. Written apart from the code that is tested. */
function lettersOf(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}\p{Cc}\s]/gu, "")
    .toLowerCase();
}

/** What a reader may make of a text. */
function readings(text: string): string[] {
  const undo: ((one: string) => string)[] = [
    (one) =>
      one
        .replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(/\\u\{([0-9a-f]+)\}/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
        .replace(/\\(["\\/])/g, "$1"),
    (one) => one.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8")),
    (one) =>
      one.replace(
        /&(amp|lt|gt|quot|#39);/g,
        (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name as "amp"],
      ),
  ];
  const all = new Set([text]);
  for (let depth = 0; depth < 2; depth++) for (const one of [...all]) for (const by of undo) all.add(by(one));
  return [...all];
}

/** The first run of a secret's letters in the text. What a mark says is no part of it. */
function runIn(text: string, secrets: readonly string[]): string | undefined {
  const shown = text.replace(/\[(?:secret|key|password|value)\]/g, "\u25a0");
  const parts = new Set<string>();
  for (const secret of secrets) {
    const letters = lettersOf(secret);
    for (let at = 0; at + RUN <= letters.length; at++) parts.add(letters.slice(at, at + RUN));
  }
  for (const reading of readings(shown)) {
    const letters = lettersOf(reading);
    for (let at = 0; at + RUN <= letters.length; at++) {
      const part = letters.slice(at, at + RUN);
      if (parts.has(part)) return part;
    }
  }
  return undefined;
}

/** Forms in which a text of ours may repeat a value. A service may write it otherwise. */
const ownForm = fc.constantFrom(
  "as it is",
  "in one line",
  "in JSON",
  "in JSON, ASCII only",
  "in a URL",
  "in HTML",
  "visible",
);

/** A process of the provider, with this key and these secrets. */
function processWith(key: string, secrets: readonly unknown[]): ProviderProcess {
  const process = new ProviderProcess({ argv: [], print: () => {} });
  process.configure({ get: (name) => (name === "compute:apiKey" ? `https://service.test/api/v2#${key}` : undefined) });
  process.secrets.remember({ __secret: ["settings"], settings: secrets });
  return process;
}

const knowing = (secrets: readonly unknown[]): SecretRedactor => {
  const redactor = new SecretRedactor();
  redactor.remember({ __secret: ["settings"], settings: secrets });
  return redactor;
};

/** Around it, letters that no secret has. */
const answer = fc.record({
  hidden,
  form,
  cut,
  which: fc.nat(),
  before: fc.oneof(fc.constant(0), fc.integer({ min: 900, max: 1100 })),
  after: fc.constantFrom(0, 1, 200),
});
function textOf({ hidden: { key, secrets }, form, cut, which, before, after }: Answer): string {
  const all = [...secrets, key];
  const one = cutBy(written(all[which % all.length]!, form), cut);
  return `${"~".repeat(before)}«${one}»${"~".repeat(after)}`;
}
interface Answer {
  hidden: { key: string; secrets: string[] };
  form: string[];
  cut: Cut;
  which: number;
  before: number;
  after: number;
}

describe("no run of a secret's letters is left", () => {
  test("in a text of a service's", () => {
    fc.assert(
      fc.property(answer, (given) => {
        const { key, secrets } = given.hidden;
        const out = new Redactor(key, knowing(secrets)).redactExternal(textOf(given));
        expect(runIn(out, [key, ...secrets])).toBeUndefined();
        expect(out).toMatch(/«.*»/);
      }),
      { numRuns: 3_000 },
    );
  });

  test("in an error, wherever the text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.constantFrom("message", "page", "text", "code"), async (given, kind) => {
        const { key, secrets } = given.hidden;
        const text = textOf(given);
        const reply =
          kind === "message"
            ? { status: 400, body: { message: text } }
            : kind === "code"
              ? { status: 400, body: { code: text, message: "no", request_id: text } }
              : { status: 400, text: kind === "page" ? `<html><body><p>${html(text)}</p></body></html>` : text };
        const service = scripted([reply], { apiKey: key, secrets: knowing(secrets) });
        expect(runIn((await failed(service, post(service))).message, [key, ...secrets])).toBeUndefined();
      }),
      { numRuns: 600 },
    );
  });

  test("in what an operation failed with", () => {
    fc.assert(
      fc.property(answer, fc.constantFrom("error", "action", "status"), (given, field) => {
        const { key, secrets } = given.hidden;
        const operation = {
          id: "op-1",
          action: "start_compute",
          status: "error",
          [field]: textOf(given),
        } as WireOperation;
        const said = formatFailure(operation, new Redactor(key, knowing(secrets)));
        expect(runIn(said, [key, ...secrets])).toBeUndefined();
      }),
      { numRuns: 600 },
    );
  });

  test("in an error that is not ours, nor in its stack", () => {
    fc.assert(
      fc.property(answer, fc.boolean(), (given, isText) => {
        const { key, secrets } = given.hidden;
        const process = processWith(key, secrets);
        const error = new TypeError(textOf(given));
        const cleaned = process.clean(isText ? error.message : error);
        const texts = isText ? [cleaned as string] : [error.message, error.stack ?? ""];
        for (const text of texts) expect(runIn(text, [key, ...secrets])).toBeUndefined();
        expect(texts[0]).toMatch(/«.*»/s);
      }),
      { numRuns: 600 },
    );
  });

  test("in an error, a reason and a line of ours, where it stands whole, in whatever form", () => {
    const whole = fc.record({ hidden, form: fc.array(ownForm, { minLength: 1, maxLength: 2 }), which: fc.nat() });
    fc.assert(
      fc.property(whole, ({ hidden: { key, secrets }, form, which }) => {
        // In a URL, half of a pair can't be written, so the value would not be whole.
        const all = [...secrets, key].filter((one) => !/\p{Surrogate}/u.test(one));
        const text = `~«${written(all[which % all.length]!, form)}»~`;
        const process = processWith(key, secrets);
        const error = new NotReady("ep-1", {}, [text, `compute ep-1: ${text}`]);
        process.clean(error);
        for (const one of [error.message, ...error.reasons, process.printable(text)]) {
          expect(runIn(one, [all[which % all.length]!])).toBeUndefined();
          expect(one).toMatch(/«.*»/s);
        }
      }),
      { numRuns: 600 },
    );
  });

  test("of one that is shorter than a run, where it stands whole", () => {
    const short = fc
      .array(fc.constantFrom(..."abcdefgh0123456789é"), { minLength: 4, maxLength: RUN - 1 })
      .map((parts) => parts.join(""));
    const forms = fc.constantFrom("as it is", "in one line", "in JSON", "in JSON, ASCII only", "in a URL", "in HTML");
    fc.assert(
      fc.property(short, forms, (secret, name) => {
        const out = knowing([secret]).redactExternal(`~«${FORMS[name]!(secret)}»~`);
        expect(out).toBe("~«[secret]»~");
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each<[string, string[], string, string]>([
  [
    "one that holds the key",
    ["token=napi_0123456789abcdef;more=1"],
    "bad token=napi_0123456789abcdef;more=1",
    "bad [secret]",
  ],
  ["a part of the key", ["napi_0123456789"], "bad napi_0123456789abcdef", "bad [key]"],
  [
    "a connection that is secret as a whole",
    ["postgres://u:pw@host/db"],
    "bad postgres://u:pw@host/db",
    "bad [secret]",
  ],
  [
    "a password in an escaped URI",
    [],
    "bad postgres:\\/\\/u:hunter2@host\\/db",
    "bad postgres:\\/\\/u:[password]@host\\/db",
  ],
  [
    "a password in a URI in a URL",
    [],
    "bad postgres%3A%2F%2Fu%3Ahunter2%40host",
    "bad postgres%3A%2F%2Fu%3A[password]%40host",
  ],
  ["a line wrapped inside of an escape", ['quoted"words"here'], 'bad quoted\\\n  "words\\\n "here.', "bad [secret]."],
  ["a percent wrapped inside", ["words with spaces"], "bad words%2\n 0with%20spa", "bad [secret]"],
  [
    "JSON in HTML in JSON",
    ['a<b>&"c"-token'],
    "bad a\\u0026lt;b\\u0026gt;\\u0026amp;\\u0026quot;c\\u0026quot;-token.",
    "bad [secret].",
  ],
  [
    "a value with a line's end and a backslash, in visible form",
    ["a\r\n\\napi-token\\a\\aaaaa"],
    "bad a\\r\\n\\napi-token\\a\\aaaaa.",
    "bad [secret].",
  ],
  ["a number of many digits, cut", [], "bad 98765432…", "bad [secret]…"],
  [
    "the word that marks secrets",
    ["secret", "password"],
    "secret postgres://u:x@h",
    "[secret] postgres://u:[password]@h",
  ],
])("%s", (_what, secrets, text, out) => {
  const redactor = new Redactor("napi_0123456789abcdef", knowing([...secrets, 9876543210123]));
  const once = redactor.redactExternal(text);
  expect(once).toBe(out);
  expect(redactor.redact(redactor.redactExternal(once))).toBe(out);
});

test("the value of an application's own parameter is left out of texts of others: a rule of the program may have made it secret", () => {
  const redactor = new SecretRedactor();
  redactor.remember({
    settings: { pgSettings: { "app.token": "token-of-the-app", work_mem: "64 megabytes", "app.on": "on" } },
  });
  expect(redactor.redactExternal("app.token = token-of-the-app, work_mem = 64 megabytes")).toBe(
    "app.token = [value], work_mem = 64 megabytes",
  );
  expect(redactor.redact("token-of-the-app")).toBe("token-of-the-app");
});
