/** Milliseconds before the first look at work of unknown length: a compute starts in less than a second. */
const FIRST_MS = 500;
/** Milliseconds before the first look at least, however short such work has been. */
const SOONEST_MS = 200;
/** Milliseconds between two looks at least. */
export const SHORTEST_MS = 400;
const GROWTH = 1.4;
/** Milliseconds between two looks at most, as the service advises for polling. */
const MOST_MS = 5_000;
/** Part of a step by which it varies either way, so that many programs don't look together. */
const SPREAD = 0.2;
/** Part of a step to the expected end by which it is longer, at most… */
const BEHIND = 0.05;
/** …and milliseconds by which it is longer at least: a look just before the end is in vain. */
const LEEWAY_MS = 30;
/** Part of the expected length after which to look again where the work is not over by then. */
const AGAIN = 0.15;

/** Milliseconds in which to look as often as is allowed, where others wait for the same end and are as quick. */
const CLOSE_MS = 6_000;

export interface PaceOptions {
  /** Milliseconds that such work has taken before. */
  expectedMs?: number;
  /** The same step always, without chance (`compute:pollSeconds`). */
  fixedMs?: number;
  /** Whether the first steps are the shortest. */
  closely?: boolean;
}

/** The steps between looks: to the expected end, if there is one, and then growing. */
export class Pace {
  /** Milliseconds until such work should be over. */
  #leftMs: number;
  #stepMs: number;
  #closeMs: number;
  readonly #fixedMs: number | undefined;

  constructor(
    private readonly random: () => number,
    { expectedMs, fixedMs, closely = false }: PaceOptions = {},
  ) {
    this.#fixedMs = fixedMs;
    this.#closeMs = closely ? CLOSE_MS : 0;
    this.#leftMs = expectedMs === undefined ? 0 : Math.max(SOONEST_MS, expectedMs) + LEEWAY_MS;
    this.#stepMs = expectedMs === undefined ? FIRST_MS : Math.min(MOST_MS, Math.max(SHORTEST_MS, expectedMs * AGAIN));
  }

  /** Milliseconds until the next look. */
  next(): number {
    if (this.#fixedMs !== undefined) return this.#fixedMs;
    if (this.#closeMs > 0) {
      this.#closeMs -= SHORTEST_MS;
      return SHORTEST_MS * (1 + BEHIND * this.random());
    }
    if (this.#leftMs > 0) {
      const step = Math.min(MOST_MS, this.#leftMs);
      this.#leftMs -= step;
      return step * (1 + BEHIND * this.random());
    }
    const step = this.#stepMs;
    this.#stepMs = Math.min(MOST_MS, step * GROWTH);
    return step * (1 - SPREAD + 2 * SPREAD * this.random());
  }
}

/** Part of the time in which work was found done at the first look, which is taken for its length next time… */
const SHORTER = 0.8;
/** …and the least part of it that is believed to be its length. */
const SHORTEST_PART = 0.4;

/** How long work of each kind takes in this process, as far as its looks could tell. */
export class Lengths {
  readonly #known = new Map<string, number>();

  expected(kind: string): number | undefined {
    return this.#known.get(kind);
  }

  /**
   * @param runningMs when a look found it running for the last time; @param doneMs when a look found it done
   * @param toldMs what the service says, which counts where our own looks allow it
   */
  learn(kind: string, runningMs: number | undefined, doneMs: number, toldMs?: number): void {
    const seen = runningMs === undefined ? doneMs * SHORTER : (runningMs + doneMs) / 2;
    const isLikely = toldMs !== undefined && toldMs >= (runningMs ?? doneMs * SHORTEST_PART) && toldMs <= doneMs;
    this.#known.set(kind, isLikely ? toldMs : seen);
  }
}
