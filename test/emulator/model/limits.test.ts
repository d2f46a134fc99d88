/** Nothing that a client sends makes the emulator hold or do more than is bounded. */
import { request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { RequestLog } from "../../../emulator/http/request-log.js";
import { createEmulator, SEED, startEmulator } from "../../../emulator/index.js";
import { Clock } from "../../../emulator/model/clock.js";
import { cutText } from "../../../emulator/model/cut-text.js";
import { LIMITS } from "../../../emulator/model/limits.js";
import { quickly } from "../quickly.js";
import { type Body, ENDPOINTS, emulator, KEY, PRIMARY, PROJECT } from "../support.js";

/** The memory in use after a collection of the garbage. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a body", () => {
  test("that is nested deeply is refused, and spoils neither record nor state", async () => {
    const { raw, control, call } = emulator();
    for (const [path, method] of [
      ["/api/v2/projects", "POST"],
      ["/_emulator/faults", "POST"],
      ["/_emulator/world", "PUT"],
    ] as const) {
      const body = `{"project":{"settings":{"a":${deep(100_000)}}}}`;
      const reply = await quickly(() => raw(method, path, body, { authorization: `Bearer ${KEY}` }));
      expect([reply.status, reply.body.message]).toEqual([
        400,
        "invalid request: decode application/json: nested deeper than 100 levels",
      ]);
    }
    // Without a key it is recorded too.
    expect((await raw("POST", "/api/v2/projects", deep(100_000))).status).toBe(401);
    const { status, body: requests } = await control("GET", "/requests");
    expect([status, requests.map(({ body }: Body) => typeof body)]).toEqual([200, ["string", "string"]]);
    expect((await call("GET", PROJECT)).status).toBe(200);
  });

  test("may have brackets in its texts, and so many levels", async () => {
    const { raw } = emulator();
    const settings = { a: `\\"${"[{".repeat(500)}`, "{[": '"', b: JSON.parse(deep(LIMITS.jsonDepth - 3)) };
    const body = JSON.stringify({ project: { settings } });
    const reply = await raw("PATCH", `/api/v2${PROJECT}`, body, { authorization: `Bearer ${KEY}` });
    expect([reply.status, reply.body.project.settings]).toEqual([200, expect.objectContaining(settings)]);
  });

  test("asks for no more than so many computes", async () => {
    const { call } = emulator();
    const endpoints = Array.from({ length: 101 }, () => ({ type: "read_only" }));
    const reply = await call("POST", `${PROJECT}/branches`, { endpoints });
    expect([reply.status, reply.body.message]).toEqual([
      400,
      "invalid request: operation CreateProjectBranch: decode request: validate: invalid: endpoints (len 101 greater than 100)",
    ]);
  });

  test.each([
    ["/api/v2/projects", 413],
    ["/_emulator/api/projects", 413],
    ["/_emulator/%61pi/projects", 413],
    ["/_emulator/time", 413],
    ["/_emulator/faults", 204],
  ])("of more than a megabyte at %s is answered with %i", async (path, status) => {
    const body = JSON.stringify({ match: {}, then: { status: 500, body: "x".repeat(1_000_000) } });
    const reply = await emulator().raw("POST", path, body, { authorization: `Bearer ${KEY}` });
    expect(reply.status).toBe(status);
  });

  test("that is wrong in many words is answered in few", async () => {
    const { control } = emulator();
    const reply = await control(
      "PUT",
      "/world",
      Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, 1])),
    );
    expect([reply.status, reply.text.length < 3000]).toEqual([400, true]);
  });
});

describe("the record of requests", () => {
  test("keeps the newest, whoever sent them", async () => {
    const running = createEmulator();
    running.requests.push(
      ...Array.from({ length: LIMITS.recordedRequests }, (_, n) => ({ method: "GET", path: `/${n}`, time: 0 })),
    );
    for (let n = 0; n < 20; n += 1) await running.handle({ method: "GET", path: `/api/v2/late/${n}`, headers: {} });
    expect(running.requests.length).toBeLessThanOrEqual(LIMITS.recordedRequests);
    expect(running.requests.length).toBeGreaterThan(LIMITS.recordedRequests / 2);
    expect(running.requests.at(-1)).toMatchObject({ path: "/late/19", status: 401 });
    expect(running.requests[0]?.path).not.toBe("/0");
  });

  test("keeps few bodies of many small values, which take more memory than their text", async () => {
    const { raw, running } = emulator();
    const before = usedBytes();
    for (let n = 0; n < 12; n += 1) {
      await raw("POST", `/api/v2/${n}`, `[${Buffer.alloc(990_000, "{},").toString()}{}]`);
    }
    expect(usedBytes() - before).toBeLessThan(150_000_000);
    expect(running.requests.length).toBeLessThan(6);
    expect(running.requests.at(-1)).toMatchObject({ path: "/11", status: 401 });
  });

  test("keeps no more than so many characters", () => {
    const log = new RequestLog();
    const record = (n: number) => ({ method: "POST", path: `/${n}`, time: 0 });
    const size = LIMITS.recordedCharacters / 10;
    for (let n = 0; n < 100; n += 1) log.add(record(n), size);
    expect(log.records.length).toBeLessThanOrEqual(10);
    expect(log.records.at(-1)?.path).toBe("/99");
    log.records.length = 0;
    for (let n = 0; n < 8; n += 1) log.add(record(n), size);
    expect(log.records).toHaveLength(8);
    log.add(record(8), LIMITS.recordedCharacters * 2);
    expect(log.records.map(({ path }) => path)).toEqual(["/8"]);
  });
});

describe("the changes", () => {
  const large = () => Buffer.alloc(900_000, "x").toString();

  test.each<[string, (it: ReturnType<typeof emulator>) => Promise<unknown>]>([
    ["that needs no key", ({ raw }) => raw("POST", "/api/v2/projects", large())],
    ["by hand", ({ control }) => control("POST", "/api/projects", { project: { name: 1, more: large() } })],
    [
      "whose response has a large text",
      ({ raw, running }) => {
        running.faults.add({ match: {}, then: { status: 201, body: { endpoint: { id: large() } } } });
        return raw("POST", "/api/v2/projects");
      },
    ],
    [
      "whose refusal has a large text",
      ({ raw, running }) => {
        running.faults.add({ match: {}, then: { status: 502, body: { message: large() } } });
        return raw("POST", "/api/v2/projects");
      },
    ],
  ])("keep of a large request %s a small part", async (_which, send) => {
    const it = emulator();
    await send(it);
    const before = usedBytes();
    for (let n = 0; n < 100; n += 1) {
      await send(it);
      // The record of requests keeps whole bodies, and has a limit of its own.
      it.running.requests.length = 0;
    }
    expect(usedBytes() - before).toBeLessThan(30_000_000);
    expect((await it.control("GET", "/changes")).body.requests).toHaveLength(101);
  });

  test("keep a cut text as it is, also half a sign", () => {
    expect([cutText("äö€x", 3), cutText("a\u{1f600}", 2), cutText("ab", 5)]).toEqual(["äö€", "a\ud83d", "ab"]);
  });
});

describe("time", () => {
  test("ends with the year 9999, and goes on until then", async () => {
    const { control, call } = emulator();
    const year = 366 * 24 * 3_600_000;
    let reply: Body;
    for (let n = 0; n < 9000 && reply?.status !== 400; n += 1)
      reply = await control("POST", "/time", { advanceMs: year });
    expect([reply.status, reply.body.message]).toEqual([
      400,
      `time ends with the year 9999: ${year} milliseconds more would pass it`,
    ]);
    expect((await call("GET", PRIMARY)).status).toBe(200);
  });

  test("that is moved leaves no timer behind", async () => {
    const timers = new Set<object>();
    const clock = new Clock({
      now: () => 0,
      sleep: (_ms, signal) => {
        const timer = {};
        timers.add(timer);
        signal?.addEventListener("abort", () => timers.delete(timer));
        return new Promise(() => {});
      },
    });
    const slept = clock.sleep(1000);
    for (let n = 0; n < 100; n += 1) {
      clock.advance(1);
      await new Promise(setImmediate);
      expect(timers.size).toBe(1);
    }
    clock.advance(900);
    await slept;
    expect(timers.size).toBe(0);
  });

  test("that was long is caught up with quickly", async () => {
    const emulated = emulator({ availabilityCheckMs: 1000, operationMs: 1 });
    await emulated.call("GET", PRIMARY);
    emulated.time.advance(365 * 24 * 3_600_000);
    await quickly(() => emulated.call("GET", PRIMARY));
    expect(emulated.running.world.operations.length).toBeLessThan(3 * LIMITS.missedChecks);
    expect(emulated.running.world.operations.length).toBeGreaterThan(LIMITS.missedChecks / 2);
  });
});

describe("operations", () => {
  const ended = (n: number, more: object = {}) => ({
    id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    project_id: SEED.projectId,
    action: "apply_config",
    status: "finished",
    failures_count: 0,
    created_at: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
    updated_at: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
    total_duration_ms: 0,
    ...more,
  });
  const withOperations = async (operations: object[]) => {
    const emulated = emulator();
    const world = structuredClone(emulated.running.world);
    const put = await emulated.control("PUT", "/world", { ...world, operations });
    expect(put.status).toBe(200);
    return emulated;
  };

  test("that are done are forgotten, the oldest first, but for what is waited for", async () => {
    const waiting = {
      status: "scheduling",
      plan: { after: [ended(0).id, ended(1).id], duration_ms: 5, end: "finished" },
    };
    const running = { status: "running", plan: { after: [], duration_ms: 1e9, end: "never" } };
    const rows = Array.from({ length: LIMITS.operations }, (_, n) =>
      ended(n, n === 1 ? running : n === 2 ? waiting : {}),
    );
    const { running: it } = await withOperations(rows);
    it.startOperation({ projectId: SEED.second.projectId });
    const ids = it.world.operations.map(({ id }) => id);
    expect(ids.length).toBeLessThan(LIMITS.operations);
    expect(ids.slice(0, 3)).toEqual([ended(0).id, ended(1).id, ended(2).id]);
    expect(ids).not.toContain(ended(3).id);
    expect(ids).toContain(ended(LIMITS.operations - 1).id);
  });

  test("in a long chain are cancelled together", async () => {
    const plan = (n: number) => ({
      after: n === 0 ? [] : [ended(n - 1).id],
      duration_ms: 0,
      end: "error",
      ...(n === 0 ? { started_at: ended(0).created_at } : {}),
    });
    const chain = Array.from({ length: 3000 }, (_, n) =>
      ended(n, { status: n === 0 ? "running" : "scheduling", plan: plan(n) }),
    );
    const { running } = await quickly(() => withOperations(chain));
    expect(running.world.operations.map(({ status }) => status)).toEqual([
      "error",
      ...Array.from({ length: 2999 }, () => "cancelled"),
    ]);
  });

  test("on a compute with the name of something else change nothing", async () => {
    const action = (n: number, more: object) =>
      ended(n, {
        status: "running",
        plan: { after: [], duration_ms: 0, end: "finished", started_at: ended(0).created_at },
        ...more,
      });
    const { control } = await withOperations([
      action(0, { action: "start_compute", endpoint_id: "constructor" }),
      action(1, { action: "create_branch", branch_id: "constructor" }),
    ]);
    expect(Object.keys(Object)).toEqual([]);
    expect(
      (await control("POST", "/operations", { projectId: SEED.projectId, action: "constructor" })).body.operations,
    ).toMatchObject([{ status: "running" }]);
  });
});

test("a body of any length is read no further than is allowed", async () => {
  const running = await startEmulator({ apiKey: KEY });
  const { port } = new URL(running.origin);
  const status = await new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sending = request({ port, method: "POST", path: "/_emulator/faults?x=/world", headers }, (answer) =>
      resolve(answer.resume().statusCode),
    );
    sending.on("error", reject);
    for (let n = 0; n < 30; n += 1) sending.write(" ".repeat(1_000_000));
    sending.end("1");
  });
  expect([400, 413]).toContain(status);
  await running.close();
});

test("the rate is counted quickly, also of very many requests", async () => {
  const { call } = emulator({ rateLimit: { perMinute: 1_000_000, perRouteAndSecond: 1_000_000 } });
  await quickly(async () => {
    for (let n = 0; n < 3000; n += 1) await call("GET", ENDPOINTS.replace("/endpoints", "/branches/count"));
  });
});

test("thousands of computes that become due together do so quickly, each in its turn", async () => {
  const emulated = emulator({ operationMs: 10 });
  const world = structuredClone(emulated.running.world);
  const primary = emulated.primary();
  for (let n = 0; n < 2000; n += 1) world.endpoints[`ep-${n}`] = { ...primary, id: `ep-${n}`, type: "read_only" };
  await emulated.control("PUT", "/world", world);
  emulated.time.advance(3_600_000);
  const after = await quickly(() => emulated.running.world);
  const states = Object.values(after.endpoints).map((one) => [one.current_state, one.pending_state]);
  expect(states).toEqual(Array.from({ length: 2001 }, () => ["idle", undefined]));
  expect(after.operations.map(({ action, status }) => `${action} ${status}`)).toEqual(
    Array.from({ length: 2001 }, () => "suspend_compute finished"),
  );
});
