import { BOUNDS } from "./bounds.js";
import { NEVER_ACTIVE, ready, settle, takeEffect } from "./effects.js";
import { begin } from "./operations.js";
import { own } from "./own.js";
import type { Site } from "./rules.js";
import { instant, msOf } from "./time.js";
import type { BranchRow, EndpointRow, OperationRow } from "./world.js";

/** Events that become due without a request: operations end, branches get ready, computes are suspended and checked. */

/** Computes above this size do not scale to zero. */
const ALWAYS_ON_ABOVE_CU = 16;
const NEVER_SUSPENDS = -1;

const WORDS_OF_FAILURE: Record<string, string> = {
  start_compute: "compute did not become ready in time",
  suspend_compute: "compute did not stop in time",
  apply_config: "configuration could not be applied",
};

export interface Event {
  at: number;
  /** @returns the operations that it began, moved on or ended. Their computes and branches have changed too */
  happen(): OperationRow[];
}

/** The end of an attempt, or the start of the next one. */
export function turnOf(site: Site, operation: OperationRow): Event | undefined {
  const { plan } = operation;
  if (plan.again_at !== undefined) {
    const at = msOf(plan.again_at);
    return { at, happen: () => tryAgain(operation, at) };
  }
  if (operation.status !== "running" || plan.started_at === undefined || plan.end === "never") return undefined;
  const at = msOf(plan.started_at) + plan.duration_ms;
  return { at, happen: () => (plan.failures ? failOnce(site, operation, at) : finish(site, operation, at)) };
}

export function readinessOf(site: Site, branch: BranchRow): Event | undefined {
  if (branch.ready_at === undefined) return undefined;
  const at = msOf(branch.ready_at);
  return {
    at,
    happen: () => {
      ready(site.world, branch.id, instant(at));
      return [];
    },
  };
}

/** Automatic suspension: scale to zero after the time without activity. No connections exist here, so none resets it. */
export function suspensionOf(site: Site, endpoint: EndpointRow): Event | undefined {
  if (endpoint.current_state !== "active" || endpoint.autoscaling_limit_max_cu > ALWAYS_ON_ABOVE_CU) return undefined;
  if (endpoint.suspend_timeout_seconds === NEVER_SUSPENDS) return undefined;
  const timeout = (endpoint.suspend_timeout_seconds || site.rules.suspendDefaultSeconds) * 1000;
  const lastUse = Math.max(
    msOf(endpoint.last_active ?? NEVER_ACTIVE),
    msOf(endpoint.started_at ?? endpoint.created_at),
  );
  // A shorter timeout does not reach back: the suspension follows the change that made it due.
  const at = Math.max(lastUse + timeout, msOf(endpoint.updated_at));
  return { at, happen: () => serviceWork(site, endpoint, ["suspend_compute"], at) };
}

/** The service's own check that a compute can be reached. Modelling choice: it waits for work on that compute only. */
export function checkOf(site: Site, endpoint: EndpointRow): Event | undefined {
  const { checks, rules } = site;
  if (rules.availabilityCheckMs === 0) return undefined;
  const last = checks.last.get(endpoint.id) ?? Math.max(checks.from, msOf(endpoint.created_at));
  // After a long time without a request the oldest missed checks are left out.
  const since = site.now - BOUNDS.checks * rules.availabilityCheckMs;
  const at = Math.max(last + rules.availabilityCheckMs, msOf(endpoint.updated_at), since);
  return { at, happen: () => checkAvailability(site, endpoint, at) };
}

/** The check wakes an idle compute, also a disabled one, and suspends it again. */
export function checkAvailability(site: Site, endpoint: EndpointRow, at: number = site.now): OperationRow[] {
  site.checks.last.set(endpoint.id, at);
  const idle = endpoint.current_state === "idle";
  return serviceWork(site, endpoint, idle ? ["check_availability", "suspend_compute"] : ["check_availability"], at);
}

/** Work that the service begins by itself. It does not look for a lock, but its operations lock. */
export function serviceWork(site: Site, endpoint: EndpointRow, actions: string[], at: number): OperationRow[] {
  endpoint.pending_state = actions.at(-1) === "suspend_compute" ? "idle" : "active";
  const { id: endpoint_id, branch_id, project_id } = endpoint;
  const stages = actions.map((action) => [{ action, branch_id, endpoint_id }]);
  return begin(site, project_id, stages, at);
}

function fail(operation: OperationRow, at: string): void {
  operation.failures_count += 1;
  operation.error = own(WORDS_OF_FAILURE, operation.action) ?? `${operation.action} did not succeed`;
  operation.updated_at = at;
  operation.total_duration_ms = Math.max(0, msOf(at) - Math.floor(msOf(operation.created_at)));
}

/** An attempt that is not the last. Modelling choice: `retry_at` is the time of the next attempt. */
function failOnce(site: Site, operation: OperationRow, atMs: number): OperationRow[] {
  const { plan } = operation;
  fail(operation, instant(atMs));
  operation.status = "failed";
  plan.failures = (plan.failures ?? 1) - 1;
  plan.again_at = instant(atMs + site.rules.failedRetryMs);
  operation.retry_at = plan.again_at;
  return [operation];
}

function tryAgain(operation: OperationRow, atMs: number): OperationRow[] {
  const at = instant(atMs);
  operation.status = "running";
  operation.updated_at = at;
  operation.plan.started_at = at;
  delete operation.plan.again_at;
  return [operation];
}

function finish(site: Site, operation: OperationRow, atMs: number): OperationRow[] {
  const { world } = site;
  const at = instant(atMs);
  operation.status = operation.plan.end;
  if (operation.status === "failed" || operation.status === "error") fail(operation, at);
  if (operation.status === "failed") operation.retry_at = at;
  operation.updated_at = at;
  operation.total_duration_ms = Math.max(0, atMs - Math.floor(msOf(operation.created_at)));
  if (operation.status === "finished") takeEffect(site, operation, at);
  const followed = followUp(site, operation, at);
  settle(world, operation);
  return [operation, ...followed];
}

const ENDS_WELL = ["finished", "skipped"];

/**
 * Starts the operations that waited for this one. Modelling choice: if this one did not end well, they are cancelled.
 * @returns all operations that it started or cancelled
 */
function followUp(site: Site, first: OperationRow, at: string): OperationRow[] {
  const waiting = site.world.operations.filter((one) => one.status === "scheduling");
  const started: OperationRow[] = [];
  let statusOf: Map<string, string> | undefined;
  const endedWell = (id: string) => {
    statusOf ??= new Map(site.world.operations.map((one) => [one.id, one.status]));
    return ENDS_WELL.includes(statusOf.get(id) ?? "");
  };
  // No recursion: a chain can be as long as the world that a client put in place.
  const ended = [first];
  for (const { id, status } of ended) {
    for (const next of waiting) {
      if (next.status !== "scheduling" || !next.plan.after.includes(id)) continue;
      if (!ENDS_WELL.includes(status)) {
        next.status = "cancelled";
        next.updated_at = at;
        ended.push(next);
        settle(site.world, next);
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
