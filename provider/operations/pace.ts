/** Milliseconds before the first look: a compute starts in less than a second. */
const FIRST_MS = 500;
const GROWTH = 1.4;
/** Milliseconds between two looks at most, as the service advises for polling. */
const MOST_MS = 5_000;
/** Part of a step by which it varies either way, so that many programs don't look together. */
const SPREAD = 0.2;

/** The growing steps between looks. */
export class Pace {
  #stepMs = FIRST_MS;

  /** @param fixedMs the same step always, without chance (`compute:pollSeconds`) */
  constructor(
    private readonly random: () => number,
    private readonly fixedMs?: number,
  ) {}

  /** Milliseconds until the next look. */
  next(): number {
    if (this.fixedMs !== undefined) return this.fixedMs;
    const step = this.#stepMs;
    this.#stepMs = Math.min(MOST_MS, step * GROWTH);
    return step * (1 - SPREAD + 2 * SPREAD * this.random());
  }
}
