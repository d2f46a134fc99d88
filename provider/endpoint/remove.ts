// Deletes a compute, or only releases it from the state. DELETE …/endpoints/{id}

import { type Deadline, formatDuration } from "../clock.js";
import { DeadlineExceeded, isKind, messageOf, Stopped } from "../errors.js";
import { outcomeOf } from "../operations/outcome.js";
import { pendingOperationsOf } from "../operations/queries.js";
import { retryUnlessApplied } from "../operations/retry-unless-applied.js";
import { settle } from "../operations/settle.js";
import { isReleasedBy } from "../rules/policies.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { findAfterDelete } from "./find.js";
import type { StepRequest } from "./inputs.js";
import { LookPauses } from "./look-pauses.js";
import type { Outputs } from "./outputs.js";
import { projectProblem } from "./refusals.js";
import { deadlineFor, type SharedState } from "./shared-state.js";

const HELD_BY_OTHER = "also belongs to another resource of the program (an earlier run adopted it)";
const CLAIMED_IN_RUN = "was taken over or created by another resource in this same run";

/** A deleted compute may stay visible this long without a running operation. Then the DELETE is sent again. */
const STAYS_MS = 30_000;

/** What a delete needs. The command `delete` has no ownership, because it knows no other resources. */
export type RemovalState = Pick<SharedState, "context" | "claimed" | "ownership" | "warn">;

/** Texts in the errors that depend on the caller: a Pulumi step or the command. */
export interface RemovalTexts {
  /** The sentence about the state, with a space in front; empty if there is none. */
  stays: string;
  /** What gives it more time. */
  moreTime: string;
}

const STEP_TEXTS: RemovalTexts = { stays: " The compute stays in the state.", moreTime: "`customTimeouts`" };

/** One delete of one compute. */
interface Removing {
  shared: RemovalState;
  project: string;
  id: string;
  state: Outputs;
  request: StepRequest;
  texts: RemovalTexts;
}

/** The answer to a DELETE. */
interface DeleteAnswer {
  operations: WireOperation[];
  /** Whether the answer named this compute. */
  named: boolean;
  /** Whether the answer said that there is no such compute. */
  missing: boolean;
}

export async function remove(
  shared: RemovalState,
  id: string,
  state: Outputs,
  request: StepRequest = {},
  texts = STEP_TEXTS,
): Promise<void> {
  const project = state.projectId;
  const removing: Removing = { shared, project, id, state, request, texts };
  // The facts of other processes may be incomplete here. They are asked again right before a delete is sent.
  if (shared.claimed.has(id) || shared.ownership?.isHeldInThisProcess(id, state)) return keepForOther(removing);
  if (isReleasedBy(state)) {
    shared.context.log(`compute ${id} leaves the state and stays as it is on the service (onDelete: "release")`);
    return;
  }
  const { deleteBatches, lists } = shared.context;
  const first = await deleteBatches.run(project, () => deleteInTurn(removing));
  if (!first) return keepForOther(removing);
  // One list confirms all computes that are deleted together.
  await deleteBatches.untilOthersAreReady(project, first.deadline);
  await confirm(removing, first);
  lists.markDeleted(id);
}

function keepForOther({ shared, id }: Removing): void {
  const how = shared.claimed.has(id) || shared.ownership?.isClaimed(id) ? CLAIMED_IN_RUN : HELD_BY_OTHER;
  shared.warn(`compute ${id} ${how}, so it was not deleted: only this resource leaves the state`);
}

interface DeleteResult extends DeleteAnswer {
  deadline: Deadline;
  /** The failure of an operation that the DELETE began. */
  failure?: unknown;
}

/**
 * Sends the DELETE in the project's queue, and waits for the operations that it begins.
 * @returns undefined if another resource has the compute by now, in this process or in another one
 */
function deleteInTurn(removing: Removing, before?: DeleteResult): Promise<DeleteResult | undefined> {
  const { shared, project, id, state, request } = removing;
  const { context } = shared;
  return context.mutations.run(project, [id, state.branchId], async () => {
    if (shared.claimed.has(id) || (await shared.ownership?.mayDelete(id, state)) === false) return undefined;
    const deadline = before?.deadline ?? deadlineFor(shared, "delete", request, state.customTimeouts);
    const sent = await send(removing, deadline, before);
    if (sent.operations.length === 0 || state.waitForReady === false) return { ...sent, deadline };
    try {
      await settle(context, project, sent.operations, deadline);
      return { ...sent, deadline };
    } catch (failure) {
      if (isKind(failure, "cancelled")) throw failure;
      return { ...sent, deadline, failure };
    }
  });
}

/** Sends the DELETE until the service has accepted it, or does not have the compute any more. */
function send(
  { shared, project, id, texts }: Removing,
  deadline: Deadline,
  before?: DeleteAnswer,
): Promise<DeleteAnswer> {
  const { context } = shared;
  let isAnswerLost = false;
  // The operation that stops the compute goes on, although the answer that names it was lost.
  const stopping = (until: Deadline) => pendingOperationsOf(context, project, id, until).catch(() => []);
  const isThere = async (until: Deadline) => (await findDeleted({ shared, project, id }, false, until)) !== undefined;
  const sendOnce = async () => {
    const { status, wasMissing, answeredId, operations } = await context.client.deleteEndpoint(project, id, deadline);
    // A 404 may also mean that the key can't see the project. Only its list tells that the compute is gone.
    if (status === 404 && !before?.named && (await isThere(deadline))) {
      throw new Stopped(
        `DELETE of compute ${id} answered 404, but the list of project ${project} still has it. Nothing was changed.${texts.stays} Check that the key may delete it, and run the command again`,
      );
    }
    return {
      operations: isAnswerLost && wasMissing ? await stopping(deadline) : operations,
      named: answeredId === id,
      missing: wasMissing,
    };
  };
  const find = async (until: Deadline) => {
    isAnswerLost = true;
    return (await isThere(until)) ? undefined : { operations: await stopping(until), named: false, missing: true };
  };
  return retryUnlessApplied(context, deadline, sendOnce, find);
}

/**
 * Checks that the compute is gone. A proxy or a different server may answer with success without deleting. Then the compute would
 * keep running outside of any state.
 */
async function confirm(removing: Removing, first: DeleteResult): Promise<void> {
  const { shared, project, id, state } = removing;
  const { clock, deleteBatches } = shared.context;
  const { deadline } = first;
  let { named, operations, failure } = first;
  let stableSince: number | undefined;
  let pauses = new LookPauses();
  for (let tries = 1; ; ) {
    const now = await findDeleted(removing, named, deadline);
    if (!now && failure !== undefined) {
      shared.warn(`compute ${id} is deleted, but not everything that followed went well: ${messageOf(failure)}`);
    }
    if (!now) return;
    if (failure !== undefined) throw failure;
    const isUnderWay = now.pending_state !== undefined;
    if (state.waitForReady === false) {
      // The program does not wait for work that the service has announced.
      if (isUnderWay || operations.some((one) => outcomeOf(one.status) === "pending")) return;
      throw stillThere(removing, "right afterwards");
    }
    stableSince = isUnderWay ? undefined : (stableSince ?? clock.now());
    if (deadline.leftMs() <= 0) throw late(removing, now, deadline);
    if (stableSince === undefined || clock.now() - stableSince < STAYS_MS) {
      await deleteBatches.nextPoll(project, pauses.next(deadline.leftMs()));
      continue;
    }
    if (tries > 1) throw stillThere(removing, `${formatDuration(STAYS_MS)} after a second DELETE`);
    tries++;
    stableSince = undefined;
    pauses = new LookPauses();
    const again = await deleteInTurn(removing, first);
    // Another resource has the compute by now, so it stays.
    if (!again) return keepForOther(removing);
    // The first response contained the compute and the second is 404: only the list is stale.
    if (first.named && again.missing) return;
    ({ named, operations, failure } = again);
  }
}

function findDeleted(
  { shared, project, id }: Pick<Removing, "shared" | "project" | "id">,
  named: boolean,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  return findAfterDelete(shared.context, { project, id }, named, deadline).catch((error: unknown) => {
    throw projectProblem(error, project, id);
  });
}

const stillThere = ({ project, id, texts }: Removing, when: string): Stopped =>
  new Stopped(
    `the service accepted the DELETE of compute ${id}, but project ${project} still has it ${when}, and nothing is under way on it.${texts.stays} Run the command again; if it stays, delete it in the service's console, and then run the command again`,
  );

const late = ({ project, id, texts }: Removing, now: WireEndpoint, deadline: Deadline): DeadlineExceeded =>
  new DeadlineExceeded(
    `the service accepted the DELETE of compute ${id}, but project ${project} still has it after ${formatDuration(deadline.budgetMs)}${now.pending_state === undefined ? "" : `, on its way to ${now.pending_state}`}. ${texts.moreTime} gives it more time`,
  );
