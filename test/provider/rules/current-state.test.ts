import { describe, expect, test } from "vitest";
import { type Activity, sentenceNow } from "../../../provider/rules/current-state.js";
import { impactOf, replacementOf, sentence } from "../../../provider/rules/impact.js";
import { type DesiredSettings, type ObservedSettings, UNKNOWN } from "../../../provider/rules/settings.js";

const HAS: ObservedSettings = {
  branchId: "br-a",
  type: "read_write",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 2,
  pgSettings: { work_mem: "4MB" },
};
const ACTIVE: Activity = { state: "active", used: "12 s" };
const IDLE: Activity = { state: "idle" };
const change = (desired: DesiredSettings) => impactOf(HAS, desired, { showsStrings: true });

describe("a change of a compute as it is now", () => {
  const isActive = "It is active (last used 12 s ago): open connections drop";
  const isIdle = "It is idle now: nothing drops.";
  test.each<[DesiredSettings, Activity, string]>([
    [{ autoscalingLimitMaxCu: 4 }, ACTIVE, `autoscalingLimitMaxCu 2 → 4 restarts this compute. ${isActive}.`],
    [
      { autoscalingLimitMaxCu: 4 },
      { state: "active" },
      "autoscalingLimitMaxCu 2 → 4 restarts this compute. It is active: open connections drop.",
    ],
    [{ autoscalingLimitMaxCu: 4 }, IDLE, `autoscalingLimitMaxCu 2 → 4 takes effect at the next start. ${isIdle}`],
    [
      { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
      ACTIVE,
      `autoscalingLimitMinCu 1 → 2, autoscalingLimitMaxCu 2 → 4 restart this compute. ${isActive}.`,
    ],
    [
      { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
      { state: "disabled" },
      "autoscalingLimitMinCu 1 → 2, autoscalingLimitMaxCu 2 → 4 take effect at the next start. It is disabled now: nothing drops.",
    ],
    [
      { pgSettings: { work_mem: "8MB" } },
      ACTIVE,
      `settings.pgSettings.work_mem 4MB → 8MB may restart this compute. ${isActive} then.`,
    ],
    [{ branchId: "br-b" }, ACTIVE, `branchId br-a → br-b moves this compute to another branch. ${isActive}.`],
    [{ branchId: "br-b" }, IDLE, `branchId br-a → br-b moves this compute to another branch. ${isIdle}`],
    [
      { disabled: true },
      ACTIVE,
      `disabled false → true stops this compute; nothing can connect while it is disabled. ${isActive}.`,
    ],
    [
      { disabled: true },
      IDLE,
      `disabled false → true stops this compute; nothing can connect while it is disabled. ${isIdle}`,
    ],
    [
      { autoscalingLimitMaxCu: UNKNOWN },
      ACTIVE,
      `autoscalingLimitMaxCu 2 → known after apply may restart this compute. ${isActive} then.`,
    ],
  ])("%j, %j: %s", (desired, activity, text) => {
    expect(sentenceNow(change(desired), activity)).toBe(text);
  });

  test("where nobody can tell what it does now, the sentence says if", () => {
    expect(sentenceNow(change({ autoscalingLimitMaxCu: 4 }), undefined)).toBe(
      "autoscalingLimitMaxCu 2 → 4 restarts this compute if it is active; open connections drop then.",
    );
  });
});

test.each([
  ["deleted", /; the old compute is deleted$/],
  ["released", /; the old compute is released and keeps its connections$/],
  ["perhaps-deleted", /; the old compute is deleted, unless the option retainOnDelete keeps it$/],
  ["kept", /new host$/],
  [undefined, /new host$/],
] as const)("a replaced compute that is %s", (fate, text) => {
  expect(sentence(replacementOf(HAS, { type: "read_only" }), fate)).toMatch(text);
});
