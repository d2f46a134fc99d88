// What the compute itself says of the end of a change: where its operations were not told, or say too little.

import { Deadline, duration } from "../clock.js";
import { DeadlineExceeded, isKind, OperationFailed } from "../errors.js";
import type { Context } from "../operations/context.js";
import { begunSince } from "../operations/pending.js";
import { Patience, settle } from "../operations/settle.js";
import { LOOK_MS } from "../operations/watch.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { lookClosely, type Place } from "./look.js";

/** A disabled one can't be started, and need not be. */
export const hasNeverStarted = (one: WireEndpoint): boolean => one.current_state === "init" && one.disabled !== true;

/** Milliseconds between two looks at a compute: the first, and the longest. */
const FIRST_MS = 1_000;
const LONGEST_MS = 5_000;
/** Milliseconds in which a compute of an answer may be missing: a list may be behind where it can't be asked for itself. */
const MISSING_MS = 30_000;

/** A change that has made the compute, or one that has asked for its start. */
export type Begins = "made" | "started";

/** What is waited for. */
export interface Resting {
  /** What the change was answered with. */
  change: WireEndpointChange;
  /** What the change has done, where it starts the compute: then the compute does not rest before it has started. */
  begins?: Begins;
  /** Operations of the change that the service does not know any more: they say nothing of how they ended. */
  vanished?: string[];
}

/**
 * Looks at the compute until nothing is under way on it.
 * @throws OperationFailed where what the change began has failed, or where there is no such compute; DeadlineExceeded
 */
export async function untilRest(
  context: Context,
  place: Place,
  { change, begins, vanished = [] }: Resting,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { clock, say } = context;
  const { id } = place;
  const patience = new Patience(clock, say);
  const lost = vanished.length > 0 ? `the service does not know operation ${vanished.join(", ")} any more, and ` : "";
  let missingSince: number | undefined;
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(LONGEST_MS, pauseMs * 2)) {
    // Their words are better than ours, and a compute whose start has failed looks like one that waits for it.
    const begun = await operationsOfChange(context, place, change, begins === "made", deadline);
    if (begun.length > 0) await settle(context, place.project, begun, deadline);
    const now = await lookClosely(context, place, deadline);
    missingSince = now ? undefined : (missingSince ?? clock.now());
    if (now && isAtRest(now, begins !== undefined && change.untold === true)) {
      if (vanished.length > 0 && hasNeverStarted(now)) {
        throw new OperationFailed(`${lost}compute ${id} has never started`, vanished);
      }
      return now;
    }
    if (missingSince !== undefined && (clock.now() - missingSince >= MISSING_MS || deadline.leftMs() <= 0)) {
      throw missing(place);
    }
    const state = now?.pending_state === undefined ? "has not started" : `is still on its way to ${now.pending_state}`;
    if (deadline.leftMs() <= 0) {
      throw new DeadlineExceeded(`${lost}compute ${id} ${state} after ${duration(deadline.budgetMs)}`, vanished);
    }
    if (now) patience.tell((ms) => `compute ${id} ${state}; waiting (${duration(ms)})`);
    await clock.sleep(Math.min(pauseMs, deadline.leftMs()));
  }
}

function isAtRest(now: WireEndpoint, mustStart: boolean): boolean {
  if (now.disabled === true) return true;
  return now.pending_state === undefined && !(mustStart && hasNeverStarted(now));
}

/** A success of the service's comes to nothing where there is no compute. */
export async function untilThere(context: Context, place: Place, deadline: Deadline): Promise<WireEndpoint> {
  const limit = new Deadline(context.clock, Math.min(MISSING_MS, Math.max(0, deadline.leftMs())));
  for (;;) {
    const now = await lookClosely(context, place, deadline);
    if (now) return now;
    if (limit.leftMs() <= 0) throw missing(place);
    await context.clock.sleep(Math.min(LONGEST_MS, limit.leftMs()));
  }
}

const missing = ({ project, id }: Place): OperationFailed =>
  new OperationFailed(
    `the service accepted the request for compute ${id}, but neither the list of project ${project} nor a GET of the compute has it. \`pulumi refresh\` tells whether it is there by now`,
    [],
  );

/** What the change has begun, as far as the project's operations can be seen. All that ever happened to a new compute is of its create. */
async function operationsOfChange(
  context: Context,
  { project, id }: Place,
  { endpoint }: WireEndpointChange,
  isNew: boolean,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const soon = new Deadline(context.clock, Math.min(LOOK_MS, Math.max(0, deadline.leftMs())));
  const since = isNew ? Number.NEGATIVE_INFINITY : Date.parse(endpoint.updated_at ?? "");
  return begunSince(context, project, id, since, soon).catch((error: unknown) => {
    const status = isKind(error, "service") ? error.answer.status : undefined;
    if (status === 401 || status === 403) throw error;
    return [];
  });
}
