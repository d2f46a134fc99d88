import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT } from "../support.js";

const PROJECT_LOCKED = "project already has running conflicting operations, scheduling of new ones is prohibited";
const IN_BETWEEN = "endpoint is in some transitive state, could not suspend";

const DEV = `${PROJECT}/branches/${SEED.branches.dev}`;
const replica = { endpoint: { branch_id: SEED.branches.main, type: "read_only" } };

/** A project with a replica at rest, and the primary in the middle of a resize. */
async function busy() {
  const emulated = emulator();
  const { id } = (await emulated.call("POST", ENDPOINTS, replica)).body.endpoint;
  emulated.settle();
  await emulated.call("PATCH", PRIMARY, { endpoint: { autoscaling_limit_max_cu: 1 } });
  return { ...emulated, other: `${ENDPOINTS}/${id}` };
}

describe("while an operation of the project is pending", () => {
  test.each<[string, string, (other: string) => string, Body, string]>([
    ["create", "POST", () => ENDPOINTS, replica, PROJECT_LOCKED],
    ["update of the same compute", "PATCH", () => PRIMARY, { endpoint: { name: "x" } }, PROJECT_LOCKED],
    ["update of another compute", "PATCH", (other) => other, { endpoint: { name: "x" } }, PROJECT_LOCKED],
    ["restart of the same compute", "POST", () => `${PRIMARY}/restart`, undefined, IN_BETWEEN],
    ["restart of another compute", "POST", (other) => `${other}/restart`, undefined, PROJECT_LOCKED],
    ["start of the same compute", "POST", () => `${PRIMARY}/start`, undefined, IN_BETWEEN],
    ["suspend of the same compute", "POST", () => `${PRIMARY}/suspend`, undefined, IN_BETWEEN],
    ["delete of the same compute", "DELETE", () => PRIMARY, undefined, IN_BETWEEN],
    ["delete of another compute", "DELETE", (other) => other, undefined, PROJECT_LOCKED],
    ["a new branch", "POST", () => `${PROJECT}/branches`, {}, PROJECT_LOCKED],
    ["a branch's new name", "PATCH", () => DEV, { branch: { name: "x" } }, PROJECT_LOCKED],
    ["delete of a branch", "DELETE", () => DEV, undefined, PROJECT_LOCKED],
  ])("%s is 423 and does nothing", async (_what, method, path, body, words) => {
    const emulated = await busy();
    const before = structuredClone(emulated.running.world);
    const reply = await emulated.call(method, path(emulated.other), body);
    expect(reply.status).toBe(423);
    expect(reply.body).toMatchObject({ code: "", message: words });
    expect(emulated.running.world).toEqual(before);
  });

  test.each([ENDPOINTS, PRIMARY, PROJECT, `${PROJECT}/operations`, `${PROJECT}/branches`, DEV, "/projects"])(
    "GET %s answers",
    async (path) => {
      const emulated = await busy();
      expect((await emulated.call("GET", path)).status).toBe(200);
    },
  );

  test("another project takes work", async () => {
    const emulated = await busy();
    const { projectId, branchId } = SEED.second;
    const body = { endpoint: { branch_id: branchId, type: "read_write" } };
    expect((await emulated.call("POST", `/projects/${projectId}/endpoints`, body)).status).toBe(201);
  });

  test("a missing compute is still 204 to delete and 404 to change", async () => {
    const emulated = await busy();
    expect((await emulated.call("DELETE", `${ENDPOINTS}/ep-not-there`)).status).toBe(204);
    expect((await emulated.call("PATCH", `${ENDPOINTS}/ep-not-there`, { endpoint: {} })).status).toBe(404);
  });

  test("a bad body is 400 first", async () => {
    const emulated = await busy();
    expect((await emulated.call("PATCH", PRIMARY, { endpoint: { autoscaling_limit_max_cu: 17 } })).status).toBe(400);
  });
});

test("the lock ends with the last operation of a chain, not with the first", async () => {
  const emulated = emulator();
  await emulated.call("POST", `${PRIMARY}/restart`);
  const status = async () => (await emulated.call("POST", ENDPOINTS, replica)).status;
  emulated.time.advance(OPERATION_MS);
  expect(await status()).toBe(423);
  emulated.time.advance(OPERATION_MS - 1);
  expect(await status()).toBe(423);
  emulated.time.advance(1);
  expect(await status()).toBe(201);
});

describe("where the lock is the branch's, while a compute of main restarts,", () => {
  const primaryOn = (branch_id: string) => ({ endpoint: { branch_id, type: "read_write" } });
  const { main, dev, preview } = SEED.branches;
  const role = { role: { name: "app" } };

  /** A compute on dev at rest, and the one on main in the middle of a restart. */
  async function half() {
    const emulated = emulator({ lock: "branch" });
    const { id } = (await emulated.call("POST", ENDPOINTS, primaryOn(dev))).body.endpoint;
    emulated.settle();
    await emulated.call("PATCH", PRIMARY, { endpoint: { autoscaling_limit_max_cu: 1 } });
    return { ...emulated, onDev: `${ENDPOINTS}/${id}` };
  }

  test.each<[string, string, (onDev: string) => string, Body, number]>([
    ["a compute on main", "POST", () => ENDPOINTS, replica, 423],
    ["a change of main's compute", "PATCH", () => PRIMARY, { endpoint: { name: "x" } }, 423],
    ["a restart of main's compute", "POST", () => `${PRIMARY}/restart`, undefined, 423],
    ["a branch of main", "POST", () => `${PROJECT}/branches`, {}, 423],
    ["a role on main", "POST", () => `${PROJECT}/branches/${main}/roles`, role, 423],
    ["a move to main", "PATCH", (onDev) => onDev, { endpoint: { branch_id: main } }, 423],
    ["main's new name", "PATCH", () => `${PROJECT}/branches/${main}`, { branch: { name: "x" } }, 423],
    ["a restore from main", "POST", () => `${PROJECT}/branches/${preview}/restore`, { source_branch_id: main }, 423],
    ["a change of the project", "PATCH", () => PROJECT, { project: { name: "x" } }, 423],
    ["a compute on preview", "POST", () => ENDPOINTS, primaryOn(preview), 201],
    ["a change of dev's compute", "PATCH", (onDev) => onDev, { endpoint: { autoscaling_limit_max_cu: 1 } }, 200],
    ["a restart of dev's compute", "POST", (onDev) => `${onDev}/restart`, undefined, 200],
    ["a delete of dev's compute", "DELETE", (onDev) => onDev, undefined, 200],
    ["a move from dev to preview", "PATCH", (onDev) => onDev, { endpoint: { branch_id: preview } }, 200],
    ["a branch of dev", "POST", () => `${PROJECT}/branches`, { branch: { parent_id: dev } }, 201],
    ["a role on dev", "POST", () => `${PROJECT}/branches/${dev}/roles`, role, 201],
    ["a delete of preview", "DELETE", () => `${PROJECT}/branches/${preview}`, undefined, 200],
  ])("%s: %s", async (_what, method, path, body, status) => {
    const emulated = await half();
    expect((await emulated.call(method, path(emulated.onDev), body)).status).toBe(status);
  });

  test("what fails on one branch leaves the work on another alone", async () => {
    const emulated = emulator({ lock: "branch", operationMs: { suspend_compute: 400, default: 1000 } });
    const { id } = (await emulated.call("POST", ENDPOINTS, primaryOn(dev))).body.endpoint;
    emulated.settle();
    emulated.running.world.operations.length = 0;
    emulated.running.faults.add({ operation: { action: "suspend_compute", then: "error" } });
    await emulated.call("POST", `${PRIMARY}/restart`);
    emulated.time.advance(100);
    await emulated.call("POST", `${ENDPOINTS}/${id}/restart`);
    const words = () => emulated.running.world.operations.map((one) => one.status);
    emulated.time.advance(300);
    expect(words()).toEqual(["error", "cancelled", "running", "scheduling"]);
    emulated.time.advance(100);
    expect(words()).toEqual(["error", "cancelled", "finished", "running"]);
  });

  test("work on no branch locks them all", async () => {
    const emulated = emulator({ lock: "branch" });
    emulated.running.startOperation({ projectId: SEED.projectId, action: "tenant_reattach" });
    expect((await emulated.call("POST", ENDPOINTS, primaryOn(dev))).status).toBe(423);
    emulated.settle();
    expect((await emulated.call("POST", ENDPOINTS, primaryOn(dev))).status).toBe(201);
  });
});
