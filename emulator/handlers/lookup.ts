// Rows by the parameters of a path, or a 404. A key for one project gets a 404 for the others too.

import type { Call } from "../http/route.js";
import { notFoundError } from "../model/errors.js";
import type { BranchRow, EndpointRow, ProjectRow } from "../model/rows.js";
import { findRow } from "../model/world.js";

export function projectOf({ sim, params, keyProjectId }: Call): ProjectRow {
  const row = findRow(sim.world.projects, params["project"]);
  if (!row || (keyProjectId !== undefined && keyProjectId !== row.id)) throw notFoundError("project");
  return row;
}

export function branchOf(call: Call, project: ProjectRow, id = call.params["branch"]): BranchRow {
  const row = findRow(call.sim.world.branches, id);
  if (row?.project_id !== project.id) throw notFoundError("branch");
  return row;
}

export function endpointIn(call: Call, project: ProjectRow, id = call.params["endpoint"]): EndpointRow | undefined {
  const row = findRow(call.sim.world.endpoints, id);
  return row?.project_id === project.id ? row : undefined;
}

export function endpointOf(call: Call, project: ProjectRow, id = call.params["endpoint"]): EndpointRow {
  const row = endpointIn(call, project, id);
  if (!row) throw notFoundError("endpoint");
  return row;
}

export const endpointsOfBranch = (call: Call, branchId: string): EndpointRow[] =>
  Object.values(call.sim.world.endpoints).filter((one) => one.branch_id === branchId);
