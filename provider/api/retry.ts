// Which requests may be sent again, and when: pure, so that the table can be tested as a table.

/** Why there is no result. */
export type Failure =
  /** The service, or something in front of it, answered with a status that is no success. */
  | { kind: "status"; status: number; message: string; retryAfterMs?: number }
  /** No connection came about, so nothing was sent. */
  | { kind: "unsent" }
  /** The other side can't prove who it is: nothing was sent either. */
  | { kind: "untrusted" }
  /** The connection was cut or the time was up after the request had begun. */
  | { kind: "cut" }
  /** A success that can't be read. */
  | { kind: "unreadable" };

/** Milliseconds: no pause is shorter, whatever `Retry-After` says, so a busy service is never hammered. */
export const FIRST_MS = 500;
/** Milliseconds: the backoff grows no further; `Retry-After` may ask for more. */
export const CAP_MS = 10_000;
/** A service that keeps answering something else than its API (a login page) won't get better with time. */
export const UNREADABLE_ANSWERS = 3;

/** The statuses that say that nothing was done: POST, PATCH and DELETE may follow once more. */
const DID_NO_WORK = new Set([423, 429, 503]);

export const isMutation = (method: string): boolean => method !== "GET";

/** A new branch refuses computes for some seconds. The text is no contract; without it a 422 is final. */
export function isBranchNotReady(status: number, message: string): boolean {
  return status === 422 && /branch\b.*\bnot (yet )?ready/i.test(message);
}

/** Whether a mutation that failed so may have done its work all the same. */
export function isUnclear(method: string, failure: Failure): boolean {
  if (!isMutation(method) || failure.kind === "unsent" || failure.kind === "untrusted") return false;
  if (failure.kind !== "status") return true;
  return failure.status === 408 || (failure.status >= 500 && failure.status !== 503);
}

/** @param unreadable how many answers of this call could not be read, this one included */
export function mayRepeat(method: string, failure: Failure, unreadable = 0): boolean {
  switch (failure.kind) {
    case "unsent":
      return true;
    case "untrusted":
      return false;
    case "cut":
      return !isMutation(method);
    case "unreadable":
      return !isMutation(method) && unreadable < UNREADABLE_ANSWERS;
    case "status":
      if (DID_NO_WORK.has(failure.status) || isBranchNotReady(failure.status, failure.message)) return true;
      // 501: there is no such route, and none will be.
      return !isMutation(method) && (failure.status === 408 || (failure.status >= 500 && failure.status !== 501));
  }
}

export interface Pause {
  /** How often this call has failed before: 0 for the first time. */
  count: number;
  /** Milliseconds that have to pass at least, from `Retry-After`. */
  floorMs?: number;
  /** Milliseconds until the deadline. */
  leftMs: number;
  random: () => number;
}

/**
 * Milliseconds to wait before the next try; undefined when there is no time for one. Full jitter over 0.5 s to a bound
 * that doubles from 1 s to 10 s: many clients that met one lock must not meet again. Cut so that a last try fits in
 * before the deadline, but a floor is never cut: what does not fit is not tried.
 */
export function pauseBefore({ count, floorMs = 0, leftMs, random }: Pause): number | undefined {
  const bound = Math.min(CAP_MS, FIRST_MS * 2 ** (count + 1));
  const jittered = FIRST_MS + random() * (bound - FIRST_MS);
  const pause = Math.max(floorMs, FIRST_MS, Math.min(jittered, leftMs - FIRST_MS));
  return pause < leftMs ? pause : undefined;
}
