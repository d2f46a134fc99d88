import type { Deadline } from "../clock.js";
import type { PollResult } from "./poll.js";

export type WaitProgress = "pending" | "retried" | "done";

/** Somebody who waits for operations to end. */
export interface Waiter {
  /** Ids of the operations that are still waited for. */
  pendingIds(): string[];
  /** Gets each poll's result. "done" ends the wait; so does an error that it throws. "retried" restarts the backoff. */
  onResult(result: PollResult): WaitProgress;
  /** Overrides the pause until the next poll. @param planned the pause of the normal backoff */
  pauseMs?(planned: number): number;
  /** The kind of work, for example `start_compute`. Waits of one kind share their duration estimate. */
  workKind?: string;
  /** The duration that the service reports. Called after the work is done. */
  reportedMs?(): number | undefined;
  /** Milliseconds until the work should be over, where the waiter knows them. */
  expectedMs?: number | undefined;
  /** Whether to poll often for some seconds, from the expected end if it is known: others wait for the same end. */
  pollsOften?: boolean;
  /** When to stop. One more poll follows. */
  deadline: Deadline;
}
