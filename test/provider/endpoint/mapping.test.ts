import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { desiredStateOf } from "../../../provider/endpoint/inputs.js";
import { createBody, needsCurrentValues, observedSettings, updateBody } from "../../../provider/endpoint/mapping.js";
import { inputsOf, managedOf, type Outputs, outputsOf, poolerHost } from "../../../provider/endpoint/outputs.js";
import { differences } from "../../../provider/rules/equality.js";
import { differingPaths, pick, settingsByName, valuesByPath } from "../../../provider/rules/paths.js";
import { desiredSettings, type ObservedSettings, type SettingName, UNKNOWN } from "../../../provider/rules/settings.js";
import { EndpointCreateBody, EndpointUpdateBody, WireEndpoint } from "../../../provider/wire/endpoint.js";
import { programs } from "../../lifecycle/arbitraries.js";
import type { Props } from "./checking.js";

const wishIn = (args: Props) => desiredSettings(desiredStateOf(args).inputs);
/** The compute that a body makes on a service that takes everything. */
const madeBy = (args: Props) => {
  const { endpoint } = createBody(wishIn(args), { regionId: desiredStateOf(args).inputs.regionId });
  return WireEndpoint.parse({ id: "ep-1", project_id: args["projectId"], host: "ep-1.test", ...endpoint });
};

/** What an update of the compute to this program changes. */
const partOf = (args: Props, has: WireEndpoint) => {
  const wanted = valuesByPath(wishIn(args));
  return settingsByName(pick(wanted, differingPaths(wanted, valuesByPath(observedSettings(has)))));
};

describe("laws of the mapping", () => {
  test("desired settings, sent and read back, leave no difference", () => {
    fc.assert(
      fc.property(programs, (args) => {
        const live = observedSettings(madeBy(args));
        expect(differences(wishIn(args), live)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("an update's body gives any compute the desired settings, and names no other", () => {
    fc.assert(
      fc.property(programs, programs, (a, b) => {
        const has = madeBy(a);
        const { endpoint } = updateBody(partOf(b, has), has, {});
        const now = observedSettings(WireEndpoint.parse({ ...has, ...endpoint }));
        expect(differences(wishIn(b), now)).toEqual([]);
        // What the second program does not speak of is as it was.
        const unspoken = (Object.keys(observedSettings(has)) as SettingName[]).filter((name) => !(name in wishIn(b)));
        for (const name of unspoken) expect(now[name]).toEqual(observedSettings(has)[name]);
      }),
      { numRuns: 500 },
    );
  });

  test("the bodies are what the published schema allows, without undefined", () => {
    fc.assert(
      fc.property(programs, programs, (a, b) => {
        for (const [schema, body] of [
          [EndpointCreateBody, createBody(wishIn(a), { autoName: "x-1" })],
          [EndpointUpdateBody, updateBody(partOf(b, madeBy(a)), madeBy(a), {})],
        ] as const) {
          expect(schema.parse(body)).toEqual(body);
          expect(JSON.parse(JSON.stringify(body))).toEqual(body);
        }
      }),
    );
  });

  test("inputs to outputs to inputs: read gives back what the program says", () => {
    fc.assert(
      fc.property(programs, (args) => {
        const program = desiredStateOf(args);
        const outputs = outputsOf(madeBy(args), program, { adopted: false });
        const { restart, ...inputs } = inputsOf(outputs);
        expect(restart).toBe("no");
        expect(desiredSettings(desiredStateOf(inputs).inputs)).toEqual(
          wishIn({ ...args, settings: withoutEmpty(args["settings"]) }),
        );
        expect(managedOf(desiredStateOf(inputs).inputs)).toEqual(managedOf(program.inputs));
      }),
      { numRuns: 500 },
    );
  });
});

/** A part of `settings` that names nothing manages nothing. */
function withoutEmpty(settings: unknown): unknown {
  const parts = Object.entries((settings ?? {}) as object).filter(([, part]) => Object.keys(part as object).length > 0);
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

describe("one setting alone", () => {
  const HAS = WireEndpoint.parse({
    id: "ep-1",
    settings: {
      pg_settings: { a: "1", theirs: "2" },
      preload_libraries: { use_defaults: true, enabled_libraries: ["x"] },
      other: { z: 1 },
    },
  });
  const WISH = wishIn({
    projectId: "p",
    branchId: "br-1",
    autoscalingLimitMinCu: 1,
    autoscalingLimitMaxCu: 2,
    suspendTimeoutSeconds: 0,
    name: "n",
    disabled: false,
    poolerEnabled: false,
    settings: { pgSettings: { a: "9" }, preloadLibraries: { enabledLibraries: [] } },
  });
  const pair = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 };
  test.each<[SettingName, object]>([
    ["branchId", { branch_id: "br-1" }],
    ["autoscalingLimitMinCu", pair],
    ["autoscalingLimitMaxCu", pair],
    ["suspendTimeoutSeconds", { suspend_timeout_seconds: 0 }],
    ["name", { name: "n" }],
    ["disabled", { disabled: false }],
    ["poolerEnabled", { pooler_enabled: false }],
    ["pgSettings", { settings: { ...HAS.settings, pg_settings: { a: "9", theirs: "2" } } }],
    [
      "preloadLibraries",
      { settings: { ...HAS.settings, preload_libraries: { use_defaults: true, enabled_libraries: [] } } },
    ],
  ])("%s sends exactly itself (the limits as a pair, settings whole)", (name, endpoint) => {
    expect(updateBody({ [name]: WISH[name] }, HAS, WISH as ObservedSettings)).toEqual({ endpoint });
  });

  test("settings of a service that does not tell them are sent as far as they are known", () => {
    const silent = WireEndpoint.parse({ id: "ep-1" });
    const known = { pgSettings: { a: "1" }, preloadLibraries: { enabledLibraries: [] } };
    expect(updateBody({ pgSettings: { a: "9" } }, silent, known)).toEqual({
      endpoint: { settings: { pg_settings: { a: "9" }, preload_libraries: { enabled_libraries: [] } } },
    });
  });

  test("one limit keeps the other one's live value", () => {
    const live = WireEndpoint.parse({ id: "ep-1", autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 8 });
    const { endpoint } = updateBody({ autoscalingLimitMinCu: 2 }, live, { autoscalingLimitMaxCu: 4 });
    expect(endpoint).toEqual({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 8 });
  });

  test.each([
    [["settings.pgSettings.a"], true],
    [["name", "settings.preloadLibraries.useDefaults"], true],
    [["autoscalingLimitMaxCu"], true],
    [["name", "autoscalingLimitMinCu", "autoscalingLimitMaxCu", "branchId"], false],
  ])("whether %j needs the live compute first: %s", (paths, expected) => {
    expect(needsCurrentValues(paths)).toBe(expected);
  });

  test("a value that is not known is never sent", () => {
    expect(createBody({ branchId: "br-1", name: UNKNOWN, pgSettings: UNKNOWN }, {})).toEqual({
      endpoint: { branch_id: "br-1", type: "read_write" },
    });
  });
});

describe("what an answer tells", () => {
  test("no settings are none, no word about settings is no word", () => {
    expect(observedSettings(WireEndpoint.parse({ id: "ep-1", settings: {} }))).toMatchObject({
      pgSettings: {},
      preloadLibraries: {},
    });
    expect(observedSettings(WireEndpoint.parse({ id: "ep-1" }))).toEqual({});
  });

  test.each([
    ["null", null],
    ["another type", { a: 1 }],
    ["text", "much"],
  ])("a field that is %s counts as not told", (_rule, value) => {
    const fields = ["autoscaling_limit_min_cu", "disabled", "suspend_timeout_seconds", "settings"];
    const odd = WireEndpoint.parse({ id: "ep-1", ...Object.fromEntries(fields.map((field) => [field, value])) });
    expect(
      Object.keys(observedSettings(odd)).filter((name) => name !== "pgSettings" && name !== "preloadLibraries"),
    ).toEqual([]);
  });

  test("a type that is not known is no type", () => {
    expect(observedSettings(WireEndpoint.parse({ id: "ep-1", type: "sideways" })).type).toBeUndefined();
  });

  test("the pooled host is the host with -pooler behind its first label", () => {
    expect(poolerHost("ep-a-1.us-east-2.aws.test")).toBe("ep-a-1-pooler.us-east-2.aws.test");
  });

  test("what was known stays known where an answer leaves it out", () => {
    const program = desiredStateOf({ projectId: "p", branchId: "br-1" });
    const first = outputsOf(
      WireEndpoint.parse({ id: "ep-1", name: "db", host: "h.test", created_at: "2026-01-01T00:00:00Z" }),
      program,
      { adopted: true },
    );
    const later = outputsOf(WireEndpoint.parse({ id: "ep-1" }), program, { adopted: true }, first);
    expect(later).toEqual(first satisfies Outputs);
  });
});
