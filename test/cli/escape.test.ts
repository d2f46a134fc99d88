import { describe, expect, test } from "vitest";
import { escapeCommands, escapedJson, escapeInvisible, escapeInvisibleLines } from "../../cli/escape";

describe("lines for a log", () => {
  test.each([
    ["::error::x", "\\u{3a}:error::x"],
    ["a\n \t::set-output name=a::b", "a\n \t\\u{3a}:set-output name=a::b"],
    ["urn:pulumi:prod::shop", "urn:pulumi:prod::shop"],
    ["x ##vso[task.setvariable]", "x #\\u{23}vso[task.setvariable]"],
    ["###[group]", "#\\u{23}\\u{23}[group]"],
    ["##teamcity[x]", "#\\u{23}teamcity[x]"],
    ["/merge", "\\u{2f}merge"],
    ["a/b, and /c", "a/b, and /c"],
    ["--- x", "\\u{2d}-- x"],
    ["-1 → 300", "-1 → 300"],
    ["issue #1", "issue #1"],
  ])("%j is %j", (text, shown) => {
    expect(escapeCommands(text)).toBe(shown);
    expect(escapeCommands(shown)).toBe(shown);
  });

  test.each(["\n", " ", "::", "##", "\u0301", "\u202e", "/", "\t\n"])("many of %j take no time", (piece) => {
    const text = piece.repeat(200_000);
    const started = performance.now();
    escapeCommands(escapeInvisibleLines(text));
    escapedJson(text);
    escapeInvisible(text);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test("JSON has the same values, in characters that are seen", () => {
  const value = { "##vso[a]": ["\u202e", "\u{e0041}", "\ud800", "\u0085", "\u00a0", "::x", "é 👍🏽"] };
  const text = escapedJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toContain('"#\\u0023vso[a]"');
  expect(text).toContain("\\u202e");
  expect(text).toContain("\\udb40\\udc41");
  expect(text).toContain("é 👍🏽");
  expect(text).not.toMatch(/(?!\n)\p{Control}|\p{Format}|##|\u00a0/u);
});
