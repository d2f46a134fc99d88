import { describe, expect, test } from "vitest";
import { UNKNOWN_VALUE } from "../../../provider/endpoint/inputs.js";
import { checked, failures, marker, OK, type Props } from "./checking.js";

describe("a value that preview does not know", () => {
  const PATHS: [string, Props][] = [
    ["projectId", { projectId: UNKNOWN_VALUE }],
    ["branchId", { branchId: UNKNOWN_VALUE }],
    ["type", { type: UNKNOWN_VALUE }],
    ["regionId", { regionId: UNKNOWN_VALUE }],
    ["size", { size: UNKNOWN_VALUE }],
    ["one limit", { autoscalingLimitMinCu: UNKNOWN_VALUE, autoscalingLimitMaxCu: 4 }],
    ["the other limit", { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: UNKNOWN_VALUE }],
    ["suspendTimeoutSeconds", { suspendTimeoutSeconds: UNKNOWN_VALUE, size: 20 }],
    ["name", { name: UNKNOWN_VALUE }],
    ["disabled", { disabled: UNKNOWN_VALUE }],
    ["poolerEnabled", { poolerEnabled: UNKNOWN_VALUE }],
    ["settings", { settings: UNKNOWN_VALUE }],
    ["settings.pgSettings", { settings: { pgSettings: UNKNOWN_VALUE } }],
    ["one Postgres setting", { settings: { pgSettings: { a: UNKNOWN_VALUE, b: "1" } } }],
    ["settings.preloadLibraries", { settings: { preloadLibraries: UNKNOWN_VALUE } }],
    ["a library", { settings: { preloadLibraries: { enabledLibraries: ["a", UNKNOWN_VALUE] } } }],
    ["adopt", { adopt: UNKNOWN_VALUE }],
    ["onDelete", { onDelete: UNKNOWN_VALUE }],
    ["onRestart", { onRestart: UNKNOWN_VALUE }],
    ["waitForReady", { waitForReady: UNKNOWN_VALUE }],
    ["customTimeouts", { customTimeouts: UNKNOWN_VALUE }],
    ["one of customTimeouts", { customTimeouts: { create: UNKNOWN_VALUE } }],
  ];
  test.each(PATHS)("%s passes, and is handed on as it came", (_path, args) => {
    const answer = checked({ ...OK, ...args });
    expect(answer.failures).toEqual([]);
    expect(answer.inputs).toMatchObject(args);
  });

  test("the known half of a pair is still checked", () => {
    expect(failures({ ...OK, autoscalingLimitMinCu: UNKNOWN_VALUE, autoscalingLimitMaxCu: 3.3 })).toHaveLength(1);
    expect(failures({ ...OK, size: UNKNOWN_VALUE, autoscalingLimitMaxCu: 3 }).map(({ property }) => property)).toEqual([
      "size",
    ]);
  });

  test.each<[string, Props, RegExp]>([
    ["a size", { size: UNKNOWN_VALUE }, /^maybe: size 2 → known after apply/],
    [
      "limits",
      { autoscalingLimitMinCu: UNKNOWN_VALUE, autoscalingLimitMaxCu: UNKNOWN_VALUE },
      /^maybe: autoscalingLimitMinCu 2 → known after apply/,
    ],
    ["a branch", { branchId: UNKNOWN_VALUE, size: 2 }, /^maybe: branchId/],
    ["a project", { projectId: UNKNOWN_VALUE, size: 2 }, /^maybe: projectId/],
    ["disabled", { disabled: UNKNOWN_VALUE, size: 2 }, /^maybe: disabled/],
    ["a Postgres setting", { settings: { pgSettings: { a: UNKNOWN_VALUE } }, size: 2 }, /^maybe: settings.pgSettings/],
    ["a name", { name: UNKNOWN_VALUE, size: 2 }, /^no$/],
    ["a timeout", { suspendTimeoutSeconds: UNKNOWN_VALUE, size: 2 }, /^no$/],
    ["libraries", { settings: { preloadLibraries: UNKNOWN_VALUE }, size: 2 }, /^no$/],
    ["adopt, for a compute that exists", { adopt: UNKNOWN_VALUE, size: 2 }, /^no$/],
  ])("in an update, %s", (_rule, args, expected) => {
    expect(marker({ ...OK, ...args }, { ...OK, size: 2 })).toMatch(expected);
  });

  test("a list with one value that is not known is not known whole", () => {
    const olds = { ...OK, restartTriggers: ["a", 1] };
    expect(marker({ ...OK, restartTriggers: ["a", UNKNOWN_VALUE] }, olds)).toMatch(/^maybe: restartTriggers/);
    expect(marker({ ...OK, restartTriggers: ["a", { deep: [UNKNOWN_VALUE] }] }, olds)).toMatch(/^maybe: /);
    expect(marker({ ...OK, restartTriggers: ["a", 2] }, olds)).toMatch(/^yes: restartTriggers/);
  });

  test("adopt that is not known may adopt", () => {
    expect(marker({ ...OK, adopt: UNKNOWN_VALUE, size: 2 })).toMatch(/^maybe: takes over/);
    expect(marker({ ...OK, adopt: UNKNOWN_VALUE })).toMatch(/^(no|maybe: )/);
  });

  test("counts as may under refuse, so it passes", () => {
    expect(failures({ ...OK, size: UNKNOWN_VALUE, onRestart: "refuse" }, { ...OK, size: 2 })).toEqual([]);
  });
});
