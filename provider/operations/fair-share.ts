/** Milliseconds for which mutations may follow each other before another stack gets a chance… */
const BUSY_MS = 8_000;
/** Milliseconds of that chance. It has to be longer than the pause between two polls of a stack that waits for the lock. */
const YIELD_MS = 500;
/**
 * Milliseconds of the chance after each mutation where another stack waits. It costs no time: the other stack begins long before
 * its end. It has to be longer than the pause between two polls and the longest pause of a stack that lets others go first.
 */
const YIELD_TO_OTHERS_MS = 950;
/** …but this part of a long mutation at least: polls of long work are further apart. */
const YIELD_PART = 0.03;
/** So many chances in a row that no other stack took show that none waits. */
const UNUSED_CHANCES = 2;
/** Milliseconds for which another stack is remembered… */
const OTHERS_REMEMBERED_MS = 60_000;
/** …or the time of three of our mutations, where that is longer. */
const REMEMBERED_TURNS = 3;
/** Milliseconds by which a stack lets each stack go first that has waited longer. */
const GO_FIRST_MS = 130;
/** A stack lets so many others go first at most. */
const MOST_FIRST = 4;
/**
 * After its first mutation and every sixth that follows, a stack lets all others go first, for so many milliseconds: where it
 * always came first itself, it would not learn that several others wait.
 */
const PROBE_MS = 450;
const PROBE_EVERY = 6;

/**
 * Shares a project with other stacks. The lock of a project has no queue, and a service does not tell who waits: a stack that
 * begins its next mutation at once would keep the others waiting until their time is up. So a stack pauses after its mutation, for
 * longer than others need to notice the end. Of several that wait, those that have waited for fewer mutations pause longer.
 */
export class FairShare {
  /** When mutations of ours began to follow each other without a gap. */
  #busySince = Number.NEGATIVE_INFINITY;
  /** When the service accepted our last mutation; undefined where it has ended. */
  #acceptedAt: number | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds that our last mutation took at the service. */
  #lastedMs = 0;
  #othersEndedAt = Number.NEGATIVE_INFINITY;
  #othersSeenAt = Number.NEGATIVE_INFINITY;
  #unusedChances = 0;
  #hasYielded = false;
  /** Mutations of ours that the service has accepted. */
  #accepted = 0;
  /** Mutations of others for which we have waited since our last one was accepted… */
  #waitedFor = 0;
  /** …and that was between the last two of ours. In a fair order, it is the number of the other stacks. */
  #othersBetween = 0;
  /** Ids of the operations that we have waited for last. */
  #lastWaitedFor: ReadonlySet<string> = new Set();

  /** Others' work was seen. */
  othersSeen(now: number): void {
    // It has had its share while it did not know of them.
    if (!this.#remembersOthers(now)) this.#othersBetween = this.#accepted > 0 ? MOST_FIRST : 0;
    this.#othersSeenAt = now;
    this.#unusedChances = 0;
    this.#hasYielded = false;
  }

  /** A wait for others' work has ended. @param ids of its operations */
  othersEnded(ids: readonly string[], now: number): void {
    this.#othersEndedAt = now;
    if (!ids.some((id) => this.#lastWaitedFor.has(id))) this.#waitedFor++;
    this.#lastWaitedFor = new Set(ids);
  }

  accepted(now: number): void {
    this.#accepted++;
    this.#acceptedAt = now;
    if (this.#waitedFor > 0) this.#othersBetween = this.#waitedFor;
    this.#waitedFor = 0;
  }

  ended(now: number): void {
    if (this.#hasYielded) this.#unusedChances++;
    this.#hasYielded = false;
    this.#endedAt = now;
    this.#lastedMs = now - (this.#acceptedAt ?? now);
    this.#acceptedAt = undefined;
  }

  /** Milliseconds until our next mutation may begin, where none of ours is active. */
  yieldMs(now: number): number {
    const pausedMs = now - this.#endedAt;
    if (pausedMs >= YIELD_MS) this.#busySince = now;
    const dueMs = this.#dueMs(now);
    if (dueMs > 0) this.#hasYielded = true;
    const leftMs = Math.max(0, dueMs - pausedMs);
    if (leftMs > 0) this.#busySince = now + leftMs;
    return leftMs;
  }

  /** Milliseconds to pause after the end of others' work, for those who have waited longer. */
  goFirstMs(): number {
    if (this.#accepted % PROBE_EVERY === 1 && this.#waitedFor < MOST_FIRST) return PROBE_MS;
    const first = this.#othersBetween > 1 ? MOST_FIRST : this.#othersBetween;
    return Math.max(0, first - this.#waitedFor) * GO_FIRST_MS;
  }

  /**
   * Milliseconds until the end of others' work that takes so long; undefined where its beginning is not known. It has begun when
   * the work before it ended, or a little later.
   */
  untilEndMs(durationMs: number, now: number): number | undefined {
    const leftMs = Math.max(this.#endedAt, this.#othersEndedAt) + durationMs - now;
    return leftMs > 0 ? leftMs : undefined;
  }

  #dueMs(now: number): number {
    if (this.#remembersOthers(now)) return Math.max(YIELD_TO_OTHERS_MS, YIELD_PART * this.#lastedMs);
    return now - this.#busySince >= BUSY_MS ? Math.max(YIELD_MS, YIELD_PART * this.#lastedMs) : 0;
  }

  #remembersOthers(now: number): boolean {
    const rememberedMs = Math.max(OTHERS_REMEMBERED_MS, REMEMBERED_TURNS * this.#lastedMs);
    return now - this.#othersSeenAt < rememberedMs && this.#unusedChances < UNUSED_CHANCES;
  }
}
