import type { Clock, Deadline } from "../clock.js";
import { DeadlineExceeded } from "../errors.js";
import { Refusals } from "./refusals.js";

/** Requests a minute that one account may send, as the service publishes it. */
export const REQUESTS_PER_MINUTE = 700;
/** Requests a second that one route may get. */
export const ROUTE_REQUESTS_PER_SECOND = 40;

/** Milliseconds by which a window is longer than the service's: requests don't all travel for equally long. */
const TRAVEL_MS = 100;
/** Part of a minute's requests that may be sent at once: most runs need no more. The rest follows evenly, so a long one halts late. */
const BURST = 0.7;

/** The moments of the newest requests: within the length of the window never more than `most`. */
class Window {
  readonly #most: number;
  readonly #burst: number;
  readonly #lengthMs: number;
  readonly #times: number[] = [];

  /** @param burst how many may follow each other without a pause */
  constructor(most: number, serviceMs: number, burst = most) {
    this.#most = Math.max(1, most);
    this.#burst = Math.max(1, Math.floor(burst));
    this.#lengthMs = serviceMs + TRAVEL_MS;
  }

  /** The moment from which one more may be sent. */
  nextAt(now: number): number {
    const last = this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
    const ofBurst = this.#times.at(-this.#burst) ?? Number.NEGATIVE_INFINITY;
    const ofAll = this.#times.at(-this.#most) ?? Number.NEGATIVE_INFINITY;
    const evenly = ofBurst + this.#lengthMs > now ? last + this.#lengthMs / this.#most : now;
    return Math.max(now, evenly, ofAll + this.#lengthMs);
  }

  sent(now: number): void {
    this.#times.push(now);
    if (this.#times.length > this.#most) this.#times.shift();
  }
}

/** Who asks to send a request. */
export interface Sender {
  project: string;
  /** Name of the route, the same for all ids. */
  route: string;
}

interface Waiting extends Sender {
  deadline: Deadline;
  admit: () => void;
  refuse: (error: Error) => void;
}

/**
 * Keeps all requests of the process within the account's and each route's rate. Where they have to wait, projects take
 * turns: many reads of one don't hold up a change in another. A 429 halts all of them.
 */
export class Rate {
  readonly #clock: Clock;
  readonly #account: Window;
  readonly #routes = new Map<string, Window>();
  readonly #refusals = new Refusals();
  /** In the order in which the projects come next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #running = false;
  /** Ends the pause until somebody may send: a newcomer may be earlier. */
  #wake = () => {};

  constructor(clock: Clock, requestsPerMinute = REQUESTS_PER_MINUTE) {
    this.#clock = clock;
    this.#account = new Window(requestsPerMinute, 60_000, requestsPerMinute * BURST);
  }

  /**
   * Resolves when one request may be sent, first come first served within a project.
   * @param signal takes the request out of the queue
   * @throws DeadlineExceeded when no moment before the deadline was free, and at once where none can be
   */
  async take(sender: Sender, deadline: Deadline, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const pause = this.#nextAt(sender, deadline, now) - now;
    // Without a pause there is nothing to refuse: also the last look after a deadline may be sent.
    if (pause === 0 && this.#waiting.size === 0) return this.#sent(sender, now);
    if (pause >= deadline.leftMs()) throw tooLate(sender);
    await new Promise<void>((admit, refuse) => {
      const queue = this.#waiting.get(sender.project) ?? [];
      const one: Waiting = { ...sender, deadline, admit, refuse };
      queue.push(one);
      this.#waiting.set(sender.project, queue);
      signal?.addEventListener("abort", () => {
        this.#drop(sender.project, [one]);
        refuse(signal.reason);
      });
      if (this.#running) this.#wake();
      else void this.#run();
    });
  }

  /** A request had an answer that is no 429, or none. */
  served(): void {
    if (this.#refusals.served()) this.#wake();
  }

  /** A request was answered with 429. */
  refused(retryAfterMs?: number): void {
    this.#refusals.refused(this.#clock.now(), retryAfterMs);
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      const now = this.#clock.now();
      this.#refuseLate();
      const next = this.#next(now);
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
    this.#running = false;
  }

  /** Takes the first one that may be sent now out of the queue, and puts its project behind the others. */
  #next(now: number): Waiting | undefined {
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

  #drop(project: string, gone: readonly Waiting[]): void {
    const left = (this.#waiting.get(project) ?? []).filter((one) => !gone.includes(one));
    if (left.length > 0) this.#waiting.set(project, left);
    else this.#waiting.delete(project);
  }

  #nextAt({ route }: Sender, deadline: Deadline, now: number): number {
    const { until } = this.#refusals;
    // Who has not that much time left tries all the same.
    const halted = until - now < deadline.leftMs() ? until : now;
    return Math.max(halted, this.#account.nextAt(now), this.#route(route).nextAt(now));
  }

  #sent({ route }: Sender, now: number): void {
    this.#refusals.sent(now);
    this.#account.sent(now);
    this.#route(route).sent(now);
  }

  #route(route: string): Window {
    const known = this.#routes.get(route) ?? new Window(ROUTE_REQUESTS_PER_SECOND, 1000);
    this.#routes.set(route, known);
    return known;
  }
}

const tooLate = ({ route }: Sender): DeadlineExceeded =>
  new DeadlineExceeded(
    `${route}: no time is left for it within the rate limit (compute:requestsPerMinute); nothing was sent`,
  );
