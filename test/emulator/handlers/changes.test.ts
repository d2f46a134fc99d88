import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import type { Changes } from "../../../emulator/model/change-types.js";
import { ENDPOINTS, emulator, KEY, OPERATION_MS, PRIMARY, PROJECT } from "../support.js";

const BY_HAND = `/api${PRIMARY}`;

/** An emulator, and a reader that asks with the cursor of the answer before. */
function watched(options: Parameters<typeof emulator>[0] = {}) {
  const it = emulator(options);
  let cursor: string | undefined;
  const next = async (): Promise<Changes> => {
    const { status, body } = await it.control("GET", `/changes${cursor === undefined ? "" : `?cursor=${cursor}`}`);
    expect(status).toBe(200);
    cursor = body.cursor;
    return body;
  };
  return { ...it, next };
}

describe("the changes", () => {
  test("are everything at first, and then only what is new", async () => {
    const { next, call } = watched();
    await call("GET", PROJECT);
    const first = await next();
    expect(first).toMatchObject({ whole: true, time: { mode: "real" }, faults: [], operations: [] });
    expect(first.tables?.projects).toContainEqual({ id: SEED.projectId, name: "quiet-meadow" });
    expect(first.tables?.endpoints.map(({ id }) => id)).toContain(SEED.primaryId);
    expect(first.tables?.branches.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(SEED.branches)));
    expect(first.requests).toMatchObject([{ id: 1, method: "GET", path: PROJECT, status: 200 }]);

    const second = await next();
    expect(second).toMatchObject({ whole: false, requests: [], operations: [] });
    expect(second).not.toHaveProperty("tables");
    expect(second).not.toHaveProperty("faults");
  });

  test("follow an operation from its request to its end", async () => {
    const { next, call, settle } = watched();
    await next();
    await call("PATCH", PRIMARY, { endpoint: { autoscaling_limit_max_cu: 1 } });
    const during = await next();
    expect(during.requests).toMatchObject([{ body: '{"endpoint":{"autoscaling_limit_max_cu":1}}', status: 200 }]);
    expect(during.operations).toMatchObject([{ action: "apply_config", status: "running", restarts: true }]);
    expect(during.tables?.endpoints).toMatchObject([{ pending_state: "active", autoscaling_limit_max_cu: 1 }]);
    settle();
    const after = await next();
    expect(after.requests).toEqual([]);
    expect(after.operations).toMatchObject([{ status: "finished", total_duration_ms: OPERATION_MS }]);
    expect(after.tables?.endpoints[0]).not.toHaveProperty("pending_state");
    expect((await next()).operations).toEqual([]);
  });

  test("of two readers are complete for each", async () => {
    const { next, control, call } = watched();
    await next();
    const other = (await control("GET", "/changes")).body;
    await call("POST", `${PRIMARY}/suspend`);
    expect((await next()).operations).toHaveLength(1);
    const { body } = await control("GET", `/changes?cursor=${other.cursor}`);
    expect(body).toMatchObject({ whole: false, requests: [{ method: "POST" }], operations: [{ status: "running" }] });
  });

  test("tell a refusal in its words, and a response that was cut off", async () => {
    const { next, call, running, raw } = watched();
    await next();
    await call("POST", `${PRIMARY}/suspend`);
    await call("POST", `${PRIMARY}/restart`);
    await raw("GET", "/elsewhere");
    running.faults.add({ match: {}, then: { status: 502, body: "<h1>Bad gateway</h1>" } });
    running.faults.add({ match: {}, then: { cut: true } });
    await call("GET", PRIMARY);
    await call("GET", PRIMARY);
    const [, restart, elsewhere, page, cut] = (await next()).requests;
    expect(restart).toMatchObject({ status: 423, message: expect.stringMatching(/^endpoint is in some transitive/) });
    expect(elsewhere).toMatchObject({ status: 401, path: "/elsewhere" });
    expect(page).toMatchObject({ status: 502, message: "<h1>Bad gateway</h1>" });
    expect(cut).toMatchObject({ status: "cut" });
  });

  test("show a request whose response is delayed, and later its response", async () => {
    const { next, call, running } = watched();
    await next();
    running.clock.run("virtual");
    running.faults.add({ match: {}, then: { delayMs: 1000 } });
    const sent = call("GET", PRIMARY);
    const [waiting] = (await next()).requests;
    expect(waiting).not.toHaveProperty("status");
    running.clock.advance(1000);
    await sent;
    expect((await next()).requests).toEqual([{ ...waiting, status: 200 }]);
  });

  test("name the compute that a request created", async () => {
    const { next, call } = watched();
    await next();
    const { body } = await call("POST", ENDPOINTS, {
      endpoint: { type: "read_only", branch_id: SEED.branches.main },
    });
    expect((await next()).requests).toMatchObject([{ status: 201, endpoint_id: body.endpoint.id }]);
  });

  test.each([
    ["no cursor of this emulator", "abc.3"],
    ["no cursor", "x"],
    ["a cursor of another emulator", "00000000.0"],
  ])("are everything again for %s", async (_what, cursor) => {
    const { control } = watched();
    const { body } = await control("GET", `/changes?cursor=${cursor}`);
    expect(body.whole).toBe(true);
    expect(body.tables.endpoints).toHaveLength(1);
  });

  test("tell the faults when they have changed, without the bodies and headers of their responses", async () => {
    const { next, call, control, running } = watched();
    await next();
    running.faults.add({ match: {}, times: 2, then: { status: 500, body: { a: "b" }, headers: { x: "y" } } });
    running.faults.add({ operation: { action: "*", then: "never" } });
    running.faults.add({ ignore: { fields: ["name"] } });
    const others = [
      { operation: { action: "*", times: 1, then: "never" } },
      { ignore: { fields: ["name"], times: 1 } },
    ];
    expect((await next()).faults).toEqual([{ match: {}, times: 2, then: { status: 500 } }, ...others]);
    expect(await next()).not.toHaveProperty("faults");
    await call("GET", PRIMARY);
    expect((await next()).faults).toEqual([{ match: {}, times: 1, then: { status: 500 } }, ...others]);
    expect((await call("GET", PRIMARY)).body).toEqual({ a: "b" });
    expect((await next()).faults).toEqual(others);
    await control("DELETE", "/faults");
    expect((await next()).faults).toEqual([]);
  });

  test("are everything again after the world was replaced or the record emptied", async () => {
    const { next, call, control, running } = watched();
    await next();
    await control("PUT", "/world", { ...running.world, endpoints: {} });
    const replaced = await next();
    expect(replaced).toMatchObject({ whole: true, tables: { endpoints: [] } });
    await call("GET", PROJECT);
    await control("DELETE", "/requests");
    expect(await next()).toMatchObject({ whole: true, requests: [] });
  });

  test("have no key, no password, and no more than the newest of each", async () => {
    const { next, call, control, running } = watched();
    await control("POST", `/api${PROJECT}/branches/${SEED.branches.main}/roles`, { role: { name: "reader" } });
    await call("GET", `/${"x".repeat(5000)}`);
    for (let count = 0; count < 1000; count++) await call("GET", PROJECT);
    const text = JSON.stringify(await next());
    for (const { password } of Object.values(running.world.branches).flatMap(({ roles }) => roles)) {
      expect(text).not.toContain(password);
    }
    expect(text).not.toContain(KEY);
    expect(JSON.parse(text).requests).toHaveLength(1000);
    expect(Math.max(...JSON.parse(text).requests.map(({ path }: { path: string }) => path.length))).toBeLessThan(1001);
  });
});

describe("a request of the API by hand", () => {
  test("needs no key, and has the operations and the lock of the API", async () => {
    const { control, endpoint, settle } = watched();
    const { status, body } = await control("POST", `${BY_HAND}/restart`);
    expect([status, body.operations.map((one: { action: string }) => one.action)]).toEqual([
      200,
      ["suspend_compute", "start_compute"],
    ]);
    const refused = await control("PATCH", BY_HAND, { endpoint: { name: "app" } });
    expect([refused.status, refused.body.message]).toEqual([
      423,
      expect.stringMatching(/^project already has running/),
    ]);
    settle();
    expect((await control("PATCH", BY_HAND, { endpoint: { name: "app" } })).status).toBe(200);
    settle();
    expect(await endpoint()).toMatchObject({ name: "app", current_state: "active" });
    expect((await control("DELETE", BY_HAND)).status).toBe(200);
    expect((await control("GET", BY_HAND)).status).toBe(404);
  });

  test("is in the changes as by hand, and not in the record of what clients sent", async () => {
    const { control, next, running } = watched();
    await control("POST", `${BY_HAND}/start`);
    await control("PATCH", BY_HAND, { endpoint: { autoscaling_limit_max_cu: 3.3 } });
    await control("GET", `/api${PROJECT}/operations?limit=1`);
    expect((await next()).requests).toMatchObject([
      { method: "POST", path: `${PRIMARY}/start`, status: 200, by_hand: true },
      { method: "PATCH", body: '{"endpoint":{"autoscaling_limit_max_cu":3.3}}', status: 400, by_hand: true },
    ]);
    expect(running.requests).toEqual([]);
  });

  test("out of band is in the changes too, for no operation shows it", async () => {
    const { control, next } = watched();
    await control("POST", `/endpoints/${SEED.primaryId}`, { autoscaling_limit_max_cu: 8 });
    await control("POST", "/endpoints/ep-none", {});
    await control("DELETE", `/endpoints/${SEED.primaryId}`);
    const path = `/_emulator/endpoints/${SEED.primaryId}`;
    expect((await next()).requests).toMatchObject([
      { method: "POST", path, body: '{"autoscaling_limit_max_cu":8}', status: 200, by_hand: true },
      { method: "POST", status: 404, message: "endpoint not found", by_hand: true },
      { method: "DELETE", path, status: 204, by_hand: true },
    ]);
  });

  test("uses up no fault and no rate limit of the clients", async () => {
    const { control, running } = watched({ rateLimit: { perMinute: 1 } });
    running.faults.add({ match: {}, then: { status: 500 } });
    expect((await control("GET", `/api${PROJECT}`)).status).toBe(200);
    expect((await control("GET", `/api${PROJECT}`)).status).toBe(200);
    expect((await control("GET", "/faults")).body).toHaveLength(1);
  });

  test.each([
    ["GET", "/api", 404],
    ["GET", "/api/nothing", 404],
    ["PUT", `/api${PROJECT}`, 405],
  ])("%s %s is refused with %i", async (method, path, status) => {
    expect((await watched().control(method, path)).status).toBe(status);
  });
});

test("an operation of the service locks the project for as long as the caller says", async () => {
  const { call, control, time } = watched();
  const lock = { projectId: SEED.projectId, action: "apply_storage_config", durationMs: 30_000 };
  expect((await control("POST", "/operations", lock)).status).toBe(201);
  time.advance(29_999);
  expect((await call("POST", `${PRIMARY}/suspend`)).status).toBe(423);
  time.advance(1);
  expect((await call("POST", `${PRIMARY}/suspend`)).status).toBe(200);
  const tooLong = await control("POST", "/operations", { ...lock, durationMs: 3_600_001 });
  expect([tooLong.status, tooLong.body.message]).toEqual([400, expect.stringContaining("durationMs")]);
});

test("a fault for any operation takes the next one, whatever it does", async () => {
  const { call, control, settle } = watched();
  await control("POST", "/faults", { operation: { action: "*", then: "cancelled" } });
  await call("POST", `${PRIMARY}/suspend`);
  settle();
  const { body } = await call("GET", `${PROJECT}/operations`);
  expect(body.operations).toMatchObject([{ action: "suspend_compute", status: "cancelled" }]);
});
