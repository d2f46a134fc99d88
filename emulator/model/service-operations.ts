import { notFoundError } from "./errors.js";
import { beginOperations, type OperationStep } from "./operations.js";
import type { EndpointRow, OperationRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { findRow } from "./world.js";

/** An operation that the service starts itself: on a compute, or without a compute on a branch or a project. */
export interface ServiceOperation {
  /**
   * With `check_availability`, an idle compute is suspended again after the check. The control route accepts at most 100
   * characters. @default "check_availability"
   */
  action?: string;
  /** The compute. Its branch and its project need not be given. */
  endpointId?: string;
  /** Used if `endpointId` is absent. */
  branchId?: string;
  /** Without a compute and a branch: the project. */
  projectId?: string;
  /** How long it takes, in milliseconds. @default the option `operationMs` */
  durationMs?: number;
}

type OperationTime = Pick<OperationStep, "durationMs">;

const CHECK = "check_availability";

const rowOf = <T>(rows: Record<string, T>, id: string, what: Parameters<typeof notFoundError>[0]): T => {
  const row = findRow(rows, id);
  if (!row) throw notFoundError(what);
  return row;
};

export function startServiceOperation(sim: Simulation, what: ServiceOperation): OperationRow[] {
  const { action = CHECK, endpointId, branchId, projectId, durationMs } = what;
  const time = durationMs === undefined ? {} : { durationMs };
  if (endpointId !== undefined) {
    const endpoint = rowOf(sim.world.endpoints, endpointId, "endpoint");
    return action === CHECK
      ? checkAvailability(sim, endpoint, sim.now, time)
      : beginServiceOperations(sim, endpoint, [action], sim.now, time);
  }
  if (branchId !== undefined) {
    const branch = rowOf(sim.world.branches, branchId, "branch");
    return beginOperations(sim, branch.project_id, [[{ action, branch_id: branch.id, ...time }]]);
  }
  const project = rowOf(sim.world.projects, projectId ?? "", "project");
  return beginOperations(sim, project.id, [[{ action, ...time }]]);
}

/** Checks a compute. An idle compute, even a disabled one, is started for the check and suspended again. */
export function checkAvailability(
  sim: Simulation,
  endpoint: EndpointRow,
  at: number = sim.now,
  time: OperationTime = {},
): OperationRow[] {
  sim.availabilityChecks.last.set(endpoint.id, at);
  const idle = endpoint.current_state === "idle";
  return beginServiceOperations(
    sim,
    endpoint,
    idle ? ["check_availability", "suspend_compute"] : ["check_availability"],
    at,
    time,
  );
}

/** Starts operations of the service itself. They start despite locks, and lock other work. */
export function beginServiceOperations(
  sim: Simulation,
  endpoint: EndpointRow,
  actions: string[],
  at: number,
  time: OperationTime = {},
): OperationRow[] {
  endpoint.pending_state = actions.at(-1) === "suspend_compute" ? "idle" : "active";
  const { id: endpoint_id, branch_id, project_id } = endpoint;
  const stages = actions.map((action) => [{ action, branch_id, endpoint_id, ...time }]);
  return beginOperations(sim, project_id, stages, at);
}
