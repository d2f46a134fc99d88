import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { Deadline, systemClock } from "../../../provider/clock.js";
import { createContext } from "../../../provider/operations/create-context.js";
import { PROJECT, type Reply, scripted } from "../../support/scripted-service.js";

/** A service whose list says which request it answers, after a second. */
function numbered(more: (count: number) => Reply | undefined = () => undefined) {
  let count = 0;
  const service = scripted(async () => {
    const mine = ++count;
    await service.clock.sleep(1000);
    return more(mine) ?? { status: 200, body: { endpoints: [{ id: `ep-${mine}` }] } };
  });
  const { lists } = service.context;
  const deadline = new Deadline(service.clock, 600_000);
  const id = async (rows: Promise<Array<{ id: string }>>) => (await rows)[0]?.id;
  const read = (project = PROJECT) => id(lists.recent(project, deadline));
  const look = (project = PROJECT) => id(lists.fresh(project, deadline));
  const after = async (ms: number, work: () => Promise<unknown>) => {
    await service.clock.sleep(ms);
    return work();
  };
  const all = (...works: Array<Promise<unknown>>) => service.clock.run(Promise.all(works));
  return { ...service, lists, read, look, after, all };
}

/** A service that counts its lists (1 s each) and takes 3 s for a change. */
function slow() {
  let lists = 0;
  const s = scripted(async ({ method }) => {
    const rows = method === "GET" ? Array(++lists).fill({ id: "ep-1" }) : [];
    await s.clock.sleep(method === "GET" ? 1000 : 3000);
    if (method === "GET") return { status: 200, body: { endpoints: rows } };
    return { status: 200, body: { endpoint: { id: "ep-1" }, operations: [] } };
  });
  const { lists: shared, client } = s.context;
  const deadline = new Deadline(s.clock, 600_000);
  const read = async () => (await shared.recent(PROJECT, deadline)).length;
  const change = async () => {
    await client.updateEndpoint(PROJECT, "ep-1", { endpoint: { name: "n" } }, deadline);
    return "changed";
  };
  const after = async (ms: number, work: () => Promise<unknown>) => {
    await s.clock.sleep(ms);
    return work();
  };
  return { read, change, after, all: (...works: Array<Promise<unknown>>) => s.clock.run(Promise.all(works)) };
}

describe("the lists", () => {
  test("one for all who ask at once, whichever way", async () => {
    const s = numbered();
    const ids = await s.all(s.read(), s.look(), s.read(), s.look());
    expect([ids, s.seen.length]).toEqual([["ep-1", "ep-1", "ep-1", "ep-1"], 1]);
  });

  test("a look waits 20 ms for others", async () => {
    const s = numbered();
    const ids = await s.all(s.look(), s.after(10, s.read), s.after(19, s.look));
    expect([ids, s.seen.length]).toEqual([["ep-1", "ep-1", "ep-1"], 1]);
  });

  test("a read does not: others can have what it has asked for", async () => {
    const s = numbered();
    const sent = async () => s.seen.length;
    expect(await s.all(s.read(), s.after(1, sent), s.after(2, s.read))).toEqual(["ep-1", 1, "ep-1"]);
  });

  test("a read takes a list that is on its way, a look does not", async () => {
    const s = numbered();
    expect(await s.all(s.read(), s.after(500, s.read), s.after(500, s.look))).toEqual(["ep-1", "ep-1", "ep-2"]);
  });

  test("a read uses a list again for 5 s, a look never", async () => {
    const s = numbered();
    const ids = await s.all(s.read(), s.after(2000, s.read), s.after(5900, s.read), s.after(8000, s.read));
    expect(ids).toEqual(["ep-1", "ep-1", "ep-1", "ep-2"]);
    expect(await s.all(s.look())).toEqual(["ep-3"]);
  });

  test("projects share nothing", async () => {
    const s = numbered();
    expect(await s.all(s.read("a"), s.read("b"))).toEqual(["ep-1", "ep-2"]);
  });

  test("after a write neither the known list nor the one on its way is used", async () => {
    const s = numbered();
    await s.all(s.read());
    s.lists.invalidate(PROJECT);
    const wrote = async () => s.lists.invalidate(PROJECT);
    const ids = await s.all(s.read(), s.after(500, wrote), s.after(500, s.read), s.after(3000, s.read));
    // Who asked before the write gets what was then; the list on its way is not kept.
    expect(ids).toEqual(["ep-2", undefined, "ep-3", "ep-3"]);
  });

  test("a list that was on its way during a write is not kept, also when nobody asks meanwhile", async () => {
    const s = numbered();
    await s.all(
      s.read(),
      s.after(500, async () => s.lists.invalidate(PROJECT)),
    );
    expect(await s.all(s.read())).toEqual(["ep-2"]);
  });

  test("a change counts as a write when it is sent: an older list says nothing to who asks then", async () => {
    const s = slow();
    expect(await s.all(s.read(), s.after(100, s.change), s.after(200, s.read))).toEqual([1, "changed", 2]);
  });

  test("a change counts as a write when it has ended: a list read meanwhile may be older", async () => {
    const s = slow();
    expect(await s.all(s.change(), s.after(100, s.read), s.after(3500, s.read))).toEqual(["changed", 1, 2]);
  });

  test("a change by the client counts as a write, before and after it", async () => {
    const s = scripted((request) =>
      request.method === "GET"
        ? { status: 200, body: { endpoints: [] } }
        : { status: 200, body: { endpoint: { id: "ep-1" }, operations: [] } },
    );
    const deadline = new Deadline(s.clock, 600_000);
    await s.clock.run(s.context.lists.recent(PROJECT, deadline));
    await s.clock.run(s.context.client.updateEndpoint(PROJECT, "ep-1", { endpoint: { name: "n" } }, deadline));
    await s.clock.run(s.context.lists.recent(PROJECT, deadline));
    expect(s.seen.map((one) => one.method)).toEqual(["GET", "PATCH", "GET"]);
  });

  test("a list that failed fails for all who wait, and is not kept", async () => {
    const s = numbered((count) => (count === 1 ? { status: 404, body: { message: "no project" } } : undefined));
    const ends = await s.clock.run(Promise.allSettled([s.read(), s.look()]));
    expect(ends.map((end) => end.status)).toEqual(["rejected", "rejected"]);
    expect(await s.all(s.read())).toEqual(["ep-2"]);
  });

  test("who has less time gives up alone, and does not cut the time of others", async () => {
    const s = scripted(() => (s.clock.now() < 60_000 ? { status: 503 } : { status: 200, body: { endpoints: [] } }));
    const short = s.context.lists
      .recent(PROJECT, new Deadline(s.clock, 5000))
      .catch((error) => [error.kind, s.clock.now()]);
    const long = s.context.lists.recent(PROJECT, new Deadline(s.clock, 600_000));
    expect(await s.clock.run(Promise.all([short, long]))).toEqual([["deadline", 6000], []]);
  });

  test("who has more time does not take a list of somebody with less", async () => {
    const s = scripted(() => (s.clock.now() < 5000 ? { status: 503 } : { status: 200, body: { endpoints: [] } }));
    const short = s.context.lists.fresh(PROJECT, new Deadline(s.clock, 2000)).catch((error) => error.kind);
    const long = s.clock.sleep(500).then(() => s.context.lists.recent(PROJECT, new Deadline(s.clock, 600_000)));
    expect(await s.clock.run(Promise.all([short, long]))).toEqual(["service", []]);
  });

  test("a look after the time is up has as long for its answer with others as alone", async () => {
    for (const others of [[], [600_000]]) {
      const s = scripted(async () => {
        await s.clock.sleep(8000);
        return { status: 200, body: { endpoints: [] } };
      });
      const looks = [0, ...others].map((ms) => s.context.lists.fresh(PROJECT, new Deadline(s.clock, ms)));
      expect(await s.clock.run(Promise.all(looks))).toEqual([[], []].slice(0, looks.length));
    }
  });

  test.each([
    ["no end", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["an end after weeks", 600 * 3_600_000, 700 * 3_600_000],
  ])("deadlines with %s are no reason to give up", async (_end, one, other) => {
    const transport = async () => ({ status: 200, headers: {}, text: '{ "endpoints": [] }' });
    const { lists } = createContext({ baseUrl: "https://service.test", apiKey: "key", keySource: "a test", transport });
    const looks = [one, other].map((ms) => lists.fresh(PROJECT, new Deadline(systemClock, ms)));
    expect(await Promise.all(looks)).toEqual([[], []]);
  });

  test("nobody keeps the process alive after the list has come", async () => {
    const script = `
      const { createContext } = require("./provider/operations/create-context.ts");
      const { Deadline, systemClock } = require("./provider/clock.ts");
      const transport = async () => ({ status: 200, headers: {}, text: '{ "endpoints": [] }' });
      const { lists } = createContext({ baseUrl: "https://service.test", apiKey: "key", keySource: "a test", transport });
      Promise.all([60_000, 120_000].map((ms) => lists.fresh("p", new Deadline(systemClock, ms)))).then(() => console.log("listed"));`;
    const args = ["-r", require.resolve("tsx/cjs"), "-e", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 });
    expect(stdout).toBe("listed\n");
  });
});
