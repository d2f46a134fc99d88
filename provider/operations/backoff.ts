/** The shortest pause between two polls, in milliseconds. An operation of up to 3.5 s is noticed half a pause late on average. */
const SHORTEST_PAUSE_MS = 350;
/** The longest pause between two polls, as the service advises. It grows only if many projects wait at once. */
const LONGEST_PAUSE_MS = 5_000;
/** A pause is a tenth of the time since the work began, so the work's end is noticed 5 % of its duration late on average. */
const PART_OF_AGE = 0.1;
/** A pause varies by up to 20 % either way, so that many programs do not poll together. */
const JITTER = 0.2;
/** The shortest time between two polls of one project, over all its waiters. */
export const TICK_MS = SHORTEST_PAUSE_MS * (1 - JITTER);
/** A poll comes up to 5 % later than the estimate… */
const LATE_BY = 0.05;
/** …and at least 30 ms later: a poll just before the end is wasted. */
const LATE_BY_MS = 30;
/** The earliest first poll, in milliseconds after the work began. */
const SHORTEST_FIRST_PAUSE_MS = 200;
/**
 * With `pollsOften`, the poller uses the shortest pauses for this long: from the start, or from the expected end. Several stacks
 * may wait for one lock, and the first to see its end gets it.
 */
const OFTEN_MS = 6_000;

// Even pause: the pause at which all projects that wait together use exactly the budget (`poll-budget.ts`, which also slows polls
// down). If many projects wait, the constants below keep the polls within the budget of a minute. The first polls still come early,
// because most operations take seconds. The constants were chosen with the simulation in `test/provider/operations/poll-pace.test.ts`:
// up to 50 projects poll 350 times in any minute at most, and fewer than eight poll as often as one. After a failure that the service
// may retry, `tracked-operation.ts` sets the pause.
/** A project polls early in its first minute… */
const FIRST_MINUTE_MS = 60_000;
/** …so the later pauses of that minute are longer than the even pause. */
const IN_FIRST_MINUTE = 1.5;
/** Then they are little longer than the even pause: polls that find the end of many operations at once need room. */
const AFTER_FIRST_MINUTE = 1.2;
/**
 * If the even pause is 4.3 s (25 projects), each pause equals the age of the work, so the age doubles between polls. The factor
 * grows with the square of the even pause.
 */
const EVEN_PAUSE_TO_DOUBLE_MS = 4_300;
/** Milliseconds that count as the age of work that has just begun. */
const YOUNGEST_MS = 250;

export interface PollBackoffOptions {
  /** Milliseconds that work of this kind has taken before. */
  expectedMs?: number;
  /** One pause for all polls, without jitter (`compute:pollSeconds`). */
  fixedMs?: number;
  /**
   * Whether to poll with the shortest pauses for `OFTEN_MS`: from the start, or from the expected end if there is an estimate.
   */
  pollsOften?: boolean;
}

/** The inputs of a pause that come from outside this wait. */
export interface PauseConditions {
  now: number;
  /** Milliseconds between two polls of one project if all projects that wait shared the budget evenly. */
  evenPauseMs: number;
  /** In [0, 1), for jitter. All waits of one project get the same. */
  random: number;
}

/** The pauses between polls: up to the expected end, if there is an estimate, and else growing with the age of the work. */
export class PollBackoff {
  #expectedMs: number | undefined;
  #oftenMs: number;
  readonly #fixedMs: number | undefined;

  constructor(
    private since: number,
    { expectedMs, fixedMs, pollsOften = false }: PollBackoffOptions = {},
  ) {
    this.#fixedMs = fixedMs;
    this.#oftenMs = pollsOften ? OFTEN_MS : 0;
    this.#expectedMs = expectedMs;
  }

  /** The moment of the poll that should find the work done; undefined without an estimate. */
  get expectedAt(): number | undefined {
    if (this.#expectedMs === undefined) return undefined;
    return this.since + Math.max(SHORTEST_FIRST_PAUSE_MS, this.#expectedMs) + LATE_BY_MS;
  }

  /** Sets the estimated duration during the wait. */
  expect(expectedMs: number): void {
    this.#expectedMs = expectedMs;
  }

  /** Restarts the pauses after the service retries the operation. The age counts from now, and the estimate is dropped. */
  restart(now: number): void {
    this.since = now;
    this.#expectedMs = undefined;
    this.#oftenMs = 0;
  }

  /** Milliseconds until the next poll. */
  next({ now, evenPauseMs, random }: PauseConditions): number {
    if (this.#fixedMs !== undefined) return this.#fixedMs;
    const ageMs = now - this.since;
    const shared = sharedPause(ageMs, evenPauseMs);
    const untilExpectedMs = (this.expectedAt ?? now) - now;
    if (untilExpectedMs > 0) {
      return Math.min(untilExpectedMs, Math.max(LONGEST_PAUSE_MS, shared)) * (1 + LATE_BY * random);
    }
    if (now - (this.expectedAt ?? this.since) < this.#oftenMs) {
      return Math.max(TICK_MS, shared) * (1 + LATE_BY * random);
    }
    const own = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, PART_OF_AGE * ageMs));
    return Math.max(own, shared) * (1 - JITTER + 2 * JITTER * random);
  }
}

/** The shortest pause that leaves the other projects their share. */
function sharedPause(ageMs: number, evenPauseMs: number): number {
  const growth = (evenPauseMs / EVEN_PAUSE_TO_DOUBLE_MS) ** 2;
  const longest = evenPauseMs * (ageMs < FIRST_MINUTE_MS ? IN_FIRST_MINUTE : AFTER_FIRST_MINUTE);
  return Math.min(longest, growth * Math.max(ageMs, YOUNGEST_MS));
}
