import { describe, expect, test } from "vitest";
import { autoNameOf, isName } from "../../../provider/rules/name.js";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "../../../provider/rules/urn.js";

const FLAG = "🇩🇪";
const FAMILY = "👩‍👩‍👧‍👦";

describe("a name has 1 to 64 characters of any script, in one line", () => {
  test.each<[string, string, boolean]>([
    ["none", "", false],
    ["64 letters", "n".repeat(64), true],
    ["65 letters", "n".repeat(65), false],
    ["33 emoji", "🐘".repeat(33), true],
    ["64 emoji", "🐘".repeat(64), true],
    ["65 emoji", "🐘".repeat(65), false],
    ["Chinese", "数据库", true],
    ["a space", "the main one", true],
    ["a line break", "a\nb", false],
    ["a carriage return", "a\r", false],
    ["a line separator", "a\u2028b", false],
    ["a tabulator", "a\tb", false],
    ["NUL", "a\u0000", false],
    ["a control character of eight bits", "a\u0085b", false],
    ["half a character", "a\ud83d", false],
    ["megabytes", "x".repeat(5_000_000), false],
  ])("%s", (_what, name, isFit) => {
    expect(isName(name)).toBe(isFit);
  });
});

describe("a generated name", () => {
  const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;
  const generated = (name: string) => autoNameOf(urnOf(name));

  test.each([
    ["db", "db-00000000"],
    ["a name with spaces", "a name with spaces-00000000"],
    ["x".repeat(80), `${"x".repeat(55)}-00000000`],
    ["🐘".repeat(60), `${"🐘".repeat(55)}-00000000`],
  ])("of %s is what it was in version 0.1.0", (name, expected) => {
    expect(generated(name).replace(/[0-9a-f]{8}$/, "00000000")).toBe(expected);
  });

  test("is the same in every version", () => {
    expect(generated("db")).toBe("db-a6859366");
  });

  test.each([
    "x".repeat(200),
    "🐘".repeat(200),
    FLAG.repeat(60),
    `x${FLAG.repeat(60)}`,
    FAMILY.repeat(20),
    "e\u0301".repeat(60),
    `a${"\u0301".repeat(100)}`,
    "two\nlines",
    "half \ud83d",
    "",
  ])("is a name: %j", (name) => {
    expect(isName(generated(name))).toBe(true);
    expect([...generated(name)].length).toBeLessThanOrEqual(64);
  });

  test.each([
    [`x${FLAG.repeat(60)}`, `x${FLAG.repeat(27)}-`],
    [FAMILY.repeat(20), `${FAMILY.repeat(7)}-`],
    [`x${"e\u0301".repeat(60)}`, `x${"e\u0301".repeat(27)}-`],
  ])("cuts no character in two: %s", (name, beginning) => {
    expect(generated(name).slice(0, -8)).toBe(beginning);
  });
});

test("a generated name is the same for the class and the plugin, also below a compute that is a parent", () => {
  const of = (type: string) => autoNameOf(`urn:pulumi:dev::shop::${type}::db`);
  for (const around of ["", "my:index:Db$"]) {
    expect(of(`${around}${NATIVE_TYPE}`)).toBe(of(`${around}${ENDPOINT_TYPE}`));
  }
  expect(of(`${NATIVE_TYPE}$${NATIVE_TYPE}`)).toBe(of(`${ENDPOINT_TYPE}$${ENDPOINT_TYPE}`));
  expect(of(NATIVE_TYPE)).not.toBe(of("compute:index:Other"));
});
