import { describe, expect, test } from "vitest";
import { VirtualClock } from "./virtual-clock.js";

describe("the virtual clock", () => {
  test("wakes sleepers in the order of their times, and then in the order of falling asleep", async () => {
    const clock = new VirtualClock();
    const woken: string[] = [];
    const sleeper = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.now()}`);
    };
    await clock.run(Promise.all([sleeper("c", 300), sleeper("a", 100), sleeper("d", 300), sleeper("b", 200)]));
    expect(woken).toEqual(["a@100", "b@200", "c@300", "d@300"]);
  });

  test("lets code run on between two sleepers, and gives results and errors", async () => {
    const clock = new VirtualClock();
    const work = async () => {
      for (let i = 0; i < 5; i++) await clock.sleep(10);
      return clock.now();
    };
    expect(await clock.run(Promise.all([work(), work()]))).toEqual([50, 50]);
    await expect(clock.run(clock.sleep(5).then(() => Promise.reject(new Error("no"))))).rejects.toThrow("no");
    expect(clock.now()).toBe(55);
  });

  test("says so when the promise can never settle, or never ends", async () => {
    const clock = new VirtualClock({ limitMs: 1000, graceMs: 5 });
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow("at 0 ms nobody sleeps any more");
    const forever = async () => {
      for (;;) await clock.sleep(100);
    };
    await expect(clock.run(forever())).rejects.toThrow("has not settled within 1000 virtual ms");
  });

  test("stands still while real work is held", async () => {
    const clock = new VirtualClock();
    const real = () => clock.hold(() => new Promise((resolve) => setTimeout(resolve, 20)));
    const late = clock.sleep(1000).then(() => "late");
    expect(await clock.run(Promise.race([late, real().then(() => clock.now())]))).toBe(0);
  });

  test("two runs at once both come to their end", async () => {
    const clock = new VirtualClock();
    const times = await Promise.all([
      clock.run(clock.sleep(50).then(() => clock.now())),
      clock.run(clock.sleep(80).then(() => clock.now())),
    ]);
    expect(times).toEqual([50, 80]);
  });

  test("advance wakes only the sleepers whose time has come", async () => {
    const clock = new VirtualClock();
    const woken: number[] = [];
    for (const ms of [10, 20, 30]) void clock.sleep(ms).then(() => woken.push(ms));
    await clock.advance(25);
    expect([woken, clock.now(), clock.sleeping]).toEqual([[10, 20], 25, 1]);
  });

  test("the same seed gives the same chance", () => {
    const three = (seed: number) => {
      const clock = new VirtualClock({ seed });
      return [clock.random(), clock.random(), clock.random()];
    };
    expect(three(7)).toEqual(three(7));
    expect(three(7)).not.toEqual(three(8));
    for (const one of three(7)) expect(one).toSatisfy((value: number) => value >= 0 && value < 1);
  });
});
