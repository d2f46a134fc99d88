import { pendingOn } from "./operations.js";
import type { EndpointRow, OperationRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { NEVER_ACTIVE } from "./statuses.js";
import { timestamp, toMs } from "./time.js";
import { findRow, type World } from "./world.js";

const RELEASE = "11207";
const CREATES_BRANCH = ["create_branch", "create_timeline"];

/** Changes the compute and the branch of an operation that has succeeded. */
export function applyEffect(sim: Simulation, operation: OperationRow, at: string): void {
  const { world } = sim;
  const endpoint = findRow(world.endpoints, operation.endpoint_id);
  const branch = findRow(world.branches, operation.branch_id);
  if (operation.action === "start_compute" && endpoint) markActive(endpoint, at);
  if (operation.action === "suspend_compute" && endpoint) markIdle(endpoint, at);
  if (operation.action === "check_availability" && endpoint?.current_state === "idle") markActive(endpoint, at);
  if (operation.action === "apply_config" && endpoint) {
    if (operation.plan.restarts) markActive(endpoint, at);
    else endpoint.updated_at = at;
  }
  if (CREATES_BRANCH.includes(operation.action) && branch) {
    if (sim.behavior.branchReadyMs > 0) branch.ready_at = timestamp(toMs(at) + sim.behavior.branchReadyMs);
    else markBranchReady(world, branch.id, at);
  }
}

export function markBranchReady(world: World, branchId: string, at: string): void {
  const branch = findRow(world.branches, branchId);
  if (!branch) return;
  branch.current_state = "ready";
  branch.state_changed_at = at;
  branch.updated_at = at;
  delete branch.pending_state;
  delete branch.ready_at;
}

/**
 * Removes `pending_state` if no operation is pending any more. Modelling choice: after a failure the compute stays in its state,
 * and keeps the values that a change has stored.
 */
export function clearPendingStates(world: World, ended: OperationRow): void {
  const endpoint = findRow(world.endpoints, ended.endpoint_id);
  if (endpoint && pendingOn(world, endpoint.id).length === 0) delete endpoint.pending_state;
  const branch = findRow(world.branches, ended.branch_id);
  if (branch && ended.status !== "finished" && CREATES_BRANCH.includes(ended.action)) delete branch.pending_state;
}

export function markActive(endpoint: EndpointRow, at: string): void {
  endpoint.current_state = "active";
  endpoint.started_at = at;
  endpoint.last_active ??= NEVER_ACTIVE;
  endpoint.compute_release_version = RELEASE;
  endpoint.updated_at = at;
  delete endpoint.suspended_at;
}

function markIdle(endpoint: EndpointRow, at: string): void {
  endpoint.current_state = "idle";
  endpoint.suspended_at = at;
  endpoint.updated_at = at;
  delete endpoint.started_at;
  delete endpoint.compute_release_version;
}
