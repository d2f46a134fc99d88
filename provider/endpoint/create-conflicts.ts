// The errors of create: the compute exists already, or its project or branch does not exist.

import type { Deadline } from "../clock.js";
import { isKind, Stopped } from "../errors.js";
import { DEFAULT_TYPE } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { generatedNameOfAnother } from "./adopt.js";
import { findComputeDirectly, isPrimaryOf } from "./find.js";
import type { DesiredState } from "./inputs.js";
import { leftoverError } from "./leftover-compute.js";
import { isAlreadyExists } from "./patch.js";
import { notFoundError, ownerHint } from "./refusals.js";
import type { CreateView, SharedState } from "./shared-state.js";

/**
 * Like `refuseDuplicate`, but ignores a primary that only a stale list still has. If that primary exists after all, the service
 * itself refuses the second one. It would not refuse a second replica, so for replicas the list decides.
 */
export async function refuseDuplicateUnlessGone(
  shared: SharedState,
  desiredState: DesiredState,
  project: string,
  computes: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<void> {
  try {
    refuseDuplicate(shared, desiredState, project, computes);
  } catch (stopped) {
    const { branchId, type = DEFAULT_TYPE } = desiredState.inputs;
    const primary = type === "read_write" ? computes.find((one) => isPrimaryOf(one, branchId)) : undefined;
    if (!primary) throw stopped;
    const now = await findComputeDirectly(shared.context, { project, id: primary.id }, deadline).catch(() => primary);
    if (now) throw stopped;
    const rest = computes.filter((one) => one !== primary);
    refuseDuplicate(shared, desiredState, project, rest);
  }
}

/** Throws if an interrupted run may have created the compute already, or if the branch has a primary. */
export function refuseDuplicate(
  shared: CreateView,
  desiredState: DesiredState,
  project: string,
  computes: readonly WireEndpoint[],
): void {
  const { inputs, autoName } = desiredState;
  const type = inputs.type ?? DEFAULT_TYPE;
  const others = computes.filter((one) => !shared.claimed.has(one.id));
  // Computes in the state are not leftovers.
  const unowned = others.filter((one) => !shared.idsInState.has(one.id));
  const leftover =
    inputs.name === undefined ? unowned.find((one) => autoName !== undefined && one.name === autoName) : undefined;
  if (leftover) {
    throw leftoverError(shared, desiredState, project, leftover, {
      what: `compute ${leftover.id} of project ${project} carries the name ${autoName}, which was generated for this resource: an interrupted run may have left it, or the resource was renamed or moved (then the resource option aliases tells Pulumi so)`,
      inProgram: `adopt: "${leftover.id}" takes it over, with onDelete: "delete" if it is to be deleted with the resource`,
      foreseen: {
        problem: `${leftover.id} has the name ${autoName}, generated for this resource: an interrupted run may have left it`,
        way: `Set adopt: "${leftover.id}" to take it over, or the option aliases if this resource was renamed or moved. The error of \`up\` has a command for each repair that leaves the program as it is`,
        id: leftover.id,
        mayBeOwn: true,
      },
    });
  }
  const namesake = unowned.find(
    (one) =>
      inputs.name !== undefined && one.name === inputs.name && one.type === type && one.branch_id === inputs.branchId,
  );
  if (namesake) {
    throw leftoverError(shared, desiredState, project, namesake, {
      what: `branch ${inputs.branchId} already has a ${type} compute of this name: ${namesake.id}. An interrupted run may have left it`,
      inProgram: `adopt: "${namesake.id}" takes it over; another name creates a second one`,
      foreseen: {
        problem: `branch ${inputs.branchId} has a ${type} compute of this name already (${namesake.id})`,
        way: `Set adopt: "${namesake.id}" to take it over, or give this one another name. The error of \`up\` has a command for each repair that leaves the program as it is`,
        id: namesake.id,
        mayBeOwn: true,
      },
    });
  }
  const primary = type === "read_write" ? others.find((one) => isPrimaryOf(one, inputs.branchId)) : undefined;
  if (!primary) return;
  const name = generatedNameOfAnother(shared, desiredState, primary);
  throw new Stopped(primaryExists(shared, desiredState, project, primary), "occupied", {
    problem: `branch ${inputs.branchId} has its primary already (${primary.id})`,
    way: name
      ? `Its name, ${name}, was generated for another resource: set the option aliases if that resource was renamed or moved; if you remove it, do that in a separate \`pulumi up\` first; if another stack has it, set another branch`
      : 'Add adopt: true to manage that compute, or type: "read_only" to create a replica',
    id: primary.id,
  });
}

function primaryExists(
  shared: CreateView,
  desiredState: DesiredState,
  project: string,
  primary: WireEndpoint | undefined,
): string {
  const { branchId } = desiredState.inputs;
  const name = primary && generatedNameOfAnother(shared, desiredState, primary);
  const adopt = name
    ? `the resource option aliases, if this resource was renamed or moved; after \`pulumi state delete\` of the other resource, adopt: true with name: "${name}" adopts it with its host`
    : "adopt: true takes it over with its host";
  return `branch ${branchId} of project ${project} already has its primary compute, ${primary?.id ?? "created meanwhile"}, and a branch has only one (a new project or branch often comes with it). Nothing was changed.${primary ? ownerHint(shared, primary) : ""} Choose: ${adopt}; type: "read_only" creates a read replica; or set another branch`;
}

const primaryAppeared: typeof primaryExists = (_shared, { inputs: { branchId } }, project, primary) =>
  `branch ${branchId} of project ${project} has its primary compute${primary ? `, ${primary.id}` : ""}, but the project's list did not have it when adopt: true looked for it. Nothing was changed. Run \`pulumi up\` again: it takes that compute over`;

export async function explainedCreateError(
  shared: SharedState,
  error: unknown,
  desiredState: DesiredState,
  project: string,
  deadline: Deadline,
): Promise<unknown> {
  const { inputs } = desiredState;
  if (!isKind(error, "service")) return error;
  if (error.answer.status === 404)
    return notFoundError(error, `branch ${inputs.branchId} of project ${project}`, "branchId");
  if (!isAlreadyExists(error)) return error;
  // The compute was created meanwhile: by somebody else, or by a lost request of ours that can't be recognized.
  const now = await shared.context.lists.fresh(project, deadline).catch(() => []);
  const primary = now.find((one) => isPrimaryOf(one, inputs.branchId));
  const textOf = inputs.adopt === true ? primaryAppeared : primaryExists;
  return new Stopped(`${textOf(shared, desiredState, project, primary)} (${error.message})`, "occupied");
}
