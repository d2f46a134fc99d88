import { describe, expect, test } from "vitest";
import {
  adopted,
  changes,
  compute,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  made,
  OPERATIONS,
  primary,
  replica,
  SEED,
  settle,
  spoil,
} from "./support.js";

type End = "failed" | "error" | "cancelled" | "never";
const ENDS: End[] = ["failed", "error", "cancelled", "never"];
const state = (lab: Lab, name = "db") => lab.resource(name);
const unfinished = (lab: Lab) => state(lab).outputs["unfinished"];

describe("a create whose compute is there but does not come up", () => {
  test.each(ENDS)("start_compute ends as %s: the state has the id, and what is unfinished", async (then) => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then } });
    const { error } = await lab.fails("db", primary({ size: 2 }));
    const [one] = made(lab);
    const [operation] = lab.emulator.world.operations.filter((row) => row.endpoint_id === one!.id);
    expect(state(lab)).toMatchObject({
      id: one!.id,
      outputs: { host: one!.host, unfinished: [operation!.id], managed: ["branchId", "projectId", "size"] },
      initErrors: [expect.stringContaining(operation!.id)],
    });
    expect(error.message).toContain("start_compute");
    expect(error.message).toContain(one!.id);
    expect(error.message).toContain("pulumi up");
  });

  test("it ends after all: the next up finishes it without a second POST", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    await lab.fails("db", primary());
    lab.emulator.faults.clear();
    const outcome = await lab.up("db", primary());
    expect([outcome.op, changes(outcome)]).toEqual(["update", []]);
    expect(unfinished(lab)).toBeUndefined();
    expect(state(lab).initErrors).toEqual([]);
    expect((await lab.up("db", primary())).sent).toEqual([]);
  });

  test("it still does not end: the next up waits again, and keeps it again", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    await lab.fails("db", primary());
    const kept = unfinished(lab);
    const again = await lab.fails("db", primary());
    expect(count(again, "POST")).toBe(0);
    expect(unfinished(lab)).toEqual(kept);
    expect(made(lab)).toHaveLength(1);
  });

  test.each(["failed", "error", "cancelled"] as End[])(
    "its start %s for good: the next up says so, and makes no second one",
    async (then) => {
      const lab = new Lab();
      spoil(lab, { operation: { action: "start_compute", then } });
      await lab.fails("db", primary());
      const again = await lab.fails("db", primary());
      expect(again.error.message).toContain("still in state init");
      expect([count(again, "POST"), made(lab).length, state(lab).id]).toEqual([0, 1, made(lab)[0]!.id]);
      await lab.destroy("db");
      expect(made(lab)).toEqual([]);
    },
  );

  test("a failed one that the service tries again is waited for", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "failed" } });
    const up = lab.up("db", primary());
    const retry = async () => {
      const find = () => lab.emulator.world.operations.find((one) => one.status === "failed");
      for (let row = find(); ; row = find()) {
        await lab.clock.sleep(1000);
        if (!row) continue;
        Object.assign(row, { status: "running", plan: { ...row.plan, end: "finished", duration_ms: 3000 } });
        row.plan.started_at = new Date(lab.clock.wall()).toISOString();
        return;
      }
    };
    await Promise.all([up, retry()]);
    expect(unfinished(lab)).toBeUndefined();
  });

  test("refresh keeps what is unfinished until it has ended, though it clears the engine's reasons", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    await lab.fails("db", primary());
    await lab.refresh();
    expect(state(lab).initErrors).toEqual([]);
    expect(unfinished(lab)).toHaveLength(1);
    // The program is the same, and yet the next up has to call update.
    const again = await lab.fails("db", primary());
    expect([again.op, again.diff]).toEqual(["update", { changes: true }]);
    lab.emulator.faults.clear();
    await lab.refresh();
    expect(unfinished(lab)).toBeUndefined();
    expect((await lab.up("db", primary())).op).toBe("same");
  });

  test("what is left is deleted like any other, when its operation has ended", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    await lab.fails("db", primary({ customTimeouts: { create: "1m" } }));
    await Promise.all([lab.destroy("db"), lab.clock.sleep(90_000).then(() => lab.emulator.faults.clear())]);
    expect(made(lab)).toEqual([]);
  });

  test("a key that is refused while waiting: kept, and finished with a better key", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "GET", path: OPERATIONS }, times: 1000, then: { status: 401 } });
    const { error } = await lab.fails("db", primary());
    expect(error.message).toContain("401");
    expect(state(lab).id).toBe(made(lab)[0]!.id);
    expect(unfinished(lab)).toHaveLength(1);
    lab.emulator.faults.clear();
    await lab.up("db", primary());
    expect(unfinished(lab)).toBeUndefined();
  });
});

describe("an update that is stored but does not end well", () => {
  test.each(ENDS)("apply_config ends as %s: the old inputs stay, the outputs are what is stored", async (then) => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then } });
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toContain("apply_config");
    expect(state(lab)).toMatchObject({ inputs: { size: 1 }, outputs: { size: 2, autoscalingLimitMaxCu: 2 } });
    expect(unfinished(lab)).toHaveLength(1);
    lab.emulator.faults.clear();
    const next = await lab.up("db", primary({ size: 2 }));
    expect(next.op).toBe("update");
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
    expect(unfinished(lab)).toBeUndefined();
    expect((await lab.up("db", primary({ size: 2 }))).sent).toEqual([]);
  });

  test.each([
    ["at once", async () => {}],
    ["after a refresh that saw it unfinished", (lab: Lab) => lab.refresh()],
    [
      "after a refresh that saw it finished",
      async (lab: Lab) => {
        lab.emulator.faults.clear();
        await settle(lab);
        await lab.refresh();
      },
    ],
  ])("the program is taken back %s: the next up takes the compute back too", async (_when, between) => {
    const lab = await labWith("db", primary({ size: 1, customTimeouts: { update: "30s" } }));
    spoil(lab, { operation: { action: "apply_config", then: "never" } });
    await lab.fails("db", primary({ size: 2, customTimeouts: { update: "30s" } }));
    await between(lab);
    lab.emulator.faults.clear();
    const outcome = await lab.up("db", primary({ size: 1, customTimeouts: { update: "30s" } }));
    expect(outcome.op).toBe("update");
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(1);
    expect(state(lab).outputs["size"]).toBe(1);
  });

  test("a setting that the service did not take, in a create that did not end: still asked for after a refresh", async () => {
    const lab = new Lab({
      between: (request, go) => go(request.method === "POST" ? withoutTimeout(request) : request),
    });
    const args = primary({ suspendTimeoutSeconds: 600, customTimeouts: { create: "30s" } });
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    await lab.fails("db", args);
    lab.emulator.faults.clear();
    await lab.refresh();
    await lab.up("db", args);
    expect(compute(lab, "db").suspend_timeout_seconds).toBe(600);
  });

  test("a change of another kind in the failed update does not get lost", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2, onDelete: "release" }));
    await lab.up("db", primary({ size: 2, onDelete: "release" }));
    expect(state(lab).outputs["onDelete"]).toBe("release");
    await lab.destroy("db");
    expect(made(lab)).toHaveLength(1);
  });

  test("a rollback of the service is seen: the next up asks again", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    Object.assign(compute(lab, "db"), { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 });
    const outcome = await lab.up("db", primary({ size: 2 }));
    expect(count(outcome, "PATCH")).toBe(1);
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
  });

  test("the failed change of somebody else's is no obstacle", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    const outcome = await lab.up("db", primary({ size: 4 }));
    expect(outcome.warnings.join()).toContain("apply_config");
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(4);
  });

  test("an operation that the service has forgotten since is no obstacle", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    lab.emulator.world.operations.length = 0;
    await lab.up("db", primary({ size: 2 }));
    expect(unfinished(lab)).toBeUndefined();
  });

  test("with waitForReady: false nobody waits for what an earlier run left", async () => {
    const lab = await labWith("db", primary({ size: 1, customTimeouts: { update: "30s" } }));
    spoil(lab, { operation: { action: "apply_config", then: "never" } });
    await lab.fails("db", primary({ size: 2, customTimeouts: { update: "30s" } }));
    const before = lab.clock.now();
    await lab.up("db", primary({ size: 2, waitForReady: false }));
    expect(lab.clock.now() - before).toBeLessThan(2000);
    expect(unfinished(lab)).toBeUndefined();
  });

  test("the compute is deleted by hand meanwhile: the next up says what to do", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    delete lab.emulator.world.endpoints[state(lab).id];
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toContain("pulumi refresh");
  });
});

describe("a failure before anything was accepted", () => {
  test.each([400, 401, 403, 409, 422])("a POST that is answered %i keeps nothing", async (status) => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, times: 1000, then: { status } });
    const outcome = await lab.fails("db", primary());
    expect([count(outcome, "POST"), lab.state.size]).toEqual([1, 0]);
    expect(outcome.error.message).toContain(String(status));
  });

  test.each([400, 401, 403, 422])("a PATCH that is answered %i leaves the state as it was", async (status) => {
    const lab = await labWith("db", primary({ size: 1 }));
    const before = structuredClone(state(lab));
    spoil(lab, { match: { method: "PATCH" }, times: 1000, then: { status } });
    const outcome = await lab.fails("db", primary({ size: 2 }));
    expect(count(outcome, "PATCH")).toBe(1);
    expect(state(lab)).toEqual(before);
  });

  test("nothing in the state points at a compute that was only looked at", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "PATCH" }, times: 10, then: { status: 422 } });
    await lab.fails("db", adopted({ size: 2 }));
    expect(lab.state.size).toBe(0);
    expect(lab.emulator.world.endpoints[SEED.primaryId]!.autoscaling_limit_max_cu).toBe(0.25);
  });

  test("one resource's failure does not touch the others", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    const done = await lab.upAll({ a: replica(), b: replica(), c: primary() });
    expect(Object.values(done).filter((one) => one.error)).toHaveLength(1);
    expect(lab.state.size).toBe(3);
    expect(count({ sent: done["a"]!.sent }, `POST ${ENDPOINTS}`)).toBe(3);
  });
});

function withoutTimeout<T extends { body?: string }>(request: T): T {
  const { endpoint } = JSON.parse(request.body ?? "{}") as { endpoint: Record<string, unknown> };
  return { ...request, body: JSON.stringify({ endpoint: { ...endpoint, suspend_timeout_seconds: undefined } }) };
}

describe("the preview after a failure", () => {
  test("warns that the update may restart the compute, since it looks and sends again what is missing", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    expect((await lab.preview("db", primary({ size: 2 }))).notice).toBe("may-restart");
    expect((await lab.preview("db", primary({ size: 1 }))).notice).toBe("restart");
  });

  test("refuse holds although check can't see it: old inputs and program agree, the compute is different", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    const outcome = await lab.fails("db", primary({ size: 1, onRestart: "refuse" }));
    expect(changes(outcome)).toEqual([]);
    expect(outcome.error.message).toMatch(/size 2 → 1.*refuse.*nothing was changed/);
    await lab.up("db", primary({ size: 1, onRestart: "warn" }));
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(1);
  });

  test("refuse lets pass what does not restart", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 1, suspendTimeoutSeconds: 60 }));
    await lab.up("db", primary({ size: 1, suspendTimeoutSeconds: 120, onRestart: "refuse" }));
    expect(compute(lab, "db").suspend_timeout_seconds).toBe(120);
  });
});
