// Changes settings of a compute. PATCH …/endpoints/{id}

import type { Deadline } from "../clock.js";
import { isKind, type ServiceError, Stopped } from "../errors.js";
import { latestOperationsOf } from "../operations/queries.js";
import { retryUnlessApplied } from "../operations/retry-unless-applied.js";
import { differences } from "../rules/equality.js";
import type { ForeseenFailure } from "../rules/foreseen-failure.js";
import { type ObservedSettings, settingsIn } from "../rules/settings.js";
import { rangeProblem } from "../rules/size.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { findComputeDirectly, isPrimaryOf } from "./find.js";
import { observedSettings, updateBody } from "./mapping.js";
import { knownAfter } from "./outputs.js";
import { goneError, notFoundError, ownerHint } from "./refusals.js";
import type { SharedState, Target } from "./shared-state.js";

/**
 * Sends a change of these settings.
 * @param compute as it is now. Needed if the request carries more fields than the change. It must then not come from a list,
 *   which may be stale
 * @returns the compute as the service answered, and the operations that it began
 */
export async function patch(
  shared: SharedState,
  target: Pick<Target, "project" | "id" | "last" | "desiredState">,
  settings: ObservedSettings,
  compute: WireEndpoint | undefined,
  deadline: Deadline,
): Promise<WireEndpointChange> {
  const { context } = shared;
  const { project, id, last, desiredState } = target;
  const body = updateBody(settings, compute, settingsIn(knownAfter(last, desiredState.inputs)));
  refuseInvalidPair(shared, target, settings, body.endpoint);
  const send = () => context.client.updateEndpoint(project, id, body, deadline);
  const find = async (until: Deadline) => {
    const now = await findComputeDirectly(context, target, until);
    if (!now) throw goneError(project, id);
    if (differences(settings, observedSettings(now)).length > 0) return undefined;
    return { endpoint: now, operations: await latestOperationsOf(context, project, id, until) };
  };
  try {
    return await retryUnlessApplied(context, deadline, send, find);
  } catch (error) {
    // A 404 may also mean the branch.
    const isMissing = isKind(error, "service") && error.answer.status === 404;
    if (isMissing && !(await findComputeDirectly(context, target, deadline))) throw goneError(project, id);
    if (settings.branchId !== undefined && isKind(error, "service") && isAlreadyExists(error)) {
      const all = await context.lists.fresh(project, deadline).catch(() => []);
      const there = all.find((one) => isPrimaryOf(one, settings.branchId));
      throw branchTakenError(settings, id, there ? ownerHint(shared, there) : "", error);
    }
    if (settings.branchId === undefined) throw error;
    const branch = `branch ${settings.branchId} of project ${project}`;
    throw notFoundError(error, branch, "branchId", `compute ${id} was not changed`);
  }
}

/** The program may change only one limit. With the compute's other limit, the pair may be invalid. */
function refuseInvalidPair(
  { config }: SharedState,
  { id }: Pick<Target, "id">,
  part: ObservedSettings,
  {
    autoscaling_limit_min_cu: min,
    autoscaling_limit_max_cu: max,
  }: { autoscaling_limit_min_cu?: number; autoscaling_limit_max_cu?: number },
): void {
  const isWhole = (part.autoscalingLimitMinCu === undefined) === (part.autoscalingLimitMaxCu === undefined);
  if (isWhole || min === undefined || max === undefined) return;
  const problem = min > max || config.sizes === "checked" ? rangeProblem(min, max) : undefined;
  if (problem === undefined) return;
  throw new Stopped(
    `updating compute ${id} would set autoscalingLimitMinCu to ${min} and autoscalingLimitMaxCu to ${max}: ${problem}. The program changes one of the two limits, and somebody has changed the other limit by hand. Nothing was changed, and the state was left as it was. Run \`pulumi up --refresh\`: it reads the compute first, and its preview shows what changes. If the service did not apply one of the limits before, set compute:askAgain to true for that run`,
  );
}

/** Whether the service refuses a second primary. */
export function isAlreadyExists(error: ServiceError): boolean {
  const { code, status, message } = error.answer;
  return /already exists/i.test(message) && (code === "ENDPOINTS_LIMIT_EXCEEDED" || status === 409);
}

const branchTakenError = (
  { branchId }: ObservedSettings,
  id: string,
  ownerSentence: string,
  error: ServiceError,
): Stopped =>
  new Stopped(
    `compute ${id} can't move to branch ${branchId}, which has its primary compute already: a branch has only one. Nothing was changed.${ownerSentence} Choose another branch, or delete or move that compute first (${error.message})`,
    "occupied",
    branchTaken(branchId, "another compute"),
  );

/** What a preview says if a primary is to move to a branch that has one. */
export const branchTaken = (branchId: string | undefined, by: string): ForeseenFailure => ({
  problem: `branch ${branchId} has its primary already (${by})`,
  way: "Choose another branch, or delete or move that compute first",
});
