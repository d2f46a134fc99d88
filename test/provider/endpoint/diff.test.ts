import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diff } from "../../../provider/endpoint/diff.js";
import { desiredStateOf, UNKNOWN_VALUE } from "../../../provider/endpoint/inputs.js";
import { type Outputs, outputsOf } from "../../../provider/endpoint/outputs.js";
import { WireEndpoint } from "../../../provider/wire/endpoint.js";
import { programs } from "../../lifecycle/arbitraries.js";
import { OK, type Props } from "./checking.js";

const COMPUTE = WireEndpoint.parse({
  id: "ep-1",
  project_id: "p-1",
  branch_id: "br-1",
  type: "read_write",
  host: "ep-1.region.test",
  autoscaling_limit_min_cu: 2,
  autoscaling_limit_max_cu: 2,
  suspend_timeout_seconds: 300,
  name: "db",
  disabled: false,
  pooler_enabled: false,
  settings: {
    pg_settings: { a: "1", b: "2" },
    preload_libraries: { use_defaults: true, enabled_libraries: ["x", "y"] },
  },
});

/** The state after a step of this program. */
const stateOf = (args: Props, more: Partial<Outputs> = {}): Outputs => ({
  ...outputsOf(COMPUTE, desiredStateOf(args), { adopted: false }),
  ...more,
});
const answer = (before: Props, after: Props, more?: Partial<Outputs>) =>
  diff(stateOf({ ...OK, ...before }, more), { ...OK, ...after }, { id: "ep-1", oldInputs: { ...OK, ...before } });

const NOTHING = { changes: false };
/** The engine compares the inputs itself, and shows the details. */
const INPUTS = {};
const OUTPUTS = { changes: true };
const replaced = (...replaces: string[]) => ({ replaces, deleteBeforeReplace: true });

describe("what diff answers", () => {
  const size = { size: 2 };
  const limits = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  const pg = (pgSettings: object) => ({ settings: { pgSettings } });
  test.each<[string, Props, Props, object]>([
    ["nothing", {}, {}, NOTHING],
    ["the same size", size, size, NOTHING],
    ["size 2 and both limits 2", size, limits(2, 2), NOTHING],
    ["both limits 2 and size 2", limits(2, 2), size, NOTHING],
    ["a timeout as it is", { suspendTimeoutSeconds: 300 }, { suspendTimeoutSeconds: 300 }, NOTHING],
    [
      "libraries in another order",
      { settings: { preloadLibraries: { enabledLibraries: ["x", "y"] } } },
      { settings: { preloadLibraries: { enabledLibraries: ["y", "x"] } } },
      NOTHING,
    ],
    ["some of the Postgres settings", pg({ a: "1" }), pg({ a: "1" }), NOTHING],
    ["a marker of the run before", { ...size, restart: "yes: x" }, { ...size, restart: "no" }, NOTHING],
    ["onRestart and adopt, which only other steps read", {}, { onRestart: "refuse", adopt: true }, NOTHING],
    ["another size", size, { size: 4 }, INPUTS],
    ["one limit", limits(2, 2), limits(2, 4), INPUTS],
    ["a branch", {}, { branchId: "br-2" }, INPUTS],
    ["a Postgres setting", pg({ a: "1" }), pg({ a: "3" }), INPUTS],
    ["enabled as it is, newly managed", {}, { disabled: false }, INPUTS],
    ["a size as it is, newly managed", {}, size, INPUTS],
    ["a size no longer managed", size, {}, INPUTS],
    ["a Postgres setting no longer managed", pg({ a: "1", b: "2" }), pg({ a: "1" }), INPUTS],
    ["onDelete", {}, { onDelete: "release" }, INPUTS],
    ["waitForReady", { waitForReady: false }, {}, INPUTS],
    ["customTimeouts", { customTimeouts: { create: "1m" } }, { customTimeouts: { create: "2m" } }, INPUTS],
    ["a size not known yet", size, { size: UNKNOWN_VALUE }, INPUTS],
    ["a part of settings not known yet", pg({ a: "1" }), pg({ a: UNKNOWN_VALUE }), INPUTS],
    ["a project not known yet: perhaps the same", {}, { projectId: UNKNOWN_VALUE }, INPUTS],
    ["another type", {}, { type: "read_only" }, replaced("type")],
    ["another project", {}, { projectId: "p-2" }, replaced("projectId")],
    ["both, and a size", size, { projectId: "p-2", type: "read_only", size: 4 }, replaced("projectId", "type")],
  ])("%s", (_rule, before, after, expected) => {
    expect(answer(before, after)).toEqual(expected);
  });

  test("a step that did not finish: an update, though the inputs may be equal", () => {
    expect(answer(size, size, { unfinished: ["op-1"] })).toEqual(OUTPUTS);
    expect(answer(size, { size: 4 }, { unfinished: ["op-1"] })).toEqual(OUTPUTS);
    expect(answer(size, { type: "read_only" }, { unfinished: ["op-1"] })).toEqual(replaced("type"));
    expect(answer(size, size, { unfinished: [] })).toEqual(NOTHING);
  });

  test.each<[string, Props, object]>([
    ["the same again: it is not asked for", { size: 4 }, NOTHING],
    ["another value: the engine sees it", { size: 8 }, INPUTS],
    ["what the service has: the engine sees it", { size: 2 }, INPUTS],
    ["nothing any more", {}, INPUTS],
  ])("what the service did not apply, and %s", (_rule, after, expected) => {
    const record = {
      notTaken: ["autoscalingLimitMaxCu", "autoscalingLimitMinCu"],
      __asked: { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 4 },
    };
    expect(answer({ size: 4 }, after, { ...record, managed: stateOf({ ...OK, size: 4 }).managed })).toEqual(expected);
  });

  test("what the service did not apply is asked for again on demand", () => {
    const state = stateOf(
      { ...OK, size: 4 },
      { notTaken: ["autoscalingLimitMaxCu"], __asked: { autoscalingLimitMaxCu: 4 } },
    );
    const options = { id: "ep-1", oldInputs: { ...OK, size: 4 }, askAgain: true };
    expect(diff(state, { ...OK, size: 4 }, options)).toEqual(OUTPUTS);
  });

  test("the record of version 0.1.0 explains nothing: the state is healed", () => {
    const record = { notTaken: { autoscalingLimitMaxCu: "0123456789ab" } as never };
    expect(answer({ size: 4 }, { size: 4 }, record)).toEqual(OUTPUTS);
  });

  test("a program that takes a failed change back is stopped, and refresh is named", () => {
    const state = stateOf({ ...OK, size: 2 }, { unfinished: ["op-1"] });
    expect(() => diff(state, { ...OK, size: 1 }, { id: "ep-1", oldInputs: { ...OK, size: 1 } })).toThrow(
      /autoscalingLimitMinCu, autoscalingLimitMaxCu.*pulumi up --refresh/,
    );
  });
});

describe("laws", () => {
  const wire = (args: Props) => {
    const { inputs } = desiredStateOf(args);
    const { pgSettings, preloadLibraries: libraries } = inputs.settings ?? {};
    return WireEndpoint.parse({
      ...COMPUTE,
      project_id: inputs.projectId,
      branch_id: inputs.branchId,
      autoscaling_limit_min_cu: inputs.autoscalingLimitMinCu ?? inputs.size ?? 1,
      autoscaling_limit_max_cu: inputs.autoscalingLimitMaxCu ?? inputs.size ?? 1,
      suspend_timeout_seconds: inputs.suspendTimeoutSeconds,
      name: inputs.name,
      disabled: inputs.disabled ?? false,
      pooler_enabled: inputs.poolerEnabled ?? false,
      settings: {
        pg_settings: { ...pgSettings, theirs: "1" },
        preload_libraries: { use_defaults: libraries?.useDefaults, enabled_libraries: libraries?.enabledLibraries },
      },
    });
  };
  const state = (args: Props) => outputsOf(wire(args), desiredStateOf(args), { adopted: false });

  test("equal settings give no diff, whatever else the service fills in", () => {
    fc.assert(
      fc.property(programs, (args) => {
        expect(diff(state(args), args, { id: "ep-1", oldInputs: args })).toEqual(NOTHING);
      }),
      { numRuns: 500 },
    );
  });

  test("no pair of programs outside project and type is ever a replacement", () => {
    fc.assert(
      fc.property(programs, programs, (a, b) => {
        expect(diff(state(a), b, { id: "ep-1", oldInputs: a }).replaces).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test("keys in another order give no diff", () => {
    fc.assert(
      fc.property(programs, (args) => {
        const turned = Object.fromEntries(Object.entries(args).reverse());
        expect(diff(state(args), turned, { id: "ep-1", oldInputs: args })).toEqual(NOTHING);
      }),
    );
  });
});
