import { describe, expect, test } from "vitest";
import { byHand, changes, compute, count, ENDPOINTS, labWith, type Props, primary, replica, SEED } from "./support.js";

const patchOf = async (before: Props, after: Props) => {
  const lab = await labWith("db", primary(before));
  const { id, outputs } = lab.resource("db");
  const outcome = await lab.up("db", primary(after));
  expect(lab.resource("db").id).toBe(id);
  expect(lab.resource("db").outputs["host"]).toBe(outputs["host"]);
  const sent = changes(outcome);
  for (const [line] of sent) expect(line).toBe(`PATCH ${ENDPOINTS}/${id}`);
  return sent.map(([, body]) => (body as { endpoint: unknown }).endpoint);
};
const limits = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
const wire = (min: number, max: number) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });
const pg = (pgSettings: Record<string, string>) => ({ settings: { pgSettings } });

describe("a change is sent in place, and only what differs", () => {
  test.each<[string, Props, Props, object[]]>([
    ["a size", { size: 1 }, { size: 2 }, [wire(2, 2)]],
    ["the lower limit, with the upper one", limits(1, 4), limits(2, 4), [wire(2, 4)]],
    ["the upper limit, with the lower one", limits(1, 4), limits(1, 8), [wire(1, 8)]],
    ["from fixed to autoscaling", { size: 2 }, limits(2, 4), [wire(2, 4)]],
    ["from autoscaling to fixed", limits(2, 4), { size: 4 }, [wire(4, 4)]],
    ["a timeout", { suspendTimeoutSeconds: 60 }, { suspendTimeoutSeconds: 600 }, [{ suspend_timeout_seconds: 600 }]],
    [
      "never suspending",
      { suspendTimeoutSeconds: 60 },
      { suspendTimeoutSeconds: -1 },
      [{ suspend_timeout_seconds: -1 }],
    ],
    [
      "back to the service's default",
      { suspendTimeoutSeconds: 600 },
      { suspendTimeoutSeconds: 0 },
      [{ suspend_timeout_seconds: 0 }],
    ],
    ["a name", { name: "a" }, { name: "b" }, [{ name: "b" }]],
    ["disabling", {}, { disabled: true }, [{ disabled: true }]],
    ["enabling", { disabled: true }, { disabled: false }, [{ disabled: false }]],
    ["the pooler", {}, { poolerEnabled: true }, [{ pooler_enabled: true }]],
    ["the branch", {}, { branchId: SEED.branches.preview }, [{ branch_id: SEED.branches.preview }]],
    [
      "several at once",
      { size: 1, name: "a" },
      { size: 2, name: "b", suspendTimeoutSeconds: 120 },
      [{ ...wire(2, 2), name: "b", suspend_timeout_seconds: 120 }],
    ],
    [
      "settings as one object",
      { settings: { pgSettings: { a: "1", b: "2" }, preloadLibraries: { useDefaults: true } } },
      { settings: { pgSettings: { a: "9", b: "2" }, preloadLibraries: { useDefaults: true } } },
      [{ settings: { pg_settings: { a: "9", b: "2" }, preload_libraries: { use_defaults: true } } }],
    ],
  ])("%s", async (_rule, before, after, sent) => {
    expect(await patchOf(before, after)).toEqual(sent);
  });

  test.each<[string, Props, Props]>([
    ["a size", { size: 2 }, {}],
    ["limits", limits(1, 4), {}],
    ["a timeout", { suspendTimeoutSeconds: 600 }, {}],
    ["a name", { name: "a" }, {}],
    ["disabled", { disabled: true }, {}],
    ["settings", pg({ a: "1" }), {}],
    ["one of the settings", pg({ a: "1", b: "2" }), pg({ a: "1" })],
    ["the region", { regionId: SEED.regionId }, {}],
    ["a type that was the default anyway", { type: "read_write" }, {}],
  ])("%s taken out of the program stays as it is on the service", async (_rule, before, after) => {
    expect(await patchOf(before, after)).toEqual([]);
    const lab = await labWith("db", primary(before));
    const stored = structuredClone(compute(lab, "db"));
    const outcome = await lab.up("db", primary(after));
    // Delete and read must know that it is no longer managed.
    expect([outcome.op, outcome.sent, outcome.marker]).toEqual(["update", [], "no"]);
    expect(compute(lab, "db")).toEqual(stored);
    expect((await lab.up("db", primary(after))).op).toBe("same");
  });

  test.each<[string, Props, Props]>([
    ["onDelete", {}, { onDelete: "release" }],
    ["customTimeouts", { customTimeouts: { update: "1m" } }, { customTimeouts: { update: "2m" } }],
    ["waitForReady", {}, { waitForReady: false }],
  ])("a change of %s is an update without a request, and in the state", async (name, before, after) => {
    const lab = await labWith("db", primary({ size: 1, ...before }));
    const outcome = await lab.up("db", primary({ size: 1, ...after }));
    expect([outcome.op, outcome.sent, outcome.marker]).toEqual(["update", [], "no"]);
    expect(lab.resource("db").outputs[name]).toEqual(after[name]);
    expect(lab.resource("db").outputs["size"]).toBe(1);
    await lab.up("db", primary({ size: 1, ...before }));
    expect(lab.resource("db").outputs[name]).toEqual(before[name]);
  });

  test.each<[string, Props, Props]>([
    ["onRestart", {}, { onRestart: "refuse" }],
    ["adopt", {}, { adopt: true }],
  ])("a change of %s is none", async (_name, before, after) => {
    const lab = await labWith("db", primary(before));
    expect(await lab.up("db", primary(after))).toMatchObject({ op: "same", sent: [] });
  });
});

describe("settings", () => {
  test("keep what the program does not manage, also what was set since", async () => {
    const lab = await labWith("db", primary(pg({ a: "1" })));
    byHand(lab, lab.resource("db").id, {
      settings: {
        pg_settings: { a: "1", theirs: "7" },
        preload_libraries: { use_defaults: true },
        pgbouncer_settings: { x: "y" },
      },
    });
    const outcome = await lab.up("db", primary(pg({ a: "2" })));
    expect(count(outcome, "PATCH")).toBe(1);
    expect(compute(lab, "db").settings).toEqual({
      pg_settings: { a: "2", theirs: "7" },
      preload_libraries: { use_defaults: true },
      pgbouncer_settings: { x: "y" },
    });
  });

  test("of a compute that is adopted stay too", async () => {
    const lab = await labWith("other", replica({ name: "other" }));
    byHand(lab, lab.resource("other").id, { settings: { pg_settings: { theirs: "7" } } });
    const { id } = lab.resource("other");
    lab.state.delete("other");
    await lab.up("db", replica({ adopt: id, ...pg({ a: "1" }) }));
    expect(lab.emulator.world.endpoints[id]!.settings).toEqual({ pg_settings: { theirs: "7", a: "1" } });
  });

  test("libraries: one part is changed, the other stays", async () => {
    const libraries = (preloadLibraries: object) => primary({ settings: { preloadLibraries } });
    const lab = await labWith("db", libraries({ useDefaults: true, enabledLibraries: ["a"] }));
    await lab.up("db", libraries({ enabledLibraries: ["b"] }));
    expect(compute(lab, "db").settings).toEqual({
      preload_libraries: { use_defaults: true, enabled_libraries: ["b"] },
    });
  });
});

describe("under refuse", () => {
  test("a size that was not managed before, and is another: fails before anything is changed", async () => {
    const lab = await labWith("db", primary());
    expect((await lab.preview("db", primary({ size: 2, onRestart: "refuse" }))).marker).toMatch(/^maybe/);
    const outcome = await lab.fails("db", primary({ size: 2, onRestart: "refuse" }));
    expect(outcome.error.message).toMatch(/0.25 → 2.*this compute was not changed/);
    expect(changes(outcome)).toEqual([]);
    // The same size as the compute has is no restart.
    expect(changes(await lab.up("db", primary({ size: 0.25, onRestart: "refuse" })))).toEqual([]);
  });
});

describe("an update that can't be", () => {
  test("a branch that is not there is named, and nothing is changed", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    const { error } = await lab.fails("db", primary({ size: 1, branchId: "br-not-there-12345678" }));
    expect(error.message).toMatch(/404.*branch not found/);
    expect(error.message).not.toContain("pulumi refresh");
    expect(compute(lab, "db").branch_id).toBe(SEED.branches.dev);
  });

  test("a branch that has a primary keeps it", async () => {
    const lab = await labWith("db", primary());
    const { error } = await lab.fails("db", primary({ branchId: SEED.branches.main }));
    expect(error.message).toContain("already exists");
  });

  test.each([
    ["when the compute's region is known", async (args: Props) => (await labWith("db", primary())).fails("db", args)],
    [
      "in the check, from the old inputs",
      async (args: Props) => (await labWith("db", primary({ regionId: SEED.regionId }))).fails("db", args),
    ],
  ])("another region fails before any request, %s", async (_when, attempt) => {
    const outcome = await attempt(primary({ regionId: "aws-eu-central-1" }));
    expect(outcome.error.message).toContain(SEED.regionId);
    expect(outcome.sent).toEqual([]);
  });

  test("a compute deleted by hand: the error says what to do", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    delete lab.emulator.world.endpoints[lab.resource("db").id];
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toContain("pulumi refresh");
    expect(lab.state.size).toBe(1);
  });

  test("a create in a region that the project is not in changes nothing", async () => {
    for (const args of [
      primary({ regionId: "aws-eu-central-1" }),
      { projectId: SEED.second.projectId, branchId: SEED.second.branchId, regionId: "aws-eu-central-1" },
    ]) {
      const lab = await labWith("x", replica());
      const outcome = await lab.fails("db", args);
      expect(outcome.error.message).toMatch(/region/);
      // Where the project has a compute, its region is known before anything is asked.
      expect(count(outcome, "POST")).toBe(args.projectId === SEED.projectId ? 0 : 1);
      expect(lab.state.size).toBe(1);
    }
  });
});
