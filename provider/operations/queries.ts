import type { Deadline } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";
import { isKnownStatus, outcomeOf } from "./outcome.js";
import { LARGEST_PAGE, NEWEST_PAGE } from "./poll.js";

/** How long an operation with an unknown status counts as running. The status may mean that it has ended. */
const UNKNOWN_STATUS_MS = 15 * 60_000;

/** Whether an operation in a list still runs. If its status is unknown, it counts as running while it is young. */
export function isRunning(operation: WireOperation, wallMs: number): boolean {
  if (isKnownStatus(operation.status)) return outcomeOf(operation.status) === "pending";
  const created = Date.parse(operation.created_at ?? "");
  return wallMs - created < UNKNOWN_STATUS_MS;
}

/** A project's newest operations; none if the request fails. */
export async function newestOperations(
  { client }: Context,
  project: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const page = await client.listOperations(project, { limit: NEWEST_PAGE }, deadline).catch(() => undefined);
  return page?.operations ?? [];
}

/** The operations of a compute, oldest first, from one page of the largest size. */
export async function operationsOf(
  { client }: Context,
  project: string,
  endpointId: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const page = await client.listOperations(project, { limit: LARGEST_PAGE }, deadline);
  return page.operations.filter((one) => one.endpoint_id === endpointId).reverse();
}

/** A compute's operations that still run. */
export async function pendingOperationsOf(
  context: Context,
  project: string,
  endpointId: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const all = await operationsOf(context, project, endpointId, deadline);
  return all.filter((one) => isRunning(one, context.clock.wall()));
}

/**
 * The operations that a change may have begun whose answer was lost: all that still run, or else the newest one, which may have
 * failed.
 */
export async function latestOperationsOf(
  context: Context,
  project: string,
  endpointId: string,
  deadline: Deadline,
): Promise<WireOperation[]> {
  const all = await operationsOf(context, project, endpointId, deadline);
  const running = all.filter((one) => isRunning(one, context.clock.wall()));
  return running.length > 0 ? running : all.slice(-1);
}

/**
 * Operations that a change may have begun, if its answer named none: operations that still run, and those created since
 * the change.
 * @param since the time of the change by the service's clock. If it is NaN, it is not known: see `latestOperationsOf`
 */
export async function operationsSince(
  context: Context,
  project: string,
  endpointId: string,
  since: number,
  deadline: Deadline,
): Promise<WireOperation[]> {
  if (Number.isNaN(since)) return latestOperationsOf(context, project, endpointId, deadline);
  const all = await operationsOf(context, project, endpointId, deadline);
  return all.filter((one) => isRunning(one, context.clock.wall()) || Date.parse(one.created_at ?? "") >= since);
}
