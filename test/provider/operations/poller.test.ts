import { describe, expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import { settle } from "../../../provider/operations/settle.js";
import { operationRow, serviceWithOperations, settleResult } from "../../support/scripted-operations.js";
import { PROJECT, type Reply, scripted } from "../../support/scripted-service.js";

describe("the looks", () => {
  test("come after a tenth of the work's age, every 0.35 to 5 s, 20 % either way", async () => {
    const s = serviceWithOperations({ "1": ["running"] });
    await settleResult(s, [operationRow("1", "running")], 60_000);
    const times = [0, ...s.times()];
    for (const [i, at] of times.slice(1, -1).entries()) {
      const [age, gap] = [times[i]!, at - times[i]!];
      const pause = Math.min(5000, Math.max(350, 0.1 * age));
      expect(gap).toBeGreaterThanOrEqual(pause * 0.8 - 0.001);
      expect(gap).toBeLessThanOrEqual(pause * 1.2 + 0.001);
    }
    expect(s.seen.length).toBeLessThan(45);
  });

  test("come in fixed steps where that is configured", async () => {
    const fixed = serviceWithOperations({ "1": ["running", "running", "finished"] }, 2);
    await settleResult(fixed, [operationRow("1", "running")]);
    expect(fixed.times()).toEqual([2000, 4000, 6000]);
  });

  test("ask for one operation by its id, for several with one list", async () => {
    const one = serviceWithOperations({ "1": ["running", "finished"] });
    await settleResult(one, [operationRow("1", "running"), operationRow("0", "finished")]);
    expect(one.lines()).toEqual(Array(2).fill(`GET /projects/${PROJECT}/operations/1`));
    const two = serviceWithOperations({ "1": ["running", "finished"], "2": ["scheduling", "running", "finished"] });
    await settleResult(two, [operationRow("1", "running"), operationRow("2", "scheduling", { endpoint_id: "ep-b" })]);
    const list = `GET /projects/${PROJECT}/operations?limit=100`;
    // When only one is left, it is asked for alone.
    expect(two.lines()).toEqual([list, list, `GET /projects/${PROJECT}/operations/2`]);
  });

  test("ask by id for what is not on the page", async () => {
    const s = scripted(({ line }) =>
      line.endsWith("limit=100")
        ? { status: 200, body: { operations: [operationRow("1", "finished")] } }
        : { status: 200, body: { operation: operationRow("2", "finished") } },
    );
    expect(await settleResult(s, [operationRow("1", "running"), operationRow("2", "running")])).toMatchObject({
      end: "done",
    });
    expect(s.lines().map((line) => line.split("/operations")[1])).toEqual(["?limit=100", "/2"]);
  });

  test("of several who wait in one project share their requests, and all hear of the end at once", async () => {
    const s = scripted(() => {
      const status = s.clock.now() < 60_000 ? "running" : "finished";
      return { status: 200, body: { operations: ["1", "2", "3"].map((id) => operationRow(id, status)) } };
    });
    const waiter = async (id: string, startsAt: number) => {
      await s.clock.sleep(startsAt);
      await settle(s.context, PROJECT, [operationRow(id, "running")], new Deadline(s.clock, 600_000));
      return s.clock.now();
    };
    const ends = await s.clock.run(Promise.all([waiter("1", 0), waiter("2", 700), waiter("3", 12_000)]));
    expect(new Set(ends).size).toBe(1);
    // One alone would need 40; three apart 120. The third begins with young work at 12 s.
    expect(s.seen.length).toBeLessThan(65);
  });

  test("that are slow are shared too by who is due meanwhile; who comes later looks again", async () => {
    const s = scripted(async ({ line }) => {
      const status = s.clock.now() < 2500 ? "running" : "finished";
      await s.clock.sleep(2000);
      const id = /operations\/(.)/.exec(line)?.[1];
      if (id) return { status: 200, body: { operation: operationRow(id, status) } };
      return { status: 200, body: { operations: ["1", "2"].map((one) => operationRow(one, status)) } };
    });
    const waiter = async (id: string, startsAt: number, budgetMs: number) => {
      await s.clock.sleep(startsAt);
      await settle(s.context, PROJECT, [operationRow(id, "running")], new Deadline(s.clock, budgetMs));
    };
    // The third comes while the second look is on its way, and has no time: it still gets a look of its own.
    const works = [waiter("1", 0, 600_000), waiter("2", 100, 600_000), waiter("3", 3000, 0)];
    await s.clock.run(Promise.all(works));
    expect(s.seen).toHaveLength(3);
  });

  test("of different projects don't meet", async () => {
    const s = scripted([{ status: 200, body: { operation: operationRow("1", "finished") } }]);
    const deadline = new Deadline(s.clock, 600_000);
    await s.clock.run(
      Promise.all(["a", "b"].map((p) => settle(s.context, p, [operationRow("1", "running")], deadline))),
    );
    expect(s.lines().sort()).toEqual(["GET /projects/a/operations/1", "GET /projects/b/operations/1"]);
  });
});

describe("work of which such work was seen before", () => {
  /** One after the other: how long each took, and how often it was looked at. */
  async function many(
    count: number,
    lengthMs: number | ((index: number) => number),
    { action = () => "start_compute", told }: { action?: () => string; told?: number } = {},
  ) {
    let begun = 0;
    let index = 0;
    const lengthOf = (i: number) => (typeof lengthMs === "number" ? lengthMs : lengthMs(i));
    const s = scripted(({ line }) => {
      const done = s.clock.now() - begun >= lengthOf(index);
      const id = line.split("/").at(-1)!;
      const total = told === undefined ? {} : { total_duration_ms: told };
      return { status: 200, body: { operation: operationRow(id, done ? "finished" : "running", total) } };
    });
    const results: { lateMs: number; looks: number }[] = [];
    for (index = 0; index < count; index++) {
      begun = s.clock.now();
      const before = s.seen.length;
      const operation = operationRow(String(index), "running", { action: action() });
      await s.clock.run(settle(s.context, PROJECT, [operation], new Deadline(s.clock, 600_000)));
      results.push({ lateMs: s.clock.now() - begun - lengthOf(index), looks: s.seen.length - before });
    }
    return results;
  }
  const mean = (all: number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

  test.each([300, 1000, 2000, 5000, 20_000])("is looked at when it should be over: %i ms", async (lengthMs) => {
    const later = (await many(40, lengthMs)).slice(5);
    expect(mean(later.map(({ looks }) => looks))).toBeLessThan(lengthMs > 5000 ? 6 : 2.2);
    expect(mean(later.map(({ lateMs }) => lateMs))).toBeLessThan(Math.max(250, 0.15 * lengthMs));
  });

  test("and of which the service tells the length needs one look", async () => {
    const [, ...later] = await many(20, 2000, { told: 2000 });
    expect(new Set(later.map(({ looks }) => looks))).toEqual(new Set([1]));
    expect(Math.max(...later.map(({ lateMs }) => lateMs))).toBeLessThan(150);
  });

  test.each([0, 1, 1e9, -5])("is believed no length that our own looks deny: %d ms", async (told) => {
    const later = (await many(40, 2000, { told })).slice(5);
    expect(mean(later.map(({ looks }) => looks))).toBeLessThan(2.2);
    expect(mean(later.map(({ lateMs }) => lateMs))).toBeLessThan(300);
  });

  test("of another kind tells nothing", async () => {
    let count = 0;
    const kinds = () => (count++ === 0 ? "start_compute" : "create_branch");
    const [, second] = await many(2, (index) => (index === 0 ? 20_000 : 250), { action: kinds });
    expect(second).toMatchObject({ looks: 1 });
    expect(second!.lateMs).toBeLessThan(250);
  });

  test("and that takes much longer this time is looked at no more often than unknown work", async () => {
    const results = await many(10, (index) => (index < 9 ? 300 : 30_000));
    expect(results.at(-1)!.looks).toBeLessThanOrEqual(34);
  });

  test("waits five seconds for its first look at most: what fails or is fast this time shows soon", async () => {
    const results = await many(2, (index) => (index === 0 ? 60_000 : 100));
    expect(results.at(-1)).toMatchObject({ looks: 1 });
    expect(results.at(-1)!.lateMs).toBeLessThan(5300);
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
    expect(
      await settleResult(serviceWithOperations({ "1": [reply, "finished"] }), [operationRow("1", "running")]),
    ).toMatchObject({ end });
    const both = serviceWithOperations({ "1": [reply, "finished"], "2": ["running", "finished"] });
    expect(await settleResult(both, [operationRow("1", "running"), operationRow("2", "running")])).toMatchObject({
      end,
    });
  });

  test("and the service's Retry-After is kept to", async () => {
    const s = serviceWithOperations({ "1": [{ status: 503, headers: { "retry-after": "30" } }, "finished"] });
    await settleResult(s, [operationRow("1", "running")]);
    expect(s.times()[1]! - s.times()[0]!).toBeGreaterThanOrEqual(30_000);
  });

  test.each(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND"])(
    "even when nothing can be reached for minutes (%s)",
    async (code) => {
      const reply: Reply = () => {
        const now = s.clock.now();
        if (now > 1000 && now < 300_000) return { code };
        return { status: 200, body: { operation: operationRow("1", now < 300_000 ? "running" : "finished") } };
      };
      const s = serviceWithOperations({ "1": [reply] });
      expect(await settleResult(s, [operationRow("1", "running")])).toMatchObject({ end: "done" });
      expect(s.clock.now()).toBeGreaterThan(300_000);
    },
  );

  test("even for minutes, and a long Retry-After only until the deadline", async () => {
    const long = serviceWithOperations({
      "1": [
        () =>
          long.clock.now() < 300_000
            ? { status: 502 }
            : { status: 200, body: { operation: operationRow("1", "finished") } },
      ],
    });
    expect(await settleResult(long, [operationRow("1", "running")])).toMatchObject({ end: "done" });
    const absurd = serviceWithOperations({ "1": [{ status: 429, headers: { "retry-after": "3000" } }, "finished"] });
    expect(await settleResult(absurd, [operationRow("1", "running")])).toMatchObject({ end: "done" });
    expect(absurd.clock.now()).toBe(600_000);
  });
});

describe("a list of operations that", () => {
  const single = (line: string) => /\/operations\/([^/?]+)$/.exec(line)?.[1];

  test.each([405, 500])("is broken (%i), is left out: each is asked for by itself", async (status) => {
    const s = scripted(({ line }) => {
      const id = single(line);
      return id ? { status: 200, body: { operation: operationRow(id, "finished") } } : { status };
    });
    const all = [operationRow("a", "running"), operationRow("b", "running")];
    expect((await settleResult(s, all)).end).toBe("done");
    expect(s.clock.now()).toBeLessThan(30_000);
  });

  test("has an older row of the same operation too, is believed at the first", async () => {
    const s = scripted(() => ({
      status: 200,
      body: { operations: ["a", "b"].flatMap((id) => [operationRow(id, "finished"), operationRow(id, "running")]) },
    }));
    expect((await settleResult(s, [operationRow("a", "running"), operationRow("b", "running")], 60_000)).end).toBe(
      "done",
    );
  });

  test.each(["op_1", "op:1", "o".repeat(65)])(
    "has ids of another form, such as %s, can be asked for it",
    async (id) => {
      const s = scripted(() => ({ status: 200, body: { operation: operationRow(id, "finished") } }));
      expect([(await settleResult(s, [operationRow(id, "running")])).end, s.seen.length]).toEqual(["done", 1]);
    },
  );
});
