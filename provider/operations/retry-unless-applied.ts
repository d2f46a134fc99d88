import { pauseBefore } from "../api/retry.js";
import { APPLIED_CHECK_MS } from "../cancellation.js";
import { type Deadline, formatDuration, nextTry } from "../clock.js";
import { isKind, UnknownOutcome } from "../errors.js";
import { ProgressReporter } from "../progress.js";
import type { Context } from "./context.js";

/** The pause after a lost answer before the request is sent again. A proxy may still deliver the first request. */
const PAUSE_MS = 2000;

/**
 * Sends a mutation. After each lost answer it looks whether the mutation was applied, before it sends it again. It looks also
 * when the time is up and after a cancel: the state must not lose a compute that a request created.
 * @param find looks for the result of the lost request, and returns undefined if there is none. After a cancel it may still
 * send requests for a while
 * @throws UnknownOutcome if nobody can tell whether the last request was applied
 */
export async function retryUnlessApplied<T>(
  { clock, log }: Context,
  deadline: Deadline,
  send: () => Promise<T>,
  find: (deadline: Deadline) => Promise<T | undefined>,
): Promise<T> {
  const progress = new ProgressReporter(clock, log);
  let lost: UnknownOutcome | undefined;
  for (let count = 0; ; count++) {
    try {
      return await send();
    } catch (error) {
      // The deadline or a cancel ended the retry before it was sent. The earlier error says more.
      if (lost && (isKind(error, "deadline") || isKind(error, "cancelled"))) throw lost;
      if (!isKind(error, "unclear")) throw error;
      lost = error;
    }
    const found = await find(deadline.withGrace(APPLIED_CHECK_MS)).catch(alsoFailed(lost));
    if (found !== undefined) return found;
    const random = () => clock.random();
    const pauseMs = pauseBefore({ count, floorMs: PAUSE_MS, leftMs: deadline.leftMs(), random });
    const { message } = lost;
    if (pauseMs === undefined) {
      if (count > 0) lost.message += `; tried ${count + 1} times in ${formatDuration(progress.elapsedMs())}`;
      throw lost;
    }
    progress.report(() => `${message}; the request was not applied, ${nextTry(pauseMs, deadline.leftMs())}`);
    const before = lost;
    await clock.sleep(pauseMs).catch((error: unknown) => {
      // The look did not find it, but the request may still be on its way: its outcome stays unknown.
      throw isKind(error, "cancelled") ? before : error;
    });
  }
}

/** The look failed too: the outcome stays unknown, and the error gives both reasons. */
const alsoFailed =
  ({ request, reason, answer, message }: UnknownOutcome) =>
  (error: unknown): never => {
    const kinds = ["service", "deadline", "unclear", "cancelled"] as const;
    if (!(error instanceof Error) || !kinds.some((kind) => isKind(error, kind))) throw error;
    const both = new UnknownOutcome(request, reason, answer);
    both.message = `${message}; checking whether it was applied also failed: ${error.message}`;
    throw both;
  };
