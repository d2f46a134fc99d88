// Finishes the work of an earlier failed step before an update.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { outcomeOf } from "../operations/outcome.js";
import { latestOperationsOf, pendingOperationsOf } from "../operations/queries.js";
import { settle } from "../operations/settle.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { findComputeDirectly } from "./find.js";
import type { Outputs } from "./outputs.js";
import { goneError } from "./refusals.js";
import { notReadyError, UNKNOWN_OPERATION, unfinishedIn } from "./settle-or-keep.js";
import type { SharedState, Target } from "./shared-state.js";
import { hasNeverStarted } from "./stabilize.js";
import { retryStart } from "./start.js";

/** Waits for the work that the earlier step has left. @returns the compute after it */
export async function finishEarlierStep(
  shared: SharedState,
  target: Target,
  olds: Outputs,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { context } = shared;
  const { project, id } = target;
  // Not from a list, which may be stale.
  const before = mustBeThere(target, await findComputeDirectly(context, target, deadline));
  if (target.desiredState.inputs.waitForReady === false) return before;
  const unfinished = await unfinishedOperations(shared, target, olds, deadline);
  if (unfinished.length > 0) {
    try {
      await settle(context, project, unfinished, deadline);
    } catch (error) {
      if (!isKind(error, "operation-failed")) {
        throw notReadyError(target, before, unfinishedIn(error) ?? unfinished.map((one) => one.id), error);
      }
      shared.warn(
        `compute ${id}: ${error.message}. An earlier run began this work; this run goes on from the compute as it is now`,
      );
    }
  }
  const found = unfinished.length > 0 ? await findComputeDirectly(context, target, deadline) : undefined;
  const after = found ?? before;
  return hasNeverStarted(after) ? retryStart(shared, target, olds, after, deadline) : after;
}

export function mustBeThere({ project, id }: Target, compute: WireEndpoint | undefined): WireEndpoint {
  if (!compute) throw goneError(project, id);
  return compute;
}

/** A service that does not know an operation answers with one of these. */
const FORGOTTEN = new Set([400, 404, 422]);

/** Operations of the earlier step that have not ended well, and all others that run on the compute. */
async function unfinishedOperations(
  { context }: SharedState,
  { project, id }: Target,
  olds: Outputs,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const ids = olds.unfinished ?? [];
  const query = ids.includes(UNKNOWN_OPERATION) ? latestOperationsOf : pendingOperationsOf;
  const listed = await query(context, project, id, deadline);
  const notListed = ids.filter((one) => one !== UNKNOWN_OPERATION && !listed.some((other) => other.id === one));
  const asked = await Promise.all(
    notListed.map(async (one) => {
      try {
        return [await context.client.getOperation(project, one, deadline)];
      } catch (error) {
        // The service forgets old operations, and refuses ids that are not its own. The compute itself tells how they ended.
        if (isKind(error, "service") && FORGOTTEN.has(error.answer.status)) return [];
        throw error;
      }
    }),
  );
  return [...listed, ...asked.flat().filter((one) => outcomeOf(one.status) !== "done")];
}
