// Events that become due without a request: an operation ends, a branch gets ready, a compute is suspended or checked.

import { LIMITS } from "./limits.js";
import { applyEffect, clearPendingStates, markBranchReady } from "./operation-effects.js";
import type { BranchRow, EndpointRow, OperationRow } from "./rows.js";
import { beginServiceOperations, checkAvailability } from "./service-operations.js";
import type { Simulation } from "./simulation.js";
import { NEVER_ACTIVE } from "./statuses.js";
import { timestamp, toMs } from "./time.js";
import { findRow } from "./world.js";

/** Computes above this size do not scale to zero. */
const ALWAYS_ON_ABOVE_CU = 16;
const NEVER_SUSPENDS = -1;

const FAILURE_MESSAGES: Record<string, string> = {
  start_compute: "compute did not become ready in time",
  suspend_compute: "compute did not stop in time",
  apply_config: "configuration could not be applied",
};

export interface ScheduledEvent {
  at: number;
  /** @returns the operations that it started, continued or ended. Their computes and branches have changed too */
  run(): OperationRow[];
}

/** The next event of an operation: the end of its attempt, or the start of the next attempt. */
export function operationEvent(sim: Simulation, operation: OperationRow): ScheduledEvent | undefined {
  const { plan } = operation;
  if (plan.again_at !== undefined) {
    const at = toMs(plan.again_at);
    return { at, run: () => tryAgain(operation, at) };
  }
  if (operation.status !== "running" || plan.started_at === undefined || plan.end === "never") return undefined;
  const at = toMs(plan.started_at) + plan.duration_ms;
  return { at, run: () => (plan.failures ? failAttempt(sim, operation, at) : finish(sim, operation, at)) };
}

export function branchReadyEvent(sim: Simulation, branch: BranchRow): ScheduledEvent | undefined {
  if (branch.ready_at === undefined) return undefined;
  const at = toMs(branch.ready_at);
  return {
    at,
    run: () => {
      markBranchReady(sim.world, branch.id, timestamp(at));
      return [];
    },
  };
}

/** Automatic suspension: scale to zero after a time without activity. The emulator has no connections that would count. */
export function autosuspendEvent(sim: Simulation, endpoint: EndpointRow): ScheduledEvent | undefined {
  if (endpoint.current_state !== "active" || endpoint.autoscaling_limit_max_cu > ALWAYS_ON_ABOVE_CU) return undefined;
  if (endpoint.suspend_timeout_seconds === NEVER_SUSPENDS) return undefined;
  const timeout = (endpoint.suspend_timeout_seconds || sim.behavior.suspendDefaultSeconds) * 1000;
  const lastUse = Math.max(
    toMs(endpoint.last_active ?? NEVER_ACTIVE),
    toMs(endpoint.started_at ?? endpoint.created_at),
  );
  // A shorter timeout does not apply to the past: the suspension comes after the change of the timeout.
  const at = Math.max(lastUse + timeout, toMs(endpoint.updated_at));
  return { at, run: () => beginServiceOperations(sim, endpoint, ["suspend_compute"], at) };
}

/** The service's own check that a compute is available. Modelling choice: it waits only for operations on that compute. */
export function availabilityCheckEvent(sim: Simulation, endpoint: EndpointRow): ScheduledEvent | undefined {
  const { availabilityChecks: checks, behavior } = sim;
  if (behavior.availabilityCheckMs === 0) return undefined;
  const last = checks.last.get(endpoint.id) ?? Math.max(checks.from, toMs(endpoint.created_at));
  // After a long time without a request the oldest missed checks are dropped.
  const since = sim.now - LIMITS.missedChecks * behavior.availabilityCheckMs;
  const at = Math.max(last + behavior.availabilityCheckMs, toMs(endpoint.updated_at), since);
  return { at, run: () => checkAvailability(sim, endpoint, at) };
}

const durationUntil = (atMs: number, { created_at: createdAt }: OperationRow): number =>
  Math.max(0, atMs - Math.floor(toMs(createdAt)));

function fail(operation: OperationRow, at: string): void {
  operation.failures_count += 1;
  operation.error = findRow(FAILURE_MESSAGES, operation.action) ?? `${operation.action} did not succeed`;
  operation.updated_at = at;
  operation.total_duration_ms = durationUntil(toMs(at), operation);
}

/** Ends an attempt that is not the last. Modelling choice: `retry_at` is the time of the next attempt. */
function failAttempt(sim: Simulation, operation: OperationRow, atMs: number): OperationRow[] {
  const { plan } = operation;
  fail(operation, timestamp(atMs));
  operation.status = "failed";
  plan.failures = (plan.failures ?? 1) - 1;
  plan.again_at = timestamp(atMs + sim.behavior.failedRetryMs);
  operation.retry_at = plan.again_at;
  return [operation];
}

function tryAgain(operation: OperationRow, atMs: number): OperationRow[] {
  const at = timestamp(atMs);
  operation.status = "running";
  operation.updated_at = at;
  operation.plan.started_at = at;
  delete operation.plan.again_at;
  return [operation];
}

function finish(sim: Simulation, operation: OperationRow, atMs: number): OperationRow[] {
  const { world } = sim;
  const at = timestamp(atMs);
  operation.status = operation.plan.end;
  if (operation.status === "failed" || operation.status === "error") fail(operation, at);
  if (operation.status === "failed") operation.retry_at = at;
  operation.updated_at = at;
  operation.total_duration_ms = durationUntil(atMs, operation);
  if (operation.status === "finished") applyEffect(sim, operation, at);
  const followed = startWaitingOperations(sim, operation, at);
  clearPendingStates(world, operation);
  return [operation, ...followed];
}

const ENDS_WELL = ["finished", "skipped"];

/**
 * Starts the operations that waited for this one. Modelling choice: if this one did not succeed, they are cancelled.
 * @returns all operations that it started or cancelled
 */
function startWaitingOperations(sim: Simulation, first: OperationRow, at: string): OperationRow[] {
  const waiting = sim.world.operations.filter((one) => one.status === "scheduling");
  const started: OperationRow[] = [];
  let statusOf: Map<string, string> | undefined;
  const endedWell = (id: string) => {
    statusOf ??= new Map(sim.world.operations.map((one) => [one.id, one.status]));
    return ENDS_WELL.includes(statusOf.get(id) ?? "");
  };
  // A loop, not a recursion: a chain in a world that a test has put in place can have any length.
  const ended = [first];
  for (const { id, status } of ended) {
    for (const next of waiting) {
      if (next.status !== "scheduling" || !next.plan.after.includes(id)) continue;
      if (!ENDS_WELL.includes(status)) {
        next.status = "cancelled";
        next.updated_at = at;
        ended.push(next);
        clearPendingStates(sim.world, next);
      } else if (next.plan.after.every(endedWell)) {
        next.status = "running";
        next.updated_at = at;
        next.plan.started_at = at;
        started.push(next);
      }
    }
  }
  return [...ended.slice(1), ...started];
}
