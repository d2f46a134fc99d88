/** How late the end of work is noticed, and what that costs: a simulation in virtual time of real waits. */
import { describe, expect, test } from "vitest";
import { mean, mostWithin } from "../../../tools/bench/math";
import { type SimulatedWait, simulateWaits } from "../../support/simulated-waits.js";
import { VirtualClock } from "../../support/virtual-clock.js";

const MINUTE_MS = 60_000;
/** Half of the 700 requests a minute that the public service grants an account. */
const MOST_A_MINUTE = 350;

/** The same numbers in [0, 1) for the same seed. */
const numbers = (seed: number) => {
  const clock = new VirtualClock({ seed });
  return () => clock.random();
};
const repeated = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("the end of one operation, the first of its kind,", () => {
  const RUNS = 60;

  test.each([
    [300, 1],
    [1_000, 3],
    [2_000, 6],
    [3_000, 9],
    [6_500, 17],
    [15_000, 26],
    [40_000, 36],
  ])("of %i ms is noticed 5.7 percent or 0.2 s late at most on average, with %i polls", async (durationMs, polls) => {
    const runs = await Promise.all(repeated(RUNS, (seed) => simulateWaits([{ durationMs }], { seed })));
    const lateMs = mean(runs.flatMap((run) => run.lateMs));
    const looks = mean(runs.map((run) => run.polledAt.length));
    expect(lateMs).toBeLessThanOrEqual(Math.max(200, 0.057 * durationMs));
    expect(Math.round(looks)).toBeLessThanOrEqual(polls);
  });
});

describe("projects that wait at once", () => {
  const random = numbers(7);
  const spread = (from: number, to: number) => () => from + random() * (to - from);
  const logSpread = (from: number, to: number) => () => from * (to / from) ** random();
  const of = (count: number, durationMs: () => number, everyMs = 0): SimulatedWait[] =>
    repeated(count, (index) => ({ durationMs: durationMs(), startsAtMs: index * everyMs }));
  const equal = (count: number, most: number): [string, SimulatedWait[], number, number] => [
    `${count} of 300 s`,
    of(count, () => 300_000),
    most,
    2.5,
  ];

  // Growing pauses up to 5 s, whoever else waits, sent 700 polls in a minute here (635 and 322 in the third and the last but two
  // rows), and noticed the ends 2.7, 2.4, 2.5, 3.1, 2.6, 2.5, 0.8, 0.8 s late.
  test.each<[what: string, waits: SimulatedWait[], most: number, lateSeconds: number]>([
    ["50 of 15 to 300 s", of(50, spread(15_000, 300_000)), MOST_A_MINUTE, 4],
    ["50 of 15 to 300 s, most of them short", of(50, logSpread(15_000, 300_000)), MOST_A_MINUTE, 4],
    // The first ones do not know that others will come.
    ["50 of 15 to 300 s, one each second", of(50, spread(15_000, 300_000), 1000), 1.3 * MOST_A_MINUTE, 5],
    // The first end tells the others when to look.
    ["50 of 15 s", of(50, () => 15_000), MOST_A_MINUTE, 1],
    ["50 of 60 s", of(50, () => 60_000), MOST_A_MINUTE, 1],
    ["50 of 300 s", of(50, () => 300_000), MOST_A_MINUTE, 1],
    ["50 of 1 s", of(50, () => 1_000), MOST_A_MINUTE, 1],
    ["50 of 0.3 to 10 s", of(50, logSpread(300, 10_000)), MOST_A_MINUTE, 1.5],
    ...[2, 5, 8, 10, 12, 15, 20, 30, 40].map((count) => equal(count, MOST_A_MINUTE)),
    ...[80, 100, 150, 200].map((count) => equal(count, 1.4 * MOST_A_MINUTE)),
  ])(
    "%s: the polls of any minute stay within the budget, and the ends are noticed in time",
    async (_what, waits, most, lateSeconds) => {
      const { lateMs, polledAt } = await simulateWaits(waits);
      expect(mostWithin(polledAt, MINUTE_MS)).toBeLessThanOrEqual(most);
      expect(mean(lateMs) / 1000).toBeLessThanOrEqual(lateSeconds);
    },
  );

  test("fewer than eight are looked at as often as one", async () => {
    const one = await simulateWaits([{ durationMs: 50_000 }], { seed: 3 });
    const seven = await simulateWaits(repeated(7, (index) => ({ durationMs: 50_000, action: `kind-${index}` })));
    expect(seven.polledAt.length / 7).toBeGreaterThan(0.95 * one.polledAt.length);
  });

  test("have half of the rate that the process is given", async () => {
    const waits = of(10, () => 300_000);
    for (const requestsPerMinute of [35, 100, 300]) {
      const { polledAt } = await simulateWaits(waits, { requestsPerMinute });
      expect(mostWithin(polledAt, MINUTE_MS)).toBeLessThanOrEqual(0.7 * requestsPerMinute);
    }
  });

  test("keep a fixed pause where that is configured", async () => {
    const { polledAt } = await simulateWaits(
      of(20, () => 60_000),
      { pollSeconds: 10 },
    );
    expect(polledAt).toEqual(repeated(6, (round) => Array(20).fill(10_000 * (round + 1))).flat());
  });

  test("learn from the first end, if their work takes equally long, and from none of another kind", async () => {
    const waits = (kinds: number) =>
      repeated(50, (index) => ({ durationMs: 100_000, action: `kind-${index % kinds}` }));
    const late = async (kinds: number) => mean((await simulateWaits(waits(kinds))).lateMs);
    expect(await late(1)).toBeLessThan(1000);
    expect(await late(50)).toBeGreaterThan(3000);
  });

  test("send few polls in vain if their work does not", async () => {
    const waits = repeated(50, (index) => ({ durationMs: index === 0 ? 15_000 : 58_000 }));
    const others = await simulateWaits(waits.slice(1));
    const all = await simulateWaits(waits);
    expect(all.polledAt.length - others.polledAt.length).toBeLessThan(20);
  });
});
