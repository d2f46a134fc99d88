import { describe, expect, test } from "vitest";
import { Cancellation, cancellable } from "../../provider/cancellation.js";
import { deadlineFor, type SharedState } from "../../provider/endpoint/shared-state.js";
import { VirtualClock } from "../support/virtual-clock.js";

describe("a cancellation", () => {
  const begun = () => {
    const clock = new VirtualClock();
    return { clock, cancellation: new Cancellation(clock) };
  };
  const end = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: { kind: string }) => error.kind,
    );

  test.each([
    ["work that ends before", 500, 0, "done", 500],
    ["work without a grace", 5000, 0, "cancelled", 1000],
    ["work that ends within its grace", 2500, 2000, "done", 2500],
    ["work that takes longer than its grace", 5000, 2000, "cancelled", 3000],
  ])("a second later, and %s: takes %d ms, has %d ms → %s after %d ms", async (_what, takesMs, graceMs, how, ms) => {
    const { clock, cancellation } = begun();
    void clock.sleep(1000).then(() => cancellation.request());
    expect(await clock.run(end(cancellation.runUntilCancelled(graceMs, () => clock.sleep(takesMs))))).toBe(how);
    expect(clock.now()).toBe(ms);
  });

  test.each([
    ["nothing begins without a grace", 0, 10, 0, "cancelled"],
    ["work begins that has one, and ends with it", 2000, 10, 1500, "done"],
    ["the grace counts from the cancel", 2000, 10_000, 1500, "cancelled"],
    ["and is over some time", 2000, 10, 2500, "cancelled"],
  ])("after it: %s", async (_what, graceMs, takesMs, laterMs, how) => {
    const { clock, cancellation } = begun();
    cancellation.request();
    await clock.advance(laterMs);
    let isBegun = false;
    const work = () => {
      isBegun = true;
      return clock.sleep(takesMs);
    };
    expect(await clock.run(end(cancellation.runUntilCancelled(graceMs, work)))).toBe(how);
    expect(isBegun).toBe(laterMs < graceMs);
  });

  test("aborts what it ends, and what has ended hears nothing", async () => {
    const { clock, cancellation } = begun();
    const signals: AbortSignal[] = [];
    const work = (ms: number) =>
      end(
        cancellation.runUntilCancelled(0, (signal) => {
          signals.push(signal);
          return clock.sleep(ms);
        }),
      );
    const both = Promise.all([work(10), work(1000)]);
    void clock.sleep(100).then(() => cancellation.request());
    expect(await clock.run(both)).toEqual(["done", "cancelled"]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  test("ends the sleep of a clock, and a second one changes nothing", async () => {
    const { clock, cancellation } = begun();
    const sleep = end(cancellable(clock, cancellation).sleep(60_000));
    cancellation.request();
    cancellation.request();
    expect(await clock.run(sleep)).toBe("cancelled");
    expect(clock.now()).toBe(0);
  });
});

test.each([
  ["update", "nothing is said at all", {}, undefined, 600],
  ["update", "the class was told", {}, "90s", 90],
  ["update", "the engine's request says otherwise", { timeoutMs: 5000 }, "90s", 5],
  ["update", "the engine's request alone says so", { timeoutMs: 5000 }, undefined, 5],
  ["update", "the engine tells none", { timeoutMs: 0 }, "90s", 90],
  ["delete", "an old state tells the engine none", { timeoutMs: 0 }, "90s", 90],
  ["delete", "the engine's request says otherwise", { timeoutMs: 5000 }, "90s", 5],
  ["delete", "nobody was told", { timeoutMs: 0 }, undefined, 600],
] as const)("the limit of an %s where %s", (step, _where, request, told, seconds) => {
  const shared = { context: { clock: new VirtualClock() } } as unknown as SharedState;
  const limits = told === undefined ? undefined : { [step]: told };
  expect(deadlineFor(shared, step, request, limits).budgetMs).toBe(seconds * 1000);
});
