import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { actions, type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, statuses } from "../support.js";

const resize = { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 } };
const replica = (more: object = {}) => ({ endpoint: { branch_id: SEED.branches.main, type: "read_only", ...more } });

async function suspended(options: Parameters<typeof emulator>[0] = {}) {
  const emulated = emulator(options);
  await emulated.call("POST", `${PRIMARY}/suspend`);
  emulated.settle();
  return emulated;
}

describe("an active compute", () => {
  test.each<[string, object, boolean]>([
    ["a size", resize.endpoint, true],
    ["one limit", { autoscaling_limit_max_cu: 1 }, true],
    ["the branch", { branch_id: SEED.branches.dev }, true],
    ["the provisioner", { provisioner: "k8s-pod" }, true],
    ["the suspend timeout", { suspend_timeout_seconds: 600 }, false],
    ["the name", { name: "orders" }, false],
    ["settings", { settings: { pg_settings: { work_mem: "8MB" } } }, false],
    ["nothing", {}, false],
    ["the size it has", { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 }, false],
  ])("that is sent %s applies it, and restarts where connections drop", async (_what, endpoint, restarts) => {
    const emulated = emulator();
    const before = await emulated.endpoint();
    const reply = await emulated.call("PATCH", PRIMARY, { endpoint });
    expect(actions(reply)).toEqual([["apply_config", "running"]]);
    expect(reply.body.endpoint).toMatchObject({ ...endpoint, current_state: "active", pending_state: "active" });
    emulated.settle();
    const after = await emulated.endpoint();
    expect(after).toMatchObject({ ...endpoint, current_state: "active", host: before.host });
    expect(after).not.toHaveProperty("pending_state");
    expect(after.started_at !== before.started_at).toBe(restarts);
  });

  test("restarts no earlier than its operation ends", async () => {
    const emulated = emulator();
    const before = await emulated.endpoint();
    await emulated.call("PATCH", PRIMARY, resize);
    emulated.time.advance(OPERATION_MS - 1);
    expect(await emulated.endpoint()).toMatchObject({ started_at: before.started_at, pending_state: "active" });
    emulated.time.advance(1);
    expect((await emulated.endpoint()).started_at).not.toBe(before.started_at);
  });

  test("that is disabled is suspended and can't be started", async () => {
    const emulated = emulator();
    const reply = await emulated.call("PATCH", PRIMARY, { endpoint: { disabled: true } });
    expect(actions(reply)).toEqual([
      ["apply_config", "running"],
      ["suspend_compute", "scheduling"],
    ]);
    emulated.settle();
    expect(await emulated.endpoint()).toMatchObject({ current_state: "idle", disabled: true });
    expect((await emulated.call("POST", `${PRIMARY}/start`)).status).toBe(412);
    await emulated.call("PATCH", PRIMARY, { endpoint: { disabled: false } });
    emulated.settle();
    expect(await emulated.endpoint()).toMatchObject({ current_state: "idle", disabled: false });
    expect((await emulated.call("POST", `${PRIMARY}/start`)).status).toBe(200);
  });

  test("that is restarted stops, then starts", async () => {
    const emulated = emulator();
    const before = await emulated.endpoint();
    const reply = await emulated.call("POST", `${PRIMARY}/restart`);
    emulated.time.advance(OPERATION_MS);
    expect(await emulated.endpoint()).toMatchObject({ current_state: "idle", pending_state: "active" });
    expect(await statuses(emulated, reply)).toEqual(["finished", "running"]);
    const [stopped, starting] = emulated.running.world.operations;
    expect(starting!.updated_at).toBe(stopped!.updated_at);
    emulated.time.advance(OPERATION_MS);
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished"]);
    const after = await emulated.endpoint();
    expect(after.current_state).toBe("active");
    expect(after.started_at).not.toBe(before.started_at);
  });

  test("that is started does nothing", async () => {
    const reply = await emulator().call("POST", `${PRIMARY}/start`);
    expect([reply.status, actions(reply)]).toEqual([200, []]);
  });

  test("that is deleted is gone at once, while its suspension still runs", async () => {
    const emulated = emulator();
    const reply = await emulated.call("DELETE", PRIMARY);
    expect(actions(reply)).toEqual([["suspend_compute", "running"]]);
    expect((await emulated.call("GET", PRIMARY)).status).toBe(404);
    expect((await emulated.call("GET", ENDPOINTS)).body.endpoints).toEqual([]);
    emulated.settle();
    expect(await statuses(emulated, reply)).toEqual(["finished"]);
    expect((await emulated.call("DELETE", PRIMARY)).status).toBe(204);
  });
});

describe("an idle compute", () => {
  test("that is updated wakes for a moment and sleeps again", async () => {
    const emulated = await suspended();
    const reply = await emulated.call("PATCH", PRIMARY, resize);
    expect(reply.body.endpoint).toMatchObject({ current_state: "idle", pending_state: "idle" });
    emulated.time.advance(OPERATION_MS);
    expect(await emulated.endpoint()).toMatchObject({ current_state: "active", pending_state: "idle" });
    emulated.time.advance(OPERATION_MS);
    const after = await emulated.endpoint();
    expect(after).toMatchObject({ ...resize.endpoint, current_state: "idle" });
    expect(after).not.toHaveProperty("pending_state");
  });

  test("that is updated without operations, where that is how the service answers, has the change at once", async () => {
    const emulated = await suspended({ idleUpdate: "none" });
    const reply = await emulated.call("PATCH", PRIMARY, resize);
    expect(reply.body.operations).toEqual([]);
    expect(await emulated.endpoint()).toMatchObject({ ...resize.endpoint, current_state: "idle" });
  });

  test.each([412, 423] as const)("can't be restarted: %i", async (restartIdleStatus) => {
    const emulated = await suspended({ restartIdleStatus });
    expect((await emulated.call("POST", `${PRIMARY}/restart`)).status).toBe(restartIdleStatus);
  });

  test("shows when it was suspended, and not when it started or what runs on it", async () => {
    const row = await (await suspended()).endpoint();
    expect(row.updated_at).toBe(row.suspended_at);
    expect(Object.keys(row)).not.toContain("started_at");
    expect(Object.keys(row)).not.toContain("compute_release_version");
  });

  test("that is suspended does nothing", async () => {
    const emulated = await suspended();
    expect(actions(await emulated.call("POST", `${PRIMARY}/suspend`))).toEqual([]);
  });

  test("that is started is active, and shows no suspension", async () => {
    const emulated = await suspended();
    await emulated.call("POST", `${PRIMARY}/start`);
    emulated.settle();
    const after = await emulated.endpoint();
    expect(after.current_state).toBe("active");
    expect(after).not.toHaveProperty("suspended_at");
  });
});

describe("a new compute", () => {
  test("is on its way up, then active and never used", async () => {
    const emulated = emulator();
    const reply = await emulated.call("POST", ENDPOINTS, replica());
    expect(reply.body.endpoint).not.toHaveProperty("last_active");
    emulated.time.advance(OPERATION_MS);
    expect(await emulated.endpoint(reply.body.endpoint.id)).toMatchObject({
      current_state: "active",
      last_active: "2000-01-01T00:00:00Z",
    });
  });

  test("takes what it is not told from the project", async () => {
    const emulated = emulator();
    await emulated.call("PATCH", ENDPOINTS.replace("/endpoints", ""), {
      project: { default_endpoint_settings: { autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 120 } },
    });
    const { endpoint } = (await emulated.call("POST", ENDPOINTS, replica())).body;
    expect(endpoint).toMatchObject({
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 120,
    });
  });

  test("that is disabled ends idle", async () => {
    const emulated = emulator();
    const reply = await emulated.call("POST", ENDPOINTS, replica({ disabled: true }));
    expect(actions(reply).map(([action]) => action)).toEqual(["start_compute", "suspend_compute"]);
    emulated.settle();
    expect((await emulated.endpoint(reply.body.endpoint.id)).current_state).toBe("idle");
  });

  test("has the ids that chance gives it: the same ones under the same seed", async () => {
    const ids = () => emulator().call("POST", ENDPOINTS, replica());
    expect((await ids()).text).toBe((await ids()).text);
  });

  test("shows `{}` rather than empty settings, and no name that was not given", async () => {
    const { endpoint } = (await emulator().call("POST", ENDPOINTS, replica({ settings: { pg_settings: {} } }))).body;
    expect(endpoint.settings).toEqual({});
    expect(endpoint).not.toHaveProperty("name");
  });
});

describe("automatic suspension", () => {
  const inUse = (fields: object, options: Parameters<typeof emulator>[0] = {}) => {
    const emulated = emulator(options);
    Object.assign(emulated.primary(), fields);
    return emulated;
  };
  const stateAfter = async (emulated: ReturnType<typeof emulator>, seconds: number): Promise<Body> => {
    emulated.time.advance(seconds * 1000 + OPERATION_MS);
    return (await emulated.endpoint()).current_state;
  };

  test.each<[string, object, number, string]>([
    ["the default's 300 s, a little less", {}, 299, "active"],
    ["the default's 300 s", {}, 300, "idle"],
    ["its own 60 s", { suspend_timeout_seconds: 60 }, 60, "idle"],
    ["its own 600 s, a little less", { suspend_timeout_seconds: 600 }, 599, "active"],
    ["a day, but never suspended", { suspend_timeout_seconds: -1 }, 86_400, "active"],
    ["a day at 16 CU", { autoscaling_limit_min_cu: 16, autoscaling_limit_max_cu: 16 }, 86_400, "idle"],
    ["a day, but above 16 CU", { autoscaling_limit_min_cu: 18, autoscaling_limit_max_cu: 18 }, 86_400, "active"],
  ])("after %s", async (_time, fields, seconds, state) => {
    expect(await stateAfter(inUse(fields), seconds)).toBe(state);
  });

  test("is an operation of the service's own, which locks the project", async () => {
    const emulated = inUse({});
    emulated.time.advance(300_000);
    const page = (await emulated.call("GET", `${ENDPOINTS.replace("endpoints", "operations")}`)).body;
    expect(page.operations).toMatchObject([
      { action: "suspend_compute", status: "running", endpoint_id: SEED.primaryId },
    ]);
    expect(await emulated.endpoint()).toMatchObject({ current_state: "active", pending_state: "idle" });
    expect((await emulated.call("POST", ENDPOINTS, replica())).status).toBe(423);
  });

  test("starts at the time it was due, whenever somebody looks", async () => {
    const emulated = inUse({}, { operationMs: 1000 });
    const start = emulated.time.now();
    emulated.time.advance(3_600_000);
    expect(Date.parse((await emulated.endpoint()).suspended_at)).toBe(start + 301_000);
  });

  test("by a shorter timeout comes right after the change, not before it", async () => {
    const emulated = inUse({});
    emulated.time.advance(200_000);
    await emulated.call("PATCH", PRIMARY, { endpoint: { suspend_timeout_seconds: 60 } });
    const changed = emulated.time.now();
    expect((await emulated.endpoint()).current_state).toBe("active");
    expect(await stateAfter(emulated, 1)).toBe("idle");
    expect(Date.parse(emulated.primary().suspended_at as string)).toBe(changed + 2 * OPERATION_MS);
  });
});

test("the lists hold every compute of the project, and of the branch", async () => {
  const emulated = emulator();
  const { id } = (await emulated.call("POST", ENDPOINTS, replica({ branch_id: SEED.branches.dev }))).body.endpoint;
  const ids = async (path: string) => (await emulated.call("GET", path)).body.endpoints.map((one: Body) => one.id);
  expect(await ids(ENDPOINTS)).toEqual([id, SEED.primaryId]);
  expect(await ids(ENDPOINTS.replace("/endpoints", `/branches/${SEED.branches.dev}/endpoints`))).toEqual([id]);
});
