import { pendingOn } from "./operations.js";
import { own } from "./own.js";
import type { Site } from "./rules.js";
import { instant, msOf } from "./time.js";
import type { EndpointRow, OperationRow, World } from "./world.js";

/** What operations do to computes and branches when they end. */

const RELEASE = "11207";
/** What a compute shows that nobody has used yet. */
export const NEVER_ACTIVE = "2000-01-01T00:00:00.000000Z";
const MAKES_A_BRANCH = ["create_branch", "create_timeline"];

export function takeEffect(site: Site, operation: OperationRow, at: string): void {
  const { world } = site;
  const endpoint = own(world.endpoints, operation.endpoint_id);
  const branch = own(world.branches, operation.branch_id);
  if (operation.action === "start_compute" && endpoint) wake(endpoint, at);
  if (operation.action === "suspend_compute" && endpoint) suspend(endpoint, at);
  if (operation.action === "check_availability" && endpoint?.current_state === "idle") wake(endpoint, at);
  if (operation.action === "apply_config" && endpoint) {
    if (operation.plan.restarts) wake(endpoint, at);
    else endpoint.updated_at = at;
  }
  if (MAKES_A_BRANCH.includes(operation.action) && branch) {
    if (site.rules.branchReadyMs > 0) branch.ready_at = instant(msOf(at) + site.rules.branchReadyMs);
    else ready(world, branch.id, at);
  }
}

export function ready(world: World, branchId: string, at: string): void {
  const branch = own(world.branches, branchId);
  if (!branch) return;
  branch.current_state = "ready";
  branch.state_changed_at = at;
  branch.updated_at = at;
  delete branch.pending_state;
  delete branch.ready_at;
}

/**
 * `pending_state` goes when nothing is under way any more. Modelling choice: after a failure the compute stays in the
 * state it was in, and what a change had stored stays stored.
 */
export function settle(world: World, ended: OperationRow): void {
  const endpoint = own(world.endpoints, ended.endpoint_id);
  if (endpoint && pendingOn(world, endpoint.id).length === 0) delete endpoint.pending_state;
  const branch = own(world.branches, ended.branch_id);
  if (branch && ended.status !== "finished" && MAKES_A_BRANCH.includes(ended.action)) delete branch.pending_state;
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
