import { describe, expect, test } from "vitest";
import { adopted, byHand, changes, ENDPOINTS, Lab, labWith, made, primary, replica, SEED, spoil } from "./support.js";

describe("deleting", () => {
  test("sends one DELETE and waits until the compute has stopped", async () => {
    const lab = await labWith("db", primary(), { emulator: { operationMs: 5000 } });
    const { id } = lab.resource("db");
    const begun = lab.clock.now();
    const run = await lab.destroy();
    expect(changes(run)).toEqual([[`DELETE ${ENDPOINTS}/${id}`, undefined]]);
    expect(lab.clock.now() - begun).toBeGreaterThanOrEqual(5000);
    expect([made(lab).length, run.warnings]).toEqual([0, []]);
  });

  test.each([
    ["200 without a body", 200, ""],
    ["200 without operations", 200, { endpoint: { id: "ep-x" } }],
    ["204", 204, ""],
    ["404 where the list lacks it", 404, { message: "endpoint not found" }],
  ])("%s is success", async (_rule, status, body) => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "DELETE" }, then: { status, body, work: true } });
    const run = await lab.destroy();
    expect([lab.state.size, run.warnings]).toEqual([0, []]);
  });

  test.each([
    ["404 though the list has it", 404, /still has it/],
    ["422, as for a protected branch", 422, /422/],
    ["409", 409, /409/],
    ["403", 403, /403/],
  ])("%s is a failure that leaves the state", async (_rule, status, message) => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "DELETE" }, times: 1000, then: { status } });
    await expect(lab.destroy()).rejects.toThrow(message);
    expect([lab.state.size, made(lab).length]).toEqual([1, 1]);
  });

  test("a compute on a protected branch stays, with the service's words", async () => {
    const lab = await labWith("db", primary());
    lab.emulator.world.branches[SEED.branches.dev]!.protected = true;
    await expect(lab.destroy()).rejects.toThrow("branch dev is protected");
    expect(lab.state.size).toBe(1);
  });

  test.each(["failed", "error", "cancelled", "never"] as const)(
    "what stops it ends as %s: it is gone all the same, with a warning",
    async (then) => {
      const lab = await labWith("db", primary());
      spoil(lab, { operation: { action: "suspend_compute", then } });
      const run = await lab.destroy();
      expect([lab.state.size, made(lab).length]).toEqual([0, 0]);
      expect(run.warnings.join()).toContain("is deleted, but");
    },
  );

  test("without waiting where the program said waitForReady: false", async () => {
    const lab = await labWith("db", primary({ waitForReady: false }), { emulator: { operationMs: 400 } });
    await lab.clock.advance(1000);
    const begun = lab.clock.now();
    await lab.destroy();
    expect(lab.clock.now() - begun).toBeLessThan(100);
  });
});

describe("letting go instead", () => {
  test.each([
    ["adopted", adopted(), true],
    ["adopted, and onDelete: release", adopted({ onDelete: "release" }), true],
    ["adopted, but onDelete: delete", adopted({ onDelete: "delete" }), false],
    ["made here", primary(), false],
    ["made here, but onDelete: release", primary({ onDelete: "release" }), true],
    ["adopt: true that found none and made one", primary({ adopt: true }), false],
  ])("%s", async (_rule, args, stays) => {
    const lab = await labWith("db", args);
    const { id } = lab.resource("db");
    const run = await lab.destroy();
    expect(lab.emulator.world.endpoints[id] !== undefined).toBe(stays);
    if (stays) {
      expect(run.sent).toEqual([]);
      expect(run.said.join()).toContain(id);
    }
    expect(lab.state.size).toBe(0);
  });

  test("onDelete counts from the moment of the up that changed it", async () => {
    const lab = await labWith("db", primary());
    await lab.up("db", primary({ onDelete: "release" }));
    await lab.destroy();
    expect(made(lab)).toHaveLength(1);
  });

  test("what was adopted stays adopted through updates, refreshes and failures", async () => {
    const lab = await labWith("db", adopted());
    await lab.up("db", adopted({ size: 2 }));
    await lab.refresh();
    byHand(lab, SEED.primaryId, { suspend_timeout_seconds: 120 });
    await lab.refresh();
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", adopted({ size: 4 }));
    await lab.up("db", { ...adopted({ size: 4 }), adopt: undefined });
    await lab.destroy();
    expect(lab.emulator.world.endpoints[SEED.primaryId]).toBeDefined();
  });
});

describe("an id that a create of this same process returned", () => {
  test("is never deleted by it, as after a rename that takes over by id", async () => {
    const lab = await labWith("old", replica());
    const { id } = lab.resource("old");
    const done = await lab.upAll({ new: replica({ adopt: id, name: "new" }) }, "delete");
    expect(lab.state.has("old")).toBe(false);
    const run = done["new"]!;
    expect(run.warnings.join()).toContain("was not deleted");
    expect(made(lab).map((one) => one.id)).toEqual([id]);
    expect(lab.resource("new").id).toBe(id);
  });

  test("a rename without an alias makes a new one, then deletes the old one", async () => {
    const lab = await labWith("old", replica());
    const { id } = lab.resource("old");
    await lab.upAll({ new: replica() }, "delete");
    expect([...lab.state.keys()]).toEqual(["new"]);
    expect(made(lab).map((one) => one.id)).toEqual([lab.resource("new").id]);
    expect(lab.resource("new").id).not.toBe(id);
  });
});

describe("two commands at once", () => {
  test("deleting what another run deletes too is no failure", async () => {
    const lab = await labWith("db", primary(), { emulator: { operationMs: 3000 } });
    const other = new Lab({ beside: lab });
    other.state.set("db", lab.resource("db"));
    await Promise.all([lab.destroy(), other.destroy()]);
    expect(made(lab)).toEqual([]);
  });
});
