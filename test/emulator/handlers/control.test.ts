import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { ENDPOINTS, emulator, KEY, PRIMARY, PROJECT } from "../support.js";

const BY_HAND = `/endpoints/${SEED.primaryId}`;

describe("the record of requests", () => {
  test("has every request to the API in order, with what it said and got", async () => {
    const { call, control, raw, time } = emulator();
    const start = time.now();
    await call("GET", `${PROJECT}/operations?limit=2`);
    time.advance(10);
    await call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    await call("POST", `${PRIMARY}/restart`);
    await raw("POST", `/api/v2${ENDPOINTS}`, "{broken", { authorization: "Bearer no" });
    await raw("GET", "/elsewhere");
    expect((await control("GET", "/requests")).body).toEqual([
      { method: "GET", path: `${PROJECT}/operations?limit=2`, status: 200, time: start },
      { method: "PATCH", path: PRIMARY, body: { endpoint: { name: "x" } }, status: 200, time: start + 10 },
      { method: "POST", path: `${PRIMARY}/restart`, status: 423, time: start + 10 },
      { method: "POST", path: ENDPOINTS, body: "{broken", status: 401, time: start + 10 },
      { method: "GET", path: "/elsewhere", status: 401, time: start + 10 },
    ]);
  });

  test("never has a key, nor the control routes", async () => {
    const { call, control } = emulator();
    await control("GET", "/world");
    await call("GET", PROJECT);
    const reply = await control("GET", "/requests");
    expect(reply.text).not.toContain(KEY);
    expect(reply.body).toHaveLength(1);
  });

  test("is emptied, for those who hold it too", async () => {
    const { call, control, running } = emulator();
    await call("GET", PROJECT);
    expect((await control("DELETE", "/requests")).status).toBe(204);
    expect((await control("GET", "/requests")).body).toEqual([]);
    expect(running.requests).toHaveLength(0);
  });
});

test("the world is plain data, brought up to the present", async () => {
  const { call, control, settle, running } = emulator();
  await call("POST", `${PRIMARY}/suspend`);
  settle();
  const { body } = await control("GET", "/world");
  expect(body.endpoints[SEED.primaryId].current_state).toBe("idle");
  expect(body).toEqual(running.world);
});

describe("fault rules over the wire", () => {
  test("work like those within the process", async () => {
    const { call, control } = emulator();
    expect((await control("POST", "/faults", { match: { path: PRIMARY }, then: { cut: true } })).status).toBe(204);
    expect((await call("GET", PRIMARY)).status).toBe("cut");
    await control("POST", "/faults", { match: {}, times: 5, then: { status: 500 } });
    expect((await control("DELETE", "/faults")).status).toBe(204);
    expect((await call("GET", PRIMARY)).status).toBe(200);
  });

  test("are listed as long as they wait, so that one that fits nothing is seen", async () => {
    const { call, control } = emulator();
    await control("POST", "/faults", { match: { path: PRIMARY }, times: 2, then: { status: 500 } });
    await control("POST", "/faults", { operation: { action: "start_computer", then: "never" } });
    await call("GET", PRIMARY);
    expect((await control("GET", "/faults")).body).toEqual([
      { match: { path: PRIMARY }, times: 1, then: { status: 500 } },
      { operation: { action: "start_computer", times: 1, then: "never" } },
    ]);
    await control("DELETE", "/faults");
    expect((await control("GET", "/faults")).body).toEqual([]);
  });

  test("hold an operation until they are cleared", async () => {
    const { call, control, settle, endpoint } = emulator();
    await control("POST", "/faults", { operation: { action: "apply_config", then: "never" } });
    await call("PATCH", PRIMARY, { endpoint: { name: "v1.5Z" } });
    settle();
    expect(await endpoint()).toMatchObject({ pending_state: "active", name: "v1.5Z" });
    await control("DELETE", "/faults");
    expect(await endpoint()).not.toHaveProperty("pending_state");
  });

  test.each<[unknown, string]>([
    [undefined, "not a fault rule"],
    [{}, "match: "],
    [{ match: {} }, "then: "],
    [{ match: {}, then: {} }, "nothing to do"],
    [{ match: {}, then: { work: true } }, "nothing to do"],
    [{ match: {}, then: { status: 99 } }, "then.status"],
    [{ match: {}, then: { headers: { "no name": "1" } } }, "then.headers.no name"],
    [{ match: {}, then: { headers: { "x-a": "1\n2" } } }, "then.headers.x-a"],
    [{ match: {}, then: { status: 500, cut: true } }, "exclude each other"],
    [{ match: {}, then: { delayMs: 5, work: false } }, "work: false needs status or cut"],
    [{ match: {}, then: { body: "x", cut: true } }, "a body needs a status"],
    [{ match: { verb: "GET" }, then: { status: 500 } }, "verb"],
    [{ match: {}, times: 0, then: { status: 500 } }, "times"],
    [{ operation: { action: "apply_config", then: "finished" } }, "operation.then"],
    [{ operation: { action: "apply_config", then: "failed" }, match: {} }, "match"],
  ])("%j is refused, with the reason", async (rule, reason) => {
    const { control, call } = emulator();
    const reply = await control("POST", "/faults", rule);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain(reason);
    expect((await call("GET", PRIMARY)).status).toBe(200);
  });
});

describe("a compute changed by hand", () => {
  test("is as it is said to be, without an operation or a lock", async () => {
    const { call, control, endpoint } = emulator();
    const reply = await control("POST", BY_HAND, { autoscaling_limit_max_cu: 8, name: "theirs" });
    expect(reply.body.endpoint).toMatchObject({ autoscaling_limit_max_cu: 8, name: "theirs" });
    expect(await endpoint()).toEqual(reply.body.endpoint);
    expect((await call("GET", `${PROJECT}/operations`)).body.operations).toEqual([]);
    expect((await control("POST", BY_HAND, { name: null })).body.endpoint).not.toHaveProperty("name");
  });

  test("to idle and back has the times that go with it", async () => {
    const { control } = emulator();
    const idle = (await control("POST", BY_HAND, { current_state: "idle" })).body.endpoint;
    expect([typeof idle.suspended_at, typeof idle.started_at]).toEqual(["string", "undefined"]);
    const active = (await control("POST", BY_HAND, { current_state: "active" })).body.endpoint;
    expect([typeof active.suspended_at, typeof active.started_at]).toEqual(["undefined", "string"]);
  });

  test("also while an operation runs, and beyond what the service would take", async () => {
    const { call, control } = emulator();
    await call("POST", `${PRIMARY}/restart`);
    expect((await control("POST", BY_HAND, { autoscaling_limit_min_cu: 17 })).status).toBe(200);
  });

  test.each([
    [{ size: 1 }, "size"],
    [{ id: "ep-x" }, "id"],
    [{ current_state: "asleep" }, "current_state"],
    [{ host: null }, "host"],
    [[], "not fields"],
    ["x", "not fields"],
    [undefined, "not fields"],
  ])("not by %j", async (body, reason) => {
    const { control, endpoint } = emulator();
    const before = await endpoint();
    const reply = await control("POST", BY_HAND, body);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain(reason);
    expect(await endpoint()).toEqual(before);
  });

  test("is removed by hand, once", async () => {
    const { call, control } = emulator();
    expect((await control("DELETE", BY_HAND)).status).toBe(204);
    expect((await call("GET", PRIMARY)).status).toBe(404);
    expect((await control("DELETE", BY_HAND)).status).toBe(404);
  });

  test("and removed while it restarts leaves the operations to end", async () => {
    const { call, control, settle } = emulator();
    await call("POST", `${PRIMARY}/restart`);
    await control("DELETE", BY_HAND);
    settle();
    const { operations } = (await call("GET", `${PROJECT}/operations`)).body;
    expect(operations).toMatchObject([{ status: "finished" }, { status: "finished" }]);
  });
});

test.each([
  ["GET", ""],
  ["GET", "/"],
  ["GET", "/elsewhere"],
  ["PUT", "/world"],
  ["GET", "/world/more"],
  ["POST", "/endpoints/ep-x"],
  ["POST", `${BY_HAND}/more`],
  ["GET", "/%E0%A4%A"],
])("%s /_emulator%s is refused", async (method, path) => {
  expect([400, 404]).toContain((await emulator().control(method, path, {})).status);
});
