import { describe, expect, test } from "vitest";
import {
  adopted,
  changes,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  made,
  OPERATIONS,
  primary,
  replica,
  SEED,
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
    "its start %s for good: the next up starts it again, and makes no second one",
    async (then) => {
      const lab = new Lab();
      spoil(lab, { operation: { action: "start_compute", then } });
      await lab.fails("db", primary());
      const again = await lab.up("db", primary());
      expect(changes(again)).toEqual([[`POST ${ENDPOINTS}/${state(lab).id}/start`, undefined]]);
      expect(made(lab)).toMatchObject([{ id: state(lab).id, current_state: "active" }]);
      expect(state(lab).outputs["unfinished"]).toBeUndefined();
      await lab.destroy("db");
      expect(made(lab)).toEqual([]);
    },
  );

  test("its start fails every time: each up tries once more, says so, and keeps it", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "error", times: 3 } });
    await lab.fails("db", primary());
    const again = await lab.fails("db", primary());
    expect(again.error.message).toContain("start_compute");
    expect(changes(again)).toEqual([[`POST ${ENDPOINTS}/${state(lab).id}/start`, undefined]]);
    await lab.fails("db", primary());
    await lab.up("db", primary());
    expect(made(lab)).toMatchObject([{ id: state(lab).id, current_state: "active" }]);
  });

  test("it can't be started at all: the next up says what to do", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    await lab.fails("db", primary());
    const rule = { match: { method: "POST", path: `${ENDPOINTS}/*/start` }, then: { status: 404, body: {} } };
    spoil(lab, rule);
    const again = await lab.fails("db", primary());
    expect(again.error.message).toContain("has not started");
    expect(again.error.message).toContain("--target-replace");
  });

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
    expect(count({ sent: done["a"]!.sent.filter(({ status }) => status !== 423) }, `POST ${ENDPOINTS}`)).toBe(3);
  });
});
