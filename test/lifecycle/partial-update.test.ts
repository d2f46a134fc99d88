import { describe, expect, test } from "vitest";
import type { ProviderConfig } from "../../provider/config.js";
import { approving, byHand, changes, compute, count, Lab, labWith, made, primary, settle, spoil } from "./support.js";

type End = "failed" | "error" | "cancelled" | "never";
const ENDS: End[] = ["failed", "error", "cancelled", "never"];
const state = (lab: Lab, name = "db") => lab.resource(name);
const unfinished = (lab: Lab) => state(lab).outputs["unfinished"];

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

  test("the program is taken back at once: nothing is sent that no preview shows, and refresh is named", async () => {
    const lab = await labWith("db", primary({ size: 1, customTimeouts: { update: "30s" } }));
    spoil(lab, { operation: { action: "apply_config", then: "never" } });
    await lab.fails("db", primary({ size: 2, customTimeouts: { update: "30s" } }));
    const { error, sent } = await lab.fails("db", primary({ size: 1, customTimeouts: { update: "30s" } }));
    expect(error.message).toMatch(/autoscalingLimitM.*pulumi up --refresh/);
    expect(sent).toEqual([]);
  });

  test.each([
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

  test.each(["at once", "after a refresh"])(
    "what the service did not apply in a create that did not end is told %s, and asked for again on demand",
    async (when) => {
      const config: Partial<ProviderConfig> = {};
      const lab = new Lab({
        between: (request, go) => go(request.method === "POST" ? withoutTimeout(request) : request),
        config,
      });
      const args = primary({ suspendTimeoutSeconds: 600, customTimeouts: { create: "30s" } });
      spoil(lab, { operation: { action: "start_compute", then: "never" } });
      await lab.fails("db", args);
      lab.emulator.faults.clear();
      expect(state(lab).outputs).toMatchObject({ suspendTimeoutSeconds: 0, notTaken: ["suspendTimeoutSeconds"] });
      if (when === "after a refresh") await lab.refresh();
      for (const advance of [600_000, 0]) {
        await lab.clock.advance(advance);
        const outcome = await lab.up("db", args);
        expect(count(outcome, "PATCH")).toBe(0);
        expect(lab.last.said.join("\n")).toMatch(/did not apply suspendTimeoutSeconds.*compute:askAgain/);
      }
      config.askAgain = true;
      await lab.up("db", args);
      expect(compute(lab, "db").suspend_timeout_seconds).toBe(600);
    },
  );

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

describe("the preview after a failure", () => {
  test("warns that the update may restart the compute, since it looks and sends again what is missing", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    expect((await lab.preview("db", primary({ size: 2 }))).notice).toBe("may-restart");
    expect((await lab.preview("db", primary({ size: 1 }))).op).toBe("refused");
  });

  test("refuse holds where old inputs and program agree, and the compute is different", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 2 }));
    const outcome = await lab.fails("db", primary({ size: 1, onRestart: "refuse" }));
    expect(changes(outcome)).toEqual([]);
    expect(outcome.error.message).toMatch(/autoscalingLimitM.*pulumi up --refresh/);
    await lab.refresh();
    expect((await lab.fails("db", primary({ size: 1, onRestart: "refuse" }))).error.message).toMatch(
      /size 2 → 1.*refuse/s,
    );
    await lab.up("db", primary({ size: 1, onRestart: "warn" }));
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(1);
  });

  test("an approved change takes nothing else along that would be felt: what an earlier one left", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 8 }));
    // Check sees the old inputs: for it only the triggers are new.
    const next = primary({ size: 1, restartTriggers: ["x"] });
    const approved = new Lab({ beside: lab, config: { onRestart: "refuse", approvals: approving(lab, next) } });
    approved.state.set("db", lab.resource("db"));
    const outcome = await approved.fails("db", next);
    expect(changes(outcome)).toEqual([]);
    expect(outcome.error.message).toMatch(/autoscalingLimitM.*pulumi up --refresh/);
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(8);
  });

  test("refuse lets pass what does not restart", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", primary({ size: 1, suspendTimeoutSeconds: 60 }));
    await lab.up("db", primary({ size: 1, suspendTimeoutSeconds: 120, onRestart: "refuse" }));
    expect(compute(lab, "db").suspend_timeout_seconds).toBe(120);
  });

  test("one whose first start failed, and that somebody has disabled since, is enabled and started", async () => {
    const lab = new Lab({ emulator: { idleUpdate: "none" } });
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    await lab.fails("db", primary());
    const { id } = lab.resource("db");
    byHand(lab, id, { disabled: true });
    const outcome = await lab.up("db", primary({ disabled: false }));
    expect(changes(outcome).map(([line]) => line.split("/").at(-1))).toEqual([id, "start"]);
    expect(compute(lab, "db")).toMatchObject({ disabled: false, current_state: "active" });
    expect((await lab.up("db", primary({ disabled: false }))).sent).toEqual([]);
  });
});

function withoutTimeout<T extends { body?: string }>(request: T): T {
  const { endpoint } = JSON.parse(request.body ?? "{}") as { endpoint: Record<string, unknown> };
  return { ...request, body: JSON.stringify({ endpoint: { ...endpoint, suspend_timeout_seconds: undefined } }) };
}
