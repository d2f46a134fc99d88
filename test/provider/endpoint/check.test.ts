import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UNKNOWN_VALUE } from "../../../provider/endpoint/inputs.js";
import { checked, config, failures, OK, type Props, urnOf } from "./checking.js";

describe("what a program can say", () => {
  test.each<[string, Props]>([
    ["only what is required", {}],
    ["a size", { size: 56 }],
    ["a range", { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 8 }],
    ["never suspending above 16 CU", { size: 18, suspendTimeoutSeconds: -1 }],
    ["the longest timeout", { suspendTimeoutSeconds: 604_800 }],
    ["a name of 64 characters", { name: "n".repeat(64) }],
    ["a name of 33 emoji", { name: "🐘".repeat(33) }],
    ["adopt by id", { adopt: "ep-calm-1" }],
    ["empty settings", { settings: {} }],
    ["timeouts as Pulumi writes them", { customTimeouts: { create: "1h30m", update: "90s", delete: "1.5m" } }],
    ["null, which is nothing", { name: null, size: null, settings: { pgSettings: null } }],
  ])("%s is fine", (_rule, args) => {
    expect(failures({ ...OK, ...args })).toEqual([]);
  });

  test.each<[string, Props, string, RegExp]>([
    ["a size off the ladder", { size: 3.5 }, "size", /3.5 is not a size: the nearest are 3 and 4/],
    [
      "a limit off the ladder",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 3.3 },
      "autoscalingLimitMaxCu",
      /3.3 is not a size/,
    ],
    ["a size as text", { size: "2" }, "size", /"2" is not a number/],
    ["a size that is no number", { size: Number.NaN }, "size", /^NaN is not a number/],
    [
      "a typo in settings",
      { settings: { pgSetting: {} } },
      "settings.pgSetting",
      /^there is no property pgSetting: the known ones are pgSettings, preloadLibraries$/,
    ],
    [
      "a typo among the libraries",
      { settings: { preloadLibraries: { enabled_libraries: [] } } },
      "settings.preloadLibraries.enabled_libraries",
      /did you mean enabledLibraries/,
    ],
    [
      "a typo in customTimeouts",
      { customTimeouts: { read: "1m" } },
      "customTimeouts.read",
      /the known ones are create, update/,
    ],
    [
      "swapped limits",
      { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 1 },
      "autoscalingLimitMaxCu",
      /lower limit 4 is above/,
    ],
    ["a wide range", { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 10 }, "autoscalingLimitMaxCu", /too wide/],
    [
      "autoscaling above 16",
      { autoscalingLimitMinCu: 16, autoscalingLimitMaxCu: 18 },
      "autoscalingLimitMaxCu",
      /ends at 16/,
    ],
    ["the lower limit alone", { autoscalingLimitMinCu: 1 }, "autoscalingLimitMinCu", /needs autoscalingLimitMaxCu/],
    ["the upper limit alone", { autoscalingLimitMaxCu: 1 }, "autoscalingLimitMaxCu", /needs autoscalingLimitMinCu/],
    [
      "both forms",
      { size: 1, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 },
      "size",
      /either size or the two autoscaling limits/,
    ],
    [
      "both forms, one limit",
      { size: 1, autoscalingLimitMaxCu: 1 },
      "size",
      /either size or the two autoscaling limits/,
    ],
    [
      "suspending a large one",
      { size: 20, suspendTimeoutSeconds: 300 },
      "suspendTimeoutSeconds",
      /above 16 CU never suspends/,
    ],
    ["a timeout of a second", { suspendTimeoutSeconds: 1 }, "suspendTimeoutSeconds", /1 is not a suspend timeout/],
    ["an empty name", { name: "" }, "name", /1 to 64 characters/],
    ["a long name", { name: "n".repeat(65) }, "name", /1 to 64 characters/],
    ["a name of two lines", { name: "a\nb" }, "name", /without line breaks/],
    ["a type", { type: "primary" }, "type", /"primary" is not one of "read_write", "read_only"/],
    ["a branch's name instead of its id", { branchId: "Main branch" }, "branchId", /^the value is not a branch id/],
    ["a path as an id", { projectId: "../x" }, "projectId", /not a project id/],
    ["disabled as text", { disabled: "true" }, "disabled", /"true" is not true or false/],
    [
      "a Postgres setting that is a number",
      { settings: { pgSettings: { max_connections: 100 } } },
      "settings.pgSettings.max_connections",
      /^a number is not a string/,
    ],
    [
      "an unknown part of settings",
      { settings: { pg_settings: {} } },
      "settings.pg_settings",
      /no property pg_settings/,
    ],
    [
      "libraries as text",
      { settings: { preloadLibraries: { enabledLibraries: "a" } } },
      "settings.preloadLibraries.enabledLibraries",
      /not a list/,
    ],
    ["an unknown property", { sizes: 2 }, "sizes", /no property sizes: the known ones are/],
    [
      "the API's own name",
      { autoscaling_limit_min_cu: 1 },
      "autoscaling_limit_min_cu",
      /did you mean autoscalingLimitMinCu/,
    ],
    ["adopting something else", { adopt: "br-1" }, "adopt", /^the value is not true, false or the id of a compute/],
    ["adopting the primary as a replica", { adopt: true, type: "read_only" }, "adopt", /takes over the primary/],
    ["an unknown onDelete", { onDelete: "keep" }, "onDelete", /"keep" is not one of/],
    [
      "a timeout without a unit",
      { customTimeouts: { create: "10" } },
      "customTimeouts.create",
      /"10" is not a duration/,
    ],
    ["an unknown step", { customTimeouts: { read: "10m" } }, "customTimeouts.read", /no property read/],
  ])("%s is refused at its property", (_rule, args, property, reason) => {
    expect(failures({ ...OK, ...args })).toEqual([{ property, reason: expect.stringMatching(reason) }]);
  });

  test("no string value of the program is repeated: nobody says which of them its rules made secret", () => {
    const value = "s3cret/Value";
    const properties = [...Object.keys(OK), "regionId", "size", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"];
    properties.push("suspendTimeoutSeconds", "name", "disabled", "poolerEnabled", "settings", "restartTriggers");
    properties.push("adopt", "waitForReady", "customTimeouts");
    for (const one of [value, [value], { a: value }, { pgSettings: value }, { preloadLibraries: value }]) {
      for (const property of properties)
        expect(JSON.stringify(failures({ ...OK, [property]: one }))).not.toContain(value);
    }
    for (const settings of [
      { pgSettings: { a: [value], b: { c: value }, d: 13131313, e: true } },
      { preloadLibraries: { useDefaults: value, enabledLibraries: [[value]] } },
    ]) {
      const found = failures({ ...OK, settings });
      expect(found.length).toBeGreaterThan(1);
      expect(JSON.stringify(found)).not.toMatch(/s3cret|13131313/);
    }
    expect(JSON.stringify(failures({ ...OK, customTimeouts: { create: value } }))).not.toContain(value);
  });

  test.each(["projectId", "branchId"])("%s is required", (name) => {
    for (const value of [undefined, null]) {
      expect(failures({ ...OK, [name]: value })).toEqual([{ property: name, reason: `${name} is required` }]);
    }
  });

  test("all failures come at once, each at its property", () => {
    const found = failures({
      branchId: "BR",
      size: 3.5,
      suspendTimeoutSeconds: 5,
      name: "",
      typo: 1,
      settings: { pgSettings: { a: 1, b: true }, other: 2 },
      onRestart: "never",
      customTimeouts: { create: "soon" },
    });
    expect(found.map(({ property }) => property).sort()).toEqual([
      "branchId",
      "customTimeouts.create",
      "name",
      "onRestart",
      "projectId",
      "settings.other",
      "settings.pgSettings.a",
      "settings.pgSettings.b",
      "size",
      "suspendTimeoutSeconds",
      "typo",
    ]);
  });

  test("size rules only warn where compute:sizes is unchecked; everything else still fails", () => {
    const loose = config({ "compute:sizes": "unchecked" });
    const answer = checked({ ...OK, size: 60, suspendTimeoutSeconds: 5 }, {}, loose);
    expect(answer.failures.map(({ property }) => property)).toEqual(["suspendTimeoutSeconds"]);
    expect(answer.warnings).toEqual([expect.stringMatching(/^size: 60 is not a size/)]);
    const large = checked({ ...OK, size: 20, suspendTimeoutSeconds: 300 }, {}, loose);
    expect([large.failures, large.warnings]).toEqual([[], [expect.stringMatching(/^suspendTimeoutSeconds: .*16 CU/)]]);
    expect(checked({ ...OK, size: 60 }).warnings).toEqual([]);
    const named = checked({ ...OK, size: 60, __urn: urnOf("my-db") }, {}, loose);
    expect(named.warnings).toEqual([expect.stringMatching(/^my-db: size: 60 is not a size/)]);
  });

  test("values of the stack's config that can't be used fail here, under their names", () => {
    const broken = config({ "compute:onRestart": "never", "compute:pollSeconds": "soon" });
    expect(failures(OK, {}, broken).map(({ property }) => property)).toEqual([
      "compute:onRestart",
      "compute:pollSeconds",
    ]);
  });

  test("whatever a program says, check answers, never with the engine's hidden inputs in the failures", () => {
    const anything = fc.dictionary(
      fc.constantFrom(
        ...Object.keys(OK),
        "size",
        "settings",
        "name",
        "adopt",
        "customTimeouts",
        "restart",
        "__secret",
        "x",
        "type",
        "disabled",
        "regionId",
      ),
      fc.oneof(fc.jsonValue(), fc.constant(UNKNOWN_VALUE), fc.object()) as fc.Arbitrary<unknown>,
    );
    fc.assert(
      fc.property(anything, anything, (news, olds) => {
        const answer = checked(news, olds);
        for (const { property, reason } of answer.failures) {
          expect(property).not.toMatch(/^__/);
          expect(reason).not.toBe("");
          expect(reason.length).toBeLessThan(600);
        }
        expect(answer.inputs["restart"]).toMatch(/^(no$|maybe: |yes: )/);
      }),
      { numRuns: 1000 },
    );
  });
});
