import { beginOperations, endpointStep } from "./operations.js";
import type { BranchRow, EndpointRow, OperationRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { primaryOf } from "./world.js";

/**
 * Starts the operations of an update. They start even if the update changes nothing: the service does not compare. Modelling
 * choice: `pg_settings` need no more than `apply_config`, and a new size needs no separate stop and start.
 */
export function applyUpdate(sim: Simulation, endpoint: EndpointRow, restarts: boolean): OperationRow[] {
  const isActive = endpoint.current_state === "active";
  if (isActive && !endpoint.disabled) return applyWhileActive(sim, endpoint, restarts);
  if (!isActive && sim.behavior.idleUpdate === "none") return [];
  return applyAndSuspend(sim, endpoint, !isActive);
}

/**
 * Starts the operations of a change of roles or databases: the branch's primary applies it. Modelling choices: without a primary
 * there are no operations, replicas need none, and the role or the database exists at once.
 */
export function applyBranchConfig(sim: Simulation, branch: BranchRow): OperationRow[] {
  const primary = primaryOf(sim.world, branch.id);
  if (!primary) return [];
  if (primary.current_state === "active") return applyWhileActive(sim, primary, false);
  return applyAndSuspend(sim, primary, true);
}

function applyWhileActive(sim: Simulation, endpoint: EndpointRow, restarts: boolean): OperationRow[] {
  endpoint.pending_state = "active";
  return beginOperations(sim, endpoint.project_id, [[{ ...endpointStep(endpoint, "apply_config"), restarts }]]);
}

/**
 * An idle compute is started for the change and suspended again. An active compute also takes this path if the update disables
 * it.
 */
function applyAndSuspend(sim: Simulation, endpoint: EndpointRow, restarts: boolean): OperationRow[] {
  endpoint.pending_state = "idle";
  const apply = { ...endpointStep(endpoint, "apply_config"), restarts };
  return beginOperations(sim, endpoint.project_id, [[apply], [endpointStep(endpoint, "suspend_compute")]]);
}
