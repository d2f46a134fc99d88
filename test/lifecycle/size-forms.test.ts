import { describe, expect, test } from "vitest";
import { byHand, changes, labWith, primary } from "./support.js";

describe("a size in another form", () => {
  test("is shown whole, so both limits are sent, also where somebody has changed one by hand", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
    const outcome = await lab.up("db", primary({ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 }));
    expect(changes(outcome).map(([, body]) => body)).toEqual([
      { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 } },
    ]);
  });

  test("and of the same value is no change", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
    const outcome = await lab.up("db", primary({ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 }));
    expect([outcome.op, changes(outcome)]).toEqual(["same", []]);
  });
});
