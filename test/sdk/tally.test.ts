import { expect, test } from "vitest";
import type { Activity } from "../../provider/rules/current-state.js";
import type { Impact } from "../../provider/rules/impact.js";
import { effectOn, Tally } from "../../sdk/tally.js";

const ACTIVE: Activity = { state: "active" };
const IDLE: Activity = { state: "idle" };
const DISABLED: Activity = { state: "disabled" };

function lineOf(...changes: [number, Impact, Activity?][]): string | undefined {
  const tally = new Tally();
  const all = changes.flatMap(([count, ...change]) => Array.from({ length: count }, () => change));
  all.forEach(([impact, activity], at) => void tally.note(`urn-${at}`, effectOn(impact, activity)));
  return tally.line();
}

test.each<[string, [number, Impact, Activity?][], string | undefined]>([
  ["nothing", [], undefined],
  ["one, which has its own line", [[1, "restart", ACTIVE]], undefined],
  ["harmless ones", [[5, "none", ACTIVE]], undefined],
  [
    "active and idle",
    [
      [9, "restart", ACTIVE],
      [3, "restart", IDLE],
    ],
    "9 active computes restart, 3 inactive computes change without dropping connections.",
  ],
  [
    "idle and disabled",
    [
      [1, "restart", IDLE],
      [1, "restart", DISABLED],
    ],
    "2 inactive computes change without dropping connections.",
  ],
  ["unknown moments", [[12, "restart"]], "12 computes restart if active."],
  [
    "one of each",
    [
      [1, "restart", ACTIVE],
      [1, "may-restart", ACTIVE],
      [1, "may-restart", IDLE],
      [1, "stop", IDLE],
      [1, "new-host"],
      [1, "restart"],
    ],
    "1 compute gets a new host, 1 compute stops, 1 active compute restarts, 1 compute restarts if active, 1 compute may restart, 1 inactive compute changes without dropping connections.",
  ],
])("%s", (_what, changes, line) => {
  expect(lineOf(...changes)).toBe(line);
});

test("a line is said once, and again where it has changed", () => {
  const tally = new Tally();
  tally.note("a", effectOn("restart", ACTIVE));
  tally.note("b", effectOn("restart", ACTIVE));
  tally.note("b", effectOn("restart", ACTIVE));
  expect(tally.line()).toBe("2 active computes restart.");
  expect(tally.line()).toBeUndefined();
  tally.note("c", effectOn("stop", ACTIVE));
  expect(tally.line()).toBe("1 compute stops, 2 active computes restart.");
});
