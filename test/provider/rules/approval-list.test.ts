import { describe, expect, test } from "vitest";
import { shortDigest } from "../../../provider/rules/approval.js";
import {
  approveCommandLine,
  dayAfter,
  digestsAtEndOf,
  isDay,
  readApprovals,
  shortEntriesText,
} from "../../../provider/rules/approval-list.js";

describe("the approvals in the stack's config", () => {
  const [A, B] = ["0123456789abcdef".repeat(2), "fedcba9876543210".repeat(2)];
  const DIGITS = "12345678901234567890123456789012";
  const EXPONENT = "1234567890e212345678901234567890";
  const SHORT = "0123456789ab";
  const NOON = Date.parse("2027-01-31T12:00:00Z");

  test("one that YAML read as a number is to be quoted", () => {
    for (const number of [Number(DIGITS), 12345]) {
      expect(readApprovals(JSON.stringify([A, number]), NOON)).toMatchObject({
        digests: new Set(),
        problem: `${number} is not an approval (entry 2 of compute:approve): an approval has 32 hex digits in quotes, followed by "@2027-01-31" if it has a last day. Without quotes, YAML reads digits (also 12e34) as a number and loses some of them`,
      });
    }
    expect(readApprovals(JSON.stringify([DIGITS, EXPONENT]), NOON)).toMatchObject({
      digests: new Set([DIGITS, EXPONENT]),
    });
  });

  test.each<[string, string, string[]]>([
    ["in a list", JSON.stringify([A, SHORT]), [SHORT]],
    ["alone", SHORT, [SHORT]],
    [
      "with a day, passed or not",
      `["${SHORT}@2027-02-01","${SHORT}@2027-01-01"]`,
      [`${SHORT}@2027-02-01`, `${SHORT}@2027-01-01`],
    ],
    ["as the numbers that Pulumi made of them", "[123456789012, 123456789000]", ["123456789012", "123456789000"]],
  ])("12 digits %s approve nothing, spoil nothing, and are named", (_rule, text, short) => {
    const approvals = readApprovals(text, NOON);
    expect(approvals).toMatchObject({ digests: new Set(text.includes(A) ? [A] : []), ended: new Map() });
    expect(approvals.entries.filter(({ state }) => state === "short").map((one) => one.text)).toEqual(short);
    expect(approvals.problem).toBeUndefined();
    const told = shortEntriesText(approvals);
    for (const one of short) expect(told).toContain(one);
    expect(told).toMatch(
      / approves? nothing\. An approval has 32 hex digits; entries of 12 digits are from before the first release, .* Remove th.*, and approve/,
    );
  });

  test("nothing is said where no entry has 12 digits; of very many the first are named", () => {
    expect(shortEntriesText(readApprovals(JSON.stringify([A]), NOON))).toBeUndefined();
    const many = readApprovals(JSON.stringify(Array(5000).fill(SHORT)), NOON);
    expect(shortEntriesText(many)).toContain(" and 4980 more approve nothing");
    expect(shortEntriesText(many)!.length).toBeLessThan(600);
  });

  test("no part of a digest approves what the digest approves", () => {
    for (let length = 1; length < A.length; length++) {
      const { digests } = readApprovals(JSON.stringify([A.slice(0, length)]), NOON);
      expect([...digests]).toEqual([]);
    }
    expect([...readApprovals(JSON.stringify([`${A}0`]), NOON).digests]).toEqual([]);
    expect([...readApprovals(JSON.stringify([shortDigest(A)]), NOON).digests]).toEqual([]);
  });

  test.each<[string, string | undefined, string[], string[]]>([
    ["nothing", undefined, [], []],
    ["an empty text", "", [], []],
    ["an empty list", "[]", [], []],
    ["a list", JSON.stringify([A, B]), [A, B], ["valid", "valid"]],
    ["a single one", A, [A], ["valid"]],
    ["digits only", JSON.stringify([DIGITS]), [DIGITS], ["valid"]],
    ["one of version 1", JSON.stringify([SHORT, B]), [B], ["short", "valid"]],
    ["one on its last day", JSON.stringify([`${A}@2027-01-31`]), [A], ["valid"]],
    ["one after its last day", JSON.stringify([`${A}@2027-01-30`, B]), [B], ["ended", "valid"]],
  ])("%s", (_rule, text, digests, states) => {
    const approvals = readApprovals(text, NOON);
    expect(approvals.digests).toEqual(new Set(digests));
    expect(approvals.entries.map(({ state }) => state)).toEqual(states);
  });

  test("one that has ended is still known, to be told", () => {
    const { ended } = readApprovals(JSON.stringify([`${A}@2027-01-30`, `${B}@2027-01-31`]), NOON);
    expect([...ended]).toEqual([[A, "2027-01-30"]]);
  });

  test.each([
    ["[12]"],
    ['["0123"]'],
    [JSON.stringify([A.toUpperCase()])],
    ['["0123456789AB"]'],
    ['["0123456789ab@soon"]'],
    [`["${A}@soon"]`],
    [`["${A}@2027-02-30"]`],
    ['{"a":1}'],
    ["yes"],
    ["[null]"],
    [JSON.stringify(["x".repeat(10_000)])],
    [JSON.stringify("x".repeat(10_000))],
  ])("%.60s can't be read, and approves nothing", (text) => {
    const { digests, problem } = readApprovals(text, NOON);
    expect(digests.size).toBe(0);
    expect(problem!.length).toBeLessThan(300);
    expect(problem).toMatch(
      / is not an approval( \(entry \d of compute:approve\))?: an approval has 32 hex digits in quotes/,
    );
  });
});

test.each([['[["a secret"]]'], ['[{ "a": "secret" }]']])("%s: what the entry holds is not shown", (text) => {
  const { problem } = readApprovals(text, 0);
  expect(problem).toMatch(/^a list or an object is not an approval \(entry 1 of compute:approve\): /);
  expect(problem).not.toContain("secret");
});

const [NEXT, OTHER] = ["0123456789abcdef".repeat(2), "fedcba9876543210".repeat(2)];

describe("the command that approves", () => {
  test("is one that every shell takes", () => {
    expect(approveCommandLine([{ digest: NEXT, name: "reader-1" }], { stack: "prod-eu" })).toBe(
      `npx --no compute-endpoint approve --stack prod-eu ${NEXT}=reader-1`,
    );
    for (const odd of ["$(rm -rf /)", "a b", "-x", "`id`", "a\nb", "", undefined]) {
      expect(approveCommandLine([{ digest: NEXT, name: odd }], { stack: odd, configFile: odd })).toBe(
        `npx --no compute-endpoint approve ${NEXT}`,
      );
    }
  });

  test("takes many digests, and the file that Pulumi was given", () => {
    expect(
      approveCommandLine([{ digest: NEXT }, { digest: OTHER }], { stack: "dev", configFile: "../other.yaml" }),
    ).toBe(`npx --no compute-endpoint approve --stack dev --file ../other.yaml ${NEXT} ${OTHER}`);
  });

  test.each<[what: string, text: string, digests: string[]]>([
    ["behind other lines", `size 1 → 4: …\n${approveCommandLine([{ digest: NEXT }], { stack: "dev" })}\n`, [NEXT]],
    ["with several", `npx --no compute-endpoint approve --stack dev --file ./a.yaml ${NEXT} ${OTHER}`, [NEXT, OTHER]],
    ["not at the end", `${approveCommandLine([{ digest: NEXT }], {})}\nand more`, []],
    ["with a short digest", "compute-endpoint approve 0123456789ab", []],
    ["not there", "onRestart is refuse", []],
  ])("is found again at the end of a text: %s", (_what, text, digests) => {
    expect(digestsAtEndOf(text)).toEqual(digests);
  });
});

test("days", () => {
  expect(dayAfter(Date.parse("2026-12-31T23:59:59Z"), 30)).toBe("2027-01-30");
  expect(["2027-01-31", "2027-02-30", "soon", "2027-1-1"].map(isDay)).toEqual([true, false, false, false]);
});
