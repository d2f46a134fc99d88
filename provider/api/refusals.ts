/** Milliseconds in which nobody sends after a 429; doubled with each that follows. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A service that asks for more is asked again all the same. */
const LONGEST_ASKED_MS = 60_000;
/** Milliseconds in which the one that was sent to see should have its answer: then another is sent. */
const PROBE_MS = 5_000;

/**
 * What a 429 to one means for all: a pause, then one alone to see whether the account is served again. A limiter that
 * counts what it refuses would otherwise never let anybody through.
 */
export class Refusals {
  #until = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;
  #isRefused = false;
  #isProbing = false;

  /** The moment from which somebody may send. */
  get until(): number {
    return this.#until;
  }

  sent(now: number): void {
    if (!this.#isRefused) return;
    this.#isProbing = true;
    this.#until = now + PROBE_MS;
  }

  /** An answer that is no 429. Tells whether that changes anything. */
  served(): boolean {
    const was = this.#isRefused;
    this.#isRefused = false;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#until = Number.NEGATIVE_INFINITY;
    return was;
  }

  refused(now: number, retryAfterMs = 0): void {
    const askedMs = Math.min(LONGEST_ASKED_MS, retryAfterMs);
    // The others of those that were under way together say nothing new.
    const isFirst = !this.#isRefused || this.#isProbing || now >= this.#until;
    if (isFirst) {
      this.#until = now + Math.max(askedMs, this.#pauseMs);
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
    } else {
      this.#until = Math.max(this.#until, now + askedMs);
    }
    this.#isRefused = true;
    this.#isProbing = false;
  }
}
