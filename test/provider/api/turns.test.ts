import { expect, test } from "vitest";
import { Turns } from "../../../provider/api/turns.js";
import { VirtualClock } from "../../support/virtual-clock.js";

function workshop() {
  const clock = new VirtualClock();
  const turns = new Turns();
  const log: string[] = [];
  const take = (project: string, name: string, ms: number, fails = false) =>
    turns.take(project, async () => {
      log.push(`${name} begins at ${clock.now()}`);
      await clock.sleep(ms);
      log.push(`${name} ends at ${clock.now()}`);
      if (fails) throw new Error(name);
      return name;
    });
  return { clock, turns, log, take };
}

test("one change at a time per project, first come first served; other projects don't wait", async () => {
  const { clock, log, take } = workshop();
  const all = [take("p", "a", 100), take("p", "b", 10), take("q", "c", 50), take("p", "d", 1)];
  expect(await clock.run(Promise.all(all))).toEqual(["a", "b", "c", "d"]);
  expect(log).toEqual([
    "a begins at 0",
    "c begins at 0",
    "c ends at 50",
    "a ends at 100",
    "b begins at 100",
    "b ends at 110",
    "d begins at 110",
    "d ends at 111",
  ]);
});

test("a change that fails gives the turn on, and the error to its own caller only", async () => {
  const { clock, take } = workshop();
  const all = [take("p", "a", 10, true), take("p", "b", 10)];
  const ends = await clock.run(Promise.allSettled(all));
  expect(ends.map((end) => end.status)).toEqual(["rejected", "fulfilled"]);
});

test("work that throws at once is a rejection, and nothing stays behind", async () => {
  const { clock, turns, take } = workshop();
  const broken = turns.take("p", () => {
    throw new Error("at once");
  });
  await expect(broken).rejects.toThrow("at once");
  expect(await clock.run(take("p", "next", 1))).toBe("next");
});
