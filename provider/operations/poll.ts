// One poll: the requests for some operations of a project, and their results.

import type { Client } from "../api/client.js";
import { type Clock, Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import type { WireOperation } from "../wire/operation.js";

/** The time limit of one poll with its retries. After that, a new poll is better. */
export const POLL_TIMEOUT_MS = 10_000;
/** Operations of one page. Most operations that anybody waits for are among the newest of their project. */
export const NEWEST_PAGE = 100;
/** Operations of the largest page that the service gives. */
export const LARGEST_PAGE = 1000;
/** Page rows to ask for per awaited operation, because other operations run too. */
const ROWS_PER_OPERATION = 4;
/** Operations that are asked for one by one if the list fails. */
const MOST_SINGLE_REQUESTS = 10;

/** The result of one poll. It says nothing about an operation that is in neither collection. */
export interface PollResult {
  operations: Map<string, WireOperation>;
  /** Ids for which the service answered 404. */
  missing: Set<string>;
  /** Why the poll, or a part of it, failed. */
  error?: Error;
}

/**
 * Asks for one operation by its own route. Asks for several with the newest page of the list, and then by its own route for
 * each one that is not on the page.
 * @throws ServiceError if the key is refused (401, 403)
 */
export async function pollOperations(
  client: Client,
  clock: Clock,
  project: string,
  ids: ReadonlySet<string>,
): Promise<PollResult> {
  const result: PollResult = { operations: new Map(), missing: new Set() };
  if (ids.size > 1) {
    await attempt(clock, result, [...ids], async (deadline) => {
      const limit = Math.min(LARGEST_PAGE, Math.max(NEWEST_PAGE, ROWS_PER_OPERATION * ids.size));
      const page = await client.listOperations(project, { limit }, deadline);
      // The page is newest first. Of two rows with one id, the first counts.
      for (const operation of page.operations.toReversed()) result.operations.set(operation.id, operation);
    });
    if (result.missing.size > 0 || isOverloaded(result.error)) return result;
  }
  const notListed = [...ids]
    .filter((id) => !result.operations.has(id))
    .slice(0, result.error ? MOST_SINGLE_REQUESTS : ids.size);
  await Promise.all(
    notListed.map((id) =>
      attempt(clock, result, [id], async (deadline) => {
        const operation = await client.getOperation(project, id, deadline);
        // With another operation's status, the wait would end too early or never.
        if (operation.id !== id)
          throw new Error(`asked about operation ${id}, but the service answered with ${operation.id}`);
        result.operations.set(id, operation);
      }),
    ),
  );
  return result;
}

/** A request that fails says nothing about the work. But a key that is refused now is refused later too. */
async function attempt(
  clock: Clock,
  result: PollResult,
  ids: string[],
  request: (deadline: Deadline) => Promise<void>,
): Promise<void> {
  try {
    await request(new Deadline(clock, POLL_TIMEOUT_MS));
  } catch (error) {
    const status = isKind(error, "service") ? error.answer.status : undefined;
    if (status === 401 || status === 403) throw error;
    if (status === 404) for (const id of ids) result.missing.add(id);
    else result.error = error as Error;
  }
}

/** More requests would make it worse. */
const isOverloaded = (error: unknown): boolean => isKind(error, "service") && [429, 503].includes(error.answer.status);
