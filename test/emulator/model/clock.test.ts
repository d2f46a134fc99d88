import { describe, expect, test } from "vitest";
import { createEmulator, type Time } from "../../../emulator/index.js";
import { emulator, OPERATION_MS, PRIMARY, statuses } from "../support.js";

const START = Date.UTC(2026, 4, 4, 9);

/** A clock on the wall, which the test moves; who sleeps on it is woken by the test, too. */
function wall() {
  const sleepers: { until: number; wake: () => void }[] = [];
  let now = START;
  const source: Time = {
    now: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ until: now + ms, wake })),
  };
  const pass = (ms: number) => {
    now += ms;
    for (const one of sleepers.filter(({ until }) => until <= now)) one.wake();
  };
  return { source, pass };
}

const start = (time: Time | "virtual" | "real" = wall().source) => emulator({ time });
const readTime = async (emulated: ReturnType<typeof emulator>) => (await emulated.control("GET", "/time")).body;

describe("the clock", () => {
  test("goes by itself, and is told", async () => {
    const { source, pass } = wall();
    const emulated = start(source);
    expect(await readTime(emulated)).toEqual({ mode: "real", now: "2026-05-04T09:00:00.000Z", nowMs: START });
    pass(1500);
    expect((await readTime(emulated)).nowMs).toBe(START + 1500);
  });

  test.each(["real", "virtual"] as const)("is moved forward, and what became due has happened (%s)", async (mode) => {
    const emulated = start();
    await emulated.control("POST", "/time", { mode });
    const reply = await emulated.call("POST", `${PRIMARY}/restart`);
    const moved = await emulated.control("POST", "/time", { advanceMs: 2 * OPERATION_MS });
    expect(moved.body).toMatchObject({ mode, nowMs: START + 2 * OPERATION_MS });
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished"]);
    expect((await emulated.endpoint()).started_at).toBe("2026-05-04T09:00:01Z");
  });

  test("stands still when it is virtual, and goes on from there: it never goes back and never jumps", async () => {
    const { source, pass } = wall();
    const emulated = start(source);
    pass(1000);
    await emulated.control("POST", "/time", { mode: "virtual" });
    pass(5000);
    expect((await readTime(emulated)).nowMs).toBe(START + 1000);
    await emulated.control("POST", "/time", { advanceMs: 200 });
    expect((await readTime(emulated)).nowMs).toBe(START + 1200);
    await emulated.control("POST", "/time", { mode: "real" });
    expect((await readTime(emulated)).nowMs).toBe(START + 1200);
    pass(300);
    expect((await readTime(emulated)).nowMs).toBe(START + 1500);
    await emulated.control("POST", "/time", { advanceMs: 100 });
    await emulated.control("POST", "/time", { mode: "virtual", advanceMs: 10 });
    expect(await readTime(emulated)).toMatchObject({ mode: "virtual", nowMs: START + 1610 });
  });

  test("can stand still from the start", async () => {
    const emulated = start("virtual");
    const { nowMs } = await readTime(emulated);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await readTime(emulated)).toMatchObject({ mode: "virtual", nowMs });
  });

  test("moves in this process as it does over the wire", () => {
    const { clock } = createEmulator({ time: wall().source });
    clock.run("virtual");
    clock.advance(250);
    expect([clock.mode, clock.now()]).toEqual(["virtual", START + 250]);
    expect(() => clock.advance(-1)).toThrow("time goes forward only");
    expect(() => clock.advance(Number.NaN)).toThrow("time goes forward only");
    expect(clock.now()).toBe(START + 250);
  });

  test.each([
    [undefined, "not a time"],
    [{}, "nothing to do"],
    [{ advanceMs: -1 }, "advanceMs"],
    [{ advanceMs: "5" }, "advanceMs"],
    [{ advanceMs: 1e12 }, "advanceMs"],
    [{ mode: "fast" }, "mode"],
    [{ advance: 5 }, "advance"],
  ])("is not moved by %j", async (body, reason) => {
    const emulated = start();
    const reply = await emulated.control("POST", "/time", body);
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining(reason)]);
    expect(await readTime(emulated)).toMatchObject({ mode: "real", nowMs: START });
  });
});

describe("an answer that is delayed", () => {
  async function delayed(mode: "real" | "virtual") {
    const { source, pass } = wall();
    const emulated = start(source);
    emulated.running.faults.add({ match: { path: PRIMARY }, then: { delayMs: 1000 } });
    emulated.running.clock.run(mode);
    let answered = false;
    const reply = emulated.call("GET", PRIMARY).then((value) => {
      answered = true;
      return value;
    });
    const isAnswered = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      return answered;
    };
    return { pass, clock: emulated.running.clock, isAnswered, reply };
  }

  test("comes when its time has passed by itself", async () => {
    const { pass, isAnswered, reply } = await delayed("real");
    pass(999);
    expect(await isAnswered()).toBe(false);
    pass(1);
    expect((await reply).status).toBe(200);
  });

  test.each(["real", "virtual"] as const)("comes when the clock is moved beyond it (%s)", async (mode) => {
    const { clock, isAnswered, reply } = await delayed(mode);
    clock.advance(999);
    expect(await isAnswered()).toBe(false);
    clock.advance(1);
    expect((await reply).status).toBe(200);
  });

  test("waits while the clock stands, and goes on with it", async () => {
    const { pass, clock, isAnswered, reply } = await delayed("real");
    clock.run("virtual");
    pass(5000);
    expect(await isAnswered()).toBe(false);
    clock.run("real");
    expect(await isAnswered()).toBe(false);
    pass(1000);
    expect((await reply).status).toBe(200);
  });
});
