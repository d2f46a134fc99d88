import { own } from "../own.js";
import { missing } from "../refuse.js";
import type { Call } from "../route.js";
import type { BranchRow, EndpointRow, ProjectRow } from "../world.js";

/** Rows by the parameters of a path, or a 404. What a key does not reach is not there for it. */

export function projectOf({ site, params, reach }: Call): ProjectRow {
  const row = own(site.world.projects, params["project"]);
  if (!row || (reach !== undefined && reach !== row.id)) throw missing("project");
  return row;
}

export function branchOf(call: Call, project: ProjectRow, id = call.params["branch"]): BranchRow {
  const row = own(call.site.world.branches, id);
  if (row?.project_id !== project.id) throw missing("branch");
  return row;
}

export function endpointIn(call: Call, project: ProjectRow, id = call.params["endpoint"]): EndpointRow | undefined {
  const row = own(call.site.world.endpoints, id);
  return row?.project_id === project.id ? row : undefined;
}

export function endpointOf(call: Call, project: ProjectRow, id = call.params["endpoint"]): EndpointRow {
  const row = endpointIn(call, project, id);
  if (!row) throw missing("endpoint");
  return row;
}

export const endpointsOfBranch = (call: Call, branchId: string): EndpointRow[] =>
  Object.values(call.site.world.endpoints).filter((one) => one.branch_id === branchId);
