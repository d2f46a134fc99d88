import { describe, expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import { byIds, settle } from "../../../provider/operations/settle.js";
import { ending, row, service } from "../../support/operations.js";
import { PROJECT, type Reply, scripted } from "../../support/scripted-service.js";

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
      return { status: 200, body: { operation: row(id, done ? "finished" : "running", total) } };
    });
    const results: { lateMs: number; looks: number }[] = [];
    for (index = 0; index < count; index++) {
      begun = s.clock.now();
      const before = s.seen.length;
      const operation = row(String(index), "running", { action: action() });
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
    const [, second] = await many(2, (index) => (index === 0 ? 20_000 : 400), { action: kinds });
    expect(second).toMatchObject({ looks: 1 });
    expect(second!.lateMs).toBeLessThan(250);
  });

  test("and that takes much longer this time is looked at no more often than unknown work", async () => {
    const results = await many(10, (index) => (index < 9 ? 300 : 30_000));
    expect(results.at(-1)!.looks).toBeLessThanOrEqual(14);
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

  test("even for minutes, and a long Retry-After only until the deadline", async () => {
    const long = service({
      "1": [
        () =>
          long.clock.now() < 300_000 ? { status: 502 } : { status: 200, body: { operation: row("1", "finished") } },
      ],
    });
    expect(await ending(long, [row("1", "running")])).toMatchObject({ end: "done" });
    const absurd = service({ "1": [{ status: 429, headers: { "retry-after": "3000" } }, "finished"] });
    expect(await ending(absurd, [row("1", "running")])).toMatchObject({ end: "done" });
    expect(absurd.clock.now()).toBe(600_000);
  });
});

describe("a list of operations that", () => {
  const single = (line: string) => /\/operations\/([^/?]+)$/.exec(line)?.[1];

  test.each([405, 500])("is broken (%i), is left out: each is asked for by itself", async (status) => {
    const s = scripted(({ line }) => {
      const id = single(line);
      return id ? { status: 200, body: { operation: row(id, "finished") } } : { status };
    });
    const all = [row("a", "running"), row("b", "running")];
    expect((await ending(s, all)).end).toBe("done");
    expect(s.clock.now()).toBeLessThan(30_000);
  });

  test("has an older row of the same operation too, is believed at the first", async () => {
    const s = scripted(() => ({
      status: 200,
      body: { operations: ["a", "b"].flatMap((id) => [row(id, "finished"), row(id, "running")]) },
    }));
    expect((await ending(s, [row("a", "running"), row("b", "running")], 60_000)).end).toBe("done");
  });

  test.each(["op_1", "op:1", "o".repeat(65)])(
    "has ids of another form, such as %s, can be asked for it",
    async (id) => {
      const s = scripted(() => ({ status: 200, body: { operation: row(id, "finished") } }));
      expect([(await ending(s, [row(id, "running")])).end, s.seen.length]).toEqual(["done", 1]);
    },
  );
});
