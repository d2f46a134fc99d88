import { BOUNDS } from "./bounds.js";
import { NEVER_ACTIVE, ready, settle, takeEffect } from "./effects.js";
import { begin, isPending } from "./operations.js";
import { own } from "./own.js";
import type { Site } from "./rules.js";
import { instant, msOf } from "./time.js";
import type { BranchRow, EndpointRow, OperationRow } from "./world.js";

/**
 * What happens in the course of time. Nothing here waits: `progress` is called before each request and carries out, in
 * the order of time, what has become due since the last one.
 */

/** Computes above this size do not scale to zero. */
const ALWAYS_ON_ABOVE_CU = 16;
const NEVER_SUSPENDS = -1;

const WORDS_OF_FAILURE: Record<string, string> = {
  start_compute: "compute did not become ready in time",
  suspend_compute: "compute did not stop in time",
  apply_config: "configuration could not be applied",
};

/** Brings the world up to `site.now`, and tells whether anything has happened. */
export function progress(site: Site): boolean {
  let happened = false;
  for (let due = earliest(site); due && due.at <= site.now; due = earliest(site)) {
    due.happen();
    happened = true;
  }
  return happened;
}

interface Event {
  at: number;
  happen(): void;
}

function earliest(site: Site): Event | undefined {
  let first: Event | undefined;
  const consider = (event: Event | undefined) => {
    if (event && (!first || event.at < first.at)) first = event;
  };
  const pending = site.world.operations.filter(isPending);
  const busy = new Set(pending.map((operation) => operation.endpoint_id));
  for (const operation of pending) consider(turnOf(site, operation));
  for (const branch of Object.values(site.world.branches)) consider(readinessOf(site, branch));
  for (const endpoint of Object.values(site.world.endpoints)) {
    if (busy.has(endpoint.id)) continue;
    consider(suspensionOf(site, endpoint));
    consider(checkOf(site, endpoint));
  }
  return first;
}

/** The end of an attempt, or the start of the next one. */
function turnOf(site: Site, operation: OperationRow): Event | undefined {
  const { plan } = operation;
  if (plan.again_at !== undefined) {
    const at = msOf(plan.again_at);
    return { at, happen: () => tryAgain(operation, at) };
  }
  if (operation.status !== "running" || plan.started_at === undefined || plan.end === "never") return undefined;
  const at = msOf(plan.started_at) + plan.duration_ms;
  return { at, happen: () => (plan.failures ? failOnce(site, operation, at) : finish(site, operation, at)) };
}

function readinessOf(site: Site, branch: BranchRow): Event | undefined {
  if (branch.ready_at === undefined) return undefined;
  const at = msOf(branch.ready_at);
  return { at, happen: () => ready(site.world, branch.id, instant(at)) };
}

/** Automatic suspension: scale to zero after the time without activity. No connections exist here, so none resets it. */
function suspensionOf(site: Site, endpoint: EndpointRow): Event | undefined {
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

/** The service's own look at whether a compute can be reached. Modelling choice: it waits for work on that compute only. */
function checkOf(site: Site, endpoint: EndpointRow): Event | undefined {
  const { checks, rules } = site;
  if (rules.availabilityCheckMs === 0) return undefined;
  const last = checks.last.get(endpoint.id) ?? Math.max(checks.from, msOf(endpoint.created_at));
  // After a long time without a request the first of the missed checks are left out.
  const since = site.now - BOUNDS.checks * rules.availabilityCheckMs;
  const at = Math.max(last + rules.availabilityCheckMs, msOf(endpoint.updated_at), since);
  return { at, happen: () => checkAvailability(site, endpoint, at) };
}

/** An idle compute is woken for it, also one that is disabled, and put to sleep again. */
export function checkAvailability(site: Site, endpoint: EndpointRow, at: number = site.now): OperationRow[] {
  site.checks.last.set(endpoint.id, at);
  const idle = endpoint.current_state === "idle";
  return serviceWork(site, endpoint, idle ? ["check_availability", "suspend_compute"] : ["check_availability"], at);
}

/** Work that nobody asked for. It asks for no lock, but it is one. */
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
function failOnce(site: Site, operation: OperationRow, atMs: number): void {
  const { plan } = operation;
  fail(operation, instant(atMs));
  operation.status = "failed";
  plan.failures = (plan.failures ?? 1) - 1;
  plan.again_at = instant(atMs + site.rules.failedRetryMs);
  operation.retry_at = plan.again_at;
}

function tryAgain(operation: OperationRow, atMs: number): void {
  const at = instant(atMs);
  operation.status = "running";
  operation.updated_at = at;
  operation.plan.started_at = at;
  delete operation.plan.again_at;
}

function finish(site: Site, operation: OperationRow, atMs: number): void {
  const { world } = site;
  const at = instant(atMs);
  operation.status = operation.plan.end;
  if (operation.status === "failed" || operation.status === "error") fail(operation, at);
  if (operation.status === "failed") operation.retry_at = at;
  operation.updated_at = at;
  operation.total_duration_ms = Math.max(0, atMs - Math.floor(msOf(operation.created_at)));
  if (operation.status === "finished") takeEffect(site, operation, at);
  followUp(site, operation, at);
  settle(world, operation);
}

const ENDS_WELL = ["finished", "skipped"];

/** Starts what waited for this operation. Modelling choice: what waited for one that did not end well is cancelled. */
function followUp(site: Site, first: OperationRow, at: string): void {
  const waiting = site.world.operations.filter((one) => one.status === "scheduling");
  if (waiting.length === 0) return;
  const statusOf = new Map(site.world.operations.map(({ id, status }) => [id, status]));
  const endedWell = (id: string) => ENDS_WELL.includes(statusOf.get(id) ?? "");
  // A chain can be as long as a world that was put in place.
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
      }
    }
  }
}

/** Operations that would never end do so now, and well: the scripted faults are gone. */
export function release(site: Site): void {
  for (const operation of site.world.operations) {
    if (operation.plan.end !== "never") continue;
    operation.plan.end = "finished";
    const started = operation.plan.started_at;
    if (started !== undefined) {
      operation.plan.duration_ms = Math.max(operation.plan.duration_ms, site.now - msOf(started));
    }
  }
  progress(site);
}
