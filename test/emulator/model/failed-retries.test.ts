import { describe, expect, test } from "vitest";
import type { EmulatorOptions, FaultRule } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT } from "../support.js";

const RETRY_MS = 2000;
const resize = { endpoint: { autoscaling_limit_max_cu: 1 } };
type Then = Extract<FaultRule, { operation: unknown }>["operation"]["then"];

async function failing(then: Then, options: EmulatorOptions = {}, failures?: number) {
  const emulated = emulator({ failedRetryMs: RETRY_MS, ...options });
  emulated.running.faults.add({
    operation: { action: "apply_config", then, ...(failures === undefined ? {} : { failures }) },
  });
  const reply = await emulated.call("PATCH", PRIMARY, resize);
  const path = `${PROJECT}/operations/${reply.body.operations[0].id}`;
  const operation = async (): Promise<Body> => (await emulated.call("GET", path)).body.operation;
  const after = (ms: number) => {
    emulated.time.advance(ms);
    return operation();
  };
  return { ...emulated, operation, after };
}

describe("an operation that failed", () => {
  test.each<[string, Then, EmulatorOptions, string]>([
    ["is at its end", "failed", {}, "failed"],
    ["is tried again, where the service does so", "failed", { failed: "retried" }, "finished"],
    ["is tried again, where the rule says so", "failed-then-finished", {}, "finished"],
  ])("%s", async (_what, then, options, end) => {
    const it = await failing(then, options);
    expect((await it.after(OPERATION_MS)).status).toBe("failed");
    it.settle();
    expect((await it.operation()).status).toBe(end);
  });

  test("shows the failure, when it is tried again, that it runs again, and keeps the count to the end", async () => {
    const it = await failing("failed-then-finished");
    const start = it.time.now();
    expect(await it.operation()).toMatchObject({ status: "running", failures_count: 0 });
    const again = `${new Date(start + OPERATION_MS + RETRY_MS).toISOString().slice(0, 19)}Z`;
    const failed = await it.after(OPERATION_MS);
    expect(failed).toMatchObject({
      status: "failed",
      failures_count: 1,
      error: "configuration could not be applied",
      retry_at: again,
      total_duration_ms: OPERATION_MS,
    });
    expect(await it.after(RETRY_MS - 1)).toEqual(failed);
    expect(await it.after(1)).toMatchObject({ status: "running", failures_count: 1, updated_at: again });
    expect((await it.after(OPERATION_MS - 1)).status).toBe("running");
    expect(await it.after(1)).toMatchObject({ status: "finished", failures_count: 1, total_duration_ms: 3000 });
    expect(await it.endpoint()).toMatchObject({ current_state: "active", ...resize.endpoint });
  });

  test("as often as the rule says", async () => {
    const it = await failing("failed-then-finished", {}, 3);
    const counts = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const { status, failures_count } = await it.after(turn === 0 ? OPERATION_MS : OPERATION_MS + RETRY_MS);
      counts.push([status, failures_count]);
    }
    expect(counts).toEqual([
      ["failed", 1],
      ["failed", 2],
      ["failed", 3],
      ["finished", 3],
    ]);
  });

  test.each<[string, Then, EmulatorOptions, number, boolean]>([
    ["locks while it waits to be tried again", "failed-then-finished", {}, 423, true],
    ["locks nothing where it is at its end", "failed", {}, 201, false],
  ])("%s", async (_what, then, options, status, pending) => {
    const it = await failing(then, options);
    await it.after(OPERATION_MS);
    expect("pending_state" in (await it.endpoint())).toBe(pending);
    const branch_id = (await it.endpoint()).branch_id;
    expect((await it.call("POST", ENDPOINTS, { endpoint: { branch_id, type: "read_only" } })).status).toBe(status);
  });

  test("has no effect until it works", async () => {
    const it = await failing("failed-then-finished");
    const before = await it.endpoint();
    await it.after(OPERATION_MS + RETRY_MS);
    expect((await it.endpoint()).started_at).toBe(before.started_at);
    await it.after(OPERATION_MS);
    expect((await it.endpoint()).started_at).not.toBe(before.started_at);
  });

  test("lets what waits for it wait", async () => {
    const emulated = emulator({ failedRetryMs: RETRY_MS });
    emulated.running.faults.add({ operation: { action: "suspend_compute", then: "failed-then-finished" } });
    await emulated.call("POST", `${PRIMARY}/restart`);
    const words = () => emulated.running.world.operations.map((one) => one.status);
    const seen = [];
    for (const ms of [OPERATION_MS, RETRY_MS, OPERATION_MS, OPERATION_MS]) {
      emulated.time.advance(ms);
      seen.push(words());
    }
    expect(seen).toEqual([
      ["failed", "scheduling"],
      ["running", "scheduling"],
      ["finished", "running"],
      ["finished", "finished"],
    ]);
  });
});

test("an operation that was skipped ends well for what waits for it, and did nothing", async () => {
  const emulated = emulator();
  emulated.running.faults.add({ operation: { action: "suspend_compute", then: "skipped" } });
  await emulated.call("POST", `${PRIMARY}/restart`);
  emulated.time.advance(OPERATION_MS);
  expect(emulated.running.world.operations.map((one) => one.status)).toEqual(["skipped", "running"]);
  expect(await emulated.endpoint()).toMatchObject({ current_state: "active", pending_state: "active" });
  emulated.settle();
  expect(emulated.running.world.operations.map((one) => one.status)).toEqual(["skipped", "finished"]);
});
