import { uuid } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { EndpointRow, OperationRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { PENDING_STATUSES } from "./statuses.js";
import { fromMicros, MICROS_PER_MS, timestamp, toMs } from "./time.js";
import type { World } from "./world.js";

/** An operation to start. */
export interface OperationStep {
  action: string;
  branch_id?: string;
  endpoint_id?: string;
  /** Set on an `apply_config` whose change makes the compute restart. */
  restarts?: boolean;
  /** Milliseconds. @default the option `operationMs` */
  durationMs?: number;
}

/** A step for one compute. */
export const endpointStep = (
  { id, branch_id }: Pick<EndpointRow, "id" | "branch_id">,
  action: string,
): OperationStep => ({
  action,
  branch_id,
  endpoint_id: id,
});

/** An operation that failed and will be tried again is pending too. */
export const isPending = (operation: OperationRow) =>
  PENDING_STATUSES.has(operation.status) || operation.plan.again_at !== undefined;

/** New work on these branches of a project, or on the whole project without `branchIds`. */
export interface Work {
  projectId: string;
  branchIds?: string[];
}

/**
 * The pending operations that block new work. By the option `lock` these are all pending operations of the project, or only those
 * on the same branches and those without a branch. Operations that the service started itself count too.
 */
export function conflictingOperations(sim: Simulation, { projectId, branchIds }: Work): OperationRow[] {
  const isElsewhere = ({ branch_id: branchId }: OperationRow) =>
    sim.behavior.lock === "branch" && branchIds && branchId !== undefined && !branchIds.includes(branchId);
  return sim.world.operations.filter((one) => one.project_id === projectId && isPending(one) && !isElsewhere(one));
}

/** Milliseconds until these operations should be done, one after the other. 0 if that is not known. */
export function remainingMs(sim: Simulation, operations: OperationRow[]): number {
  return operations.reduce((sum, { plan }) => {
    const started = plan.started_at === undefined ? sim.now : toMs(plan.started_at);
    return sum + Math.max(0, started + plan.duration_ms - sim.now);
  }, 0);
}

/** The pending operations on a compute. */
export const pendingOn = (world: World, endpointId: string): OperationRow[] =>
  world.operations.filter((one) => one.endpoint_id === endpointId && isPending(one));

/**
 * Starts operations in stages. The operations of a stage run side by side. A stage starts when the stage before has
 * succeeded.
 * @returns the operations in the order of execution
 */
export function beginOperations(
  sim: Simulation,
  projectId: string,
  stages: OperationStep[][],
  atMs: number = sim.now,
): OperationRow[] {
  const started: OperationRow[] = [];
  let before: string[] = [];
  for (const stage of stages.filter((one) => one.length > 0)) {
    const rows = stage.map((step) => newOperation(sim, projectId, step, before, atMs));
    sim.world.operations.push(...rows);
    dropOldest(sim.world);
    started.push(...rows);
    before = rows.map((row) => row.id);
  }
  return started;
}

/** How many operations to keep when old ones are dropped. Below the limit, so that drops are rare. */
const KEPT_OPERATIONS = 0.9 * LIMITS.operations;

/** Modelling choice: the service documents no limit. Pending operations stay, with those for which they wait. */
function dropOldest(world: World): void {
  if (world.operations.length <= LIMITS.operations) return;
  const needed = new Set(world.operations.filter(isPending).flatMap(({ plan }) => plan.after));
  let spare = world.operations.length - KEPT_OPERATIONS;
  world.operations = world.operations.filter((one) => {
    const stays = spare <= 0 || isPending(one) || needed.has(one.id);
    if (!stays) spare -= 1;
    return stays;
  });
}

function newOperation(
  sim: Simulation,
  projectId: string,
  step: OperationStep,
  after: string[],
  atMs: number,
): OperationRow {
  const { world, behavior } = sim;
  // Every operation gets its own microsecond, so that a page never ends between two equal times.
  const micros = Math.floor(atMs) * MICROS_PER_MS + Math.floor(sim.random() * MICROS_PER_MS);
  world.last_operation_us = Math.max(micros, world.last_operation_us + 1);
  const created = fromMicros(world.last_operation_us);
  const { restarts, durationMs = behavior.operationMs(step.action), ...fields } = step;
  const outcome = sim.faults.takeForOperation(step.action);
  const { end, failures } =
    outcome.end === "failed" && behavior.failed === "retried" ? { end: "finished" as const, failures: 1 } : outcome;
  return {
    id: uuid(sim.random, (id) => world.operations.some((one) => one.id === id)),
    project_id: projectId,
    ...fields,
    status: after.length === 0 ? "running" : "scheduling",
    failures_count: 0,
    created_at: created,
    updated_at: created,
    total_duration_ms: 0,
    plan: {
      after,
      duration_ms: durationMs,
      end,
      ...(after.length === 0 ? { started_at: timestamp(atMs) } : {}),
      ...(failures > 0 ? { failures } : {}),
      ...(restarts ? { restarts } : {}),
    },
  };
}
