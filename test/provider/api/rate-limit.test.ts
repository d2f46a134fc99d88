import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RateLimiter } from "../../../provider/api/rate-limit.js";
import { Deadline } from "../../../provider/clock.js";
import { PROJECT, scripted } from "../../support/scripted-service.js";
import { VirtualClock } from "../../support/virtual-clock.js";

const ASKS = { project: "p", route: "GET endpoints" };

/** Sends that many requests as fast as the rate lets them, and gives the moments. */
async function send(count: number, requestsPerMinute: number | undefined, route: (i: number) => string) {
  const clock = new VirtualClock();
  const rate = new RateLimiter(clock, requestsPerMinute);
  const deadline = new Deadline(clock, 3_600_000);
  const sent: Array<{ i: number; at: number; route: string }> = [];
  const all = Array.from({ length: count }, async (_, i) => {
    await rate.take({ project: "p", route: route(i) }, deadline);
    sent.push({ i, at: clock.now(), route: route(i) });
  });
  await clock.run(Promise.all(all));
  return sent;
}

const mostWithin = (times: number[], windowMs: number) =>
  Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + windowMs).length));

describe("the rate", () => {
  test("keeps within 700 a minute per account and 40 a second per route, in the order of asking", async () => {
    const sent = await send(2000, undefined, () => "GET endpoints");
    const times = sent.map((one) => one.at);
    expect(mostWithin(times.slice(0, 900), 60_000)).toBeLessThanOrEqual(700);
    expect(mostWithin(times, 1000)).toBeLessThanOrEqual(40);
    expect(sent.map((one) => one.i)).toEqual(sent.map((_, i) => i));
    // And uses most of it.
    expect(times.at(-1)).toBeLessThan((2000 / 600) * 60_000);
  });

  test("lets the first requests of a run through at once", async () => {
    const sent = await send(20, undefined, () => "GET endpoints");
    expect(sent.every((one) => one.at === 0)).toBe(true);
  });

  test("holds for any number a minute", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 4 }), async (perMinute, routes) => {
        const sent = await send(Math.min(200, perMinute * 3), perMinute, (i) => `route ${i % routes}`);
        expect(
          mostWithin(
            sent.map((one) => one.at),
            60_000,
          ),
        ).toBeLessThanOrEqual(Math.max(2, perMinute));
        for (let i = 0; i < routes; i++) {
          const own = sent.filter((one) => one.route === `route ${i}`).map((one) => one.at);
          if (own.length > 0) expect(mostWithin(own, 1000)).toBeLessThanOrEqual(40);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("lets most of a minute's requests through at once, the rest one after the other, and then halts until the minute is over", async () => {
    const times = (await send(1500, undefined, (i) => `route ${i % 20}`)).map((one) => one.at);
    expect(times[489]).toBeLessThan(1500);
    expect(times[699]).toBeLessThan(32_000);
    const halts = times.slice(1).flatMap((at, i) => (at - times[i]! > 1000 ? [at - times[i]!] : []));
    // Once a minute, after the 700th and the 1400th.
    expect(halts).toHaveLength(2);
    expect(Math.max(...halts)).toBeLessThan(42_000);
  });

  test("refuses at once what does not fit before the deadline, and counts nothing for it", async () => {
    const clock = new VirtualClock();
    const rate = new RateLimiter(clock, 2);
    const long = new Deadline(clock, 600_000);
    await clock.run(rate.take(ASKS, long));
    await expect(clock.run(rate.take(ASKS, new Deadline(clock, 1000)))).rejects.toMatchObject({ kind: "deadline" });
    expect(clock.now()).toBe(0);
    await clock.run(rate.take(ASKS, long));
    expect(clock.now()).toBeLessThan(31_000);
  });

  test("refuses at its deadline what others of its project were served before", async () => {
    const clock = new VirtualClock();
    const rate = new RateLimiter(clock, 2);
    const long = new Deadline(clock, 600_000);
    const all = [long, long, new Deadline(clock, 40_000), long].map((deadline) => rate.take(ASKS, deadline));
    const ends = await clock.run(Promise.allSettled(all));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });

  test("lets a last look through after the deadline where nothing has to be waited for", async () => {
    const clock = new VirtualClock();
    await clock.run(new RateLimiter(clock).take(ASKS, new Deadline(clock, 0)));
    expect(clock.now()).toBe(0);
  });

  test("is shared by projects in turn: 500 reads of one don't hold up a change in another", async () => {
    const clock = new VirtualClock();
    const rate = new RateLimiter(clock, 60);
    const long = new Deadline(clock, 3_600_000);
    const order: string[] = [];
    const take = async (project: string, route: string) => {
      await rate.take({ project, route }, long);
      order.push(project);
    };
    // Of many routes, so that the account's rate is what they wait for.
    const all = Array.from({ length: 500 }, (_, index) => take("busy", `GET ${index % 5}`));
    all.push(take("other", "POST endpoints"), take("third", "PATCH endpoint"), take("other", "POST endpoints"));
    await clock.run(Promise.all(all));
    const waited = order.slice(order.indexOf("other") - 1).slice(0, 6);
    expect(order.indexOf("other")).toBeLessThan(46);
    expect(waited.filter((one) => one === "other")).toHaveLength(2);
    expect(waited).toContain("third");
  });

  test("of a route that is used up does not hold up another route", async () => {
    const clock = new VirtualClock();
    const rate = new RateLimiter(clock);
    const long = new Deadline(clock, 3_600_000);
    const reads = Array.from({ length: 100 }, () => rate.take(ASKS, long));
    let at = -1;
    const change = rate.take({ project: "p", route: "PATCH endpoint" }, long).then(() => {
      at = clock.now();
    });
    await clock.run(Promise.all([...reads, change]));
    expect(at).toBeLessThan(50);
  });
});

test.each([0, 25, 120])(
  "what a lost request did is looked for, also after its time and behind %i others",
  async (others) => {
    const s = scripted(
      async ({ method }) => {
        if (method !== "POST") return { status: 200, body: { endpoints: [{ id: "ep-a" }], endpoint: { id: "ep-b" } } };
        await s.clock.sleep(5000);
        return { code: "UND_ERR_SOCKET" };
      },
      { requestsPerMinute: 40 },
    );
    const { client, lists } = s.context;
    const step = new Deadline(s.clock, 4000);
    const beside = Array.from({ length: others }, () =>
      client.getEndpoint("other-project-1", "ep-b", new Deadline(s.clock, 600_000)),
    );
    const found = client
      .createEndpoint(PROJECT, { endpoint: { branch_id: "br-a", type: "read_only" } }, step)
      .catch(() => lists.fresh(PROJECT, step));
    expect(await s.clock.run(found)).toEqual([{ id: "ep-a" }]);
    await s.clock.run(Promise.all(beside));
  },
);

test("who waits for the rate alone and in vain leaves nothing that waits for ever", async () => {
  const s = scripted([{ status: 200, body: { endpoint: { id: "ep-a" } } }], { requestsPerMinute: 1 });
  const { client } = s.context;
  const ask = (ms: number) =>
    client.getEndpoint(PROJECT, "ep-a", new Deadline(s.clock, ms)).then(
      () => "sent",
      () => "late",
    );
  const all = Promise.all([ask(600_000), ask(61_000), ask(62_000)]);
  expect(await s.clock.run(all)).toEqual(["sent", "sent", "late"]);
  expect(await s.clock.run(ask(600_000))).toBe("sent");
});

test("who has not the time to wait for the end of a halt tries all the same", async () => {
  const clock = new VirtualClock();
  const rate = new RateLimiter(clock);
  rate.refused(30_000);
  const taken = [20_000, 600_000].map((ms) => rate.take(ASKS, new Deadline(clock, ms)).then(() => clock.now()));
  expect(await clock.run(Promise.all(taken))).toEqual([0, 5000]);
});
