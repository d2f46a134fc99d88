import { branchAnswer, operationAnswer } from "../answers.js";
import { newBranch } from "../branch.js";
import { begin, type Step } from "../operations.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import type { Site } from "../rules.js";
import { instant } from "../time.js";
import type { BranchRow, EndpointRow, ProjectRow } from "../world.js";
import { BranchRestoreBody } from "./bodies.js";
import { branchOf, endpointsOfBranch, projectOf } from "./lookup.js";

const childrenOf = (site: Site, branch: BranchRow) =>
  Object.values(site.world.branches).filter((one) => one.parent_id === branch.id);

function restore(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const wish = refuse.badBody("RestoreProjectBranch", BranchRestoreBody, call.body);
  const branch = branchOf(call, project);
  const source = branchOf(call, project, wish.source_branch_id);
  const preserve = wish.preserve_under_name;
  if (source === branch) {
    if (wish.source_lsn === undefined && wish.source_timestamp === undefined) throw refuse.noPointInTime();
    if (preserve === undefined) throw refuse.nothingPreserved("a branch is restored from itself");
  }
  if (preserve === undefined && childrenOf(site, branch).length > 0) {
    throw refuse.nothingPreserved("the branch has children");
  }
  for (const one of [branch, source]) refuse.branchNotReady(site, one);
  refuse.whileBusy(site, project.id, [branch.id, source.id]);
  if (preserve !== undefined) refuse.branchNameTaken(site, project.id, preserve);

  const computes = endpointsOfBranch(call, branch.id);
  const restored = (site.rules.restoredBranch === "new" ? replaced : overwritten)(
    site,
    project,
    branch,
    source,
    preserve,
  );
  restored.last_reset_at = instant(site.now);
  for (const one of computes) one.branch_id = restored.id;
  const operations = begin(site, project.id, stagesOf(site, restored, computes));
  return { status: 200, body: { branch: branchAnswer(restored), operations: operations.map(operationAnswer) } };
}

/** A new branch takes the old one's place. The old one stays under another name, with its children, or is gone. */
function replaced(site: Site, project: ProjectRow, branch: BranchRow, source: BranchRow, preserve?: string): BranchRow {
  const { branches } = site.world;
  const { name, default: isDefault, protected: isProtected, annotation } = branch;
  const restored = newBranch(site, project, {
    name,
    parent: source,
    default: isDefault,
    protected: isProtected,
    annotation,
  });
  if (preserve === undefined) delete branches[branch.id];
  else Object.assign(branch, { name: preserve, default: false, updated_at: instant(site.now) });
  branches[restored.id] = restored;
  return restored;
}

/** The same branch gets other content. What it was is a new branch, which takes its children, or is gone. */
function overwritten(
  site: Site,
  project: ProjectRow,
  branch: BranchRow,
  source: BranchRow,
  preserve?: string,
): BranchRow {
  const { branches } = site.world;
  let old: BranchRow | undefined;
  if (preserve !== undefined) {
    const { pending_state: _, parent_id: __, ...made } = newBranch(site, project, { name: preserve, parent: branch });
    old = { ...made, current_state: "ready", ...(branch.parent_id ? { parent_id: branch.parent_id } : {}) };
    for (const child of childrenOf(site, branch)) child.parent_id = old.id;
    branches[old.id] = old;
  }
  const at = instant(site.now);
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

/** Modelling choice: the branch is made, then its active computes start anew on it; idle ones find it when they wake. */
function stagesOf(site: Site, branch: BranchRow, computes: EndpointRow[]): Step[][] {
  const active = computes.filter((one) => one.current_state === "active");
  for (const one of active) one.pending_state = "active";
  for (const one of computes) one.updated_at = instant(site.now);
  const steps = (action: string) => active.map((one): Step => ({ action, branch_id: branch.id, endpoint_id: one.id }));
  return [[{ action: "create_branch", branch_id: branch.id }], steps("suspend_compute"), steps("start_compute")];
}

export const restoreRoutes: Route[] = [route("POST", "/projects/:project/branches/:branch/restore", restore)];
