import { describe, expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import { pendingOperationsOf } from "../../../provider/operations/queries.js";
import type { WireOperation } from "../../../provider/wire/operation.js";
import { operationRow, serviceWithOperations, settleResult } from "../../support/scripted-operations.js";
import { KEY, PROJECT, type Scripted, scripted } from "../../support/scripted-service.js";

describe("an operation that goes on is looked at until its end", () => {
  test.each<[string[], string]>([
    [["finished"], "done"],
    [["skipped"], "done"],
    [["scheduling", "running", "finished"], "done"],
    [["cancelling", "cancelled"], "operation-failed"],
    [["running", "error"], "operation-failed"],
    [["running", "cancelled"], "operation-failed"],
    [["running", "failed"], "operation-failed"],
    [["running", "failed", "running", "finished"], "done"],
    [["failed", "finished"], "done"],
    [["failed", "failed", "finished"], "done"],
    [["running", "hibernating"], "deadline"],
    [["running"], "deadline"],
    [["hibernating", "finished"], "done"],
  ])("%j ends as %s", async (words, end) => {
    expect(await settleResult(serviceWithOperations({ "1": words }), [operationRow("1", "running")])).toMatchObject({
      end,
    });
  });
});

describe("what the answer already says costs no request", () => {
  test.each<[string[], string]>([
    [[], "done"],
    [["finished"], "done"],
    [["finished", "skipped"], "done"],
    [["error"], "operation-failed"],
    [["finished", "cancelled", "scheduling"], "operation-failed"],
  ])("%j is %s", async (words, end) => {
    const s = serviceWithOperations({});
    expect(
      await settleResult(
        s,
        words.map((word, i) => operationRow(String(i), word)),
      ),
    ).toMatchObject({ end });
    expect([s.seen.length, s.clock.now()]).toEqual([0, 0]);
  });

  test("but one that had failed already in the answer is looked at again, and is a failure", async () => {
    const s = serviceWithOperations({ "1": ["failed"] });
    expect(await settleResult(s, [operationRow("1", "failed")])).toMatchObject({ end: "operation-failed", ids: ["1"] });
    expect(s.seen.length).toBeGreaterThanOrEqual(2);
  });
});

describe("an operation the service does not know", () => {
  test("has vanished after some looks over 10 s: the compute has to tell", async () => {
    const s = serviceWithOperations({});
    expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "vanished", vanished: ["1"] });
    expect(s.seen.length).toBeGreaterThanOrEqual(4);
    expect(s.clock.now()).toBeGreaterThanOrEqual(10_000);
    expect(s.clock.now()).toBeLessThan(20_000);
  });

  test("has vanished only after four looks, however slow they are", async () => {
    const s = serviceWithOperations({}, 20);
    expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "vanished" });
    expect(s.times()).toEqual([20_000, 40_000, 60_000, 80_000]);
  });

  test("does not end the wait for the others, and may come back", async () => {
    const gone = { status: 404 };
    const others = serviceWithOperations({ "1": Array(12).fill("running").concat("finished") });
    expect(await settleResult(others, [operationRow("1", "running"), operationRow("2", "running")])).toMatchObject({
      end: "vanished",
      vanished: ["2"],
    });
    const back = serviceWithOperations({ "1": [gone, gone, gone, "running", gone, gone, gone, "finished"] });
    expect(await settleResult(back, [operationRow("1", "running")])).toMatchObject({ end: "done" });
  });
});

describe("`failed`", () => {
  const failed = (failures_count: number, retry_at?: string) => ({
    status: "failed",
    failures_count,
    retry_at,
    error: "no room",
  });

  test("is final after two more looks within two seconds in which nothing moves, with the service's words", async () => {
    const s = serviceWithOperations({ "1": ["running", failed(2)] });
    const { message, ids } = await settleResult(s, [operationRow("1", "running")]);
    expect(message).toBe("start_compute of ep-a failed: no room (operation 1, status failed, 2 failed attempts)");
    expect(ids).toEqual(["1"]);
    const [, first, second, third, ...more] = s.times();
    expect(more).toEqual([]);
    expect([second! - first!, third! - first!]).toEqual([800, 1600]);
  });

  test.each<[what: string, more: Partial<WireOperation>]>([
    ["is of the past", { retry_at: "2026-05-04T09:59:59Z", updated_at: "2026-05-04T10:00:00Z" }],
    ["is that of the failure", { retry_at: "2026-05-04T10:00:01Z", updated_at: "2026-05-04T10:00:01Z" }],
    // Our clock is not the service's.
    [
      "is in our future and the service's past",
      { retry_at: "2026-05-04T11:00:00Z", updated_at: "2026-05-04T11:00:01Z" },
    ],
    ["can't be read", { retry_at: "soon" }],
  ])("is final within two seconds where the time of the next attempt %s", async (_what, more) => {
    const s = serviceWithOperations({ "1": [{ ...failed(1), ...more }] });
    expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "operation-failed" });
    expect(s.clock.now() - s.times()[0]!).toBeLessThan(2000);
  });

  describe("with an attempt that the service has planned", () => {
    const planned = failed(1, "2026-05-04T12:00:20Z");
    /** @param updated_at undefined: then our own clock tells */
    const waiting = (runsAgainAt: number | undefined, updated_at: string | undefined, retry_at = planned.retry_at) => {
      const s: Scripted = serviceWithOperations({
        "1": [
          () => {
            const now = s.clock.now();
            const again = runsAgainAt !== undefined && now >= runsAgainAt;
            const row = again
              ? operationRow("1", now < runsAgainAt + 3000 ? "running" : "finished", { failures_count: 1, retry_at })
              : operationRow("1", "failed", { ...planned, retry_at, updated_at });
            return { status: 200, body: { operation: row } };
          },
        ],
      });
      return s;
    };

    test("is final only 4 s after that, and within 5 s", async () => {
      const s = waiting(undefined, "2026-05-04T12:00:00Z");
      expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "operation-failed" });
      const due = s.times()[0]! + 20_000;
      expect(s.clock.now()).toBeGreaterThanOrEqual(due + 4000);
      expect(s.clock.now()).toBeLessThan(due + 5000);
    });

    test.each([18_000, 21_000, 23_500])("goes on where the service tries again at %i ms", async (runsAgainAt) => {
      const s = waiting(runsAgainAt, "2026-05-04T12:00:00Z");
      expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "done" });
      // The attempt that follows is looked at as often as new work.
      expect(s.clock.now() - runsAgainAt - 3000).toBeLessThan(500);
    });

    test("goes by our own clock where the service does not tell when it failed", async () => {
      const s = waiting(undefined, undefined, "2026-05-04T10:00:30Z");
      expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "operation-failed" });
      expect(s.clock.now()).toBeGreaterThanOrEqual(34_000);
      expect(s.clock.now()).toBeLessThan(36_000);
    });

    test("teaches nothing about the duration of such work", async () => {
      const s = waiting(18_000, "2026-05-04T12:00:00Z");
      await settleResult(s, [operationRow("1", "running")]);
      const before = s.seen.length;
      const begun = s.clock.now();
      await settleResult(s, [operationRow("1", "running")]);
      expect(s.times()[before]! - begun).toBeLessThan(500);
    });
  });

  test("with a slow step needs two looks and no more", async () => {
    const s = serviceWithOperations({ "1": ["running", failed(1)] }, 5);
    await settleResult(s, [operationRow("1", "running")]);
    expect(s.times()).toEqual([5000, 10_000, 15_000, 20_000]);
  });

  test("goes on while the attempts are counted", async () => {
    const steps = Array.from({ length: 20 }, (_, i) => failed(i));
    expect(
      await settleResult(serviceWithOperations({ "1": [...steps, "finished"] }), [operationRow("1", "running")]),
    ).toMatchObject({
      end: "done",
    });
  });

  test("goes on while the time of the next attempt moves", async () => {
    const steps = Array.from({ length: 20 }, (_, i) => failed(1, `2026-05-04T10:00:${10 + i}Z`));
    expect(
      await settleResult(serviceWithOperations({ "1": [...steps, "finished"] }), [operationRow("1", "running")]),
    ).toMatchObject({
      end: "done",
    });
  });

  test("at the deadline is a failure, not a lack of time", async () => {
    const s = serviceWithOperations({ "1": ["running", failed(1)] });
    expect(await settleResult(s, [operationRow("1", "running")], 2500)).toMatchObject({ end: "operation-failed" });
  });

  test("of one in a chain does not wait for what may never run", async () => {
    const s = serviceWithOperations({ "1": ["error"], "2": [{ status: "scheduling", action: "suspend_compute" }] });
    const { end, ids, message } = await settleResult(s, [
      operationRow("1", "running"),
      operationRow("2", "scheduling", { action: "suspend_compute" }),
    ]);
    expect([end, ids]).toEqual(["operation-failed", ["1", "2"]]);
    expect(message).toContain("; not finished: suspend_compute of ep-a (status scheduling)");
    expect(s.clock.now()).toBeLessThan(1000);
  });

  test.each(["cancelled", "error"])("and `%s` are told apart in the message, without the key", async (word) => {
    const s = serviceWithOperations({ "1": [{ status: word, error: `bad ${KEY}` }] });
    const { message } = await settleResult(s, [operationRow("1", "running")]);
    expect(message).toContain(word === "cancelled" ? "was cancelled: bad [key]" : "failed: bad [key]");
  });
});

describe("the deadline", () => {
  test("is followed by one last look", async () => {
    const s = serviceWithOperations({
      "1": [
        () => ({
          status: 200,
          body: { operation: operationRow("1", s.clock.now() < 20_000 ? "running" : "finished") },
        }),
      ],
    });
    expect(await settleResult(s, [operationRow("1", "running")], 20_000)).toMatchObject({ end: "done" });
    expect(s.times().at(-1)).toBe(20_000);
  });

  test("that passes during a look is followed by one more", async () => {
    const s = scripted(async () => {
      const status = s.clock.now() < 1000 ? "running" : "finished";
      await s.clock.sleep(1000);
      return { status: 200, body: { operation: operationRow("1", status) } };
    });
    expect(await settleResult(s, [operationRow("1", "running")], 1000)).toMatchObject({ end: "done" });
    expect(s.seen).toHaveLength(2);
  });

  test("names each operation that is left, its age and status, and that the work goes on", async () => {
    const s = serviceWithOperations({ "1": ["running"], "2": ["hibernating"], "3": ["finished"] });
    const operations = [
      operationRow("1", "running"),
      operationRow("2", "scheduling", { action: "apply_config" }),
      operationRow("3", "running"),
    ];
    const { end, message, ids } = await settleResult(s, operations);
    expect([end, ids]).toEqual(["deadline", ["1", "2"]]);
    expect(message).toBe(
      "not finished after 10 min: start_compute of ep-a (operation 1, 10 min 2 s old, status running); " +
        "start_compute of ep-a (operation 2, 10 min 2 s old, unknown status hibernating). " +
        "The operation still runs at the service. Run the command again: it waits for the same operation. To wait longer, set `customTimeouts`",
    );
    expect(s.clock.now()).toBe(600_000);
  });

  test("says so when the last look failed", async () => {
    const s = serviceWithOperations({ "1": [{ status: 503, body: { message: "down" } }] });
    const { message } = await settleResult(s, [operationRow("1", "running")], 30_000);
    expect(message).toMatch(
      /The last poll failed: GET \S+: the service answered 503: down.* The operation may still run at the service\. Run the command again/,
    );
    expect(message).not.toContain("The operation still runs");
    // A look that goes on past the deadline takes up to 10 s, and one more follows.
    expect(s.clock.now()).toBeLessThan(50_000);
  });

  test("that has passed before leaves one look", async () => {
    const s = serviceWithOperations({ "1": ["finished"] });
    expect(await settleResult(s, [operationRow("1", "running")], 0)).toMatchObject({ end: "done" });
    expect(s.times()).toEqual([0]);
  });
});

test("a long wait speaks after 10 s, and then every 30 s", async () => {
  const s = serviceWithOperations({ "1": ["running"], "2": ["scheduling"] });
  await settleResult(s, [operationRow("1", "running"), operationRow("2", "scheduling")], 120_000);
  expect(s.said).toHaveLength(4);
  expect(s.said[0]).toMatch(/^waiting for start_compute of ep-a and 1 more \(1\d s, status running; at most 2 min\)$/);
});

test("a long wait says that the service does not answer any more, and for how long", async () => {
  const s = serviceWithOperations({ "1": ["running", { status: 503, body: { message: "down" } }] });
  await settleResult(s, [operationRow("1", "running")], 120_000);
  expect(s.said.at(-1)).toMatch(
    /^waiting for start_compute of ep-a \(.*; at most 2 min\) \(no answer for 2 min( \d+ s)?: GET \S+: the service answered 503: down/,
  );
});

test("a short wait is silent", async () => {
  const s = serviceWithOperations({ "1": ["running", "finished"] });
  await settleResult(s, [operationRow("1", "running")]);
  expect(s.said).toEqual([]);
});

test("after a wait the known list of computes is not used again", async () => {
  const s = scripted(({ line }) =>
    line.endsWith("/endpoints")
      ? { status: 200, body: { endpoints: [] } }
      : { status: 200, body: { operation: operationRow("1", "finished") } },
  );
  const deadline = new Deadline(s.clock, 600_000);
  await s.clock.run(s.context.lists.recent(PROJECT, deadline));
  await settleResult(s, [operationRow("1", "running")]);
  await s.clock.run(s.context.lists.recent(PROJECT, deadline));
  expect(s.lines().filter((line) => line.endsWith("/endpoints"))).toHaveLength(2);
});

test("what goes on for a compute is read from the newest page: its own, in the order of execution, nothing stale", async () => {
  const page = [
    operationRow("5", "scheduling"),
    operationRow("4", "running"),
    operationRow("3", "running", { endpoint_id: "ep-b" }),
    operationRow("2", "failed"),
    operationRow("1", "archived", { created_at: "2025-01-01T00:00:00Z" }),
    operationRow("0", "hibernating"),
  ];
  const s = scripted([{ status: 200, body: { operations: page } }]);
  const found = await s.clock.run(pendingOperationsOf(s.context, PROJECT, "ep-a", new Deadline(s.clock, 600_000)));
  expect(found.map((one) => one.id)).toEqual(["0", "4", "5"]);
});

describe("the service's words for what failed are shown", () => {
  const message = async (more: object) => {
    const s = scripted(() => ({ status: 200, body: { operation: { ...operationRow("a", "error"), ...more } } }));
    return (await settleResult(s, [operationRow("a", "running")])).message;
  };

  test.each(["postgres://owner:S3CRETPASSWORD@ep-a.test/db", KEY])(
    "without the secret that the cut parts: %s",
    async (secret) => {
      for (const before of [1000, 1010, 1020]) {
        const text = await message({ error: `${"x".repeat(before)} ${secret}` });
        expect(text).not.toMatch(/S3CR|napi_secret/);
      }
    },
  );

  test("on one line, without what would write on a terminal, and cut", async () => {
    const text = await message({ error: "bo\u001b[2Jo\n", action: `st\u001b[31mart${"z".repeat(10_000)}` });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(text).not.toMatch(/[\u0000-\u001f]/);
    expect(text.length).toBeLessThan(500);
  });
});
