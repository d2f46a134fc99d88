import { describe, expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import { byIds, pendingOf, settle } from "../../../provider/operations/settle.js";
import type { WireOperation } from "../../../provider/wire/operation.js";
import { KEY, PROJECT, type Reply, type Scripted, scripted } from "../../support/scripted-service.js";

type Row = Partial<WireOperation> & { id: string };
const row = (id: string, status: string, more: Partial<WireOperation> = {}): WireOperation => ({
  id,
  action: "start_compute",
  endpoint_id: "ep-a",
  created_at: "2026-05-04T09:59:58Z",
  failures_count: 0,
  ...more,
  status,
});

/** A service that knows these operations: what each look at one finds, the last one for ever; a Reply breaks the look. */
function service(plans: Record<string, Array<string | Partial<Row> | Reply>>, pollSeconds?: number): Scripted {
  const looks = new Map<string, number>();
  const next = (id: string): WireOperation | Reply => {
    const plan = plans[id]!;
    const count = looks.get(id) ?? 0;
    looks.set(id, count + 1);
    const step = plan[Math.min(count, plan.length - 1)]!;
    if (typeof step === "string") return row(id, step);
    if (typeof step === "function" || "code" in step || typeof step.status === "number") return step as Reply;
    return { ...row(id, "running"), ...(step as Partial<WireOperation>) };
  };
  const isRow = (one: WireOperation | Reply): one is WireOperation => "id" in one;
  return scripted(
    ({ line }) => {
      const id = /\/operations\/([^/?]+)$/.exec(line)?.[1];
      if (id) {
        const found = plans[id] ? next(id) : { status: 404, body: { message: "no such operation" } };
        return isRow(found) ? { status: 200, body: { operation: found } } : found;
      }
      const rows = Object.keys(plans).map(next);
      const broken = rows.find((one): one is Reply => !isRow(one));
      return broken ?? { status: 200, body: { operations: rows } };
    },
    { pollSeconds },
  );
}

/** How a wait ends: "done", or the error's kind; with what matters of it. */
async function ending(s: Scripted, operations: WireOperation[], budgetMs = 600_000) {
  const deadline = new Deadline(s.clock, budgetMs);
  return s.clock.run(
    settle(s.context, PROJECT, operations, deadline).then(
      ({ vanished }) => ({
        end: vanished.length > 0 ? "vanished" : "done",
        vanished,
        message: "",
        ids: [] as string[],
      }),
      (error) => ({
        end: error.kind,
        message: error.message as string,
        ids: error.operationIds as string[],
        vanished: [],
      }),
    ),
  );
}

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

describe("the looks", () => {
  test("come after 0.5 s, then 1.4 times later each, at most every 5 s, 20 % either way", async () => {
    const s = service({ "1": ["running"] });
    await ending(s, [row("1", "running")], 60_000);
    const times = [0, ...s.times()];
    let step = 500;
    for (const [i, at] of times.slice(1, -1).entries()) {
      const gap = at - times[i]!;
      expect(gap).toBeGreaterThanOrEqual(step * 0.8 - 0.001);
      expect(gap).toBeLessThanOrEqual(step * 1.2 + 0.001);
      step = Math.min(5000, step * 1.4);
    }
    expect(s.seen.length).toBeLessThan(25);
  });

  test("come in fixed steps where that is configured, but no faster than every 0.2 s", async () => {
    const fixed = service({ "1": ["running", "running", "finished"] }, 2);
    await ending(fixed, [row("1", "running")]);
    expect(fixed.times()).toEqual([2000, 4000, 6000]);
    const fast = service({ "1": ["running", "finished"] }, 0);
    await ending(fast, [row("1", "running")]);
    expect(fast.times()).toEqual([200, 400]);
  });

  test("begin at once where nothing says that it is running", async () => {
    const s = service({ "1": ["finished"] });
    expect(await ending(s, byIds(["1"]))).toMatchObject({ end: "done" });
    expect(s.times()).toEqual([0]);
  });

  test("ask for one operation by its id, for several with one list", async () => {
    const one = service({ "1": ["running", "finished"] });
    await ending(one, [row("1", "running"), row("0", "finished")]);
    expect(one.lines()).toEqual(Array(2).fill(`GET /projects/${PROJECT}/operations/1`));
    const two = service({ "1": ["running", "finished"], "2": ["scheduling", "running", "finished"] });
    await ending(two, [row("1", "running"), row("2", "scheduling", { endpoint_id: "ep-b" })]);
    const list = `GET /projects/${PROJECT}/operations?limit=100`;
    // When only one is left, it is asked for alone.
    expect(two.lines()).toEqual([list, list, `GET /projects/${PROJECT}/operations/2`]);
  });

  test("ask by id for what is not on the page", async () => {
    const s = scripted(({ line }) =>
      line.endsWith("limit=100")
        ? { status: 200, body: { operations: [row("1", "finished")] } }
        : { status: 200, body: { operation: row("2", "finished") } },
    );
    expect(await ending(s, [row("1", "running"), row("2", "running")])).toMatchObject({ end: "done" });
    expect(s.lines().map((line) => line.split("/operations")[1])).toEqual(["?limit=100", "/2"]);
  });

  test("of several who wait in one project share their requests, and all hear of the end at once", async () => {
    const s = scripted(() => {
      const status = s.clock.now() < 60_000 ? "running" : "finished";
      return { status: 200, body: { operations: ["1", "2", "3"].map((id) => row(id, status)) } };
    });
    const waiter = async (id: string, startsAt: number) => {
      await s.clock.sleep(startsAt);
      await settle(s.context, PROJECT, [row(id, "running")], new Deadline(s.clock, 600_000));
      return s.clock.now();
    };
    const ends = await s.clock.run(Promise.all([waiter("1", 0), waiter("2", 700), waiter("3", 12_000)]));
    expect(new Set(ends).size).toBe(1);
    // One alone would need 19; three apart 57.
    expect(s.seen.length).toBeLessThan(32);
  });

  test("that are slow are shared too by who is due meanwhile; who comes later looks again", async () => {
    const s = scripted(async ({ line }) => {
      const status = s.clock.now() < 2500 ? "running" : "finished";
      await s.clock.sleep(2000);
      const id = /operations\/(.)/.exec(line)?.[1];
      if (id) return { status: 200, body: { operation: row(id, status) } };
      return { status: 200, body: { operations: ["1", "2"].map((one) => row(one, status)) } };
    });
    const waiter = async (id: string, startsAt: number, budgetMs: number) => {
      await s.clock.sleep(startsAt);
      await settle(s.context, PROJECT, [row(id, "running")], new Deadline(s.clock, budgetMs));
    };
    // The third comes while the second look is on its way, and has no time: it still gets a look of its own.
    const works = [waiter("1", 0, 600_000), waiter("2", 100, 600_000), waiter("3", 3000, 0)];
    await s.clock.run(Promise.all(works));
    expect(s.seen).toHaveLength(3);
  });

  test("of different projects don't meet", async () => {
    const s = scripted([{ status: 200, body: { operation: row("1", "finished") } }]);
    const deadline = new Deadline(s.clock, 600_000);
    await s.clock.run(Promise.all(["a", "b"].map((p) => settle(s.context, p, [row("1", "running")], deadline))));
    expect(s.lines().sort()).toEqual(["GET /projects/a/operations/1", "GET /projects/b/operations/1"]);
  });
});

describe("a look that fails says nothing about the work", () => {
  const HTML = { status: 200, text: "<html>sorry</html>" };
  test.each<[string, Reply, string]>([
    ["404", { status: 404 }, "done"],
    ["408", { status: 408 }, "done"],
    ["429", { status: 429 }, "done"],
    ["429 with a pause", { status: 429, headers: { "retry-after": "30" } }, "done"],
    ["500", { status: 500 }, "done"],
    ["502 with a page", { status: 502, text: "<html>" }, "done"],
    ["200 with a page", HTML, "done"],
    ["a cut connection", { code: "ECONNRESET" }, "done"],
    ["a time-out", { code: "TIMED_OUT" }, "done"],
    ["a refused connection", { code: "ECONNREFUSED" }, "done"],
    ["401", { status: 401, body: { message: "who" } }, "service"],
    ["403", { status: 403, body: { message: "no" } }, "service"],
  ])("%s: %s", async (_, reply, end) => {
    expect(await ending(service({ "1": [reply, "finished"] }), [row("1", "running")])).toMatchObject({ end });
    const both = service({ "1": [reply, "finished"], "2": ["running", "finished"] });
    expect(await ending(both, [row("1", "running"), row("2", "running")])).toMatchObject({ end });
  });

  test("and the service's Retry-After is kept to", async () => {
    const s = service({ "1": [{ status: 503, headers: { "retry-after": "30" } }, "finished"] });
    await ending(s, [row("1", "running")]);
    expect(s.times()[1]! - s.times()[0]!).toBeGreaterThanOrEqual(30_000);
  });

  test.each(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND"])(
    "even when nothing can be reached for minutes (%s)",
    async (code) => {
      const reply: Reply = () => {
        const now = s.clock.now();
        if (now > 1000 && now < 300_000) return { code };
        return { status: 200, body: { operation: row("1", now < 300_000 ? "running" : "finished") } };
      };
      const s = service({ "1": [reply] });
      expect(await ending(s, [row("1", "running")])).toMatchObject({ end: "done" });
      expect(s.clock.now()).toBeGreaterThan(300_000);
    },
  );

  test("even for minutes, and an absurd Retry-After only until the deadline", async () => {
    const long = service({
      "1": [
        () =>
          long.clock.now() < 300_000 ? { status: 502 } : { status: 200, body: { operation: row("1", "finished") } },
      ],
    });
    expect(await ending(long, [row("1", "running")])).toMatchObject({ end: "done" });
    const absurd = service({ "1": [{ status: 429, headers: { "retry-after": "999999" } }, "finished"] });
    expect(await ending(absurd, [row("1", "running")])).toMatchObject({ end: "done" });
    expect(absurd.clock.now()).toBe(600_000);
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
        "The work goes on at the service, and the next `pulumi up` takes it up; `customTimeouts` gives it more time",
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
