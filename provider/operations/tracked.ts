import type { WireOperation } from "../wire/operation.js";
import { outcomeOf } from "./outcome.js";

/** Looks after which a `failed` that does not move is final… */
const GRACE_LOOKS = 2;
/** …and milliseconds: the service may pause before it tries again. */
const GRACE_MS = 5_000;
/** Looks that must find nothing before an operation counts as vanished… */
const MISSING_LOOKS = 4;
/** …and milliseconds: a record may appear late where several servers answer. */
const MISSING_MS = 10_000;

export type Verdict = "pending" | "done" | "failed" | "vanished";

/** One operation that is waited for, and what its looks come to. */
export class Tracked {
  #failedSince: number | undefined;
  #failedLooks = 0;
  #missingSince: number | undefined;
  #missingLooks = 0;
  verdict: Verdict = "pending";

  /** @param operation as the answer of the change showed it: no look yet */
  constructor(
    public operation: WireOperation,
    readonly since: number,
  ) {
    this.#judge(operation, since);
  }

  saw(operation: WireOperation, now: number): void {
    const moved =
      operation.failures_count !== this.operation.failures_count || operation.retry_at !== this.operation.retry_at;
    if (moved) this.#failedSince = undefined;
    else if (this.#failedSince !== undefined) this.#failedLooks++;
    this.#missingSince = undefined;
    this.#judge(operation, now);
    this.operation = operation;
  }

  missed(now: number): void {
    if (this.#missingSince === undefined) {
      this.#missingSince = now;
      this.#missingLooks = 0;
    }
    this.#missingLooks++;
    if (this.#missingLooks >= MISSING_LOOKS && now - this.#missingSince >= MISSING_MS) this.verdict = "vanished";
  }

  #judge(operation: WireOperation, now: number): void {
    const outcome = outcomeOf(operation.status);
    if (outcome !== "perhaps") {
      this.#failedSince = undefined;
      this.verdict = outcome;
      return;
    }
    if (this.#failedSince === undefined) {
      this.#failedSince = now;
      this.#failedLooks = 0;
    }
    const final = this.#failedLooks >= GRACE_LOOKS && now - this.#failedSince >= GRACE_MS;
    this.verdict = final ? "failed" : "pending";
  }
}
