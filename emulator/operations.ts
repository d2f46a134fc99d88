import { BOUNDS } from "./bounds.js";
import { uuid } from "./ids.js";
import type { Site } from "./rules.js";
import { fromMicros, instant, MICROS_PER_MS, msOf } from "./time.js";
import type { OperationRow, World } from "./world.js";

/** The rows of operations: how they begin, and what they lock while they are pending. */

/** A step of work. Steps of one inner list run side by side, lists run one after the other. */
export interface Step {
  action: string;
  branch_id?: string;
  endpoint_id?: string;
  /** The compute starts anew when this `apply_config` ends. */
  restarts?: boolean;
}

const PENDING = new Set(["scheduling", "running", "cancelling"]);

/** One that failed and will be tried again is not done. */
export const isPending = (operation: OperationRow) =>
  PENDING.has(operation.status) || operation.plan.again_at !== undefined;

/** New work: in this project, on these branches; without branches on the project as a whole. */
export interface Work {
  projectId: string;
  branchIds?: string[];
}

/**
 * What new work would meet that is not done. The lock models: every pending operation of the project counts, those that
 * the control plane started itself too; or only those on the same branch, and those that are on none.
 */
export function conflicts(site: Site, { projectId, branchIds }: Work): OperationRow[] {
  const apart = ({ branch_id: branchId }: OperationRow) =>
    site.rules.lock === "branch" && branchIds && branchId !== undefined && !branchIds.includes(branchId);
  return site.world.operations.filter((one) => one.project_id === projectId && isPending(one) && !apart(one));
}

/** When these should be done, one after the other, in milliseconds from now: 0 where nobody knows. */
export function remainingMs(site: Site, operations: OperationRow[]): number {
  return operations.reduce((sum, { plan }) => {
    const started = plan.started_at === undefined ? site.now : msOf(plan.started_at);
    return sum + Math.max(0, started + plan.duration_ms - site.now);
  }, 0);
}

/** What keeps a compute between two states. */
export const pendingOn = (world: World, endpointId: string): OperationRow[] =>
  world.operations.filter((one) => one.endpoint_id === endpointId && isPending(one));

/** Starts work: the first steps run, the others are scheduled behind them. The rows are in the order of execution. */
export function begin(site: Site, projectId: string, stages: Step[][], atMs: number = site.now): OperationRow[] {
  const begun: OperationRow[] = [];
  let before: string[] = [];
  for (const stage of stages.filter((one) => one.length > 0)) {
    const rows = stage.map((step) => record(site, projectId, step, before, atMs));
    site.world.operations.push(...rows);
    forgetOldest(site.world);
    begun.push(...rows);
    before = rows.map((row) => row.id);
  }
  return begun;
}

/**
 * How many operations stay when the oldest are dropped: fewer than the bound, so that not every new operation drops some.
 */
const KEPT = 0.9 * BOUNDS.operations;

/** Modelling choice: no end of the history is documented. Pending operations, and those that they wait for, stay. */
function forgetOldest(world: World): void {
  if (world.operations.length <= BOUNDS.operations) return;
  const needed = new Set(world.operations.filter(isPending).flatMap(({ plan }) => plan.after));
  let spare = world.operations.length - KEPT;
  world.operations = world.operations.filter((one) => {
    const stays = spare <= 0 || isPending(one) || needed.has(one.id);
    if (!stays) spare -= 1;
    return stays;
  });
}

function record(site: Site, projectId: string, step: Step, after: string[], atMs: number): OperationRow {
  const { world, rules } = site;
  // No two operations share a microsecond, or a page that ends between them would lose one.
  const micros = Math.floor(atMs) * MICROS_PER_MS + Math.floor(site.random() * MICROS_PER_MS);
  world.last_operation_us = Math.max(micros, world.last_operation_us + 1);
  const created = fromMicros(world.last_operation_us);
  const { restarts, ...fields } = step;
  const fate = site.faults.forOperation(step.action);
  const { end, failures } =
    fate.end === "failed" && rules.failed === "retried" ? { end: "finished" as const, failures: 1 } : fate;
  return {
    id: uuid(site.random, (id) => world.operations.some((one) => one.id === id)),
    project_id: projectId,
    ...fields,
    status: after.length === 0 ? "running" : "scheduling",
    failures_count: 0,
    created_at: created,
    updated_at: created,
    total_duration_ms: 0,
    plan: {
      after,
      duration_ms: rules.operationMs(step.action),
      end,
      ...(after.length === 0 ? { started_at: instant(atMs) } : {}),
      ...(failures > 0 ? { failures } : {}),
      ...(restarts ? { restarts } : {}),
    },
  };
}
