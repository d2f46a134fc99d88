import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { alwaysOnProblem, rangeProblem, SIZES, sizeProblem, suspendProblem } from "../../../provider/rules/size.js";

describe("the ladder", () => {
  test("has 38 sizes, written out", () => {
    expect(SIZES).toEqual([
      0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40,
      42, 44, 46, 48, 50, 52, 54, 56,
    ]);
  });

  test.each([
    [0, "the smallest is 0.25"],
    [0.1, "the smallest is 0.25"],
    [-4, "the smallest is 0.25"],
    [0.3, "the nearest are 0.25 and 0.5"],
    [0.75, "the nearest are 0.5 and 1"],
    [1.5, "the nearest are 1 and 2"],
    [3.5, "the nearest are 3 and 4"],
    [16.5, "the nearest are 16 and 18"],
    [17, "the nearest are 16 and 18"],
    [55, "the nearest are 54 and 56"],
    [57, "the largest is 56"],
    [1000, "the largest is 56"],
  ])("%d is not a size: %s", (cu, nearest) => {
    expect(sizeProblem(cu)).toMatch(new RegExp(`^${cu} is not a size: ${nearest} `));
  });

  test("every size has no problem", () => {
    expect(SIZES.map(sizeProblem)).toEqual(SIZES.map(() => undefined));
  });
});

describe("a pair of limits", () => {
  test.each([
    [1, 1],
    [56, 56],
    [0.25, 8],
    [0.25, 0.5],
    [1, 9],
    [8, 16],
    [0.5, 8],
    [16, 16],
  ])("%d to %d is fine", (min, max) => {
    expect(rangeProblem(min, max)).toBeUndefined();
  });

  test.each([
    [2, 1, /lower limit 2 is above the upper limit 1/],
    [56, 0.25, /above/],
    [0.25, 9, /too wide.*Raise the lower limit to 1 .*lower the upper one to 8 /],
    [1, 10, /too wide.*Raise the lower limit to 2 .*lower the upper one to 9 /],
    [0.5, 9, /too wide.*Raise the lower limit to 1 /],
    [16, 18, /autoscaling ends at 16 CU.*size: 18/],
    [1, 56, /autoscaling ends at 16/],
  ])("%d to %d is refused, with the way out", (min, max, message) => {
    expect(rangeProblem(min, max)).toMatch(message);
  });

  test("what a refusal advises is accepted", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SIZES), fc.constantFrom(...SIZES), (min, max) => {
        const said = rangeProblem(min, max) ?? "";
        const raise = /Raise the lower limit to ([\d.]+)/.exec(said)?.[1];
        const lower = /lower the upper one to ([\d.]+)/.exec(said)?.[1];
        if (raise)
          expect([sizeProblem(Number(raise)), rangeProblem(Number(raise), max)]).toEqual([undefined, undefined]);
        if (lower)
          expect([sizeProblem(Number(lower)), rangeProblem(min, Number(lower))]).toEqual([undefined, undefined]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a compute above 16 CU never suspends", () => {
  test.each([
    [16, 300, false],
    [18, -1, false],
    [18, 0, true],
    [18, 300, true],
    [56, 604_800, true],
    [0.25, 0, false],
  ])("%d CU with a timeout of %d is refused: %s", (max, seconds, refused) => {
    expect(alwaysOnProblem(max, seconds) !== undefined).toBe(refused);
  });
});

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
