import type { Deadline } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";
import { isKnownWord, outcomeOf } from "./outcome.js";
import { MOST_OF_A_PAGE } from "./watch.js";

/** Milliseconds for which an operation with an unknown word counts as going on: the word may well mean its end. */
const UNKNOWN_MS = 15 * 60_000;

/** Whether an operation that nobody told us about still goes on. */
export function isGoing(operation: WireOperation, wallMs: number): boolean {
  if (isKnownWord(operation.status)) return outcomeOf(operation.status) === "pending";
  const created = Date.parse(operation.created_at ?? "");
  return wallMs - created < UNKNOWN_MS;
}

/** All operations of one compute on the newest page, the largest that can be had, in the order of execution, as in the answer of a change. */
export async function operationsOf(
  { client }: Context,
  project: string,
  endpointId: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const page = await client.listOperations(project, { limit: MOST_OF_A_PAGE }, deadline);
  return page.operations.filter((one) => one.endpoint_id === endpointId).reverse();
}

/** Operations of one compute that still go on. */
export async function pendingOf(
  context: Context,
  project: string,
  endpointId: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const all = await operationsOf(context, project, endpointId, deadline);
  return all.filter((one) => isGoing(one, context.clock.wall()));
}

/** What a change whose answer was lost may have begun: what goes on, else the last that ended. It may have failed. */
export async function begunOn(
  context: Context,
  project: string,
  endpointId: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const all = await operationsOf(context, project, endpointId, deadline);
  const going = all.filter((one) => isGoing(one, context.clock.wall()));
  return going.length > 0 ? going : all.slice(-1);
}

/**
 * What a change may have begun that told of no operations: what goes on, and what has ended since.
 * @param since by the service's clock; NaN where that is not known: then the last that ended counts as well
 */
export async function begunSince(
  context: Context,
  project: string,
  endpointId: string,
  since: number,
  deadline: Deadline,
): Promise<WireOperation[]> {
  if (Number.isNaN(since)) return begunOn(context, project, endpointId, deadline);
  const all = await operationsOf(context, project, endpointId, deadline);
  return all.filter((one) => isGoing(one, context.clock.wall()) || Date.parse(one.created_at ?? "") >= since);
}
