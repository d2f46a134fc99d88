// Waits for the end of a change by looking at the compute itself. Used if the service returned no operations, or they are not
// enough.

import { type Deadline, formatDuration } from "../clock.js";
import { DeadlineExceeded, isKind, OperationFailed } from "../errors.js";
import type { Context } from "../operations/context.js";
import { POLL_TIMEOUT_MS } from "../operations/poll.js";
import { operationsSince } from "../operations/queries.js";
import { settle } from "../operations/settle.js";
import { ProgressReporter } from "../progress.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { type ComputeRef, findComputeDirectly } from "./find.js";
import { LONGEST_PAUSE_MS, LookPauses } from "./look-pauses.js";

/** A disabled compute can't be started, and need not be. */
export const hasNeverStarted = (one: WireEndpoint): boolean => one.current_state === "init" && one.disabled !== true;

/** Milliseconds for which a new compute may be missing from the lists, which may be stale. */
const MISSING_MS = 30_000;

/** How a change starts the compute: it has created it, or has asked for its start. */
export type StartsBy = "created" | "started";

/** A change whose end is waited for. */
export interface Stabilizing {
  /** The answer to the change. */
  change: WireEndpointChange;
  /**
   * How the change starts the compute; absent if it does not. If the answer may hide operations, the compute counts as stable
   * only after it has started. Otherwise the operations show how the start ended.
   */
  startsBy?: StartsBy;
  /** Operations of the change that the service does not know any more. How they ended is not known. */
  vanished?: string[];
}

/**
 * Looks at the compute until nothing is under way on it.
 * @throws OperationFailed if an operation of the change has failed, or the compute does not exist; DeadlineExceeded
 */
export async function waitUntilStable(
  context: Context,
  ref: ComputeRef,
  { change, startsBy, vanished = [] }: Stabilizing,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { clock, log } = context;
  const { id } = ref;
  const progress = new ProgressReporter(clock, log);
  const forgotten =
    vanished.length > 0 ? `the service does not know operation ${vanished.join(", ")} any more, and ` : "";
  let missingSince: number | undefined;
  for (const pauses = new LookPauses(); ; ) {
    // A failed operation gives the service's reason. A compute whose start failed looks like one that is starting.
    const begun = await operationsOfChange(context, ref, change, startsBy === "created", deadline);
    if (begun.length > 0) await settle(context, ref.project, begun, deadline);
    const now = await findComputeDirectly(context, ref, deadline);
    missingSince = now ? undefined : (missingSince ?? clock.now());
    if (now && isStable(now, startsBy !== undefined && change.mayHideOperations === true)) {
      if (vanished.length > 0 && hasNeverStarted(now)) {
        throw new OperationFailed(`${forgotten}compute ${id} has never started`, vanished);
      }
      return now;
    }
    if (missingSince !== undefined && (clock.now() - missingSince >= MISSING_MS || deadline.leftMs() <= 0)) {
      throw neverAppeared(ref);
    }
    const state = now?.pending_state === undefined ? "has not started" : `is still on its way to ${now.pending_state}`;
    if (deadline.leftMs() <= 0) {
      throw new DeadlineExceeded(
        `${forgotten}compute ${id} ${state} after ${formatDuration(deadline.budgetMs)}`,
        vanished,
      );
    }
    if (now) progress.report((ms) => `compute ${id} ${state}; waiting (${formatDuration(ms)})`);
    await clock.sleep(pauses.next(deadline.leftMs()));
  }
}

function isStable(now: WireEndpoint, mustStart: boolean): boolean {
  if (now.disabled === true) return true;
  return now.pending_state === undefined && !(mustStart && hasNeverStarted(now));
}

/** Polls until the compute exists: the service may answer with success and do nothing. */
export async function waitUntilFound(context: Context, ref: ComputeRef, deadline: Deadline): Promise<WireEndpoint> {
  const limit = deadline.atMost(MISSING_MS);
  for (;;) {
    const now = await findComputeDirectly(context, ref, deadline);
    if (now) return now;
    if (limit.leftMs() <= 0) throw neverAppeared(ref);
    await context.clock.sleep(Math.min(LONGEST_PAUSE_MS, limit.leftMs()));
  }
}

const neverAppeared = ({ project, id }: ComputeRef): OperationFailed =>
  new OperationFailed(
    `the service accepted the request for compute ${id}, but the compute is neither in the list of project ${project} nor found by its id. \`pulumi refresh\` tells whether it is there by now`,
    [],
  );

/** The operations that the change has begun, as far as the project's list shows. For a new compute, these are all of its own. */
async function operationsOfChange(
  context: Context,
  { project, id }: ComputeRef,
  { endpoint }: WireEndpointChange,
  isNew: boolean,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const soon = deadline.atMost(POLL_TIMEOUT_MS);
  const since = isNew ? Number.NEGATIVE_INFINITY : Date.parse(endpoint.updated_at ?? "");
  return operationsSince(context, project, id, since, soon).catch((error: unknown) => {
    const status = isKind(error, "service") ? error.answer.status : undefined;
    if (status === 401 || status === 403) throw error;
    return [];
  });
}
