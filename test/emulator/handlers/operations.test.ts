import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { type Body, emulator, PRIMARY, PROJECT } from "../support.js";

const OPERATIONS = `${PROJECT}/operations`;

/** Seven operations: three restarts of two each, and a suspension. */
async function worked() {
  const emulated = emulator();
  for (const action of ["restart", "restart", "restart", "suspend"]) {
    await emulated.call("POST", `${PRIMARY}/${action}`);
    emulated.settle();
  }
  return emulated;
}

describe("the list of operations", () => {
  test("is newest first, a chain's last one before its first", async () => {
    const { operations } = (await (await worked()).call("GET", OPERATIONS)).body;
    expect(operations.map((one: Body) => one.action)).toEqual([
      "suspend_compute",
      ...["start_compute", "suspend_compute", "start_compute", "suspend_compute", "start_compute", "suspend_compute"],
    ]);
  });

  test.each([1, 2, 3, 7, 8])("walked %i at a time has every row once", async (limit) => {
    const emulated = await worked();
    const all = (await emulated.call("GET", OPERATIONS)).body.operations.map((one: Body) => one.id);
    const seen: string[] = [];
    let query = `limit=${limit}`;
    for (;;) {
      const { operations, pagination } = (await emulated.call("GET", `${OPERATIONS}?${query}`)).body;
      seen.push(...operations.map((one: Body) => one.id));
      if (operations.length < limit) break;
      query = `limit=${limit}&cursor=${encodeURIComponent(pagination.cursor)}`;
    }
    expect(seen).toEqual(all);
  });

  test("carries a cursor while it has rows, and none on an empty page", async () => {
    const emulated = await worked();
    const { pagination } = (await emulated.call("GET", `${OPERATIONS}?limit=7`)).body;
    expect(pagination.cursor).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const last = (await emulated.call("GET", `${OPERATIONS}?cursor=${encodeURIComponent(pagination.cursor)}`)).body;
    expect(last).toEqual({ operations: [] });
  });

  test("gives no two rows the same creation time, even within one millisecond", async () => {
    const emulated = emulator({ operationMs: 0 });
    for (let count = 0; count < 50; count += 1) await emulated.call("POST", `${PRIMARY}/restart`);
    const times = emulated.running.world.operations.map((one) => one.created_at);
    expect(times).toHaveLength(100);
    expect(new Set(times).size).toBe(100);
    expect([...times].sort()).toEqual(times);
  });

  test("does not repeat a row when new ones appear during the walk", async () => {
    const emulated = await worked();
    const first = (await emulated.call("GET", `${OPERATIONS}?limit=3`)).body;
    await emulated.call("POST", `${PRIMARY}/start`);
    const second = (await emulated.call("GET", `${OPERATIONS}?cursor=${first.pagination.cursor}`)).body;
    const ids = [...first.operations, ...second.operations].map((one: Body) => one.id);
    expect(new Set(ids).size).toBe(7);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "limit=1.5", "limit=", "cursor=yesterday"])(
    "refuses %s",
    async (query) => {
      const reply = await emulator().call("GET", `${OPERATIONS}?${query}`);
      expect([reply.status, reply.body.message.split(":")[0]]).toEqual([400, "invalid request"]);
    },
  );

  test("shows whole seconds and nothing of the emulator's own", async () => {
    const { operations } = (await (await worked()).call("GET", OPERATIONS)).body;
    for (const one of operations) {
      expect(Object.keys(one).sort()).toEqual(
        "action branch_id created_at endpoint_id failures_count id project_id status total_duration_ms updated_at".split(
          " ",
        ),
      );
      expect(one.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
  });
});

describe("an operation", () => {
  test.each([
    ["not-a-uuid", 400],
    ["00000000-0000-4000-8000-000000000000", 404],
  ])("%s is %i", async (id, status) => {
    expect((await emulator().call("GET", `${OPERATIONS}/${id}`)).status).toBe(status);
  });

  test("of one project is not found under another", async () => {
    const emulated = emulator();
    const { id } = (await emulated.call("POST", `${PRIMARY}/suspend`)).body.operations[0];
    expect((await emulated.call("GET", `/projects/${SEED.second.projectId}/operations/${id}`)).status).toBe(404);
    expect((await emulated.call("GET", `${OPERATIONS}/${id}`)).status).toBe(200);
  });

  test("takes as long as the caller says, action by action", async () => {
    const emulated = emulator({ operationMs: { suspend_compute: 100, default: 1000 } });
    await emulated.call("POST", `${PRIMARY}/restart`);
    emulated.settle();
    const [start, suspend] = (await emulated.call("GET", OPERATIONS)).body.operations;
    expect([suspend.total_duration_ms, start.status]).toEqual([100, "finished"]);
    expect(emulated.primary().started_at).toBe(
      new Date(emulated.time.now() - 60_000 + 1100).toISOString().replace("Z", "000Z"),
    );
  });
});
