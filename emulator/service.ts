import type { ServiceOperation } from "./api.js";
import { checkAvailability, serviceWork } from "./due.js";
import { begin } from "./operations.js";
import { own } from "./own.js";
import { missing } from "./refuse.js";
import type { Site } from "./rules.js";
import type { OperationRow } from "./world.js";

const CHECK = "check_availability";

const rowOf = <T>(rows: Record<string, T>, id: string, what: Parameters<typeof missing>[0]): T => {
  const row = own(rows, id);
  if (!row) throw missing(what);
  return row;
};

/** What the service does when nobody asked it to. */
export function startServiceWork(site: Site, what: ServiceOperation): OperationRow[] {
  const { action = CHECK, endpointId, branchId, projectId } = what;
  if (endpointId !== undefined) {
    const endpoint = rowOf(site.world.endpoints, endpointId, "endpoint");
    return action === CHECK ? checkAvailability(site, endpoint) : serviceWork(site, endpoint, [action], site.now);
  }
  if (branchId !== undefined) {
    const branch = rowOf(site.world.branches, branchId, "branch");
    return begin(site, branch.project_id, [[{ action, branch_id: branch.id }]]);
  }
  const project = rowOf(site.world.projects, projectId ?? "", "project");
  return begin(site, project.id, [[{ action }]]);
}
