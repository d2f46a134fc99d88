import { expect, test } from "vitest";
import { suspendProblem } from "../../../provider/rules/suspend.js";

test.each([-1, 0, 60, 61, 300, 604_800])("%d seconds is a suspend timeout", (seconds) => {
  expect(suspendProblem(seconds)).toBeUndefined();
});

test.each([-2, -0.5, 1, 59, 59.9, 60.5, 604_801, Number.MAX_SAFE_INTEGER])(
  "%d seconds is none, and the message says which are",
  (seconds) => {
    const said = suspendProblem(seconds);
    for (const part of [String(seconds), "-1 (never)", "0 (the service's default", "60", "604800"])
      expect(said).toContain(part);
  },
);
