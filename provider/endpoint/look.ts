// The compute as it is now. GET …/endpoints, shared by all who ask together, and GET …/endpoints/{id} where that is in doubt.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import type { Context } from "../operations/context.js";
import type { WireEndpoint } from "../wire/endpoint.js";

/** Which compute. */
export interface Place {
  project: string;
  id: string;
}

/** No such compute; or no such route, on a server that offers lists only. */
const NOT_THERE = new Set([404, 405, 501]);

/** The compute in a fresh list of its project. A list may be behind: one that it lacks is asked for itself. */
export async function look(context: Context, place: Place, deadline: Deadline): Promise<WireEndpoint | undefined> {
  return listedOrItself(context, place, await context.lists.look(place.project, deadline), deadline);
}

/** As `look`, but the list may be up to 5 s old where this process has not written to the project since. */
export async function lookForRead(
  context: Context,
  place: Place,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  return listedOrItself(context, place, await context.lists.read(place.project, deadline), deadline);
}

const listedOrItself = (context: Context, place: Place, all: readonly WireEndpoint[], deadline: Deadline) =>
  all.find((one) => one.id === place.id) ?? lookAtItself(context, place, deadline);

/**
 * The compute by its own route, and by the list only where that route does not have it. For what a stale list would spoil:
 * a value that goes into a request, or a reason to send none.
 */
export async function lookClosely(
  context: Context,
  place: Place,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const found = await lookAtItself(context, place, deadline);
  return found ?? stillListed(context, place, deadline);
}

/**
 * The compute after a delete, or undefined where it is gone.
 * @param named whether the answer to the delete has named it: then a list that lacks it is enough
 */
export async function lookAfterDelete(
  context: Context,
  place: Place,
  named: boolean,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const all = await context.lists.look(place.project, deadline);
  const listed = all.find((one) => one.id === place.id);
  if (!listed && named) return undefined;
  const found = await lookAtItself(context, place, deadline);
  return found ?? (listed && (await isListBehind(context, place, all, deadline)) ? undefined : listed);
}

/** Of a compute that its own route does not have. */
async function stillListed(context: Context, place: Place, deadline: Deadline): Promise<WireEndpoint | undefined> {
  const all = await context.lists.look(place.project, deadline);
  const listed = all.find((one) => one.id === place.id);
  return listed && (await isListBehind(context, place, all, deadline)) ? undefined : listed;
}

/** GET …/endpoints/{id}. Undefined also where the service has no such route. */
export async function lookAtItself({ client }: Context, { project, id }: Place, deadline: Deadline) {
  try {
    const found = await client.getEndpoint(project, id, deadline);
    // Somebody else's compute would say the wrong thing about this one.
    return found.id === id ? found : undefined;
  } catch (error) {
    if (isKind(error, "service") && NOT_THERE.has(error.answer.status)) return undefined;
    throw error;
  }
}

/**
 * The list has a compute that its own route does not have: either the list is behind, or the service has no such route.
 * A GET of another compute tells which; where there is no other, the list is believed.
 */
async function isListBehind(
  context: Context,
  { project, id }: Place,
  all: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<boolean> {
  if (context.client.hasAnsweredOne) return true;
  const other = all.find((one) => one.id !== id);
  return other !== undefined && (await lookAtItself(context, { project, id: other.id }, deadline)) !== undefined;
}
