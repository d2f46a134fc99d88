import type { Deadline } from "../clock.js";
import type { PollResult } from "./poll.js";

export type WaitProgress = "pending" | "begun anew" | "done";

/** Somebody who waits for operations to end. */
export interface Waiter {
  /** Ids of the operations that are still waited for. */
  pendingIds(): string[];
  /** Gets each poll's result. "done" ends the wait; so does an error that it throws. "begun anew" means young work again. */
  onResult(result: PollResult): WaitProgress;
  /** Milliseconds until the next poll, where the waiter knows better than the usual rule. @param planned by that rule */
  pauseMs?(planned: number): number;
  /** Names the kind of work that has just begun. The durations of one kind are learned, and used for the next wait. */
  workKind?: string;
  /** Milliseconds that the work took by the service's own account. Asked once the work is done. */
  reportedMs?(): number | undefined;
  /** Milliseconds until the work should be over, where the waiter knows them. */
  expectedMs?: number | undefined;
  /** Whether to poll often for some seconds, from the expected end if it is known: others wait for the same end. */
  pollsOften?: boolean;
  /** When to stop. One more poll follows. */
  deadline: Deadline;
}
