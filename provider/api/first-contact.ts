import type { RequestFailure } from "./retry.js";

/**
 * How long a service that has never answered may stay silent, in milliseconds. A wrong URL should not cost the ten minutes of a
 * step. After a first answer, an outage is waited out until the deadline.
 */
export const FIRST_CONTACT_MS = 60_000;

/** Whether the service has ever answered. All calls of a client share this, so that only the first ones wait. */
export class FirstContact {
  #hasAnswered = false;
  #silentSince: number | undefined;

  answered(): void {
    this.#hasAnswered = true;
  }

  /** Records a failed request. @returns for how many milliseconds the service may still stay silent; 0: give up */
  leftMs(failure: RequestFailure, nowMs: number): number {
    if (failure.kind !== "unsent" && failure.kind !== "cut") this.#hasAnswered = true;
    if (this.#hasAnswered) return Number.POSITIVE_INFINITY;
    this.#silentSince ??= nowMs;
    return Math.max(0, this.#silentSince + FIRST_CONTACT_MS - nowMs);
  }
}
