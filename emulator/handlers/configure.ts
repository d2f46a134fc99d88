import { begin } from "../operations.js";
import type { Site } from "../rules.js";
import type { BranchRow, OperationRow } from "../world.js";

/**
 * What a change of roles or databases sets going: the branch's primary applies it, and an idle one is woken for it.
 * Modelling choices: without a primary nothing runs, replicas follow by themselves, and what is asked for is there at once.
 */
export function configure(site: Site, branch: BranchRow): OperationRow[] {
  const primary = Object.values(site.world.endpoints).find(
    (one) => one.branch_id === branch.id && one.type === "read_write",
  );
  if (!primary) return [];
  const step = (action: string) => ({ action, branch_id: branch.id, endpoint_id: primary.id });
  const active = primary.current_state === "active";
  primary.pending_state = active ? "active" : "idle";
  const apply = { ...step("apply_config"), restarts: !active };
  return begin(site, branch.project_id, active ? [[apply]] : [[apply], [step("suspend_compute")]]);
}
