import type { Clock, Deadline } from "../clock.js";
import { DeadlineExceeded } from "../errors.js";

/** Requests a minute that one account may send, as the service publishes it. */
export const REQUESTS_PER_MINUTE = 700;
/** Requests a second that one route may get. */
export const ROUTE_REQUESTS_PER_SECOND = 40;

/** A token bucket that is booked ahead, so that who comes first is served first, each with one sleep. */
class Bucket {
  /** Milliseconds on the clock at which the bucket will be full again. */
  #fullAt = Number.NEGATIVE_INFINITY;
  readonly #tokenMs: number;
  readonly #burst: number;

  /** `burst` tokens at once and the rest evenly: within any window of that length never more than `requests`. */
  constructor(requests: number, windowMs: number, share: number) {
    this.#burst = Math.max(1, Math.floor(requests * share));
    this.#tokenMs = windowMs / Math.max(1, requests - this.#burst);
  }

  /** The moment from which a token is there. */
  nextAt(now: number): number {
    return Math.max(now, this.#fullAt - (this.#burst - 1) * this.#tokenMs);
  }

  book(at: number): void {
    this.#fullAt = Math.max(this.#fullAt, at) + this.#tokenMs;
  }
}

/** Keeps all requests of the process within the account's and each route's rate. */
export class Rate {
  readonly #clock: Clock;
  readonly #account: Bucket;
  readonly #routes = new Map<string, Bucket>();

  constructor(clock: Clock, requestsPerMinute = REQUESTS_PER_MINUTE) {
    this.#clock = clock;
    // A tenth at once: enough for the first reads of a run, and 90 % of the rate remains for a long one.
    this.#account = new Bucket(requestsPerMinute, 60_000, 0.1);
  }

  /**
   * Resolves when one request may be sent, first come first served.
   * @throws DeadlineExceeded at once, and books nothing, when that moment is behind the deadline
   */
  async take(route: string, deadline: Deadline): Promise<void> {
    let bucket = this.#routes.get(route);
    if (!bucket) {
      bucket = new Bucket(ROUTE_REQUESTS_PER_SECOND, 1000, 0.5);
      this.#routes.set(route, bucket);
    }
    const now = this.#clock.now();
    const at = Math.max(this.#account.nextAt(now), bucket.nextAt(now));
    const pause = at - now;
    // Without a pause there is nothing to refuse: also the last look after a deadline may be sent.
    if (pause > 0 && pause >= deadline.leftMs()) {
      throw new DeadlineExceeded(
        `${route}: no time is left for it within the rate limit (compute:requestsPerMinute); nothing was sent`,
      );
    }
    this.#account.book(at);
    bucket.book(at);
    if (pause > 0) await this.#clock.sleep(pause);
  }
}
