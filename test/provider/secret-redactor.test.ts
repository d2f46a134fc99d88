import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../provider/api/redact.js";
import { formatFailure } from "../../provider/operations/format.js";
import { SecretRedactor } from "../../provider/secret-redactor.js";
import type { WireOperation } from "../../provider/wire/operation.js";
import { failed, post } from "../support/client-calls.js";
import { KEY, scripted } from "../support/scripted-service.js";

const knowing = (...values: unknown[]): SecretRedactor => {
  const redactor = new SecretRedactor();
  redactor.remember({ __secret: ["settings"], settings: values });
  return redactor;
};

describe("what programs call secret", () => {
  const redactor = new SecretRedactor();
  redactor.remember({
    __secret: ["settings", "name", "size", "restartTriggers"],
    settings: { pgSettings: { "app.token": "token-77", "app.longer": "token-77-more", work_mem: "on" } },
    name: "inner-name",
    size: 1234,
    restartTriggers: [{ at: "yesterday" }],
    branchId: "br-plain",
  });

  test.each([
    ["a value inside of it", "can't set app.token = token-77", "can't set app.token = [secret]"],
    ["one that is a part of another", "token-77-more, token-77", "[secret], [secret]"],
    ["a value of a list", "yesterday's restart", "[secret]'s restart"],
    ["all of them", "inner-name, inner-name", "[secret], [secret]"],
    ["what is no secret", "branch br-plain", "branch br-plain"],
    ["a number in a text of ours", "based on 1234", "based on 1234"],
  ])("%s", (_rule, text, out) => expect(redactor.redact(text)).toBe(out));

  test("a number in a text of others", () => {
    expect(redactor.redactExternal("1234 is not a size, based on 12345")).toBe(
      "[secret] is not a size, based on 12345",
    );
  });

  test("inputs without secrets have none", () => {
    const none = new SecretRedactor();
    none.remember({ name: "plain" });
    none.remember({ __secret: "name", name: "plain" });
    expect(none.redactExternal("plain")).toBe("plain");
  });
});

describe("a secret number in somebody else's text is taken out", () => {
  test.each<[number | string, string, string]>([
    [300, "suspend_timeout_seconds 300 is too small", "suspend_timeout_seconds [secret] is too small"],
    [300, '{"suspend_timeout_seconds":300}', '{"suspend_timeout_seconds":[secret]}'],
    [300, "timeout=300s, (300), 300.", "timeout=[secret]s, ([secret]), [secret]."],
    [300, "300.0 and 3e2 and +300", "[secret] and [secret] and [secret]"],
    [300, "a\\n300", "a\\n[secret]"],
    [86400, "86,400 seconds", "[secret] seconds"],
    [8, "range 0.25-8, or [4,8], 4/8", "range 0.25-[secret], or [4,[secret]], 4/[secret]"],
    [0.25, "min 0.25, 0.250 CU", "min [secret], [secret] CU"],
    [-1, "timeout -1", "timeout [secret]"],
    ["64", "work_mem = 64", "work_mem = [secret]"],
    ["4MB", "work_mem = 4MB", "work_mem = [secret]"],
  ])("%j in %j", (secret, text, out) => {
    expect(knowing(secret).redactExternal(text)).toBe(out);
  });

  test.each<[number | string, string]>([
    [5, "ep-amber-5, br-5a, v5, 5th, x5, 15, 50, 0.5, 5.5, 1.2.5.3, %5B, 2026-05-01"],
    [300, "3000 1300 300ab ep-300 3 00"],
    [-1, "1 ep-1"],
    ["on", "based on 1"],
    [Number.NaN, "NaN"],
  ])("%j leaves alone %j", (secret, text) => {
    expect(knowing(secret).redactExternal(text)).toBe(text);
  });
});

/** Values with what is escaped somewhere: quotes, backslashes, white space, letters of other scripts. */
const value = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."abcXYZ019"),
      fc.constantFrom(
        "n",
        "u",
        "\\",
        '"',
        "'",
        "/",
        "&",
        "<",
        ">",
        "%",
        "+",
        "-",
        "_",
        ".",
        "=",
        "$",
        "(",
        "{",
        "[",
        "|",
      ),
      fc.constantFrom(" ", "\n", "\t", "\r\n", "  ", "é", "ß", "字", "😀", "\u0001"),
    ),
    { minLength: 6, maxLength: 150 },
  )
  .map((parts) => parts.join(""))
  .filter((text) => text.replace(/[\s\p{Cc}+\\]/gu, "").length >= 6);

const html = (text: string) =>
  text.replace(/[&<>"']/g, (one) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }[one]};`);
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inAscii = (text: string) =>
  inJson(text).replace(/[^\x20-\x7e]|[<>&]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
const FORMS: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "in one line": (text) => text.replace(/[\s\p{Cc}]+/gu, " "),
  "in JSON": inJson,
  "in JSON, in ASCII": inAscii,
  "in JSON in JSON": (text) => inJson(inJson(text)),
  "in one line, in JSON": (text) => inJson(text.replace(/[\s\p{Cc}]+/gu, " ")),
  "in a URL": encodeURIComponent,
  "in a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "in HTML": html,
};

/** Nothing of the value is left but what others hold: the text around it. */
function check(secret: string, form: (text: string) => string): void {
  const [before, after] = ["value «", "» is refused"];
  const out = knowing(secret).redactExternal(`${before}${form(secret)}${after}`);
  const rest = out.replace(before, "").replace(after, "");
  expect(rest.replaceAll("[secret]", "")).toMatch(
    /^(\s|\p{Cc}|\+|%(25)?[0-2][0-9A-Fa-f]|\\+([nrtbfv]|u[0-9a-f]{4}))*$/u,
  );
}

describe("every form of a secret text is taken out whole", () => {
  test.each(Object.entries(FORMS))("%s", (_name, form) => {
    fc.assert(
      fc.property(value, (secret) => check(secret, form)),
      { numRuns: 300 },
    );
  });

  test("also where it stands at the place at which a text is cut", async () => {
    const forms = fc.constantFrom("as it is", "in one line", "in JSON", "in a URL");
    const around = fc.record({
      secret: value.map((text) => `x${text}x`),
      form: forms,
      before: fc.integer({ min: 940, max: 1030 }),
    });
    await fc.assert(
      fc.asyncProperty(around, fc.constantFrom("message", "page", "text"), async ({ secret, form, before }, kind) => {
        const text = `${"-".repeat(before)} «${FORMS[form]!(secret)}» ${"-".repeat(200)}`;
        const reply =
          kind === "message"
            ? { status: 400, body: { message: text } }
            : { status: 400, text: kind === "page" ? `<html><body>${html(text)}</body></html>` : text };
        const secrets = knowing(secret);
        const service = scripted([reply], { secrets });
        const { message } = await failed(service, post(service));
        const shown = message.split("«")[1] ?? "";
        expect(shown).toMatch(/^(\[secret\]|\[[secrt]*…|…|$)/);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["value 'hidden-valu…' is too long", "value '[secret]…' is too long"],
    ["got hidden-val...", "got [secret]..."],
    ["got hidden-val", "got [secret]"],
    ["got %22hidden-val", "got %22[secret]"],
    ["a hidden-va is a part", "a [secret] is a part"],
    ["a den-value-o is one too", "a [secret] is one too"],
    ["a hidden- is nothing", "a hidden- is nothing"],
    ["hidden…", "hidden…"],
  ])("also where the service has cut it: %j", (text, out) => {
    expect(knowing("hidden-value-of-17").redactExternal(text)).toBe(out);
  });

  test("and where an operation failed with it", () => {
    const operation = { id: "op-1", action: "start_compute", status: "error" } as WireOperation;
    const redactor = new Redactor(KEY, knowing("hidden-value", 4321));
    const error = `${"-".repeat(1015)} hidden-value`;
    expect(formatFailure({ ...operation, error }, redactor)).not.toContain("hidden");
    expect(formatFailure({ ...operation, error: `4321\nof ${KEY}` }, redactor)).toContain(
      "failed: [secret] of [key] (",
    );
  });

  test("the key too, in each of them", async () => {
    const apiKey = 'napi/+a=="b%c&d';
    for (const form of Object.values(FORMS)) {
      const service = scripted([{ status: 400, body: { message: `bad ${form(apiKey)}!` } }], { apiKey });
      expect((await failed(service, post(service))).message).toContain("bad [key]!");
    }
    expect(KEY.length).toBeGreaterThan(4);
  });
});

describe("the work stays in bounds", () => {
  test.each([
    ["backslashes", "\\".repeat(30) + "x".repeat(10), "\\".repeat(60_000)],
    ["escaped white space", "\\n \\n \\n \\n \\n \\n \\n \\n x", "\\n".repeat(30_000)],
    ["pluses", "a + + + + + + + + + + b", `a${"+ ".repeat(30_000)}`],
    ["percents", "%20 %20 %20 %20 %20 %20 x", "%20".repeat(20_000)],
    ["its own beginning", `${"ab ".repeat(40)}c`, "ab ".repeat(20_000)],
    ["digits", "1234567890", "1".repeat(60_000)],
    ["every escape", "a b c d e f g h i j", "\\u0026amp;%2541+ %5Cu0026 ".repeat(2_500)],
    ["parts of a long secret", "abcdefgh ".repeat(20_000), "abcdefg bcdefgh ".repeat(4_000)],
    ["thousands", "1234567890", "1,111".repeat(12_000)],
  ])("for a text full of %s", (_what, secret, text) => {
    const redactor = knowing(secret);
    const start = performance.now();
    redactor.redactExternal(text);
    // It takes some milliseconds; a pattern that tries everything would not end.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test("an answer is looked at up to a length", async () => {
    const seen: number[] = [];
    const secrets = {
      redact: (text: string) => text,
      redactExternal: (text: string) => {
        seen.push(text.length);
        return text;
      },
    };
    const long = "x".repeat(1_400_000);
    for (const reply of [
      { status: 400, body: { message: long, code: long, request_id: long } },
      { status: 400, text: `<html>${long}` },
      { status: 400, text: long },
    ]) {
      const service = scripted([reply], { secrets });
      await failed(service, post(service));
    }
    expect(Math.max(...seen)).toBe(64 * 1024);
  });
});

test("a text of others may hold a value in more places than a call takes arguments", () => {
  const value = "a".repeat(500);
  const redacted = new Redactor("a-key-of-an-account", knowing(value)).redactExternal("a".repeat(70_000));
  expect(redacted).toBe("[secret]");
});
