import { describe, expect, test } from "vitest";
import { CHANGE, failed, get, minutes, P, post } from "../../support/client-calls.js";
import { PROJECT, scripted } from "../../support/scripted-service.js";

describe("a lock", () => {
  const operation = (status: string) => ({ id: "11", action: "check_availability", status, endpoint_id: "ep-x" });
  const page = (status: string) => ({
    status: 200,
    body: { operations: [operation(status), { id: "9", status: "failed" }] },
  });
  const busy = { status: 423, body: { message: "busy" } };

  test("waits for what goes on, whosever it is, and sends the change again", async () => {
    const service = scripted([
      busy,
      page("running"),
      { status: 200, body: { operation: operation("running") } },
      { status: 200, body: { operation: operation("failed") } },
      CHANGE,
    ]);
    await service.clock.run(post(service));
    const look = `GET ${P}/operations/11`;
    expect(service.lines()).toEqual([
      `POST ${P}/endpoints`,
      `GET ${P}/operations?limit=100`,
      look,
      look,
      `POST ${P}/endpoints`,
    ]);
    expect(service.clock.now()).toBeLessThan(2500);
  });

  test("outlives one of 45 s that nothing explains, and says that it waits", async () => {
    const service = scripted((request) =>
      request.method === "GET"
        ? { status: 200, body: { operations: [] } }
        : service.clock.now() < 45_000
          ? busy
          : CHANGE,
    );
    await service.clock.run(post(service));
    expect(service.clock.now()).toBeLessThan(56_000);
    expect(service.seen.filter((one) => one.method === "POST").length).toBeLessThan(20);
    expect(service.said[0]).toMatch(
      /^POST \S+: the service answered 423: busy; trying again in [\d.]+ s, for at most 9 min [45]\d s more$/,
    );
    expect(service.said.length).toBeLessThanOrEqual(2);
  });

  test("tries again after 30 s although something goes on for ever", async () => {
    const service = scripted((request) =>
      request.line.includes("/operations/")
        ? { status: 200, body: { operation: operation("hibernating") } }
        : request.method === "GET"
          ? page("running")
          : service.seen.length === 1
            ? busy
            : CHANGE,
    );
    await service.clock.run(post(service));
    expect(service.clock.now()).toBeGreaterThanOrEqual(30_000);
    expect(service.clock.now()).toBeLessThan(31_000);
    expect(service.said[0]).toMatch(/^project \S+ is busy with check_availability of ep-x; waiting \(1\d s\)$/);
  });

  test("that never ends shows the service's 423 at the deadline", async () => {
    const service = scripted((request) => (request.method === "GET" ? { status: 500 } : busy));
    const error = await failed(service, post(service, 2));
    expect(error.kind).toBe("service");
    expect(error.message).toMatch(/423: busy; tried \d+ times in 1 min 5\d s$/);
    expect(service.clock.now()).toBeLessThanOrEqual(120_000);
  });

  test("whose Retry-After does not fit is not looked into", async () => {
    const service = scripted([{ status: 423, headers: { "retry-after": "3600" } }]);
    expect(await failed(service, post(service))).toMatchObject({ answer: { status: 423 } });
    expect(service.seen).toHaveLength(1);
  });

  test("that was waited for makes the backoff begin anew", async () => {
    const limited = { status: 429 };
    const over = { status: 200, body: { operation: operation("finished") } };
    const service = scripted([...Array(6).fill(limited), busy, page("running"), over, limited, CHANGE], { seed: 3 });
    await service.clock.run(post(service));
    const [before, after] = service.times().slice(-2);
    expect(after! - before!).toBeLessThanOrEqual(1000);
  });

  test("that ends at once is no reason to ask sooner than after half a second", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const service = scripted(
        [busy, page("running"), { status: 200, body: { operation: operation("finished") } }, CHANGE],
        { seed, pollSeconds: 0.2 },
      );
      await service.clock.run(post(service));
      expect(service.times()[3]! - service.times()[0]!).toBeGreaterThanOrEqual(500);
    }
  });

  test("ends at once when the restart has become needless", async () => {
    const service = scripted([busy]);
    const restart = service.context.client.restartEndpoint(PROJECT, "ep-a", minutes(service), async () => true);
    expect(await failed(service, restart)).toMatchObject({ kind: "service", answer: { status: 423 } });
    expect(service.seen).toHaveLength(1);
  });
});

describe("Retry-After", () => {
  test.each<[string, string, number, number]>([
    ["seconds are a floor", "7", 7000, 7000],
    ["a date is a floor", new Date(Date.UTC(2026, 4, 4, 10, 0, 20)).toUTCString(), 20_000, 20_000],
    ["0 is no hot loop", "0", 500, 1000],
    ["a past date is no hot loop", "Mon, 04 May 2020 10:00:00 GMT", 500, 1000],
    ["nonsense is as if absent", "soon", 500, 1000],
    ["a negative number is as if absent", "-5", 500, 1000],
    ["more than an hour is as if absent", "86400", 500, 1000],
    ["two headers, joined, are one", "3, 3", 3000, 3000],
    ["the longest of several counts", "3, 7", 7000, 7000],
  ])("%s", async (_, header, least, most) => {
    const service = scripted([{ status: 429, headers: { "retry-after": header } }, CHANGE]);
    await service.clock.run(post(service));
    expect(service.times()[1]).toBeGreaterThanOrEqual(least);
    expect(service.times()[1]).toBeLessThanOrEqual(most);
  });

  test("that does not fit stops at once with the real status", async () => {
    const service = scripted([{ status: 503, headers: { "retry-after": "900" } }]);
    const error = await failed(service, post(service));
    expect(error).toMatchObject({ kind: "service", answer: { status: 503, retryAfterMs: 900_000 } });
    expect(error.message).toMatch(
      /answered 503.*a pause of 15 min \(Retry-After\), and only 10 min of this step are left/,
    );
    expect(service.clock.now()).toBe(0);
  });

  test("is counted from the answer, also while a lock is waited for", async () => {
    const operation = { id: "11", action: "a", status: "running" };
    const service = scripted([
      { status: 423, headers: { "retry-after": "4" } },
      { status: 200, body: { operations: [operation] } },
      { status: 200, body: { operation: { ...operation, status: "finished" } } },
      CHANGE,
    ]);
    await service.clock.run(post(service));
    expect(service.times()[3]).toBe(4000);
  });
});

describe("a service that can't be reached", () => {
  test.each(["ECONNREFUSED", "ENOTFOUND", "ECONNRESET"])(
    "from the start (%s) is given up after a minute, by name",
    async (code) => {
      const service = scripted([{ code }]);
      const error = await failed(service, get(service));
      expect(error.kind).toBe("stopped");
      // Each thing stands there once.
      const said = [
        "no answer has ever come",
        "Check the service's URL",
        "service.test",
        code,
        "nothing was (sent|changed)",
      ];
      for (const one of said) expect(error.message.match(new RegExp(one, "gi"))).toHaveLength(1);
      expect(error.message).toMatch(/\d+ times in .*, and whether it can be reached$/);
      expect(service.said[0]).toMatch(/; trying again in [\d.]+ s, for at most \d\d s more$/);
      expect(service.clock.now()).toBeGreaterThanOrEqual(60_000);
      expect(service.clock.now()).toBeLessThan(75_000);
      // The next one does not wait a minute again.
      const before = service.clock.now();
      await failed(service, post(service));
      expect(service.clock.now()).toBe(before);
    },
  );

  test("is told with the setting that has the URL, where there is one", async () => {
    const service = scripted([{ code: "ECONNREFUSED" }], { urlSource: "COMPUTE_API_URL (environment)" });
    expect((await failed(service, get(service))).message).toMatch(
      /Check the service's URL, from COMPUTE_API_URL \(environment\), and whether it can be reached$/,
    );
  });

  test("for some minutes after it had answered is waited for", async () => {
    const service = scripted(() =>
      service.clock.now() > 0 && service.clock.now() < 180_000
        ? { code: "ECONNREFUSED" }
        : { status: 200, body: { endpoints: [] } },
    );
    await service.clock.run(get(service));
    await service.clock.advance(1);
    expect(await service.clock.run(get(service))).toEqual([]);
    expect(service.clock.now()).toBeGreaterThan(180_000);
  });

  test("leaves a change that was not sent as what it is: not sent", async () => {
    const service = scripted([{ status: 200, body: { endpoints: [] } }, { code: "ECONNREFUSED" }]);
    await service.clock.run(get(service));
    const error = await failed(service, post(service, 1));
    expect([error.kind, error.message]).toEqual([
      "stopped",
      expect.stringMatching(/nothing was sent; tried .*\. Check the service's URL$/),
    ]);
  });
});

describe("deadlines", () => {
  test("a change is not sent after its deadline, a look is sent once", async () => {
    const service = scripted([{ status: 500 }]);
    expect((await failed(service, post(service, 0))).kind).toBe("deadline");
    expect(service.seen).toHaveLength(0);
    expect((await failed(service, get(service, 0))).kind).toBe("service");
    expect(service.seen).toHaveLength(1);
  });

  test("one request gets 30 s, and near the deadline no less than 10", async () => {
    const service = scripted([{ status: 200, body: { endpoints: [] } }]);
    for (const count of [10, 0.25, 0]) await service.clock.run(get(service, count));
    expect(service.seen.map((one) => one.timeoutMs)).toEqual([30_000, 15_000, 10_000]);
  });

  test("a service that is always down is asked until then, in few requests", async () => {
    const service = scripted([{ status: 503 }]);
    const error = await failed(service, get(service));
    expect(error.message).toMatch(/503: an empty body; tried \d+ times in (9 min 5\d s|10 min)$/);
    expect(service.seen.length).toBeLessThan(150);
    expect(service.said.length).toBeLessThanOrEqual(21);
  });
});
