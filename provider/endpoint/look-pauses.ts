/** Milliseconds between two looks at a compute whose change has no operation to wait for. */
const FIRST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 5_000;

/** The pauses of one wait: 1, 2, 4, 5, 5 … s. */
export class LookPauses {
  #nextMs = FIRST_PAUSE_MS;

  /** @param leftMs milliseconds until the deadline, after which nobody looks */
  next(leftMs: number): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    return Math.min(pauseMs, leftMs);
  }
}
