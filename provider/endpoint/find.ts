// Finds a compute as it is now: with GET …/endpoints, one request for all steps that ask at the same time, or with
// GET …/endpoints/{id} where the list may be stale.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import type { Context } from "../operations/context.js";
import type { WireEndpoint } from "../wire/endpoint.js";

export interface ComputeRef {
  project: string;
  id: string;
}

export const isPrimaryOf = (one: WireEndpoint, branchId: string | undefined): boolean =>
  one.type === "read_write" && one.branch_id === branchId;

/** No such compute; or no such route, on a server that has lists only. */
const NOT_FOUND = new Set([404, 405, 501]);

/** The compute in a fresh list of its project. The list may be stale, so a compute that it lacks is asked for by its id. */
export async function findCompute(
  context: Context,
  ref: ComputeRef,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  return fromListOrById(context, ref, await context.lists.fresh(ref.project, deadline), deadline);
}

/** Like `findCompute`, but accepts a list of the last 5 s, unless this process has changed the project since. */
export async function findComputeRecent(
  context: Context,
  ref: ComputeRef,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  return fromListOrById(context, ref, await context.lists.recent(ref.project, deadline), deadline);
}

/** The list together with this compute, if it exists: the list may be stale, and lack it. */
export async function listWith(
  context: Context,
  ref: ComputeRef,
  listed: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<readonly WireEndpoint[]> {
  if (listed.some(({ id }) => id === ref.id)) return listed;
  const found = await getCompute(context, ref, deadline);
  return found ? [...listed, found] : listed;
}

const fromListOrById = (context: Context, ref: ComputeRef, all: readonly WireEndpoint[], deadline: Deadline) =>
  all.find((one) => one.id === ref.id) ?? getCompute(context, ref, deadline);

/**
 * Gets the compute by its id, and from the list only if that fails. Use it if the result decides what is sent, because a list may
 * be stale.
 */
export async function findComputeDirectly(
  context: Context,
  ref: ComputeRef,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const found = await getCompute(context, ref, deadline);
  return found ?? stillListed(context, ref, await context.lists.fresh(ref.project, deadline), deadline);
}

/**
 * The compute after a delete, or undefined if it is gone.
 * @param named whether the response to the DELETE contained the compute. Then its absence from the list is enough
 */
export async function findAfterDelete(
  context: Context,
  ref: ComputeRef,
  named: boolean,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const all = await context.lists.fresh(ref.project, deadline);
  const listed = all.find((one) => one.id === ref.id);
  if (!listed && named) return undefined;
  const found = await getCompute(context, ref, deadline);
  return found ?? stillListed(context, ref, all, deadline);
}

/** The compute in the list, where a GET of it answered 404. Undefined if the list is stale. */
async function stillListed(
  context: Context,
  ref: ComputeRef,
  all: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const listed = all.find((one) => one.id === ref.id);
  return listed && (await isListBehind(context, ref, all, deadline)) ? undefined : listed;
}

/** GET …/endpoints/{id}. Undefined if the service has no such compute, or no such route. */
export async function getCompute({ client }: Context, { project, id }: ComputeRef, deadline: Deadline) {
  try {
    const found = await client.getEndpoint(project, id, deadline);
    // A service may answer with another compute, which says nothing about this one.
    return found.id === id ? found : undefined;
  } catch (error) {
    if (isKind(error, "service") && NOT_FOUND.has(error.answer.status)) return undefined;
    throw error;
  }
}

/**
 * The list has the compute, but a GET of it answered 404. Either the list is stale, or the service lacks this route. A GET of
 * another compute tells which. Without another compute, the list counts.
 */
async function isListBehind(
  context: Context,
  { project, id }: ComputeRef,
  all: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<boolean> {
  if (context.client.hasFetchedEndpoint) return true;
  const other = all.find((one) => one.id !== id);
  return other !== undefined && (await getCompute(context, { project, id: other.id }, deadline)) !== undefined;
}

/** "ep-… (read_write on br-…), …" */
export const formatComputes = (some: readonly WireEndpoint[]): string =>
  some.length === 0
    ? "none"
    : some.map((one) => `${one.id} (${one.type ?? "compute"} on ${one.branch_id ?? "some branch"})`).join(", ");
