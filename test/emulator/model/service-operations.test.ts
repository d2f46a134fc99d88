import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT } from "../support.js";

type Emulated = ReturnType<typeof emulator>;
const EVERY_MS = 60_000;
const replica = { endpoint: { branch_id: SEED.branches.main, type: "read_only", suspend_timeout_seconds: -1 } };

const history = ({ running }: Emulated) => running.world.operations.map((one) => [one.action, one.status]);
const idle = async (emulated: Emulated) => {
  await emulated.call("POST", `${PRIMARY}/suspend`);
  emulated.settle();
  emulated.running.world.operations.length = 0;
  return emulated;
};

describe("a check that is started now", () => {
  test("locks the project, and leaves an active compute as it is", async () => {
    const emulated = emulator();
    const before = await emulated.endpoint();
    const reply = await emulated.control("POST", "/operations", { endpointId: SEED.primaryId });
    expect(reply.status).toBe(201);
    expect(reply.body.operations).toMatchObject([
      { action: "check_availability", status: "running", endpoint_id: SEED.primaryId, branch_id: SEED.branches.main },
    ]);
    expect(reply.body.operations[0]).not.toHaveProperty("plan");
    expect((await emulated.call("POST", ENDPOINTS, replica)).status).toBe(423);
    emulated.time.advance(OPERATION_MS);
    expect(await emulated.endpoint()).toEqual(before);
    expect((await emulated.call("POST", ENDPOINTS, replica)).status).toBe(201);
  });

  test.each([false, true])("wakes an idle compute for a moment (disabled: %s)", async (disabled) => {
    const emulated = await idle(emulator());
    emulated.primary().disabled = disabled;
    emulated.running.startOperation({ endpointId: SEED.primaryId });
    expect(await emulated.endpoint()).toMatchObject({ current_state: "idle", pending_state: "idle" });
    emulated.time.advance(OPERATION_MS);
    expect(await emulated.endpoint()).toMatchObject({ current_state: "active", pending_state: "idle" });
    emulated.time.advance(OPERATION_MS);
    expect(await emulated.endpoint()).toMatchObject({ current_state: "idle" });
    expect(history(emulated)).toEqual([
      ["check_availability", "finished"],
      ["suspend_compute", "finished"],
    ]);
  });

  test("also while something else runs", async () => {
    const emulated = emulator();
    await emulated.call("POST", `${PRIMARY}/restart`);
    const { operations } = (await emulated.control("POST", "/operations", { endpointId: SEED.primaryId })).body;
    expect(operations).toMatchObject([{ action: "check_availability" }]);
  });
});

test.each<[string, object, object]>([
  ["a compute's start", { endpointId: SEED.primaryId, action: "start_compute" }, { endpoint_id: SEED.primaryId }],
  ["a branch's work", { branchId: SEED.branches.dev, action: "timeline_archive" }, { branch_id: SEED.branches.dev }],
  ["a project's work", { projectId: SEED.projectId, action: "tenant_attach" }, { project_id: SEED.projectId }],
])("%s can be the service's own idea", async (_what, body, fields) => {
  const { control } = await idle(emulator());
  const { operations } = (await control("POST", "/operations", body)).body;
  expect(operations).toMatchObject([{ ...fields, project_id: SEED.projectId, status: "running" }]);
});

test("work on no compute has no compute in it, work on no branch no branch", async () => {
  const { running } = emulator();
  const [ofBranch] = running.startOperation({ branchId: SEED.branches.dev });
  const [ofProject] = running.startOperation({ projectId: SEED.projectId });
  expect(ofBranch).not.toHaveProperty("endpoint_id");
  expect(ofProject).not.toHaveProperty("branch_id");
});

test.each<[Body, number, string]>([
  [undefined, 400, "not an operation of the service"],
  [{}, 400, "give one of endpointId, branchId and projectId"],
  [{ endpointId: SEED.primaryId, projectId: SEED.projectId }, 400, "give one of"],
  [{ endpoint: SEED.primaryId }, 400, "endpoint"],
  [{ endpointId: SEED.primaryId, action: "a".repeat(101) }, 400, "action"],
  [{ endpointId: "ep-none" }, 404, "endpoint not found"],
  [{ endpointId: "constructor" }, 404, "endpoint not found"],
  [{ branchId: "br-none" }, 404, "branch not found"],
  [{ projectId: "none" }, 404, "project not found"],
])("%j starts nothing", async (body, status, message) => {
  const emulated = emulator();
  const reply = await emulated.control("POST", "/operations", body);
  expect([reply.status, reply.body.message]).toEqual([status, expect.stringContaining(message)]);
  expect(history(emulated)).toEqual([]);
});

describe("checks that come by themselves", () => {
  const checked = async () => {
    const emulated = emulator({ availabilityCheckMs: EVERY_MS });
    emulated.primary().suspend_timeout_seconds = -1;
    return emulated;
  };
  const times = ({ running }: Emulated, start: number) =>
    running.world.operations
      .filter((one) => one.action === "check_availability")
      .map((one) => Math.floor(Date.parse(one.created_at) - start));

  test("come at their times, whenever somebody looks", async () => {
    const emulated = await checked();
    const start = emulated.time.now();
    emulated.time.advance(3 * EVERY_MS + 10);
    expect(times(emulated, start)).toEqual([EVERY_MS, 2 * EVERY_MS, 3 * EVERY_MS]);
  });

  test("never come unless they are asked for", async () => {
    const emulated = emulator();
    emulated.primary().suspend_timeout_seconds = -1;
    emulated.time.advance(100 * EVERY_MS);
    expect(history(emulated)).toEqual([]);
  });

  test("lock a project that nobody else uses", async () => {
    const emulated = await checked();
    emulated.time.advance(EVERY_MS);
    expect((await emulated.call("POST", ENDPOINTS, replica)).status).toBe(423);
    emulated.time.advance(OPERATION_MS);
    expect((await emulated.call("POST", ENDPOINTS, replica)).status).toBe(201);
  });

  test("wait for work on their compute, and count from then", async () => {
    const emulated = await checked();
    emulated.running.faults.add({ operation: { action: "apply_config", then: "never" } });
    await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    const start = emulated.time.now();
    emulated.time.advance(EVERY_MS + 5000);
    expect(times(emulated, start)).toEqual([]);
    emulated.running.faults.clear();
    emulated.time.advance(EVERY_MS);
    expect(times(emulated, start)).toEqual([EVERY_MS + 5000, 2 * EVERY_MS + 5000]);
  });

  test("of a compute that is made later start with it", async () => {
    const emulated = await checked();
    emulated.time.advance(30_000);
    const start = emulated.time.now();
    const { id } = (await emulated.call("POST", ENDPOINTS, replica)).body.endpoint;
    emulated.time.advance(EVERY_MS);
    const [first] = emulated.running.world.operations.filter(
      (one) => one.action === "check_availability" && one.endpoint_id === id,
    );
    expect(Math.floor(Date.parse(first!.created_at) - start)).toBe(EVERY_MS);
  });

  test("count anew after one that was started by hand", async () => {
    const emulated = await checked();
    const start = emulated.time.now();
    emulated.time.advance(40_000);
    await emulated.control("POST", "/operations", { endpointId: SEED.primaryId });
    emulated.time.advance(EVERY_MS);
    expect(times(emulated, start)).toEqual([40_000, 40_000 + EVERY_MS]);
    expect((await emulated.call("GET", `${PROJECT}/operations`)).body.operations).toHaveLength(2);
  });
});
