import type { Clock, Deadline } from "../clock.js";
import { DeadlineExceeded } from "../errors.js";

/** Requests a minute that one account may send, as the service publishes it. */
export const REQUESTS_PER_MINUTE = 700;
/** Requests a second that one route may get. */
const ROUTE_REQUESTS_PER_SECOND = 40;

/** Our window is this much longer than the service's, because requests have different latencies. */
const TRAVEL_MS = 100;
/** 70 % of a minute's requests may be sent at once: most runs need no more. The others follow evenly. */
const BURST = 0.7;

/** The first pause of all requests after a 429. Each further 429 doubles it. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/**
 * Milliseconds. If the service asks for a longer pause, one request is sent after this time anyway. `retry.ts` explains the three
 * limits.
 */
const LONGEST_COOLDOWN_MS = 60_000;
/** Milliseconds for the answer to the one request that tests the limit. After them another one is sent. */
const PROBE_MS = 5_000;

/** A sliding window over the times of the newest requests: at most `most` requests within its length. */
class SlidingWindow {
  readonly #most: number;
  readonly #burst: number;
  readonly #lengthMs: number;
  readonly #times: number[] = [];

  /** @param burst requests that may follow each other without a pause */
  constructor(most: number, serviceMs: number, burst = most) {
    this.#most = Math.max(1, most);
    this.#burst = Math.max(1, Math.floor(burst));
    this.#lengthMs = serviceMs + TRAVEL_MS;
  }

  /** The moment from which one more may be sent. */
  nextAt(now: number): number {
    const last = this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
    const firstOfBurst = this.#times.at(-this.#burst) ?? Number.NEGATIVE_INFINITY;
    const firstOfAll = this.#times.at(-this.#most) ?? Number.NEGATIVE_INFINITY;
    const evenly = firstOfBurst + this.#lengthMs > now ? last + this.#lengthMs / this.#most : now;
    return Math.max(now, evenly, firstOfAll + this.#lengthMs);
  }

  sent(now: number): void {
    this.#times.push(now);
    if (this.#times.length > this.#most) this.#times.shift();
  }
}

/**
 * The pause of all requests after a 429 to one of them. After the pause one request alone tests whether the account is served
 * again: a limiter that also counts the requests that it refuses would otherwise never let anybody through.
 */
export class RateLimitCooldown {
  #until = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;
  #isRefused = false;
  #isProbing = false;

  /** When the next request may be sent. */
  get until(): number {
    return this.#until;
  }

  sent(now: number): void {
    if (!this.#isRefused) return;
    this.#isProbing = true;
    this.#until = now + PROBE_MS;
  }

  /** Notes an answer other than 429. @returns whether a cooldown ends */
  served(): boolean {
    const wasRefused = this.#isRefused;
    this.#isRefused = false;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#until = Number.NEGATIVE_INFINITY;
    return wasRefused;
  }

  refused(now: number, retryAfterMs = 0): void {
    const askedMs = Math.min(LONGEST_COOLDOWN_MS, retryAfterMs);
    // Requests that were under way together get their 429 together: only the first one says something new.
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

/** A request that somebody wants to send. */
export interface QueuedRequest {
  project: string;
  /** Name of the route, the same for all ids. */
  route: string;
}

interface WaitingRequest extends QueuedRequest {
  deadline: Deadline;
  admit: () => void;
  refuse: (error: Error) => void;
}

/**
 * Keeps all requests of the process within the rates of the account and of each route. Where requests have to wait, the
 * projects alternate: many reads of one project do not hold up a change in another. A 429 pauses all requests for at most 60 s,
 * except those whose deadline comes first.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #account: SlidingWindow;
  readonly #routes = new Map<string, SlidingWindow>();
  readonly #cooldown = new RateLimitCooldown();
  /** By project, in the order in which the projects come next. */
  readonly #waiting = new Map<string, WaitingRequest[]>();
  #isRunning = false;
  /** Ends the sleep until somebody may send: a new request may be due earlier. */
  #wake = () => {};

  constructor(clock: Clock, requestsPerMinute = REQUESTS_PER_MINUTE) {
    this.#clock = clock;
    this.#account = new SlidingWindow(requestsPerMinute, 60_000, requestsPerMinute * BURST);
  }

  /**
   * Resolves when one request may be sent. Within a project, the first to ask is the first to send.
   * @param signal takes the request out of the queue
   * @throws DeadlineExceeded if no request is allowed before the deadline; thrown at once if that is certain already
   */
  async take(request: QueuedRequest, deadline: Deadline, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const pause = this.#nextAt(request, deadline, now) - now;
    // A request that need not wait is sent even after its deadline: it may be a last look (`caller.ts`).
    if (pause === 0 && this.#waiting.size === 0) return this.#sent(request, now);
    if (pause >= deadline.leftMs()) throw tooLate(request);
    await new Promise<void>((admit, refuse) => {
      const queue = this.#waiting.get(request.project) ?? [];
      const one: WaitingRequest = { ...request, deadline, admit, refuse };
      queue.push(one);
      this.#waiting.set(request.project, queue);
      signal?.addEventListener("abort", () => {
        this.#drop(request.project, [one]);
        refuse(signal.reason);
      });
      if (this.#isRunning) this.#wake();
      else void this.#run();
    });
  }

  /** Notes a request that was not answered with 429. */
  served(): void {
    if (this.#cooldown.served()) this.#wake();
  }

  /** A request was answered with 429. */
  refused(retryAfterMs?: number): void {
    this.#cooldown.refused(this.#clock.now(), retryAfterMs);
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const now = this.#clock.now();
      this.#refuseLate();
      const next = this.#takeNext(now);
      if (next) {
        this.#sent(next, now);
        next.admit();
        continue;
      }
      if (this.#waiting.size === 0) break;
      const all = [...this.#waiting.values()].flat();
      const moments = all.flatMap((one) => [this.#nextAt(one, one.deadline, now), now + one.deadline.leftMs()]);
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([this.#clock.sleep(Math.max(1, Math.min(...moments) - now)), woken]);
    }
    this.#isRunning = false;
  }

  /** Takes the first request that may be sent now out of the queue, and puts its project behind the others. */
  #takeNext(now: number): WaitingRequest | undefined {
    for (const [project, all] of this.#waiting) {
      const found = all.find((one) => this.#nextAt(one, one.deadline, now) <= now);
      if (!found) continue;
      this.#waiting.delete(project);
      this.#waiting.set(project, all);
      this.#drop(project, [found]);
      return found;
    }
    return undefined;
  }

  #refuseLate(): void {
    for (const [project, all] of [...this.#waiting]) {
      const late = all.filter(({ deadline }) => deadline.leftMs() <= 0);
      if (late.length === 0) continue;
      this.#drop(project, late);
      for (const one of late) one.refuse(tooLate(one));
    }
  }

  #drop(project: string, dropped: readonly WaitingRequest[]): void {
    const left = (this.#waiting.get(project) ?? []).filter((one) => !dropped.includes(one));
    if (left.length > 0) this.#waiting.set(project, left);
    else this.#waiting.delete(project);
  }

  #nextAt({ route }: QueuedRequest, deadline: Deadline, now: number): number {
    const { until } = this.#cooldown;
    // A request whose deadline comes before the end of the cooldown is sent all the same.
    const resumesAt = until - now < deadline.leftMs() ? until : now;
    return Math.max(resumesAt, this.#account.nextAt(now), this.#route(route).nextAt(now));
  }

  #sent({ route }: QueuedRequest, now: number): void {
    this.#cooldown.sent(now);
    this.#account.sent(now);
    this.#route(route).sent(now);
  }

  #route(route: string): SlidingWindow {
    const known = this.#routes.get(route) ?? new SlidingWindow(ROUTE_REQUESTS_PER_SECOND, 1000);
    this.#routes.set(route, known);
    return known;
  }
}

const tooLate = ({ route }: QueuedRequest): DeadlineExceeded =>
  new DeadlineExceeded(
    `${route}: the rate limit leaves no time for this request (compute:requestsPerMinute); nothing was sent`,
  );
