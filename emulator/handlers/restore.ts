import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { assertBranchNameFree, assertBranchReady, assertUnlocked } from "../model/assertions.js";
import { newBranch } from "../model/branch.js";
import { noRestorePointError, preserveNameRequiredError } from "../model/errors.js";
import { beginOperations, endpointStep, type OperationStep } from "../model/operations.js";
import { BranchRestoreBody } from "../model/request-bodies.js";
import type { BranchRow, EndpointRow, ProjectRow } from "../model/rows.js";
import type { Simulation } from "../model/simulation.js";
import { timestamp } from "../model/time.js";
import { branchOf, endpointsOfBranch, projectOf } from "./lookup.js";
import { branchResponse, operationResponse } from "./responses.js";

const childrenOf = (sim: Simulation, branch: BranchRow) =>
  Object.values(sim.world.branches).filter((one) => one.parent_id === branch.id);

function restore(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const input = parseBody("RestoreProjectBranch", BranchRestoreBody, call.body);
  const branch = branchOf(call, project);
  const source = branchOf(call, project, input.source_branch_id);
  const preserve = input.preserve_under_name;
  if (source === branch) {
    if (input.source_lsn === undefined && input.source_timestamp === undefined) throw noRestorePointError();
    if (preserve === undefined) throw preserveNameRequiredError("a branch is restored from itself");
  }
  if (preserve === undefined && childrenOf(sim, branch).length > 0) {
    throw preserveNameRequiredError("the branch has children");
  }
  for (const one of [branch, source]) assertBranchReady(sim, one);
  assertUnlocked(sim, project.id, [branch.id, source.id]);
  if (preserve !== undefined) assertBranchNameFree(sim, project.id, preserve);

  const computes = endpointsOfBranch(call, branch.id);
  const restored = (sim.behavior.restoredBranch === "new" ? replaceBranch : overwriteBranch)(
    sim,
    project,
    branch,
    source,
    preserve,
  );
  restored.last_reset_at = timestamp(sim.now);
  for (const one of computes) one.branch_id = restored.id;
  const operations = beginOperations(sim, project.id, stagesOf(sim, restored, computes));
  return { status: 200, body: { branch: branchResponse(restored), operations: operations.map(operationResponse) } };
}

/** Creates a new branch in the old one's place. The old one keeps its children under another name, or is deleted. */
function replaceBranch(
  sim: Simulation,
  project: ProjectRow,
  branch: BranchRow,
  source: BranchRow,
  preserve?: string,
): BranchRow {
  const { branches } = sim.world;
  const { name, default: isDefault, protected: isProtected, annotation } = branch;
  const restored = newBranch(sim, project, {
    name,
    parent: source,
    default: isDefault,
    protected: isProtected,
    annotation,
  });
  if (preserve === undefined) delete branches[branch.id];
  else Object.assign(branch, { name: preserve, default: false, updated_at: timestamp(sim.now) });
  branches[restored.id] = restored;
  return restored;
}

/** Gives the same branch other content. Its old content becomes a new branch with its children, or is deleted. */
function overwriteBranch(
  sim: Simulation,
  project: ProjectRow,
  branch: BranchRow,
  source: BranchRow,
  preserve?: string,
): BranchRow {
  const { branches } = sim.world;
  let old: BranchRow | undefined;
  if (preserve !== undefined) {
    const { pending_state: _, parent_id: __, ...made } = newBranch(sim, project, { name: preserve, parent: branch });
    old = { ...made, current_state: "ready", ...(branch.parent_id ? { parent_id: branch.parent_id } : {}) };
    for (const child of childrenOf(sim, branch)) child.parent_id = old.id;
    branches[old.id] = old;
  }
  const at = timestamp(sim.now);
  Object.assign(branch, {
    parent_id: source === branch ? old?.id : source.id,
    roles: structuredClone(source.roles),
    databases: structuredClone(source.databases),
    current_state: "resetting",
    pending_state: "ready",
    state_changed_at: at,
    updated_at: at,
  });
  return branch;
}

/** Modelling choice: the branch is created, then its active computes restart on it. Idle ones use it when they start. */
function stagesOf(sim: Simulation, branch: BranchRow, computes: EndpointRow[]): OperationStep[][] {
  const active = computes.filter((one) => one.current_state === "active");
  for (const one of active) one.pending_state = "active";
  for (const one of computes) one.updated_at = timestamp(sim.now);
  const steps = (action: string) => active.map((one) => endpointStep(one, action));
  return [[{ action: "create_branch", branch_id: branch.id }], steps("suspend_compute"), steps("start_compute")];
}

export const restoreRoutes: Route[] = [route("POST", "/projects/:project/branches/:branch/restore", restore)];
