import { describe, expect, test } from "vitest";
import {
  approvalDigest,
  approvalOf,
  approveCommand,
  identityOf,
  readApprovals,
} from "../../../provider/rules/approval.js";
import { impactOf, replacementOf } from "../../../provider/rules/restart.js";
import { UNKNOWN, type Wish } from "../../../provider/rules/settings.js";
import { type Asked, wishOf } from "../../../provider/rules/wish.js";

const TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";
const URN = `urn:pulumi:prod::shop::${TYPE}::primary`;
const OK: Asked = { projectId: "p", branchId: "br-a" };
const DIGEST = /^[0-9a-f]{12}$/;

function approval(old: Asked, next: Asked, { urn = URN, unknown = [] as string[], secrets = [] as string[] } = {}) {
  const [before, wish] = [wishOf({ ...OK, ...old }), wishOf({ ...OK, ...next }, new Set(unknown))];
  return approvalOf(urn, impactOf(before, wish), before, wish, new Set(secrets));
}
const limits = (min: number, max: number): Asked => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });

describe("the digest of a change", () => {
  const known = approval({ size: 1 }, { size: 2 });

  test("is 12 hex digits, and the same in every version of this package", () => {
    expect(known).toMatch(DIGEST);
    expect(known).toBe("194abc7e5a53");
  });

  test.each<[string, string | undefined]>([
    ["the same size in the other form", approval(limits(1, 1), limits(2, 2))],
    ["the same size, one in each form", approval({ size: 1 }, limits(2, 2))],
    [
      "a harmless change beside it",
      approval({ size: 1, name: "a" }, { size: 2, name: "b", suspendTimeoutSeconds: 60 }),
    ],
    [
      "what the program does besides",
      approval({ size: 1, settings: { pgSettings: { a: "1" } } }, { size: 2, settings: { pgSettings: { a: "1" } } }),
    ],
  ])("is not changed by %s", (_rule, other) => {
    expect(other).toBe(known);
  });

  test.each<[string, string | undefined]>([
    ["another new value", approval({ size: 1 }, { size: 4 })],
    [
      "libraries that the restart would load",
      approval({ size: 1 }, { size: 2, settings: { preloadLibraries: { enabledLibraries: ["a"] } } }),
    ],
    ["another old value", approval({ size: 0.5 }, { size: 2 })],
    ["the way back", approval({ size: 2 }, { size: 1 })],
    ["another impact beside it", approval({ size: 1 }, { size: 2, disabled: true })],
    ["another change that restarts beside it", approval({ size: 1 }, { size: 2, branchId: "br-b" })],
    ["a change that may restart beside it", approval({ size: 1 }, { size: 2, settings: { pgSettings: { a: "1" } } })],
    ["another resource", approval({ size: 1 }, { size: 2 }, { urn: `${URN}-2` })],
    ["another stack", approval({ size: 1 }, { size: 2 }, { urn: URN.replace("prod", "dev") })],
    ["another project", approval({ size: 1 }, { size: 2 }, { urn: URN.replace("shop", "crm") })],
    ["a parent", approval({ size: 1 }, { size: 2 }, { urn: URN.replace(TYPE, `my:Db$${TYPE}`) })],
  ])("is changed by %s", (_rule, other) => {
    expect(other).toMatch(DIGEST);
    expect(other).not.toBe(known);
  });

  test("of triggers tells which they are, and shows none", () => {
    const [a, b] = [["2026-05"], ["2026-06"]].map((restartTriggers) =>
      approval({ restartTriggers: ["x"] }, { restartTriggers }),
    );
    expect(a).toMatch(DIGEST);
    expect(a).not.toBe(b);
  });

  test("of a replacement that only an option asks for names what changes", () => {
    const [old, wish] = [wishOf({ ...OK, name: "a" }), wishOf({ ...OK, name: "b" })];
    const verdict = replacementOf(old, wish);
    expect(verdict.impact).toBe("new-host");
    const one = approvalOf(URN, verdict, old, wish);
    expect(one).toMatch(DIGEST);
    expect(one).not.toBe(approvalOf(URN, replacementOf(old, old), old, old));
  });

  test.each<[string, string | undefined]>([
    ["a secret value", approval({ size: 1 }, { size: 2 }, { secrets: ["autoscalingLimitMinCu"] })],
    ["a secret setting", approval({}, { settings: { pgSettings: { a: "1" } } }, { secrets: ["settings"] })],
    ["a value that is not known yet", approval({ size: 1 }, {}, { unknown: ["size"] })],
    ["what is no URN", approval({ size: 1 }, { size: 2 }, { urn: "primary" })],
  ])("is not to be had of %s", (_rule, none) => {
    expect(none).toBeUndefined();
  });

  test("is to be had where a secret has nothing to do with it", () => {
    expect(approval({ size: 1, name: "a" }, { size: 2, name: "b" }, { secrets: ["name"] })).toBe(known);
    const old: Wish = { ...wishOf({ ...OK, size: 1 }), name: UNKNOWN };
    const wish = wishOf({ ...OK, size: 2 });
    expect(approvalOf(URN, impactOf(old, wish), old, wish)).toBe(known);
  });

  test("of a new host is of the whole new compute: what it loses, and what it takes over, as well", () => {
    const old: Asked = { ...OK, projectId: "q", size: 8, disabled: true, settings: { pgSettings: { a: "1" } } };
    const of = (next: Asked, adopt?: unknown) => {
      const [before, wish] = [wishOf(old), wishOf({ ...OK, ...next })];
      return approvalOf(URN, impactOf(before, wish), before, wish, new Set(), adopt);
    };
    const { size, disabled, settings } = old;
    const all = [
      of({ size, disabled, settings }),
      of({ disabled, settings }),
      of({ size, settings }),
      of({ size, disabled }),
      of({ size, disabled, settings, suspendTimeoutSeconds: 60 }),
      of({ size, disabled, settings, name: "n" }),
      of({ size, disabled, settings }, true),
      of({ size, disabled, settings }, "ep-a"),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const one of all) expect(one).toMatch(DIGEST);
    expect(of({ size, disabled, settings }, false)).toBe(all[0]);
  });

  test("of a deletion is the resource's alone", () => {
    expect(approvalDigest(URN, "delete")).toMatch(DIGEST);
    expect(approvalDigest(URN, "delete")).not.toBe(approvalDigest(URN, "new-host"));
  });
});

test.each([
  [URN, { stack: "prod", project: "shop", type: TYPE, name: "primary" }],
  [
    `urn:pulumi:prod::shop::my:Db$${TYPE}::a::b`,
    { stack: "prod", project: "shop", type: `my:Db$${TYPE}`, name: "a::b" },
  ],
  ["urn:pulumi:prod::shop", undefined],
  ["", undefined],
])("the identity in %s", (urn, identity) => {
  expect(identityOf(urn)).toEqual(identity);
});

describe("the approvals in the stack's config", () => {
  const [A, B] = ["0123456789ab", "abcdef012345"];
  const NOON = Date.parse("2027-01-31T12:00:00Z");

  test("a number that may have been written with an exponent is to be quoted", () => {
    expect(readApprovals("[1234567890e2]", NOON)).toMatchObject({
      digests: new Set(),
      problem: expect.stringContaining(
        "123456789000 is no approval (entry 1 of compute:approve): 12 hex digits in quotes",
      ),
    });
    expect(readApprovals('["1234567890e2", "123456789000", 123456789012]', NOON)).toMatchObject({
      digests: new Set(["1234567890e2", "123456789000", "123456789012"]),
    });
  });

  test.each<[string, string | undefined, string[], number]>([
    ["nothing", undefined, [], 0],
    ["an empty text", "", [], 0],
    ["an empty list", "[]", [], 0],
    ["a list", JSON.stringify([A, B]), [A, B], 2],
    ["a single one", A, [A], 1],
    ["digits only, which Pulumi takes for a number", "[123456789012]", ["123456789012"], 1],
    ["one on its last day", JSON.stringify([`${A}@2027-01-31`]), [A], 1],
    ["one after its last day, which still has its place", JSON.stringify([`${A}@2027-01-30`, B]), [B], 2],
  ])("%s", (_rule, text, digests, count) => {
    expect(readApprovals(text, NOON)).toMatchObject({ digests: new Set(digests), count });
  });

  test("one that has ended is still known, to be told", () => {
    const { ended } = readApprovals(JSON.stringify([`${A}@2027-01-30`, `${B}@2027-01-31`]), NOON);
    expect([...ended]).toEqual([[A, "2027-01-30"]]);
  });

  test.each([
    ["[12]"],
    ['["0123"]'],
    ['["0123456789AB"]'],
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
    expect(problem!.length).toBeLessThan(200);
    expect(problem).toMatch(/ is no approval( \(entry \d of compute:approve\))?: 12 hex digits/);
  });
});

test("the command is one that every shell takes", () => {
  expect(approveCommand("0123456789ab", { count: 2 }, "prod-eu")).toBe(
    'pulumi config set --stack prod-eu --path "compute:approve[2]" 0123456789ab',
  );
  for (const odd of ["$(rm -rf /)", "a b", "-x", "`id`", undefined]) {
    expect(approveCommand("0123456789ab", { count: 2 }, odd)).toBe(
      'pulumi config set --path "compute:approve[2]" 0123456789ab',
    );
  }
});

test("a single text is made a list first: no index can be added to it", () => {
  const [old, next] = ["abcdef012345@2027-01-31", "0123456789ab"];
  expect(approveCommand(next, readApprovals(old, 0), "prod")).toBe(
    [
      "pulumi config rm --stack prod compute:approve",
      `pulumi config set --stack prod --path "compute:approve[0]" ${old}`,
      `pulumi config set --stack prod --path "compute:approve[1]" ${next}`,
    ].join(" && "),
  );
  expect(approveCommand(next, readApprovals(JSON.stringify([old]), 0), "prod")).not.toContain("rm");
});
