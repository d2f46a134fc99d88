/** What the tests of one Ctrl-C share: a step on a compute, in a command that is interrupted. */
import { expect } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import type { LabOptions } from "../support/lab.js";
import { compute, Lab, labWith, made, primary, replica, spoil } from "./support.js";

export type Step = "create" | "update" | "delete";
export const STEPS: Step[] = ["create", "update", "delete"];
export const METHOD = { create: "POST", update: "PATCH", delete: "DELETE" } as const;
export const EVER = 1000;

export const before = primary({ size: 1 });
export const after = primary({ size: 2 });

export interface StageOptions extends LabOptions {
  /** Requests a minute. */
  rate?: number;
  /** Another stack's operation runs in the project, and does not end. */
  busy?: true;
}

/** The step on the compute "db" of a fresh lab, as the command that carries it out. */
export async function stage(step: Step, options: StageOptions = {}) {
  const first = step === "create" ? new Lab(options) : await labWith("db", before, options);
  const { rate, busy, ...others } = options;
  const lab = rate === undefined ? first : new Lab({ ...others, beside: first, config: { requestsPerMinute: rate } });
  for (const [name, resource] of first.state) lab.state.set(name, resource);
  if (busy) {
    spoil(lab, ...never);
    await new Lab({ beside: lab, stack: "other" }).up("r", replica({ waitForReady: false }));
  }
  const computes = made(lab).length;
  const run = () => (step === "delete" ? lab.destroy("db") : lab.up("db", after));
  /** What the next command makes of it. */
  const again = async () => {
    lab.emulator.faults.clear();
    await lab.clock.advance(60_000);
    const next = new Lab({ ...others, beside: lab });
    for (const [name, resource] of lab.state) next.state.set(name, resource);
    if (step === "delete") {
      await next.destroy("db");
      expect(made(next)).toHaveLength(computes - 1);
      return;
    }
    await next.up("db", after);
    expect(made(next)).toHaveLength(step === "create" ? computes + 1 : computes);
    expect(compute(next, "db")).toMatchObject({ autoscaling_limit_max_cu: 2, current_state: "active" });
    expect(next.resource("db").outputs).not.toHaveProperty("unfinished");
  };
  return { lab, run, again };
}

/** Runs the command with a Ctrl-C in it. */
export async function interrupted(lab: Lab, run: () => Promise<unknown>, atMs: number) {
  const begun = lab.clock.now();
  const command = run().then(
    () => undefined,
    (error: Error & { kind?: string; reasons?: string[] }) => error,
  );
  void lab.clock.sleep(atMs).then(() => lab.cancel());
  const error = await command;
  const passedMs = lab.clock.now() - begun - atMs;
  const later = lab.last.sent.filter(({ at }) => at > begun + atMs);
  return { error, passedMs, later, begunLater: later.filter(({ line }) => !line.startsWith("GET")) };
}

export const never: FaultRule[] = ["start_compute", "apply_config", "suspend_compute"].map((action) => ({
  operation: { action, times: EVER, then: "never" },
}));
export const slow = (method: string, path: string, delayMs: number): FaultRule => ({
  match: { method, path },
  times: EVER,
  then: { delayMs },
});
