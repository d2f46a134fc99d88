import { Stopped } from "../errors.js";
import { LARGEST_PAGE } from "../operations/poll.js";
import { type Access, deadlineOf, explainMissingProject } from "./access.js";
import type { OperationInfo } from "./info.js";
import { operationInfo } from "./to-info.js";

/** The most operations in one result that a program may keep in its state. */
const MOST_OPERATIONS = 1000;

/** Rows of one request if the caller names no limit: most look for something recent. */
const PAGE = 100;

/**
 * GET …/operations, page by page and only as far as the caller reads, newest first. Ends at `limit`, at a page with
 * fewer rows than asked for, and at a page without a cursor. It also ends at a cursor that came before: some services
 * would send their last page for ever. Each request has its own deadline, so the caller may take its time.
 */
export async function* listOperations(
  access: Access,
  args: { projectId: string; limit?: number },
): AsyncGenerator<OperationInfo, void, undefined> {
  const { projectId, limit = Number.POSITIVE_INFINITY } = args;
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isInteger(limit) && limit >= 1)) {
    throw new Stopped(`limit ${JSON.stringify(limit)} is not a whole number from 1; no request was sent`);
  }
  const size = limit === Number.POSITIVE_INFINITY ? PAGE : Math.min(limit, LARGEST_PAGE);
  const seen = new Set<string>();
  let left = limit;
  let cursor: string | undefined;
  for (;;) {
    const page = await pageOf(access, projectId, { limit: size, ...(cursor === undefined ? {} : { cursor }) });
    for (const row of page.operations) {
      yield operationInfo(row, projectId);
      if (--left <= 0) return;
    }
    cursor = page.pagination?.cursor;
    if (page.received < size || !cursor || seen.has(cursor)) return;
    seen.add(cursor);
  }
}

/**
 * The operations as one list.
 * @param tooMany the error if `limit` is above the most of one list
 * @public
 */
export async function operationsUpTo(
  access: Access,
  { projectId, limit = MOST_OPERATIONS }: { projectId: string; limit?: number },
  tooMany: (limit: number, most: number) => Error,
): Promise<OperationInfo[]> {
  if (limit > MOST_OPERATIONS) throw tooMany(limit, MOST_OPERATIONS);
  const all: OperationInfo[] = [];
  for await (const one of listOperations(access, { projectId, limit })) all.push(one);
  return all;
}

async function pageOf(access: Access, projectId: string, page: { limit: number; cursor?: string }) {
  try {
    return await access.context.client.listOperations(projectId, page, deadlineOf(access));
  } catch (error) {
    throw explainMissingProject(access, projectId, error);
  }
}
