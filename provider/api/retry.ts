// Which requests may be sent again, and when. The functions are pure, so that tests can be tables.

/** Why a request has no result. */
export type RequestFailure =
  /** The service, or a proxy in front of it, answered with an error status. */
  | { kind: "status"; status: number; message: string; retryAfterMs?: number }
  /** There was no connection, so nothing was sent. */
  | { kind: "unsent" }
  /** The server's certificate is not valid, so nothing was sent. */
  | { kind: "untrusted" }
  /** After the request had begun, the connection was cut or the time was up. */
  | { kind: "cut" }
  /** A success that can't be read. */
  | { kind: "unreadable" };

/** Milliseconds. The shortest pause, also with a shorter `Retry-After`, so that a busy service is not flooded. */
export const FIRST_MS = 500;
/** Milliseconds. The backoff grows up to this; `Retry-After` may ask for more. */
const LONGEST_BACKOFF_MS = 10_000;
/** After this many unreadable answers (for example login pages), later ones will not be better. */
const UNREADABLE_ANSWERS = 3;

/** A service that answers with these has done nothing, so POST, PATCH and DELETE may be sent again. */
const DID_NO_WORK = new Set([423, 429, 503]);

export const isMutation = (method: string): boolean => method !== "GET";

/** A new branch refuses computes for some seconds. The service does not promise this text; any other 422 is final. */
export function isBranchNotReady(status: number, message: string): boolean {
  return status === 422 && /branch\b.*\bnot (yet )?ready/i.test(message);
}

/** Whether a mutation with this failure may have been applied all the same. */
export function hasUnknownOutcome(method: string, failure: RequestFailure): boolean {
  if (!isMutation(method) || failure.kind === "unsent" || failure.kind === "untrusted") return false;
  if (failure.kind !== "status") return true;
  return failure.status === 408 || (failure.status >= 500 && failure.status !== 503);
}

/** @param unreadable how many answers to this call could not be read, this one included */
export function mayRepeat(method: string, failure: RequestFailure, unreadable = 0): boolean {
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
      // 501 means that the service does not have the route, now or later.
      return !isMutation(method) && (failure.status === 408 || (failure.status >= 500 && failure.status !== 501));
  }
}

export interface Pause {
  /** Failures of this call before the present one, since its last wait for a lock. */
  count: number;
  /** Milliseconds that have to pass at least, from `Retry-After`. */
  floorMs?: number;
  /** Milliseconds until the deadline. */
  leftMs: number;
  random: () => number;
}

/**
 * Milliseconds to wait before the next try; undefined when there is no time for one. The pause is random between 0.5 s and a
 * bound that doubles from 1 s to 10 s: clients that waited for one lock must not all retry at once. It is shortened so that one
 * more try fits before the deadline. If even `floorMs` does not fit, there is no next try.
 */
export function pauseBefore({ count, floorMs = 0, leftMs, random }: Pause): number | undefined {
  const bound = Math.min(LONGEST_BACKOFF_MS, FIRST_MS * 2 ** (count + 1));
  const jittered = FIRST_MS + random() * (bound - FIRST_MS);
  const pause = Math.max(floorMs, FIRST_MS, Math.min(jittered, leftMs - FIRST_MS));
  return pause < leftMs ? pause : undefined;
}

/**
 * Milliseconds. A longer `Retry-After` can't be intended, and is ignored. A shorter one counts as follows:
 * - The refused request waits for the whole of it. If its deadline comes first, it fails at once.
 * - All other requests wait for at most 60 s after a 429 (`rate-limit.ts`): one of them then tests the limit.
 * - The last poll of an operation waits for it only if it ends at most 15 s after the deadline (`operations/poller.ts`).
 */
const IGNORED_RETRY_AFTER_MS = 3_600_000;

const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*";
/** All dates that HTTP allows begin with a weekday, the obsolete forms too. Date.parse takes "-5" and "2" for dates. */
const DATE = new RegExp(`^${WEEKDAY}\\b`, "i");
/**
 * One of several values that are joined by commas. A date holds a comma of its own: "Mon, 04 May 2026 …", or "May 4, 2026", which
 * HTTP does not allow.
 */
const VALUE = new RegExp(`\\s*(?:(?:${WEEKDAY}|[a-z]+ \\d+),)?[^,]+`, "gi");
const NUMBER = /^\d+(\.\d+)?$/;
/** The oldest form of a date names no time zone, and means GMT. */
const ZONED = /(GMT|UTC?|Z|[+-]\d{4})$/i;

/**
 * `Retry-After` in milliseconds from now; undefined when it is absent, can't be read, or can't be meant. It is never negative: 0
 * and a date that has passed ask for no pause, and the backoff's own lower bound still holds. Of several values the longest
 * counts: a pause must not be shorter than the service asked.
 */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  const pauses = (header?.match(VALUE) ?? [])
    .map((value) => pauseOf(value.trim(), wallMs))
    .filter((pause) => pause !== undefined && pause <= IGNORED_RETRY_AFTER_MS);
  return pauses.length > 0 ? Math.max(...(pauses as number[])) : undefined;
}

function pauseOf(value: string, wallMs: number): number | undefined {
  if (NUMBER.test(value)) return Number(value) * 1000;
  if (!DATE.test(value)) return undefined;
  const date = Date.parse(ZONED.test(value) ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - wallMs);
}
