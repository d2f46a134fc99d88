/** All pages of operations, and where they end. */
import { describe, expect, test } from "vitest";
import { listOperations } from "../../../provider/lookup/index.js";
import { P } from "../../support/client-calls.js";
import { PROJECT, type Reply, type Scripted, type Seen, scripted } from "../../support/scripted-service.js";

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `op-${from + index}`, status: "finished" }));
/** @param cursor absent: without `pagination` */
const page = (operations: unknown[], cursor?: string): Reply => ({
  status: 200,
  body: { operations, ...(cursor === undefined ? {} : { pagination: { cursor } }) },
});

async function walk(service: Scripted, { limit, stopAt }: { limit?: number; stopAt?: string } = {}): Promise<string[]> {
  const ids: string[] = [];
  const loop = async () => {
    const access = { context: service.context, keySource: "COMPUTE_API_KEY", timeoutMs: 120_000 };
    for await (const { id } of listOperations(access, { projectId: PROJECT, ...(limit ? { limit } : {}) })) {
      ids.push(id);
      if (id === stopAt) break;
    }
  };
  await service.clock.run(loop());
  return ids;
}

/** A service with so many operations, whose cursor is the last row's time. */
function serviceWith(total: number): Scripted {
  return scripted(({ line }: Seen) => {
    const query = new URLSearchParams(line.split("?")[1]);
    const from = Number(query.get("cursor")?.slice("2026-05-04T10:30:".length, -1) ?? 0);
    const count = Math.min(Number(query.get("limit")), total - from);
    return page(rows(from, count), count > 0 ? `2026-05-04T10:30:${from + count}Z` : undefined);
  });
}

const ids = (count: number) => rows(0, count).map(({ id }) => id);

describe("all operations come, each once", () => {
  test.each([
    [0, 1],
    [1, 1],
    [99, 1],
    // A full page never shows whether it is the last one.
    [100, 2],
    [101, 2],
    [250, 3],
  ])("of %i, in %i requests", async (total, requests) => {
    const service = serviceWith(total);
    expect(await walk(service)).toEqual(ids(total));
    expect(service.seen).toHaveLength(requests);
  });

  test("with the cursor sent back unchanged, encoded, and the limit each time", async () => {
    const service = serviceWith(150);
    await walk(service);
    expect(service.lines()).toEqual([
      `GET ${P}/operations?limit=100`,
      `GET ${P}/operations?limit=100&cursor=2026-05-04T10%3A30%3A100Z`,
    ]);
  });
});

describe("the walk ends", () => {
  const FULL = rows(0, 100);
  test.each<[string, Reply[], number, number]>([
    ["at an empty page, though it has a cursor", [page(FULL, "a"), page([], "b")], 100, 2],
    ["at a page that is shorter than asked for", [page(FULL, "a"), page(rows(100, 3), "b")], 103, 2],
    ["at a full page without a cursor", [page(FULL, "a"), page(rows(100, 100))], 200, 2],
    ["at a cursor that is empty", [page(FULL, "")], 100, 1],
    ["at the same cursor twice", [page(FULL, "a"), page(rows(100, 100), "a")], 200, 2],
    [
      "at cursors that go round",
      [page(FULL, "a"), page(rows(100, 100), "b"), page(rows(200, 100), "a"), page([], "c")],
      300,
      3,
    ],
  ])("%s", async (_, replies, count, requests) => {
    const service = scripted(replies);
    expect(await walk(service)).toEqual(ids(count));
    expect(service.seen).toHaveLength(requests);
  });

  test("not at a row that can't be read: the page was full all the same", async () => {
    const service = scripted([page([...rows(0, 99), { status: "finished" }], "a"), page(rows(99, 1), "b")]);
    expect(await walk(service)).toEqual(ids(100));
  });

  test("where the caller stops, without a further request", async () => {
    const service = serviceWith(250);
    expect(await walk(service, { stopAt: "op-99" })).toEqual(ids(100));
    expect(service.seen).toHaveLength(1);
  });
});

describe("a limit", () => {
  test.each([
    [1, 250, 1, "1"],
    [100, 250, 1, "100"],
    [250, 250, 1, "250"],
    [1000, 250, 1, "1000"],
    [1000, 2000, 1, "1000"],
    [1500, 2000, 2, "1000"],
  ])("of %i among %i takes %i requests of %s rows", async (limit, total, requests, size) => {
    const service = serviceWith(total);
    expect(await walk(service, { limit })).toEqual(ids(Math.min(limit, total)));
    expect(service.seen).toHaveLength(requests);
    for (const line of service.lines()) expect(line).toContain(`limit=${size}`);
  });

  test.each([-1, 1.5, Number.NaN, "ten" as unknown as number])("of %s asks nothing", async (limit) => {
    const service = scripted([]);
    const access = { context: service.context, keySource: "k", timeoutMs: 1000 };
    const first = listOperations(access, { projectId: PROJECT, limit }).next();
    await expect(first).rejects.toThrow(/^limit .* is not a whole number from 1; no request was sent$/);
  });
});

test("a page that fails for a moment is asked for again", async () => {
  const service = scripted([page(rows(0, 100), "a"), { status: 503 }, { status: 500 }, page(rows(100, 1), "b")]);
  expect(await walk(service)).toEqual(ids(101));
});

test("a project that is not there is an error, never an end", async () => {
  const service = scripted([{ status: 404, body: { message: "no" } }]);
  await expect(walk(service)).rejects.toThrow(/^project \S+ does not exist, or the key \(from COMPUTE_API_KEY\)/);
});
