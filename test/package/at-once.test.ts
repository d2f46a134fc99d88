/** examples/automation/at-once.ts: how many stacks run at once. */
import { expect, test } from "vitest";
import { stacksAtOnce } from "../../examples/automation/at-once";

const GB = 1024 ** 3;

test.each([
  ["two cores with much memory", 2, 16 * GB, 6],
  ["a large machine", 32, 256 * GB, 96],
  ["a small runner: the memory decides", 2, 1.5 * GB, 3],
  ["a large machine that is almost full", 32, 4 * GB, 10],
  ["no memory to speak of", 2, 0.1 * GB, 1],
])("%s", (_machine, cores, freeBytes, expected) => {
  expect(stacksAtOnce({ cores, freeBytes })).toBe(expected);
});

test("this machine runs at least one", () => {
  expect(stacksAtOnce()).toBeGreaterThanOrEqual(1);
  expect(Number.isInteger(stacksAtOnce())).toBe(true);
});
