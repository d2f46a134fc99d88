import { ANSWER_AFTER_CANCEL_MS, type Cancellation } from "../cancellation.js";
import { Deadline, formatDuration, nextTry } from "../clock.js";
import { Cancelled, DeadlineExceeded, isKind, Stopped, UnknownOutcome } from "../errors.js";
import { ProgressReporter } from "../progress.js";
import { type ApiRequest, type ExchangeOptions, exchange, hostOf } from "./exchange.js";
import { FirstContact } from "./first-contact.js";
import { RateLimiter } from "./rate-limit.js";
import type { Redactor } from "./redact.js";
import { FIRST_MS, isMutation, mayRepeat, pauseBefore, type RequestFailure } from "./retry.js";

/**
 * The shortest response timeout of a request, even close to the deadline. After the deadline only one GET is sent: it may show
 * that the work has ended.
 */
export const LAST_REQUEST_MS = 10_000;

/**
 * The calls that waited for one lock are sent within this time. A longer time would miss the half second in which the stack that
 * held the lock pauses (`PAUSE_MS` in `operations/fair-share.ts`).
 */
const SPREAD_MS = 100;

export interface Call<T> extends ApiRequest<T> {
  project: string;
  /** Name of the route, the same for all ids. The service counts requests per route. */
  route: string;
  /** The compute, or the branch, that a mutation is about. */
  subject?: string;
  /** Called after a 423. If it returns true, the request is no longer needed and the 423 is thrown at once. */
  checkNeedless?: () => Promise<boolean>;
}

export interface CallerOptions extends ExchangeOptions {
  requestsPerMinute?: number;
  requestTimeoutMs: number;
  log: (line: string) => void;
  cancellation: Cancellation;
  /** Called after a 423. Waits for the running operation, at most 30 s, and returns its name; undefined if it did not wait. */
  onLocked: (project: string, subject: string, deadline: Deadline) => Promise<string | undefined>;
}

/** Sends one request, and repeats it until the deadline where `retry.ts` allows that. */
export class Caller {
  // Private in the language, not only to the compiler: printing the object must not print the key.
  readonly #options: CallerOptions;
  readonly #rate: RateLimiter;
  readonly #firstContact = new FirstContact();

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#rate = new RateLimiter(options.clock, options.requestsPerMinute);
  }

  /**
   * A GET is tried at least once; a mutation is never sent after the deadline or a cancel.
   * @throws the error of the last try. Cancelled at a cancel. UnknownOutcome if a cancel finds a mutation in flight, and no
   *   answer comes soon after
   */
  async call<T>(call: Call<T>, deadline: Deadline): Promise<{ status: number; value: T }> {
    const { clock, requestTimeoutMs, baseUrl, log } = this.#options;
    const progress = new ProgressReporter(clock, log);
    let last: Error | undefined;
    let lockHolder: string | undefined;
    let unreadable = 0;
    // `count` is for the backoff, and starts anew after a wait for a lock. `tries` is for the message.
    for (let count = 0, tries = 1; ; count++, tries++) {
      await this.#admit(call, deadline, last);
      const timeoutMs = Math.min(requestTimeoutMs, Math.max(deadline.leftMs(), LAST_REQUEST_MS));
      const result = await this.#exchange(call, deadline, timeoutMs, last);
      if (result.ok) {
        this.#firstContact.answered();
        this.#rate.served();
        return result;
      }
      const { failure, error } = result;
      const contactLeftMs = this.#firstContact.leftMs(failure, clock.now());
      if (failure.kind === "status" && failure.status === 429) this.#rate.refused(failure.retryAfterMs);
      else this.#rate.served();
      if (failure.kind === "unreadable") unreadable++;
      // Without the number of tries, for the progress line. `reason` has it, for the error.
      const { message } = error;
      last = withAttempts(error, tries, progress.elapsedMs(), failure, lockHolder);
      const reason = last.message;
      const isUnsent = failure.kind === "unsent" || failure.kind === "untrusted";
      if (isUnsent) last.message += `. ${this.#checkUrl}`;
      if (!mayRepeat(call.method, failure, unreadable)) throw last;
      if (contactLeftMs === 0) {
        // If nothing was sent, `reason` names the host and says so already.
        const where = isUnsent ? "there" : `${hostOf(baseUrl)}. Nothing was changed`;
        throw new Stopped(
          `${reason}. No answer has ever come from ${where}. ${this.#checkUrl}, and whether it can be reached`,
        );
      }
      const pause = await this.#pause(call, failure, count, deadline);
      if (pause === undefined) throw withRetryAfter(last, failure, deadline);
      if (pause.lockHolder) count = -1;
      lockHolder = pause.lockHolder ?? lockHolder;
      progress.report(() => `${message}; ${nextTry(pause.ms, Math.min(deadline.leftMs(), contactLeftMs))}`);
      await this.#unlessCancelled(call, deadline.graceMs, last, () => clock.sleep(pause.ms));
    }
  }

  get #checkUrl(): string {
    const { urlSource } = this.#options;
    return `Check the service's URL${urlSource === undefined ? "" : `, from ${urlSource}`}`;
  }

  get redactor(): Redactor {
    return this.#options.redactor;
  }

  /** Waits until the rate allows the request. Throws when no time is left for it. */
  async #admit(call: Call<unknown>, deadline: Deadline, last: Error | undefined): Promise<void> {
    if (isMutation(call.method) && deadline.leftMs() <= 0) {
      throw (
        last ?? new DeadlineExceeded(`${call.method} ${call.path}: the deadline has passed; the request was not sent`)
      );
    }
    try {
      // A GET right before or after the deadline is a last look. It is sent once, so it may wait for the rate as well.
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
    if (this.#options.cancellation.requested) throw cancelledBefore(call, last);
    // After a cancel, the answer to a mutation that was sent is worth a short wait: what the mutation did must be known.
    return this.#options.cancellation.runUntilCancelled(ANSWER_AFTER_CANCEL_MS, send).catch((error: unknown) => {
      throw isKind(error, "cancelled")
        ? new UnknownOutcome({ method, path }, "interrupted before the answer came")
        : error;
    });
  }

  #unlessCancelled<T>(
    call: Call<unknown>,
    graceMs: number,
    last: Error | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#options.cancellation.runUntilCancelled(graceMs, work).catch((error: unknown) => {
      throw isKind(error, "cancelled") ? cancelledBefore(call, last) : error;
    });
  }

  async #pause(
    call: Call<unknown>,
    failure: RequestFailure,
    count: number,
    deadline: Deadline,
  ): Promise<{ ms: number; lockHolder?: string } | undefined> {
    const { clock } = this.#options;
    const retryAfter = failure.kind === "status" ? (failure.retryAfterMs ?? 0) : 0;
    // The call ends if its time is up, or if the service asks for a longer pause than the time that is left.
    if (retryAfter >= Math.max(0, deadline.leftMs())) return undefined;
    const answeredAt = clock.now();
    let lockHolder: string | undefined;
    // A 423 to a GET is only repeated: the wait for a lock sends GETs itself, and would wait for itself.
    if (failure.kind === "status" && failure.status === 423 && call.subject !== undefined) {
      // If the check fails, the request is repeated.
      if (await call.checkNeedless?.().catch(() => false)) return undefined;
      lockHolder = await this.#options.onLocked(call.project, call.subject, deadline);
    }
    const sinceMs = clock.now() - answeredAt;
    const floorMs = Math.max(0, retryAfter - sinceMs);
    // The wait for the lock is over (after 30 s the operation may still run). All calls that waited for it would be sent at once: a
    // short random pause spreads them.
    if (lockHolder !== undefined) {
      const ms = Math.max(floorMs, clock.random() * SPREAD_MS, FIRST_MS - sinceMs);
      return ms < deadline.leftMs() ? { ms, lockHolder } : undefined;
    }
    const ms = pauseBefore({ count, floorMs, leftMs: deadline.leftMs(), random: () => clock.random() });
    return ms === undefined ? undefined : { ms };
  }
}

/** Adds the requested pause to the error message if it is longer than the time left. */
function withRetryAfter(error: Error, failure: RequestFailure, deadline: Deadline): Error {
  const asked = (failure.kind === "status" && failure.retryAfterMs) || 0;
  const left = Math.max(0, deadline.leftMs());
  if (asked > 0 && asked >= left) {
    error.message += `; the service asks for a pause of ${formatDuration(asked)} (Retry-After), and only ${formatDuration(left)} of this step are left. Run the command again after the pause, or set customTimeouts`;
  }
  return error;
}

/** @param last why the request had to be sent again */
function cancelledBefore({ method, path }: Call<unknown>, last: Error | undefined): Cancelled {
  if (last) return new Cancelled(`interrupted: ${last.message}; it was not sent again`);
  return new Cancelled(`interrupted before ${method} ${path} was ${isMutation(method) ? "sent" : "answered"}`);
}

/** Adds how often and how long it was tried: "the service answered 423" reads differently after ten minutes than at once. */
function withAttempts(
  error: Error,
  tries: number,
  passedMs: number,
  failure: RequestFailure,
  lockHolder: string | undefined,
): Error {
  if (tries > 1) error.message += `; tried ${tries} times in ${formatDuration(passedMs)}`;
  const locked = failure.kind === "status" && failure.status === 423;
  if (locked && lockHolder) error.message += `; the project was busy with ${lockHolder}`;
  return error;
}
