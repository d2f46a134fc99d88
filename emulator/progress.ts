import { uuid } from "./ids.js";
import type { Site } from "./rules.js";
import { fromMicros, instant, msOf } from "./time.js";
import type { EndpointRow, OperationRow, World } from "./world.js";

/**
 * Operations and what they do to computes and branches. Nothing here waits: `progress` is called before each request
 * and carries out, in the order of time, what has become due since the last one.
 */

/** A step of work. Steps of one inner list run side by side, lists run one after the other. */
export interface Step {
  action: string;
  branch_id?: string;
  endpoint_id?: string;
  /** The compute starts anew when this `apply_config` ends. */
  restarts?: boolean;
}

const PENDING = new Set(["scheduling", "running", "cancelling"]);

/** Computes above this size do not scale to zero. */
const ALWAYS_ON_ABOVE_CU = 16;
const NEVER_SUSPENDS = -1;
const MICROS_PER_MS = 1000;
const RELEASE = "11207";
/** What a compute shows that nobody has used yet. */
const NEVER_ACTIVE = "2000-01-01T00:00:00.000000Z";

const WORDS_OF_FAILURE: Record<string, string> = {
  start_compute: "compute did not become ready in time",
  suspend_compute: "compute did not stop in time",
  apply_config: "configuration could not be applied",
};

const isPending = (operation: OperationRow) => PENDING.has(operation.status);

/**
 * Would new work in this project meet work that is not done? The lock model: every pending operation of the project
 * counts, those that the control plane started itself too. A finer lock (by branch) belongs here and nowhere else.
 */
export function conflicts(site: Site, work: { projectId: string }): boolean {
  return site.world.operations.some((one) => one.project_id === work.projectId && isPending(one));
}

/** Is a compute between two states? */
export const inTransition = (world: World, endpointId: string): boolean =>
  world.operations.some((one) => one.endpoint_id === endpointId && isPending(one));

/** Starts work: the first steps run, the others are scheduled behind them. The rows are in the order of execution. */
export function begin(site: Site, projectId: string, stages: Step[][], atMs: number = site.now): OperationRow[] {
  const begun: OperationRow[] = [];
  let before: string[] = [];
  for (const stage of stages) {
    const rows = stage.map((step) => record(site, projectId, step, before, atMs));
    site.world.operations.push(...rows);
    begun.push(...rows);
    before = rows.map((row) => row.id);
  }
  return begun;
}

function record(site: Site, projectId: string, step: Step, after: string[], atMs: number): OperationRow {
  // No two operations share a microsecond, or a page that ends between them would lose one.
  const micros = Math.floor(atMs) * MICROS_PER_MS + Math.floor(site.random() * MICROS_PER_MS);
  site.world.last_operation_us = Math.max(micros, site.world.last_operation_us + 1);
  const created = fromMicros(site.world.last_operation_us);
  const { restarts, ...fields } = step;
  return {
    id: uuid(site.random),
    project_id: projectId,
    ...fields,
    status: after.length === 0 ? "running" : "scheduling",
    failures_count: 0,
    created_at: created,
    updated_at: created,
    total_duration_ms: 0,
    plan: {
      after,
      duration_ms: site.rules.operationMs(step.action),
      end: site.faults.forOperation(step.action),
      ...(after.length === 0 ? { started_at: instant(atMs) } : {}),
      ...(restarts ? { restarts } : {}),
    },
  };
}

/** Brings the world up to `site.now`. */
export function progress(site: Site): void {
  for (let due = earliest(site); due && due.at <= site.now; due = earliest(site)) due.happen();
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
  for (const operation of pending) consider(endOf(site.world, operation));
  for (const endpoint of Object.values(site.world.endpoints)) {
    if (!busy.has(endpoint.id)) consider(suspensionOf(site, endpoint));
  }
  return first;
}

function endOf(world: World, operation: OperationRow): Event | undefined {
  const { started_at: started, duration_ms: duration, end } = operation.plan;
  if (operation.status !== "running" || started === undefined || end === "never") return undefined;
  const at = msOf(started) + duration;
  return { at, happen: () => finish(world, operation, at) };
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
  return {
    at,
    happen: () => {
      const { id, branch_id, project_id } = endpoint;
      begin(site, project_id, [[{ action: "suspend_compute", branch_id, endpoint_id: id }]], at);
      endpoint.pending_state = "idle";
    },
  };
}

function finish(world: World, operation: OperationRow, atMs: number): void {
  const at = instant(atMs);
  operation.status = operation.plan.end;
  operation.updated_at = at;
  operation.total_duration_ms = Math.max(0, atMs - Math.floor(msOf(operation.created_at)));
  if (operation.status === "failed" || operation.status === "error") {
    operation.failures_count = 1;
    operation.error = WORDS_OF_FAILURE[operation.action] ?? `${operation.action} did not succeed`;
    if (operation.status === "failed") operation.retry_at = at;
  }
  if (operation.status === "finished") takeEffect(world, operation, at);
  followUp(world, operation, at);
  settle(world, operation);
}

function takeEffect(world: World, operation: OperationRow, at: string): void {
  const endpoint = world.endpoints[operation.endpoint_id ?? ""];
  const branch = world.branches[operation.branch_id ?? ""];
  if (operation.action === "start_compute" && endpoint) wake(endpoint, at);
  if (operation.action === "suspend_compute" && endpoint) suspend(endpoint, at);
  if (operation.action === "apply_config" && endpoint) {
    if (operation.plan.restarts) wake(endpoint, at);
    else endpoint.updated_at = at;
  }
  if ((operation.action === "create_branch" || operation.action === "create_timeline") && branch) {
    branch.current_state = "ready";
    branch.state_changed_at = at;
    branch.updated_at = at;
  }
}

/** Starts what waited for this operation. Modelling choice: what waited for one that did not end well is cancelled. */
function followUp(world: World, ended: OperationRow, at: string): void {
  const endedWell = (id: string) => world.operations.find((one) => one.id === id)?.status === "finished";
  for (const waiting of world.operations) {
    if (waiting.status !== "scheduling" || !waiting.plan.after.includes(ended.id)) continue;
    if (ended.status !== "finished") {
      waiting.status = "cancelled";
      waiting.updated_at = at;
      followUp(world, waiting, at);
      settle(world, waiting);
    } else if (waiting.plan.after.every(endedWell)) {
      waiting.status = "running";
      waiting.updated_at = at;
      waiting.plan.started_at = at;
    }
  }
}

/**
 * `pending_state` goes when nothing is under way any more. Modelling choice: after a failure the compute stays in the
 * state it was in, and what a change had stored stays stored.
 */
function settle(world: World, ended: OperationRow): void {
  const endpoint = world.endpoints[ended.endpoint_id ?? ""];
  if (endpoint && !inTransition(world, endpoint.id)) delete endpoint.pending_state;
  const branch = world.branches[ended.branch_id ?? ""];
  if (branch && (branch.current_state === "ready" || ended.status !== "finished")) delete branch.pending_state;
}

/** A running compute shows when it started; `suspended_at` is gone while it is active. */
export function wake(endpoint: EndpointRow, at: string): void {
  endpoint.current_state = "active";
  endpoint.started_at = at;
  endpoint.last_active ??= NEVER_ACTIVE;
  endpoint.compute_release_version = RELEASE;
  endpoint.updated_at = at;
  delete endpoint.suspended_at;
}

export function suspend(endpoint: EndpointRow, at: string): void {
  endpoint.current_state = "idle";
  endpoint.suspended_at = at;
  endpoint.updated_at = at;
  delete endpoint.started_at;
  delete endpoint.compute_release_version;
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
