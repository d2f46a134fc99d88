import { describe, expect, test } from "vitest";
import { SEED, type World } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, PRIMARY, PROJECT } from "../support.js";

const { main } = SEED.branches;

/** A world with some history, as it is over the wire. */
async function lived(): Promise<World> {
  const emulated = emulator({ branchReadyMs: 60_000, failedRetryMs: 60_000 });
  emulated.running.faults.add({ operation: { action: "suspend_compute", then: "failed-then-finished" } });
  await emulated.call("POST", `${PROJECT}/branches`, { branch: { expires_at: "2027-01-01T02:00:00+02:00" } });
  emulated.time.advance(600);
  await emulated.call("POST", `${PROJECT}/branches/${main}/roles`, { role: { name: "app", no_login: true } });
  emulated.time.advance(600);
  await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x", settings: { pg_settings: { work_mem: "8MB" } } } });
  emulated.time.advance(600);
  await emulated.call("POST", `${PRIMARY}/restart`);
  emulated.time.advance(600);
  return (await emulated.control("GET", "/world")).body;
}

describe("a world that is put in place", () => {
  test("is the one that was taken from another emulator, and lives on", async () => {
    const world = await lived();
    expect(world.operations.map((one) => one.status)).toContain("failed");
    const emulated = emulator();
    emulated.time.advance(2400);
    const held = emulated.running.world;
    const reply = await emulated.control("PUT", "/world", world);
    expect([reply.status, reply.body]).toEqual([200, world]);
    expect(held).toEqual(world);
    emulated.settle();
    emulated.settle();
    expect((await emulated.endpoint()).current_state).toBe("active");
    const words = (await emulated.call("GET", `${PROJECT}/operations`)).body.operations.map((one: Body) => one.status);
    expect(new Set(words)).toEqual(new Set(["finished"]));
    expect(Object.values(emulated.running.world.branches).map((one) => one.current_state)).not.toContain("init");
  });

  test("can be empty", async () => {
    const { call, control } = emulator();
    expect((await control("PUT", "/world", { projects: {}, branches: {}, endpoints: {} })).status).toBe(200);
    expect((await call("GET", "/projects")).body.projects).toEqual([]);
    expect((await call("POST", "/projects", { project: {} })).status).toBe(201);
  });

  test("can be larger than a request to the API", async () => {
    const { control, running } = emulator();
    const world = structuredClone(running.world);
    for (let n = 0; n < 2000; n += 1) {
      world.endpoints[`ep-${n}`] = { ...world.endpoints[SEED.primaryId]!, id: `ep-${n}`, type: "read_only" };
    }
    expect(JSON.stringify(world).length).toBeGreaterThan(1_000_000);
    expect((await control("PUT", "/world", world)).status).toBe(200);
  });

  test("has its operations in order, and the next one after them, whatever order they are given in", async () => {
    const emulated = emulator();
    const operation = (second: number, fraction = ""): Body => ({
      id: `00000000-0000-4000-8000-00000000000${second}`,
      project_id: SEED.projectId,
      action: "apply_config",
      status: "finished",
      failures_count: 0,
      created_at: `2027-01-01T00:00:0${second}${fraction}Z`,
      updated_at: `2027-01-01T00:00:0${second}Z`,
      total_duration_ms: 0,
    });
    const { last_operation_us: _, ...world } = structuredClone(emulated.running.world);
    const operations = [operation(2), operation(1, ".5"), operation(0, ".000001")];
    await emulated.control("PUT", "/world", { ...world, operations });
    await emulated.call("POST", `${PRIMARY}/suspend`);
    const { body } = await emulated.call("GET", `${PROJECT}/operations?limit=2`);
    expect(body.operations.map((one: Body) => one.created_at)).toEqual([
      "2027-01-01T00:00:02Z",
      "2027-01-01T00:00:02Z",
    ]);
    expect(body.pagination.cursor).toBe("2027-01-01T00:00:02.000000Z");
    const rest = (await emulated.call("GET", `${PROJECT}/operations?cursor=${body.pagination.cursor}`)).body.operations;
    expect(rest.map((one: Body) => one.id.at(-1))).toEqual(["1", "0"]);
  });

  test("may say times with an offset", async () => {
    const emulated = emulator();
    const world = structuredClone(emulated.running.world);
    world.projects[SEED.projectId]!.created_at = "2026-05-04T10:00:00+02:00";
    await emulated.control("PUT", "/world", world);
    expect(emulated.running.world.projects[SEED.projectId]!.created_at).toBe("2026-05-04T08:00:00.000000Z");
  });
});

describe("what is no world is refused, with the reason, and the old one stays", () => {
  const primary = (change: (row: Body) => void) => (world: Body) => {
    change(world.endpoints[SEED.primaryId]);
    return world;
  };
  const operations = (change: (row: Body) => Body[]) => (world: Body) => ({
    ...world,
    operations: change(world.operations[0]),
  });
  test.each<[string, (world: Body) => unknown, string]>([
    ["nothing", () => undefined, "not a world: "],
    ["a list", () => [], "expected object"],
    ["a table that is missing", (world) => ({ ...world, branches: undefined }), "branches: "],
    ["a table too much", (world) => ({ ...world, users: {} }), '"users"'],
    ["a field that is missing", primary((row) => delete row.host), `endpoints.${SEED.primaryId}.host: `],
    ["a field too much", primary((row) => Object.assign(row, { size: 1 })), '"size"'],
    ["a state that is none", primary((row) => Object.assign(row, { current_state: "asleep" })), "current_state: "],
    [
      "a time that is none",
      primary((row) => Object.assign(row, { started_at: "now" })),
      "started_at: not an RFC 3339 time",
    ],
    ["null", primary((row) => Object.assign(row, { name: null })), "name: "],
    ["an id in capitals", primary((row) => Object.assign(row, { branch_id: "BR" })), "branch_id: not an id"],
    ["a row under another id", primary((row) => Object.assign(row, { id: "ep-x" })), "is ep-x, but the row is under"],
    [
      "a compute of no project",
      primary((row) => Object.assign(row, { project_id: "none" })),
      "project_id: there is no project none",
    ],
    [
      "a compute on no branch",
      primary((row) => Object.assign(row, { branch_id: "br-none" })),
      "branch_id: there is no branch br-none in project quiet-meadow-40718263",
    ],
    [
      "a compute on another project's branch",
      primary((row) => Object.assign(row, { branch_id: SEED.second.branchId })),
      `there is no branch ${SEED.second.branchId} in project`,
    ],
    ["two operations at once", operations((row) => [row, row]), "same microsecond"],
    ["an operation without an action", operations((row) => [{ ...row, action: "" }]), "operations.0.action: "],
    ["an operation without an id", operations((row) => [{ ...row, id: "x" }]), "operations.0.id: not a UUID"],
  ])("%s", async (_what, change, reason) => {
    const emulated = emulator();
    await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    emulated.settle();
    const before = structuredClone(emulated.running.world);
    const reply = await emulated.control("PUT", "/world", change(structuredClone(before)));
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining(reason)]);
    expect(emulated.running.world).toEqual(before);
  });

  test("in one line, however much is wrong", async () => {
    const { control, running } = emulator();
    const world: Body = structuredClone(running.world);
    for (const branch of Object.values<Body>(world.branches)) delete branch.name;
    const message = async () => (await control("PUT", "/world", world)).body.message;
    expect(await message()).toMatch(/^not a world: .*; and 1 more$/);
    world.branches[main].name = "main";
    expect(await message()).toMatch(/^not a world: [^;]+; [^;]+; [^;]+$/);
    expect(await message()).not.toContain(" more");
  });
});

test("a compute can't be moved by hand to a branch that is not there", async () => {
  const { control, endpoint } = emulator();
  const move = (branch_id: string) => control("POST", `/endpoints/${SEED.primaryId}`, { branch_id });
  expect((await move("br-none")).status).toBe(404);
  expect((await move(SEED.second.branchId)).status).toBe(404);
  expect((await move(SEED.branches.dev)).status).toBe(200);
  expect((await endpoint()).branch_id).toBe(SEED.branches.dev);
});

test("what chance makes up is new, also where chance repeats itself", async () => {
  const make = { endpoint: { branch_id: main, type: "read_only" } };
  const [first, second] = [emulator(), emulator()];
  const one = (await first.call("POST", ENDPOINTS, make)).body;
  first.settle();
  await second.control("PUT", "/world", (await first.control("GET", "/world")).body);
  second.settle();
  const other = (await second.call("POST", ENDPOINTS, make)).body;
  expect(other.endpoint.id).not.toBe(one.endpoint.id);
  expect(other.operations[0].id).not.toBe(one.operations[0].id);
  expect(Object.keys(second.running.world.endpoints)).toHaveLength(3);
});
