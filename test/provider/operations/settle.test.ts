import { describe, expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import { pendingOf } from "../../../provider/operations/settle.js";
import { ending, row, service } from "../../support/operations.js";
import { KEY, PROJECT, scripted } from "../../support/scripted-service.js";

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
    expect(await ending(service({ "1": words }), [row("1", "running")])).toMatchObject({ end });
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
    const s = service({});
    expect(
      await ending(
        s,
        words.map((word, i) => row(String(i), word)),
      ),
    ).toMatchObject({ end });
    expect([s.seen.length, s.clock.now()]).toEqual([0, 0]);
  });

  test("but one that had failed already in the answer is looked at again, and is a failure", async () => {
    const s = service({ "1": ["failed"] });
    expect(await ending(s, [row("1", "failed")])).toMatchObject({ end: "operation-failed", ids: ["1"] });
    expect(s.seen.length).toBeGreaterThanOrEqual(2);
  });
});

describe("an operation the service does not know", () => {
  test("has vanished after some looks over 10 s: the compute has to tell", async () => {
    const s = service({});
    expect(await ending(s, [row("1", "running")])).toMatchObject({ end: "vanished", vanished: ["1"] });
    expect(s.seen.length).toBeGreaterThanOrEqual(4);
    expect(s.clock.now()).toBeGreaterThanOrEqual(10_000);
    expect(s.clock.now()).toBeLessThan(20_000);
  });

  test("has vanished only after four looks, however slow they are", async () => {
    const s = service({}, 20);
    expect(await ending(s, [row("1", "running")])).toMatchObject({ end: "vanished" });
    expect(s.times()).toEqual([20_000, 40_000, 60_000, 80_000]);
  });

  test("does not end the wait for the others, and may come back", async () => {
    const gone = { status: 404 };
    const others = service({ "1": Array(12).fill("running").concat("finished") });
    expect(await ending(others, [row("1", "running"), row("2", "running")])).toMatchObject({
      end: "vanished",
      vanished: ["2"],
    });
    const back = service({ "1": [gone, gone, gone, "running", gone, gone, gone, "finished"] });
    expect(await ending(back, [row("1", "running")])).toMatchObject({ end: "done" });
  });
});

describe("`failed`", () => {
  const failed = (failures_count: number, retry_at?: string) => ({
    status: "failed",
    failures_count,
    retry_at,
    error: "no room",
  });

  test("is final after two more looks and 5 s in which nothing moves, with the service's words", async () => {
    const s = service({ "1": ["running", failed(2)] });
    const { message, ids } = await ending(s, [row("1", "running")]);
    expect(message).toBe("start_compute of ep-a failed: no room (operation 1, status failed, 2 failed attempts)");
    expect(ids).toEqual(["1"]);
    const since = s.clock.now() - s.times()[1]!;
    expect(since).toBeGreaterThanOrEqual(5000);
    expect(since).toBeLessThan(12_000);
  });

  test("with a slow step needs two looks and no more", async () => {
    const s = service({ "1": ["running", failed(1)] }, 5);
    await ending(s, [row("1", "running")]);
    expect(s.times()).toEqual([5000, 10_000, 15_000, 20_000]);
  });

  test("goes on while the attempts are counted", async () => {
    const steps = Array.from({ length: 20 }, (_, i) => failed(i));
    expect(await ending(service({ "1": [...steps, "finished"] }), [row("1", "running")])).toMatchObject({
      end: "done",
    });
  });

  test("goes on while the time of the next attempt moves", async () => {
    const steps = Array.from({ length: 20 }, (_, i) => failed(1, `2026-05-04T10:00:${10 + i}Z`));
    expect(await ending(service({ "1": [...steps, "finished"] }), [row("1", "running")])).toMatchObject({
      end: "done",
    });
  });

  test("at the deadline is a failure, not a lack of time", async () => {
    const s = service({ "1": ["running", failed(1)] });
    expect(await ending(s, [row("1", "running")], 2500)).toMatchObject({ end: "operation-failed" });
  });

  test("of one in a chain does not wait for what may never run", async () => {
    const s = service({ "1": ["error"], "2": [{ status: "scheduling", action: "suspend_compute" }] });
    const { end, ids, message } = await ending(s, [
      row("1", "running"),
      row("2", "scheduling", { action: "suspend_compute" }),
    ]);
    expect([end, ids]).toEqual(["operation-failed", ["1", "2"]]);
    expect(message).toContain("; not over: suspend_compute of ep-a (status scheduling)");
    expect(s.clock.now()).toBeLessThan(1000);
  });

  test.each(["cancelled", "error"])("and `%s` are told apart in the message, without the key", async (word) => {
    const s = service({ "1": [{ status: word, error: `bad ${KEY}` }] });
    const { message } = await ending(s, [row("1", "running")]);
    expect(message).toContain(word === "cancelled" ? "was cancelled: bad [key]" : "failed: bad [key]");
  });
});

describe("the deadline", () => {
  test("is followed by one last look", async () => {
    const s = service({
      "1": [() => ({ status: 200, body: { operation: row("1", s.clock.now() < 20_000 ? "running" : "finished") } })],
    });
    expect(await ending(s, [row("1", "running")], 20_000)).toMatchObject({ end: "done" });
    expect(s.times().at(-1)).toBe(20_000);
  });

  test("that passes during a look is followed by one more", async () => {
    const s = scripted(async () => {
      const status = s.clock.now() < 1000 ? "running" : "finished";
      await s.clock.sleep(1000);
      return { status: 200, body: { operation: row("1", status) } };
    });
    expect(await ending(s, [row("1", "running")], 1000)).toMatchObject({ end: "done" });
    expect(s.seen).toHaveLength(2);
  });

  test("names each operation that is left, its age and status, and that the work goes on", async () => {
    const s = service({ "1": ["running"], "2": ["hibernating"], "3": ["finished"] });
    const operations = [row("1", "running"), row("2", "scheduling", { action: "apply_config" }), row("3", "running")];
    const { end, message, ids } = await ending(s, operations);
    expect([end, ids]).toEqual(["deadline", ["1", "2"]]);
    expect(message).toBe(
      "not over after 10 min: start_compute of ep-a (operation 1, 10 min 2 s old, status running); " +
        "start_compute of ep-a (operation 2, 10 min 2 s old, status hibernating, a word that is not known). " +
        "The work goes on at the service: run the command again, which takes it up; `customTimeouts` gives it more time",
    );
    expect(s.clock.now()).toBe(600_000);
  });

  test("says so when the last look failed", async () => {
    const s = service({ "1": [{ status: 503, body: { message: "down" } }] });
    expect((await ending(s, [row("1", "running")], 30_000)).message).toMatch(
      /The last look failed: GET \S+: the service answered 503: down/,
    );
    expect(s.clock.now()).toBeLessThan(41_000);
  });

  test("that has passed before leaves one look", async () => {
    const s = service({ "1": ["finished"] });
    expect(await ending(s, [row("1", "running")], 0)).toMatchObject({ end: "done" });
    expect(s.times()).toEqual([0]);
  });
});

test("a long wait speaks after 10 s, and then every 30 s", async () => {
  const s = service({ "1": ["running"], "2": ["scheduling"] });
  await ending(s, [row("1", "running"), row("2", "scheduling")], 120_000);
  expect(s.said).toHaveLength(4);
  expect(s.said[0]).toMatch(/^waiting for start_compute of ep-a and 1 more \(1\d s, status running; at most 2 min\)$/);
});

test("a short wait is silent", async () => {
  const s = service({ "1": ["running", "finished"] });
  await ending(s, [row("1", "running")]);
  expect(s.said).toEqual([]);
});

test("after a wait the known list of computes is not used again", async () => {
  const s = scripted(({ line }) =>
    line.endsWith("/endpoints")
      ? { status: 200, body: { endpoints: [] } }
      : { status: 200, body: { operation: row("1", "finished") } },
  );
  const deadline = new Deadline(s.clock, 600_000);
  await s.clock.run(s.context.lists.read(PROJECT, deadline));
  await ending(s, [row("1", "running")]);
  await s.clock.run(s.context.lists.read(PROJECT, deadline));
  expect(s.lines().filter((line) => line.endsWith("/endpoints"))).toHaveLength(2);
});

test("what goes on for a compute is read from the newest page: its own, in the order of execution, nothing stale", async () => {
  const page = [
    row("5", "scheduling"),
    row("4", "running"),
    row("3", "running", { endpoint_id: "ep-b" }),
    row("2", "failed"),
    row("1", "archived", { created_at: "2025-01-01T00:00:00Z" }),
    row("0", "hibernating"),
  ];
  const s = scripted([{ status: 200, body: { operations: page } }]);
  const found = await s.clock.run(pendingOf(s.context, PROJECT, "ep-a", new Deadline(s.clock, 600_000)));
  expect(found.map((one) => one.id)).toEqual(["0", "4", "5"]);
});

describe("the service's words for what failed are shown", () => {
  const message = async (more: object) => {
    const s = scripted(() => ({ status: 200, body: { operation: { ...row("a", "error"), ...more } } }));
    return (await ending(s, [row("a", "running")])).message;
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
