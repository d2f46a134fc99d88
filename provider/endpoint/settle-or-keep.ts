// Waits for the operations of a change. After a failure, the state keeps the compute, and the next `pulumi up` finishes the work.

import type { Deadline } from "../clock.js";
import { isKind, messageOf, NotReady } from "../errors.js";
import { settle } from "../operations/settle.js";
import { pick, updatableValues } from "../rules/paths.js";
import { desiredSettings } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { outputsOf, stillUnapplied } from "./outputs.js";
import type { SharedState, Target } from "./shared-state.js";
import { type StartsBy, waitUntilStable } from "./stabilize.js";
import { unappliedPaths, withActualValues } from "./unapplied.js";

/**
 * Waits for the operations of a change.
 * @param startsBy how the change starts the compute; absent if it does not
 * @returns the compute as it was seen last
 * @throws NotReady, which keeps the compute in the state together with the ids of unfinished operations
 */
export async function settleOrKeep(
  shared: SharedState,
  target: Target,
  change: WireEndpointChange,
  deadline: Deadline,
  startsBy?: StartsBy,
): Promise<WireEndpoint> {
  const { endpoint, operations } = change;
  if (target.desiredState.inputs.waitForReady === false) return endpoint;
  try {
    const { vanished } =
      operations.length > 0 ? await settle(shared.context, target.project, operations, deadline) : { vanished: [] };
    // Where all operations that the answer named are done, the read-back of the step is enough. The response may contain no
    // operations although some run. Then only the compute's state shows the end.
    const runsUnnamed = operations.length === 0 && endpoint.pending_state !== undefined && endpoint.disabled !== true;
    if (vanished.length === 0 && !change.mayHideOperations && !runsUnnamed) return endpoint;
    return await waitUntilStable(shared.context, target, { change, startsBy, vanished }, deadline);
  } catch (error) {
    throw notReadyError(target, endpoint, unfinishedIn(error) ?? operations.map((one) => one.id), error);
  }
}

/** The ids in the error of a wait: operations that have failed, or still run. Undefined for other errors. */
export const unfinishedIn = (error: unknown): string[] | undefined =>
  isKind(error, "operation-failed") || isKind(error, "deadline") || isKind(error, "cancelled")
    ? error.operationIds
    : undefined;

/** Stands in the state for operations whose ids are not known. The next step looks at the compute itself. */
export const UNKNOWN_OPERATION = "unknown";

/** The error that keeps a compute in the state, so that the next `pulumi up` finishes the work. */
export function notReadyError(
  target: Target,
  endpoint: WireEndpoint,
  operationIds: string[],
  cause: unknown,
): NotReady {
  const { adopted, pendingRestart, origin, desiredState, last } = target;
  const unfinished = operationIds.length > 0 ? operationIds : [UNKNOWN_OPERATION];
  const asked = updatableValues(desiredSettings(desiredState.inputs));
  // The answer to a create shows which settings the service took. The answer to a change may show the compute before the change.
  const isNew = origin === "create" && !adopted;
  const unapplied = isNew ? unappliedPaths(asked, endpoint) : stillUnapplied(asked, last);
  const known = isNew ? withActualValues(last, endpoint, unapplied) : last;
  const record = { adopted, unfinished, pendingRestart, unapplied: pick(asked, unapplied) };
  const outputs = outputsOf(endpoint, desiredState, record, known, origin);
  const reason = `${messageOf(cause)}. Compute ${target.id} of project ${target.project} is kept in the state; run \`pulumi up\` again to finish the work`;
  return new NotReady(target.id, { ...outputs }, [reason], { cause });
}
