import { Deadline, formatDuration } from "../clock.js";
import { ProgressReporter } from "../progress.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";
import { operationName } from "./format.js";
import { outcomeOf } from "./outcome.js";
import { POLL_TIMEOUT_MS, type PollResult } from "./poll.js";
import { isRunning, newestOperations } from "./queries.js";
import type { WaitProgress } from "./waiter.js";

/** The longest wait before the change is sent again: perhaps the running operations do not hold the lock. */
const LONGEST_WAIT_MS = 30_000;
/** A shorter wait is not worth its polls. */
const SHORTEST_WAIT_MS = 500;
/** Polling begins this long before the expected end. A stack that polls later finds the next operation running. */
const EARLY_MS = 150;
/** A pause for other stacks takes at most this part of the time that is left. */
const MAX_PAUSE_SHARE = 0.05;
/** An operation that ended less than two seconds ago may have been the reason for a 423. */
const JUST_ENDED_MS = 2_000;

/**
 * After a 423, waits until the project's running operations are over: whoever began them, however they end, and for at most
 * 30 s.
 * @returns the name of the first running operation, also if it still runs after 30 s; undefined if nothing runs, or if a request
 * failed or was cancelled. Then the caller backs off
 */
export async function waitForLock(
  context: Context,
  project: string,
  subject: string,
  deadline: Deadline,
): Promise<string | undefined> {
  const { clock, log, mutations, pollers, client } = context;
  const budgetMs = Math.min(LONGEST_WAIT_MS, deadline.leftMs());
  const limit = new Deadline(clock, budgetMs);
  try {
    const listLimit = new Deadline(clock, Math.min(POLL_TIMEOUT_MS, budgetMs));
    const rows = budgetMs < SHORTEST_WAIT_MS ? [] : await newestOperations(context, project, listLimit);
    const running = new Map(rows.filter((one) => isRunning(one, clock.wall())).map((one) => [one.id, one]));
    const ended = justEnded(rows).filter((one) => !running.has(one.id));
    const isByOthers = mutations.refused(project, subject, [...running.values()], ended);
    const [first] = running.values();
    if (first === undefined) return undefined;
    const holder = operationName(first, client.redactor);
    const progress = new ProgressReporter(clock, log);
    const onResult = ({ operations, missing }: PollResult): WaitProgress => {
      for (const id of running.keys()) {
        const seen = operations.get(id);
        if (missing.has(id) || (seen && outcomeOf(seen.status) !== "pending")) running.delete(id);
      }
      const [next] = running.values();
      if (next) {
        const name = operationName(next, client.redactor);
        progress.report((ms) => `project ${project} is busy with ${name}; waiting (${formatDuration(ms)})`);
      }
      return running.size === 0 ? "done" : "pending";
    };
    const pendingIds = () => [...running.keys()];
    const ids = pendingIds();
    const durationMs = expectedDurationMs([...running.values()], rows);
    const expectedMs = durationMs === undefined ? undefined : mutations.untilEndMs(project, durationMs - EARLY_MS);
    const end = await pollers.waitFor(project, { pendingIds, onResult, pollsOften: true, expectedMs, deadline: limit });
    if (end === "done") {
      const pauseMs = mutations.pauseAfterLock(project, ids, isByOthers);
      await clock.sleep(Math.min(pauseMs, MAX_PAUSE_SHARE * deadline.leftMs()));
    }
    return holder;
  } catch {
    // A failed poll is not a reason to give the change up. The caller sends the change again, and its answer tells more.
    return undefined;
  }
}

/** Ages are measured by the service's clock, which is not ours: the newest change of any row counts as now. */
function justEnded(rows: readonly WireOperation[]): WireOperation[] {
  const changedAt = (one: WireOperation) => Date.parse(one.updated_at ?? "") || 0;
  const now = Math.max(...rows.map(changedAt));
  return rows.filter((one) => now - changedAt(one) <= JUST_ENDED_MS);
}

/**
 * The expected duration: for each running action, the duration of its last finished operation; the longest of these. Undefined if
 * one is unknown.
 * @param rows newest first
 */
function expectedDurationMs(running: readonly WireOperation[], rows: readonly WireOperation[]): number | undefined {
  let longest = 0;
  for (const { action } of running) {
    const last = rows.find((one) => one.action === action && outcomeOf(one.status) === "done");
    if (last?.total_duration_ms === undefined) return undefined;
    longest = Math.max(longest, last.total_duration_ms);
  }
  return longest > 0 ? longest : undefined;
}
