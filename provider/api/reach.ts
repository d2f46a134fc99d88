import type { Failure } from "./retry.js";

/**
 * Milliseconds that a service may stay silent before anything has ever answered at its URL. A wrong URL should not cost
 * the ten minutes of a step; once there was an answer, an outage is waited out until the deadline.
 */
export const FIRST_CONTACT_MS = 60_000;

/** Whether anything has ever answered: shared by all calls of a client, so that only the first ones wait. */
export class Reach {
  #answered = false;
  #silentSince: number | undefined;

  answered(): void {
    this.#answered = true;
  }

  /** Takes note of a failure, and tells whether it is time to give the service up. */
  failed(failure: Failure, nowMs: number): boolean {
    if (failure.kind !== "unsent" && failure.kind !== "cut") this.#answered = true;
    if (this.#answered) return false;
    this.#silentSince ??= nowMs;
    return nowMs - this.#silentSince >= FIRST_CONTACT_MS;
  }
}
