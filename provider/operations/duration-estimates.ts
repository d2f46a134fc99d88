/** If the first poll finds the work done, 80 % of the time until then is taken as its duration. */
const GUESSED_PART = 0.8;
/** A reported duration counts only if it is at least 40 % of the time until the first poll that found the work done. */
const BELIEVED_PART = 0.4;

/** How long work of each kind takes, as far as this process has seen. */
export class DurationEstimates {
  readonly #byKind = new Map<string, number>();

  expected(workKind: string): number | undefined {
    return this.#byKind.get(workKind);
  }

  /**
   * @param runningMs milliseconds from the beginning of the wait to the last poll that found the work running
   * @param doneMs milliseconds from the beginning of the wait to the poll that found it done
   * @param reportedMs the duration that the service reports. It counts only if it agrees with our own polls
   * @returns what is expected from now on
   */
  learn(workKind: string, runningMs: number | undefined, doneMs: number, reportedMs?: number): number {
    const seenMs = runningMs === undefined ? doneMs * GUESSED_PART : (runningMs + doneMs) / 2;
    const earliestMs = runningMs ?? doneMs * BELIEVED_PART;
    const isLikely = reportedMs !== undefined && reportedMs >= earliestMs && reportedMs <= doneMs;
    const expectedMs = isLikely ? reportedMs : seenMs;
    this.#byKind.set(workKind, expectedMs);
    return expectedMs;
  }
}
