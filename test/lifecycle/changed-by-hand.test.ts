/** Under `refuse`, an approval is of a change from the values in the state. Somebody may have changed the compute since. */
import { expect, test } from "vitest";
import type { LabOptions } from "../support/lab.js";
import { approving, byHand, changes, compute, Lab, labWith, type Props, primary, spoil } from "./support.js";

const sized = (lab: Lab, min: number, max = min) =>
  byHand(lab, compute(lab, "db").id, { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });

/** The same stack with another config. */
function withConfig(lab: Lab, config: LabOptions["config"]): Lab {
  const next = new Lab({ beside: lab, config });
  next.state.set("db", lab.resource("db"));
  return next;
}

/** The same stack under `refuse`, with an approval of the change from its state to `next`. */
const approved = (lab: Lab, next: Props): Lab =>
  withConfig(lab, { onRestart: "refuse", approvals: approving(lab, next) });

const limits = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });

test.each([
  ["another size", primary({ size: 1 }), primary({ size: 2 }), 4, 4, "size 1 → 4"],
  [
    "a range",
    primary({ size: 1 }),
    primary({ size: 2 }),
    0.5,
    4,
    "autoscalingLimitMinCu 1 → 0.5, autoscalingLimitMaxCu 1 → 4",
  ],
  ["another upper limit", primary(limits(1, 2)), primary(limits(1, 4)), 1, 8, "autoscalingLimitMaxCu 2 → 8"],
])("%s by hand: the approved change is not sent, and refresh is named", async (_rule, first, next, min, max, says) => {
  const lab = approved(await labWith("db", first), next);
  sized(lab, min, max);
  const outcome = await lab.fails("db", next);
  expect(outcome.error.message).toContain(
    `changed ${says} of compute ${compute(lab, "db").id} since the state was recorded. `,
  );
  expect(outcome.error.message).toContain("pulumi refresh");
  expect(changes(outcome)).toEqual([]);
  await lab.refresh();
  const again = approved(lab, next);
  expect(changes(await again.up("db", next))).toHaveLength(1);
});

test("to what the program wants: nothing is sent, and nothing fails", async () => {
  const next = primary({ size: 2 });
  const lab = approved(await labWith("db", primary({ size: 1 })), next);
  sized(lab, 2);
  expect(changes(await lab.up("db", next))).toEqual([]);
});

test("in a setting that the change leaves alone, or that restarts nothing: the approval holds", async () => {
  const next = primary({ ...limits(1, 4), suspendTimeoutSeconds: 600 });
  const lab = approved(await labWith("db", primary({ ...limits(1, 2), suspendTimeoutSeconds: 300 })), next);
  byHand(lab, compute(lab, "db").id, { autoscaling_limit_min_cu: 0.5, suspend_timeout_seconds: 120 });
  expect(changes(await lab.up("db", next))).toHaveLength(1);
});

test.each([
  ["the stack only warns", {}, {}],
  ["the resource itself lets it pass", { onRestart: "refuse" } as const, { onRestart: "warn" }],
])("%s: the change is sent", async (_rule, config, own) => {
  const lab = withConfig(await labWith("db", primary({ size: 1, ...own })), config);
  sized(lab, 4);
  expect(changes(await lab.up("db", primary({ size: 2, ...own })))).toHaveLength(1);
});

test("a change that an earlier step has left unfinished is finished", async () => {
  const next = primary({ size: 2, customTimeouts: { update: "30s" } });
  const lab = approved(await labWith("db", primary({ size: 1 })), next);
  spoil(lab, { operation: { action: "apply_config", then: "failed" } });
  await lab.fails("db", next);
  lab.emulator.faults.clear();
  await lab.up("db", next);
  expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
});

test("a value that the service did not apply the last time was not changed by hand", async () => {
  const next = primary({ size: 4 });
  const first = await labWith("db", primary({ size: 1 }));
  spoil(first, { ignore: { fields: ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"], times: 9 } });
  await first.up("db", primary({ size: 2 }));
  first.emulator.faults.clear();
  const lab = approved(first, next);
  expect(changes(await lab.up("db", next))).toHaveLength(1);
});
