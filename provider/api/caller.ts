import { ANSWER_MS, type Cancellation } from "../cancellation.js";
import { Deadline, duration } from "../clock.js";
import { Cancelled, DeadlineExceeded, isKind, Stopped, Unclear } from "../errors.js";
import { exchange, hostOf, type Question, type Wire } from "./exchange.js";
import { Patience } from "./patience.js";
import { Rate } from "./rate.js";
import { Reach } from "./reach.js";
import type { Redactor } from "./redact.js";
import { type Failure, FIRST_MS, isMutation, mayRepeat, pauseBefore } from "./retry.js";

/** Milliseconds that a request may wait and take although the deadline is nearer: a last look is worth its answer. */
export const LAST_REQUEST_MS = 10_000;

/** Milliseconds in which those try again who have waited for the same lock: with more, whoever held it would always be first. */
const PART_MS = 100;

export interface Call<T> extends Question<T> {
  project: string;
  /** Name of the route, the same for all ids: the service counts requests per route. */
  route: string;
  /** Of a mutation: the compute, or the branch, that it is about. */
  subject?: string;
  /** After a 423: whether the request has become needless. Then the 423 is thrown at once. */
  needless?: () => Promise<boolean>;
}

export interface CallerOptions extends Wire {
  requestsPerMinute?: number;
  requestTimeoutMs: number;
  say: (line: string) => void;
  cancellation: Cancellation;
  /** After a 423: waits for what holds the lock, and tells what that was; undefined when it waited for nothing. */
  onLocked: (project: string, subject: string, deadline: Deadline) => Promise<string | undefined>;
}

/** Sends one request, and again what may be repeated, until the deadline. */
export class Caller {
  // Private in the language, not only to the compiler: printing the object must not print the key.
  readonly #options: CallerOptions;
  readonly #rate: Rate;
  readonly #reach = new Reach();

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#rate = new Rate(options.clock, options.requestsPerMinute);
  }

  /**
   * @throws the error of the last try; a GET is tried at least once, a mutation never after the deadline. Cancelled at a
   *   cancel, when no mutation starts any more; Unclear where one that was on its way gets no answer soon
   */
  async call<T>(call: Call<T>, deadline: Deadline): Promise<{ status: number; value: T }> {
    const { clock, requestTimeoutMs, baseUrl, say } = this.#options;
    const patience = new Patience(clock, say);
    let last: Error | undefined;
    let holder: string | undefined;
    let unreadable = 0;
    // `count` is for the backoff: it starts anew when a lock was waited for. `tries` is for the message.
    for (let count = 0, tries = 1; ; count++, tries++) {
      await this.#admit(call, deadline, last);
      const timeoutMs = Math.min(requestTimeoutMs, Math.max(deadline.leftMs(), LAST_REQUEST_MS));
      const result = await this.#exchange(call, deadline, timeoutMs, last);
      if (result.ok) {
        this.#reach.answered();
        this.#rate.served();
        return result;
      }
      const { failure, error } = result;
      const silent = this.#reach.failed(failure, clock.now());
      if (failure.kind === "status" && failure.status === 429) this.#rate.refused(failure.retryAfterMs);
      else this.#rate.served();
      if (failure.kind === "unreadable") unreadable++;
      const plain = error.message;
      last = tired(error, tries, patience.passedMs(), failure, holder);
      if (!mayRepeat(call.method, failure, unreadable)) throw last;
      if (silent) {
        const said = `no answer has ever come from ${hostOf(baseUrl)}: ${last.message}`;
        throw new Stopped(`${said}. Nothing was changed. Check the service's URL, and whether it can be reached`);
      }
      const pause = await this.#pause(call, failure, count, deadline);
      if (pause === undefined) throw patient(last, failure, deadline);
      if (pause.waitedFor) count = -1;
      holder = pause.waitedFor ?? holder;
      patience.tell((passed) => `${plain}; trying again (${duration(passed)}; at most ${duration(deadline.budgetMs)})`);
      await this.#unlessCancelled(call, deadline.graceMs, last, () => clock.sleep(pause.ms));
    }
  }

  get redactor(): Redactor {
    return this.#options.redactor;
  }

  /** Waits for the rate; throws when there is no time left to send it. */
  async #admit(call: Call<unknown>, deadline: Deadline, last: Error | undefined): Promise<void> {
    if (isMutation(call.method) && deadline.leftMs() <= 0) {
      throw last ?? new DeadlineExceeded(`${call.method} ${call.path}: the time of the step is up; it was not sent`);
    }
    try {
      const isLastLook = !last && !isMutation(call.method) && deadline.leftMs() < LAST_REQUEST_MS;
      const limit = isLastLook ? new Deadline(this.#options.clock, LAST_REQUEST_MS) : deadline;
      await this.#unlessCancelled(call, deadline.graceMs, last, (signal) => this.#rate.take(call, limit, signal));
    } catch (error) {
      throw isKind(error, "deadline") ? (last ?? error) : error;
    }
  }

  async #exchange<T>(call: Call<T>, deadline: Deadline, timeoutMs: number, last: Error | undefined) {
    const { method, path } = call;
    const send = (signal: AbortSignal) => exchange(this.#options, call, timeoutMs, signal);
    if (!isMutation(method)) return this.#unlessCancelled(call, deadline.graceMs, last, send);
    if (this.#options.cancellation.requested) throw interrupted(call, last);
    // What it did must be known: its answer is worth a short wait.
    return this.#options.cancellation.limit(ANSWER_MS, send).catch((error: unknown) => {
      throw isKind(error, "cancelled") ? new Unclear({ method, path }, "interrupted before the answer came") : error;
    });
  }

  #unlessCancelled<T>(
    call: Call<unknown>,
    graceMs: number,
    last: Error | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#options.cancellation.limit(graceMs, work).catch((error: unknown) => {
      throw isKind(error, "cancelled") ? interrupted(call, last) : error;
    });
  }

  async #pause(
    call: Call<unknown>,
    failure: Failure,
    count: number,
    deadline: Deadline,
  ): Promise<{ ms: number; waitedFor?: string } | undefined> {
    const { clock } = this.#options;
    const retryAfter = failure.kind === "status" ? (failure.retryAfterMs ?? 0) : 0;
    if (retryAfter >= Math.max(0, deadline.leftMs())) return undefined;
    const answeredAt = clock.now();
    let waitedFor: string | undefined;
    // A look at the operations that meets a 423 must not wait for such looks: it would wait for itself.
    if (failure.kind === "status" && failure.status === 423 && isMutation(call.method)) {
      // A failed question is no answer: the request is repeated as if nobody had asked.
      if (await call.needless?.().catch(() => false)) return undefined;
      waitedFor = await this.#options.onLocked(call.project, call.subject ?? "", deadline);
    }
    const sinceMs = clock.now() - answeredAt;
    const floorMs = Math.max(0, retryAfter - sinceMs);
    // What held the lock has ended: a short pause is enough to part those who waited for the same.
    if (waitedFor !== undefined) {
      const ms = Math.max(floorMs, clock.random() * PART_MS, FIRST_MS - sinceMs);
      return ms < deadline.leftMs() ? { ms, waitedFor } : undefined;
    }
    const ms = pauseBefore({ count, floorMs, leftMs: deadline.leftMs(), random: () => clock.random() });
    return ms === undefined ? undefined : { ms };
  }
}

/** The error of a request that is not sent again; where the service asks for a longer pause than there is time, with that. */
function patient(error: Error, failure: Failure, deadline: Deadline): Error {
  const asked = (failure.kind === "status" && failure.retryAfterMs) || 0;
  const left = Math.max(0, deadline.leftMs());
  if (asked > 0 && asked >= left) {
    error.message += `; the service asks for a pause of ${duration(asked)} (Retry-After), and only ${duration(left)} of this step are left. Run the command again after the pause, or give the step more time`;
  }
  return error;
}

/** @param last why the request had to be sent again */
function interrupted({ method, path }: Call<unknown>, last: Error | undefined): Cancelled {
  if (last) return new Cancelled(`interrupted: ${last.message}; it was not sent again`);
  return new Cancelled(`interrupted before ${method} ${path} was ${isMutation(method) ? "sent" : "answered"}`);
}

/** The error with how long it was tried: "the service answered 423" after ten minutes reads differently than at once. */
function tired(error: Error, tries: number, passedMs: number, failure: Failure, holder: string | undefined): Error {
  if (tries > 1) error.message += `; tried ${tries} times in ${duration(passedMs)}`;
  const locked = failure.kind === "status" && failure.status === 423;
  if (locked && holder) error.message += `; the project was busy with ${holder}`;
  return error;
}
