import { describe, expect, test } from "vitest";
import { RateLimitCooldown } from "../../../provider/api/rate-limit.js";
import { Deadline } from "../../../provider/clock.js";
import { PROJECT, scripted } from "../../support/scripted-service.js";

describe("a 429 to one", () => {
  test("halts all, for twice as long each time, and for 10 s at most", () => {
    const refusals = new RateLimitCooldown();
    const pauses = [0, 1, 2, 3, 4, 5, 6].map(() => {
      refusals.sent(0);
      refusals.refused(0);
      return refusals.until;
    });
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  test("halts them for as long as the service asks, and for a minute at most", () => {
    const refusals = new RateLimitCooldown();
    refusals.refused(0, 7000);
    expect(refusals.until).toBe(7000);
    refusals.refused(100, 3_600_000);
    expect(refusals.until).toBe(60_100);
  });

  test("says nothing new where several were under way", () => {
    const refusals = new RateLimitCooldown();
    for (const at of [0, 10, 20]) refusals.refused(at);
    expect(refusals.until).toBe(500);
  });

  test("is over with the first other answer", () => {
    const refusals = new RateLimitCooldown();
    expect(refusals.served()).toBe(false);
    refusals.refused(0);
    expect([refusals.served(), refusals.until]).toEqual([true, Number.NEGATIVE_INFINITY]);
    refusals.refused(1000);
    expect(refusals.until).toBe(1500);
  });

  test("lets one see, and another where that one has no answer within 5 s", () => {
    const refusals = new RateLimitCooldown();
    refusals.refused(0);
    refusals.sent(500);
    expect(refusals.until).toBe(5500);
  });
});

/** A limiter of `most` requests a minute. */
function limited(most: number, counts: "all" | "served") {
  const times: number[] = [];
  const s = scripted(async () => {
    const now = s.clock.now();
    while (times[0] !== undefined && times[0] <= now - 60_000) times.shift();
    const isServed = times.length < most;
    if (isServed || counts === "all") times.push(now);
    await s.clock.sleep(100);
    return isServed ? { status: 200, body: { endpoint: { id: "ep-a" } } } : { status: 429 };
  });
  const ask = (index: number) =>
    s.context.client.getEndpoint(`${PROJECT}-${index % 4}`, "ep-a", new Deadline(s.clock, 600_000));
  return { s, all: (n: number) => s.clock.run(Promise.all(Array.from({ length: n }, (_, index) => ask(index)))) };
}

test("a limiter that counts what it refuses lets everybody through all the same", async () => {
  const { s, all } = limited(30, "all");
  await all(120);
  // Three whole minutes is the least: 30 at once, and 30 in each minute after.
  expect(s.clock.now()).toBeLessThan(420_000);
  expect(s.seen.length).toBeLessThan(120 * 2);
});

test("beside one that does not, few are refused", async () => {
  const { s, all } = limited(60, "served");
  await all(120);
  expect(s.seen.length).toBeLessThan(120 * 1.5);
});
