import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  approvalOf,
  approvalOfRemoval,
  approveCommand,
  identityOf,
  type ReleaseInputs,
  readApprovals,
  shortDigest,
  shortEntriesText,
} from "../../../provider/rules/approval.js";
import { NATIVE_TYPE } from "../../../provider/rules/endpoint-type.js";
import { impactOf, replacementOf } from "../../../provider/rules/restart.js";
import { UNKNOWN, type Wish } from "../../../provider/rules/settings.js";
import { type Asked, wishOf } from "../../../provider/rules/wish.js";

const TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";
const URN = `urn:pulumi:prod::shop::${TYPE}::primary`;
const OK: Asked = { projectId: "p", branchId: "br-a" };
const DIGEST = /^[0-9a-f]{32}$/;

function approval(old: Asked, next: Asked, { urn = URN, unknown = [] as string[], secrets = [] as string[] } = {}) {
  const [before, wish] = [wishOf({ ...OK, ...old }), wishOf({ ...OK, ...next }, new Set(unknown))];
  return approvalOf(urn, impactOf(before, wish), before, wish, new Set(secrets));
}
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
const limits = (min: number, max: number): Asked => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });

describe("the digest of a change", () => {
  test("is another one where the option retainOnDelete keeps the old compute, and only there", () => {
    const [old, wish] = [wishOf(OK), wishOf({ ...OK, projectId: "q" })];
    const digestOf = (release: { old?: ReleaseInputs; next?: ReleaseInputs }) =>
      approvalOf(URN, impactOf(old, wish), old, wish, new Set(), release);
    const plain = digestOf({});
    expect(digestOf({ old: { __retain: true } })).not.toBe(plain);
    expect(digestOf({ old: { __retain: true } })).toMatch(DIGEST);
    // The engine goes by the state's option.
    expect(digestOf({ next: { __retain: true } })).toBe(plain);
    expect(digestOf({ old: { __retain: undefined } })).toBe(plain);
  });

  const known = approval({ size: 1 }, { size: 2 });

  test("is 32 hex digits, and the same in every version of this package", () => {
    expect(known).toMatch(DIGEST);
    expect(known).toBe("52aef54adaa8c31ff3e628e8fa0048ec");
  });

  test("is of one text, with the keys in order, that will not change", () => {
    const identity = '"name":"primary","project":"shop","stack":"prod","type":"compute:index:Endpoint","v":2';
    const limits = '["autoscalingLimitMaxCu",1,2],["autoscalingLimitMinCu",1,2]';
    expect(known).toBe(hashOf(`{"changes":[${limits}],"impact":"restart",${identity}}`));
    const [old, wish] = [
      wishOf({ ...OK, restartTriggers: ["a"] }),
      wishOf({ ...OK, projectId: "q", restartTriggers: ["b"] }),
    ];
    const release = { old: { adopt: true }, next: { onDelete: "release" } };
    const all = [
      '["adopt",true,null]',
      '["branchId","br-a","br-a"]',
      '["onDelete",null,"release"]',
      '["projectId","p","q"]',
      `["restartTriggers","${hashOf('["a"]')}","${hashOf('["b"]')}"]`,
      '["type","read_write","read_write"]',
    ];
    expect(approvalOf(URN, impactOf(old, wish), old, wish, new Set(), release)).toBe(
      hashOf(`{"changes":[${all}],"impact":"new-host",${identity}}`),
    );
    expect(approvalOfRemoval(URN, { id: "ep-a", projectId: "p", onDelete: "delete" })).toBe(
      hashOf(
        `{"changes":[["id","ep-a",null],["onDelete","delete",null],["projectId","p",null]],"impact":"delete",${identity}}`,
      ),
    );
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
    ["the type of another resource", approval({ size: 1 }, { size: 2 }, { urn: URN.replace(TYPE, "my:Endpoint") })],
  ])("is changed by %s", (_rule, other) => {
    expect(other).toMatch(DIGEST);
    expect(other).not.toBe(known);
  });

  test("is the same in the dynamic and in the native form of the resource, also below a parent that is one", () => {
    const under = (parent: string, type: string) => URN.replace(TYPE, `${parent}${type}`);
    const of = (urn: string) => approval({ size: 1 }, { size: 2 }, { urn });
    expect(of(under("", NATIVE_TYPE))).toBe(known);
    expect(of(under("my:Db$", NATIVE_TYPE))).toBe(of(under("my:Db$", TYPE)));
    expect(of(under(`${NATIVE_TYPE}$`, NATIVE_TYPE))).toBe(of(under(`${TYPE}$`, TYPE)));
    const removal = { id: "ep-a", projectId: "p", onDelete: "delete" } as const;
    expect(approvalOfRemoval(under("", NATIVE_TYPE), removal)).toBe(approvalOfRemoval(URN, removal));
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
    const of = (next: Asked, after?: ReleaseInputs, before?: ReleaseInputs) => {
      const [was, wish] = [wishOf(old), wishOf({ ...OK, ...next })];
      return approvalOf(URN, impactOf(was, wish), was, wish, new Set(), { old: before, next: after });
    };
    const { size, disabled, settings } = old;
    const all = [
      of({ size, disabled, settings }),
      of({ disabled, settings }),
      of({ size, settings }),
      of({ size, disabled }),
      of({ size, disabled, settings, suspendTimeoutSeconds: 60 }),
      of({ size, disabled, settings, name: "n" }),
      of({ size, disabled, settings }, { adopt: true }),
      of({ size, disabled, settings }, { adopt: "ep-a" }),
      of({ size, disabled, settings }, {}, { adopt: true }),
      of({ size, disabled, settings }, { onDelete: "release" }),
      of({ size, disabled, settings }, {}, { onDelete: "release" }),
      of({ size, disabled, settings }, { onDelete: "release" }, { onDelete: "release" }),
      of({ size, disabled, settings }, { onDelete: "delete" }, { onDelete: "delete" }),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const one of all) expect(one).toMatch(DIGEST);
    expect(of({ size, disabled, settings }, { adopt: false }, { adopt: false })).toBe(all[0]);
  });

  test("of a change in place is not touched by what only a replacement asks", () => {
    const [old, wish] = [wishOf({ ...OK, size: 1 }), wishOf({ ...OK, size: 2 })];
    const release = { old: { adopt: true }, next: { onDelete: "release" } };
    expect(approvalOf(URN, impactOf(old, wish), old, wish, new Set(), release)).toBe(known);
  });

  test("of a removal is of this compute, its project, its resource, and of whether it is deleted", () => {
    const removal = { id: "ep-a", projectId: "p", onDelete: "delete" } as const;
    const all = [
      approvalOfRemoval(URN, removal),
      approvalOfRemoval(URN, { ...removal, id: "ep-b" }),
      approvalOfRemoval(URN, { ...removal, projectId: "q" }),
      approvalOfRemoval(URN, { ...removal, onDelete: "release" }),
      approvalOfRemoval(`${URN}-2`, removal),
      approvalOfRemoval(URN.replace("prod", "dev"), removal),
    ];
    for (const one of all) expect(one).toMatch(DIGEST);
    expect(new Set(all).size).toBe(all.length);
    expect(approvalOfRemoval("primary", removal)).toBeUndefined();
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
  const [A, B] = ["0123456789abcdef".repeat(2), "fedcba9876543210".repeat(2)];
  const DIGITS = "12345678901234567890123456789012";
  const EXPONENT = "1234567890e212345678901234567890";
  const SHORT = "0123456789ab";
  const NOON = Date.parse("2027-01-31T12:00:00Z");

  test("one that YAML read as a number is to be quoted", () => {
    for (const number of [Number(DIGITS), 12345]) {
      expect(readApprovals(JSON.stringify([A, number]), NOON)).toMatchObject({
        digests: new Set(),
        problem: `${number} is no approval (entry 2 of compute:approve): 32 hex digits in quotes, and perhaps "@2027-01-31" for its last day. Without quotes, YAML reads digits, also with an e among them, as a number and loses some of them`,
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
    expect(approvals).toMatchObject({ digests: new Set(text.includes(A) ? [A] : []), short, ended: new Map() });
    expect(approvals.problem).toBeUndefined();
    const told = shortEntriesText(approvals);
    for (const one of short) expect(told).toContain(one);
    expect(told).toMatch(
      / approves? nothing\. An approval has 32 hex digits; 12 are one of version 1, .* Take th.* out/,
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

  test.each<[string, string | undefined, string[], number]>([
    ["nothing", undefined, [], 0],
    ["an empty text", "", [], 0],
    ["an empty list", "[]", [], 0],
    ["a list", JSON.stringify([A, B]), [A, B], 2],
    ["a single one", A, [A], 1],
    ["digits only", JSON.stringify([DIGITS]), [DIGITS], 1],
    ["one of version 1, which still has its place", JSON.stringify([SHORT, B]), [B], 2],
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
    expect(problem).toMatch(/ is no approval( \(entry \d of compute:approve\))?: 32 hex digits in quotes/);
  });
});

const NEXT = "0123456789abcdef0123456789abcdef";

test("the command is one that every shell takes", () => {
  expect(approveCommand(NEXT, { count: 2 }, "prod-eu")).toBe(
    'pulumi config set --stack prod-eu --path "compute:approve[2]" 0123456789abcdef0123456789abcdef',
  );
  for (const odd of ["$(rm -rf /)", "a b", "-x", "`id`", undefined]) {
    expect(approveCommand(NEXT, { count: 2 }, odd)).toBe(
      'pulumi config set --path "compute:approve[2]" 0123456789abcdef0123456789abcdef',
    );
  }
});

test("a single text is made a list first: no index can be added to it", () => {
  const [old, next] = [`${"fedcba9876543210".repeat(2)}@2027-01-31`, NEXT];
  expect(approveCommand(next, readApprovals(old, 0), "prod")).toBe(
    [
      "pulumi config rm --stack prod compute:approve",
      `pulumi config set --stack prod --path "compute:approve[0]" ${old}`,
      `pulumi config set --stack prod --path "compute:approve[1]" ${next}`,
    ].join(" && "),
  );
  expect(approveCommand(next, readApprovals(JSON.stringify([old]), 0), "prod")).not.toContain("rm");
});
