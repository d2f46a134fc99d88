/** This stack sends mutations back to back for at most this long. Then it pauses, so another stack can begin. */
const BUSY_MS = 8_000;
/** The pause for other stacks. It must be longer than the poll interval of a stack that waits for the lock. */
const PAUSE_MS = 500;
/**
 * The pause after each mutation while another stack waits. It costs no time, because the other stack begins long before the pause
 * ends. It must be longer than the poll interval, and longer than the longest `letOthersFirstMs`.
 */
const PAUSE_FOR_OTHERS_MS = 950;
/** At least this part of the last mutation's duration: polls of long work are further apart. */
const PAUSE_PART = 0.03;
/** After this many unused pauses, this stack concludes that no other stack waits. */
const MOST_UNUSED_PAUSES = 2;
/** How long this stack remembers another stack… */
const OTHERS_REMEMBERED_MS = 60_000;
/** …or the time of three of our mutations, where that is longer. */
const REMEMBERED_MUTATIONS = 3;
/** The extra pause for each stack that has waited longer than this one. */
const PAUSE_FOR_EACH_MS = 130;
/** The most stacks that this stack lets go first. */
const MOST_OTHERS = 4;
/**
 * After its first mutation, and after every sixth mutation from there, a stack pauses for `PROBE_MS` so that all others go first.
 * Otherwise it would never learn that several others wait.
 */
const PROBE_MS = 450;
const PROBE_EVERY = 6;

/**
 * Shares a project with other stacks. The lock of a project has no queue, and a service does not say who waits: a stack that
 * begins its next mutation at once would keep the others waiting until their time is up. So a stack pauses after its mutation,
 * for longer than others need to notice the end. Of several that wait, those that have waited for fewer mutations pause longer.
 */
export class FairShare {
  /** When mutations of ours began to follow each other without a gap. */
  #busySince = Number.NEGATIVE_INFINITY;
  /** When the service accepted our last mutation; undefined if it has ended. */
  #acceptedAt: number | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds that our last mutation took at the service. */
  #lastedMs = 0;
  #othersEndedAt = Number.NEGATIVE_INFINITY;
  #othersSeenAt = Number.NEGATIVE_INFINITY;
  #unusedPauses = 0;
  #hasPaused = false;
  /** Mutations of ours that the service has accepted. */
  #accepted = 0;
  /** Mutations of other stacks since our last accepted mutation. */
  #mutationsWaitedFor = 0;
  /** Mutations of other stacks between our last two. In a fair order, this equals the number of other stacks. */
  #othersBetween = 0;
  /** Ids of the operations that we have waited for last. */
  #lastIds: ReadonlySet<string> = new Set();

  /** Others' work was seen. */
  noteOthers(now: number): void {
    // This stack has used the project alone until now, so it lets the others go first.
    if (!this.#remembersOthers(now)) this.#othersBetween = this.#accepted > 0 ? MOST_OTHERS : 0;
    this.#othersSeenAt = now;
    this.#unusedPauses = 0;
    this.#hasPaused = false;
  }

  /** A wait for others' work has ended. @param ids of its operations */
  othersEnded(ids: readonly string[], now: number): void {
    this.#othersEndedAt = now;
    if (!ids.some((id) => this.#lastIds.has(id))) this.#mutationsWaitedFor++;
    this.#lastIds = new Set(ids);
  }

  accepted(now: number): void {
    this.#accepted++;
    this.#acceptedAt = now;
    if (this.#mutationsWaitedFor > 0) this.#othersBetween = this.#mutationsWaitedFor;
    this.#mutationsWaitedFor = 0;
  }

  ended(now: number): void {
    if (this.#hasPaused) this.#unusedPauses++;
    this.#hasPaused = false;
    this.#endedAt = now;
    this.#lastedMs = now - (this.#acceptedAt ?? now);
    this.#acceptedAt = undefined;
  }

  /** Milliseconds until our next mutation may begin, where none of ours is active. */
  pauseMs(now: number): number {
    const pausedMs = now - this.#endedAt;
    if (pausedMs >= PAUSE_MS) this.#busySince = now;
    const dueMs = this.#dueMs(now);
    if (dueMs > 0) this.#hasPaused = true;
    const leftMs = Math.max(0, dueMs - pausedMs);
    if (leftMs > 0) this.#busySince = now + leftMs;
    return leftMs;
  }

  /** The pause before our next try after another stack's mutation ended: stacks that waited longer go first. */
  letOthersFirstMs(): number {
    if (this.#accepted % PROBE_EVERY === 1 && this.#mutationsWaitedFor < MOST_OTHERS) return PROBE_MS;
    // If there are several other stacks, the count may be too low, so this stack lets as many go first as it ever does.
    const first = this.#othersBetween > 1 ? MOST_OTHERS : this.#othersBetween;
    return Math.max(0, first - this.#mutationsWaitedFor) * PAUSE_FOR_EACH_MS;
  }

  /**
   * Milliseconds until another stack's operation of this duration should end; undefined if its start is unknown. The start is
   * taken as the end of the operation before it.
   */
  untilEndMs(durationMs: number, now: number): number | undefined {
    const leftMs = Math.max(this.#endedAt, this.#othersEndedAt) + durationMs - now;
    return leftMs > 0 ? leftMs : undefined;
  }

  #dueMs(now: number): number {
    if (this.#remembersOthers(now)) return Math.max(PAUSE_FOR_OTHERS_MS, PAUSE_PART * this.#lastedMs);
    return now - this.#busySince >= BUSY_MS ? Math.max(PAUSE_MS, PAUSE_PART * this.#lastedMs) : 0;
  }

  #remembersOthers(now: number): boolean {
    const rememberedMs = Math.max(OTHERS_REMEMBERED_MS, REMEMBERED_MUTATIONS * this.#lastedMs);
    return now - this.#othersSeenAt < rememberedMs && this.#unusedPauses < MOST_UNUSED_PAUSES;
  }
}
