/** A declared restart that does not end well, or a change before it that does not: what is owed comes about once. */
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import { A, B, LIBRARIES, posts, RESTART, SHORT, starts, state } from "./restart-support.js";
import { compute, count, ENDPOINTS, type Lab, labWith, type Props, primary, settle, spoil } from "./support.js";

const LOST_CHANGE: FaultRule = { match: { method: "PATCH" }, times: 1000, then: { cut: true, work: false } };

describe("a restart whose work does not end well", () => {
  type End = "failed" | "error" | "cancelled" | "never";

  test.each<[End, string, number]>([
    ["failed", "suspend_compute", 1],
    ["error", "suspend_compute", 1],
    ["cancelled", "suspend_compute", 1],
    ["failed", "start_compute", 0],
    ["error", "start_compute", 0],
  ])("%s at %s: kept, and the next up sends %i more", async (then, action, more) => {
    const lab = await labWith("db", primary(A));
    spoil(lab, { operation: { action, then } });
    const { error } = await lab.fails("db", primary(B));
    expect(error.message).toContain(action);
    expect(state(lab).outputs).toMatchObject({ restartTriggers: ["a"], size: 1 });
    const next = await lab.up("db", primary(B));
    expect([next.op, posts(next)]).toEqual(["update", more]);
    expect(state(lab).outputs).toMatchObject({ restartTriggers: ["b"] });
    expect((await lab.up("db", primary(B))).sent).toEqual([]);
  });

  test.each(["suspend_compute", "start_compute"])(
    "%s takes longer than the step: the next up waits for it",
    async (action) => {
      const lab = await labWith("db", primary({ ...A, ...SHORT }));
      spoil(lab, { operation: { action, then: "never" } });
      await lab.fails("db", primary({ ...B, ...SHORT }));
      lab.emulator.faults.clear();
      const next = await lab.up("db", primary({ ...B, ...SHORT }));
      expect([posts(next), starts(lab), compute(lab, "db").current_state]).toEqual([0, 1, "active"]);
    },
  );

  test("it ends after all, a refresh sees that, and the program is taken back: nothing is owed any more", async () => {
    const lab = await labWith("db", primary({ ...A, ...SHORT }));
    spoil(lab, { operation: { action: "suspend_compute", then: "never" } });
    await lab.fails("db", primary({ ...B, ...SHORT }));
    lab.emulator.faults.clear();
    await settle(lab);
    await lab.refresh();
    const back = await lab.up("db", primary({ ...A, ...SHORT }));
    expect([back.op, back.sent]).toEqual(["update", []]);
    expect(posts(await lab.up("db", primary({ ...B, ...SHORT })))).toBe(1);
  });

  test("with waitForReady: false nobody waits for it", async () => {
    const lab = await labWith("db", primary({ ...A, waitForReady: false }));
    await settle(lab);
    spoil(lab, { operation: { action: "suspend_compute", then: "never" } });
    await lab.up("db", primary({ ...B, waitForReady: false }));
    expect((await lab.up("db", primary({ ...B, waitForReady: false }))).sent).toEqual([]);
  });
});

describe("a change before the restart does not end well", () => {
  test("a size that was stored and has not restarted: the next up restarts, once", async () => {
    const lab = await labWith("db", primary(A));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ ...B, size: 2 }));
    const next = await lab.up("db", primary({ ...B, size: 2 }));
    expect([count(next, "PATCH"), posts(next), starts(lab)]).toEqual([0, 1, 1]);
  });

  test("a size whose restart ends after all: that was it", async () => {
    const lab = await labWith("db", primary({ ...A, ...SHORT }));
    await lab.clock.advance(5000);
    spoil(lab, { operation: { action: "apply_config", then: "never" } });
    await lab.fails("db", primary({ ...B, size: 2, ...SHORT }));
    lab.emulator.faults.clear();
    const next = await lab.up("db", primary({ ...B, size: 2, ...SHORT }));
    expect([count(next, "PATCH"), posts(next), starts(lab)]).toEqual([0, 0, 0]);
    expect(state(lab).outputs).toMatchObject({ restartTriggers: ["b"], size: 2 });
  });

  test("nobody knows whether a size was taken, and it was: its restart is enough", async () => {
    const lab = await labWith("db", primary({ ...A, ...SHORT }));
    await lab.clock.advance(5000);
    spoil(lab, { match: { method: "PATCH" }, then: { cut: true, work: true } });
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, then: { headers: {} } });
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 1000, then: { status: 500 } });
    await lab.fails("db", primary({ ...B, size: 2, ...SHORT }));
    lab.emulator.faults.clear();
    const next = await lab.up("db", primary({ ...B, size: 2, ...SHORT }));
    expect([count(next, "PATCH"), posts(next), starts(lab)]).toEqual([0, 0, 0]);
  });

  test.each([400, 401, 403, 412, 422])(
    "libraries are stored, and the restart is refused with %i: it is still owed",
    async (status) => {
      const lab = await labWith("db", primary(A));
      spoil(lab, { match: RESTART, times: 1000, then: { status } });
      const { error } = await lab.fails("db", primary({ ...B, ...LIBRARIES }));
      expect(error.message).toContain(String(status));
      expect(state(lab).outputs).toMatchObject({ restartTriggers: ["a"], ...LIBRARIES });
      lab.emulator.faults.clear();
      const next = await lab.up("db", primary({ ...B, ...LIBRARIES }));
      expect([count(next, "PATCH"), posts(next), starts(lab)]).toEqual([0, 1, 1]);
    },
  );

  test.each([400, 401, 403, 412, 422])(
    "a restart alone that is refused with %i leaves the state as it was",
    async (status) => {
      const lab = await labWith("db", primary(A));
      const before = structuredClone(state(lab));
      spoil(lab, { match: RESTART, times: 1000, then: { status } });
      await lab.fails("db", primary(B));
      expect(state(lab)).toEqual(before);
      lab.emulator.faults.clear();
      expect(posts(await lab.up("db", primary(B)))).toBe(1);
    },
  );
});

describe("triggers that were secret and are not any more are not kept in clear", () => {
  const secret = { restartTriggers: ["s3cret"], __secret: ["restartTriggers"] };
  test.each<[string, Props, () => FaultRule]>([
    ["after a restart that was lost", B, () => ({ match: RESTART, times: 1000, then: { cut: true, work: false } })],
    ["after a change that failed", { ...B, size: 2 }, () => ({ operation: { action: "apply_config", then: "error" } })],
    ["after a change that was lost", { ...B, size: 2 }, () => LOST_CHANGE],
    ["after one that was lost, without triggers", { size: 2 }, () => LOST_CHANGE],
  ])("%s", async (_when, args, fault) => {
    const lab = await labWith("db", primary({ ...A, ...SHORT, ...secret }));
    spoil(lab, fault());
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 2, then: { headers: {} } });
    if (fault() === LOST_CHANGE) spoil(lab, { match: { method: "GET" }, times: 1000, then: { status: 500 } });
    await lab.fails("db", primary({ ...args, ...SHORT }));
    expect(JSON.stringify(state(lab).outputs)).not.toContain("s3cret");
    lab.emulator.faults.clear();
    await lab.up("db", primary({ ...args, ...SHORT }));
    expect((await lab.up("db", primary({ ...args, ...SHORT }))).sent).toEqual([]);
  });
});

test("refuse holds for a restart that only the state knows of", async () => {
  const lab = await labWith("db", primary({ ...A, ...SHORT }));
  spoil(lab, { match: RESTART, times: 1000, then: { cut: true, work: false } });
  await lab.fails("db", primary({ ...B, ...SHORT }));
  lab.emulator.faults.clear();
  await lab.fails("db", primary({ ...B, ...SHORT, onRestart: "refuse" }));
  expect(starts(lab)).toBe(0);
});

test("a compute that is deleted before it can be restarted: the error says what to do", async () => {
  const lab: Lab = await labWith("db", primary(A));
  const { id } = state(lab);
  lab.options.between = (request, go) => {
    if (request.url.endsWith("/restart")) delete lab.emulator.world.endpoints[id];
    return go(request);
  };
  expect((await lab.fails("db", primary(B))).error.message).toContain("pulumi refresh");
});
