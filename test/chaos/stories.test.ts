/** Random stories, a few of those that `npm run chaos` plays by the thousand. */
import { expect, test } from "vitest";
import { run } from "../../tools/chaos/run";
import { account, neverHit } from "../../tools/chaos/table";
import { Tally } from "../../tools/chaos/tally";

const SEED = 1;

test("300 stories of programs, commands and faults, and no promise is broken", { timeout: 300_000 }, async () => {
  const { tally, found } = await run({ runs: 300, seed: SEED });
  expect(found ? account(found, SEED).join("\n") : "").toBe("");
  expect(tally.runs).toBe(300);
  // Most kinds of faults come up even in so few; that all of them do is held by the long run.
  expect(neverHit(tally).length).toBeLessThan(neverHit(new Tally()).length / 5);
});
