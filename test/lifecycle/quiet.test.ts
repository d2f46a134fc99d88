import { describe, expect, test } from "vitest";
import { adopted, compute, Lab, labWith, lines, type Props, primary, replica, SEED } from "./support.js";

const EVERYTHING = primary({
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
  suspendTimeoutSeconds: 300,
  name: "orders",
  disabled: false,
  poolerEnabled: false,
  regionId: SEED.regionId,
  settings: {
    pgSettings: { work_mem: "64MB", max_wal_size: "1GB" },
    preloadLibraries: { useDefaults: true, enabledLibraries: ["b", "a"] },
  },
  onDelete: "delete",
  onRestart: "warn",
  waitForReady: true,
  customTimeouts: { create: "5m" },
});

describe("nothing changes", () => {
  test.each<[string, Props]>([
    ["of a primary", primary()],
    ["of a replica", replica()],
    ["with every property set", EVERYTHING],
    ["with size", primary({ size: 2 })],
    ["with a timeout of 0", primary({ suspendTimeoutSeconds: 0 })],
    ["that never suspends", primary({ size: 18, suspendTimeoutSeconds: -1 })],
    ["disabled", primary({ disabled: true })],
    ["adopted", adopted({ size: 1 })],
    ["not waited for", primary({ waitForReady: false })],
  ])("a second up %s is the same, and sends no request", async (_rule, args) => {
    const lab = await labWith("db", args);
    const before = structuredClone(lab.resource("db"));
    const outcome = await lab.up("db", args);
    expect(outcome).toMatchObject({ op: "same", marker: "no", notice: "none", sent: [], warnings: [] });
    expect(lab.resource("db").outputs).toEqual(before.outputs);
  });

  test("nor a third one after a restart, whose marker is reset in silence", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    await lab.up("db", primary({ size: 2 }));
    expect(lab.resource("db").inputs["restart"]).toMatch(/^yes/);
    expect(await lab.up("db", primary({ size: 2 }))).toMatchObject({ op: "same", sent: [], diff: { changes: false } });
    expect(lab.resource("db").inputs["restart"]).toBe("no");
  });

  test("a preview sends no request, whatever it shows", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    for (const args of [{ size: 2 }, { type: "read_only" }, { size: 3.5 }, {}]) {
      expect((await lab.preview("db", primary(args))).sent).toEqual([]);
    }
  });

  test("a refresh without drift leaves inputs and outputs as they are", async () => {
    for (const args of [primary(), EVERYTHING, adopted({ size: 2 }), replica({ size: 4 })]) {
      const lab = await labWith("db", args);
      const before = structuredClone(lab.resource("db"));
      await lab.refresh();
      expect(lab.resource("db")).toEqual(before);
    }
  });

  test("volatile facts are no drift: activity, suspension, a new release", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    const before = structuredClone(lab.resource("db"));
    Object.assign(compute(lab, "db"), { last_active: "2026-05-04T10:00:01Z", compute_release_version: "99999" });
    await lab.clock.advance(3_600_000);
    expect(compute(lab, "db").current_state).toBe("idle");
    await lab.refresh();
    expect(lab.resource("db")).toEqual(before);
    expect((await lab.up("db", primary({ size: 1 }))).op).toBe("same");
  });
});

describe("one wish in two forms", () => {
  const both = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  test.each<[string, Props, Props]>([
    ["size 2 and both limits 2", { size: 2 }, both(2, 2)],
    ["both limits 2 and size 2", both(2, 2), { size: 2 }],
    ["1 and 1.0", { size: 1 }, { size: Number("1.0") }],
    [
      "a list of libraries in another order",
      { settings: { preloadLibraries: { enabledLibraries: ["a", "b"] } } },
      { settings: { preloadLibraries: { enabledLibraries: ["b", "a"] } } },
    ],
    [
      "settings in another order",
      { settings: { pgSettings: { a: "1", b: "2" } } },
      { settings: { pgSettings: { b: "2", a: "1" } } },
    ],
  ])("%s: no diff, no request, no notice", async (_rule, first, second) => {
    const lab = await labWith("db", primary(first));
    const outcome = await lab.up("db", primary(second));
    expect(outcome).toMatchObject({ op: "same", marker: "no", sent: [] });
    expect((await lab.up("db", primary(second))).op).toBe("same");
    // The other form is known to refresh and destroy as well.
    await lab.refresh();
    expect((await lab.up("db", primary(second))).op).toBe("same");
  });
});

describe("many computes share requests", () => {
  test("a refresh of twenty in one project sends at most three", async () => {
    const lab = new Lab();
    const names = Array.from({ length: 20 }, (_, index) => `r${index}`);
    await lab.upAll(Object.fromEntries(names.map((name) => [name, replica()])));
    const run = await lab.refresh();
    expect(run.sent.length).toBeLessThanOrEqual(3);
    expect(lab.state.size).toBe(20);
  });

  test("one list a project, whatever is read of it", async () => {
    const lab = new Lab();
    const second = { projectId: SEED.second.projectId, branchId: SEED.second.branchId };
    await lab.upAll({ a: primary(), b: replica(), c: second, d: { ...second, type: "read_only" } });
    expect(lines(await lab.refresh()).sort()).toEqual(
      [`GET /projects/${SEED.projectId}/endpoints`, `GET /projects/${SEED.second.projectId}/endpoints`].sort(),
    );
  });

  test("a list from before a change is not used after it", async () => {
    const lab = new Lab();
    await lab.upAll({ a: primary({ size: 1 }), b: replica({ size: 1 }), c: replica({ size: 1 }) });
    await lab.upAll({ a: primary({ size: 2 }), b: replica({ size: 2 }), c: replica({ size: 2 }) });
    for (const name of ["a", "b", "c"]) expect(lab.resource(name).outputs["size"]).toBe(2);
  });
});
