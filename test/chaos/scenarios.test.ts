/** A few of the random scenarios that `npm run chaos` plays by the thousand. */
import { expect, test } from "vitest";
import { run } from "./run";
import { Statistics } from "./statistics";
import { describeCounterexample, neverHit } from "./table";

const SEED = 1;

test("300 scenarios of programs, commands and faults break no promise", { timeout: 300_000 }, async () => {
  const { statistics, counterexample } = await run({ runs: 300, seed: SEED });
  expect(counterexample ? describeCounterexample(counterexample, SEED).join("\n") : "").toBe("");
  expect(statistics.runs).toBe(300);
  // Most kinds of faults hit even in so few runs. The long run demands all of them.
  expect(neverHit(statistics).length).toBeLessThan(neverHit(new Statistics()).length / 5);
});
