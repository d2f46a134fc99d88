import type { Clock } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import { outcomeOf } from "./outcome.js";

/** A `failed` operation is final after this many further polls without a change… */
const GRACE_POLLS = 2;
/** …and not before this many milliseconds: the service shows a retry only after a moment. */
const GRACE_MS = 1_500;
/** Milliseconds between these polls: two of them end the wait within two seconds. */
const GRACE_PAUSE_MS = 800;
/** If the service gives a retry time, wait this much longer: it rounds times to seconds, and shows a retry only after a moment. */
const RETRY_GRACE_MS = 4_000;
/** An operation has vanished after this many polls that did not find it… */
const MISSING_POLLS = 4;
/** …and this many milliseconds: where several servers answer, a record may appear late. */
const MISSING_MS = 10_000;

export type WaitState = "pending" | "done" | "failed" | "vanished";

/** A failure that a poll showed, and when it becomes final. */
interface OperationFailure {
  /** The moment at which the service tries again, or the moment of the poll that first showed the failure. */
  dueAt: number;
  graceMs: number;
  /** Polls since then that showed no change. */
  polls: number;
}

/** The state of an awaited operation, from its polls. */
export class TrackedOperation {
  readonly since: number;
  #failure: OperationFailure | undefined;
  #missingSince: number | undefined;
  #missingPolls = 0;
  state: WaitState = "pending";

  /** @param operation the operation as it is in the response to the change */
  constructor(
    public operation: WireOperation,
    private readonly clock: Clock,
  ) {
    this.since = clock.now();
    this.#judge(operation);
  }

  /** @returns whether the work begins anew: the service tries it again, or may do so soon */
  observe(operation: WireOperation): boolean {
    const isRetried =
      operation.failures_count !== this.operation.failures_count || operation.retry_at !== this.operation.retry_at;
    const hadFailed = this.#failure !== undefined;
    if (isRetried) this.#failure = undefined;
    else if (this.#failure && this.clock.now() >= this.#failure.dueAt) this.#failure.polls++;
    this.#missingSince = undefined;
    this.#judge(operation);
    this.operation = operation;
    return isRetried || hadFailed !== (this.#failure !== undefined);
  }

  observeMissing(): void {
    const now = this.clock.now();
    if (this.#missingSince === undefined) {
      this.#missingSince = now;
      this.#missingPolls = 0;
    }
    this.#missingPolls++;
    if (this.#missingPolls >= MISSING_POLLS && now - this.#missingSince >= MISSING_MS) this.state = "vanished";
  }

  /** The pause until the next poll. @param planned the pause of the normal backoff */
  pauseMs(planned: number): number {
    if (this.state !== "pending" || this.#failure === undefined) return planned;
    const untilDueMs = this.#failure.dueAt - this.clock.now();
    return untilDueMs > 0 ? Math.min(planned, untilDueMs) : GRACE_PAUSE_MS;
  }

  #judge(operation: WireOperation): void {
    const outcome = outcomeOf(operation.status);
    if (outcome !== "may-retry") {
      this.#failure = undefined;
      this.state = outcome;
      return;
    }
    const now = this.clock.now();
    const retryMs = this.#untilRetryMs(operation);
    this.#failure ??= { dueAt: now + retryMs, graceMs: retryMs > 0 ? RETRY_GRACE_MS : GRACE_MS, polls: 0 };
    const { dueAt, graceMs, polls } = this.#failure;
    this.state = polls >= GRACE_POLLS && now - dueAt >= graceMs ? "failed" : "pending";
  }

  /**
   * Milliseconds until the service retries; 0 if it gives no retry time. `retry_at` may also be the time of the last try.
   * `updated_at` is by the same clock: ours may be wrong.
   */
  #untilRetryMs({ retry_at, updated_at }: WireOperation): number {
    const retryAt = Date.parse(retry_at ?? "");
    const failedAt = Date.parse(updated_at ?? "");
    const ms = retryAt - (Number.isNaN(failedAt) ? this.clock.wall() : failedAt);
    return Number.isNaN(ms) ? 0 : Math.max(0, ms);
  }
}
