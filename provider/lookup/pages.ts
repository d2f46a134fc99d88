import { Stopped } from "../errors.js";
import { type Access, deadlineOf, isMissing, projectMissing } from "./access.js";
import { type OperationInfo, operationInfo } from "./facts.js";

/** Rows of one request, where the caller names no limit: most look for something recent. */
const PAGE = 100;
/** What the service gives in one request at most. */
const LARGEST_PAGE = 1000;

/**
 * GET …/operations, page by page and only as far as the caller reads, newest first. Ends at `limit`, at an empty page, at
 * one that is shorter than asked for, at one without a cursor, and at a cursor that was there before (some service would
 * send its last page for ever). Each request has its own deadline, so the caller may take its time.
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

async function pageOf(access: Access, projectId: string, page: { limit: number; cursor?: string }) {
  try {
    return await access.context.client.listOperations(projectId, page, deadlineOf(access));
  } catch (error) {
    throw isMissing(error) ? projectMissing(access, projectId, error) : error;
  }
}
