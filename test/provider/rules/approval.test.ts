import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { digestOfChange, type ReleaseInputs } from "../../../provider/rules/approval.js";
import { impactOf, replacementOf } from "../../../provider/rules/impact.js";
import {
  type DesiredSettings,
  desiredSettings,
  type SettingsInput,
  UNKNOWN,
} from "../../../provider/rules/settings.js";
import { identityOf, NATIVE_TYPE } from "../../../provider/rules/urn.js";

const TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";
const URN = `urn:pulumi:prod::shop::${TYPE}::primary`;
const OK: SettingsInput = { projectId: "p", branchId: "br-a" };
const DIGEST = /^[0-9a-f]{32}$/;

function approval(
  old: SettingsInput,
  next: SettingsInput,
  { urn = URN, unknown = [] as string[], secrets = [] as string[] } = {},
) {
  const [before, wish] = [desiredSettings({ ...OK, ...old }), desiredSettings({ ...OK, ...next }, new Set(unknown))];
  return digestOfChange(urn, impactOf(before, wish), before, wish, new Set(secrets));
}
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
const limits = (min: number, max: number): SettingsInput => ({
  autoscalingLimitMinCu: min,
  autoscalingLimitMaxCu: max,
});

describe("the digest of a change", () => {
  test("is another one where the option retainOnDelete keeps the old compute, and only there", () => {
    const [old, wish] = [desiredSettings(OK), desiredSettings({ ...OK, projectId: "q" })];
    const digestOf = (release: { old?: ReleaseInputs; next?: ReleaseInputs }) =>
      digestOfChange(URN, impactOf(old, wish), old, wish, new Set(), release);
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
      desiredSettings({ ...OK, restartTriggers: ["a"] }),
      desiredSettings({ ...OK, projectId: "q", restartTriggers: ["b"] }),
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
    expect(digestOfChange(URN, impactOf(old, wish), old, wish, new Set(), release)).toBe(
      hashOf(`{"changes":[${all}],"impact":"new-host",${identity}}`),
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

  test("is the same for the resources of the class and of the plugin, also below a parent that is one", () => {
    const under = (parent: string, type: string) => URN.replace(TYPE, `${parent}${type}`);
    const of = (urn: string) => approval({ size: 1 }, { size: 2 }, { urn });
    expect(of(under("", NATIVE_TYPE))).toBe(known);
    expect(of(under("my:Db$", NATIVE_TYPE))).toBe(of(under("my:Db$", TYPE)));
    expect(of(under(`${NATIVE_TYPE}$`, NATIVE_TYPE))).toBe(of(under(`${TYPE}$`, TYPE)));
  });

  test("of triggers tells which they are, and shows none", () => {
    const [a, b] = [["2026-05"], ["2026-06"]].map((restartTriggers) =>
      approval({ restartTriggers: ["x"] }, { restartTriggers }),
    );
    expect(a).toMatch(DIGEST);
    expect(a).not.toBe(b);
  });

  test("of a replacement that only an option asks for names what changes", () => {
    const [old, wish] = [desiredSettings({ ...OK, name: "a" }), desiredSettings({ ...OK, name: "b" })];
    const assessment = replacementOf(old, wish);
    expect(assessment.impact).toBe("new-host");
    const one = digestOfChange(URN, assessment, old, wish);
    expect(one).toMatch(DIGEST);
    expect(one).not.toBe(digestOfChange(URN, replacementOf(old, old), old, old));
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
    const old: DesiredSettings = { ...desiredSettings({ ...OK, size: 1 }), name: UNKNOWN };
    const wish = desiredSettings({ ...OK, size: 2 });
    expect(digestOfChange(URN, impactOf(old, wish), old, wish)).toBe(known);
  });

  test("of a new host is of the whole new compute: what it loses, and what it takes over, as well", () => {
    const old: SettingsInput = { ...OK, projectId: "q", size: 8, disabled: true, settings: { pgSettings: { a: "1" } } };
    const of = (next: SettingsInput, after?: ReleaseInputs, before?: ReleaseInputs) => {
      const [was, wish] = [desiredSettings(old), desiredSettings({ ...OK, ...next })];
      return digestOfChange(URN, impactOf(was, wish), was, wish, new Set(), { old: before, next: after });
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
    const [old, wish] = [desiredSettings({ ...OK, size: 1 }), desiredSettings({ ...OK, size: 2 })];
    const release = { old: { adopt: true }, next: { onDelete: "release" } };
    expect(digestOfChange(URN, impactOf(old, wish), old, wish, new Set(), release)).toBe(known);
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
