import type { Client } from "../api/client.js";
import type { Cancellation } from "../cancellation.js";
import type { Clock } from "../clock.js";
import { Cancelled, isKind } from "../errors.js";
import { PollBackoff, TICK_MS } from "./backoff.js";
import type { DurationEstimates } from "./duration-estimates.js";
import { type PollResult, pollOperations } from "./poll.js";
import type { PollBudget } from "./poll-budget.js";
import type { Waiter } from "./waiter.js";

/**
 * A `Retry-After` may delay the last poll until this long after the deadline. A longer one is ignored. `api/retry.ts` explains
 * the three limits.
 */
const LAST_POLL_GRACE_MS = 15_000;

interface Subscription {
  waiter: Waiter;
  backoff: PollBackoff;
  since: number;
  /** When the waiter's own first poll is due. Earlier polls for others do not move it. */
  firstPollAt: number;
  nextPollAt: number;
  lastPollAt?: number;
  isDone: boolean;
  /** The poll after the deadline still found the work running. */
  isLate: boolean;
  /** Whether it has its estimate from another wait. */
  hasReceivedEstimate: boolean;
  /** Whether the service retried the operation. Its duration is then no estimate for others. */
  wasRetried: boolean;
  error?: unknown;
  /** Wakes this waiter when a poll for another one has ended its wait or moved its next poll. */
  wake: () => void;
  woken: Promise<void>;
}

/** What the pollers of all projects share. */
export interface SharedByPollers {
  client: Client;
  clock: Clock;
  cancellation: Cancellation;
  estimates: DurationEstimates;
  /** One pause for all polls (`compute:pollSeconds`). */
  pollMs?: number;
  budget: PollBudget;
  /** Projects in which somebody waits. */
  projects(): number;
  /** Called with the first measured duration of a kind, and again each time a wait with a received estimate ends. */
  onEstimate(workKind: string, expectedMs: number): void;
}

/** Polls the operations of one project for all its waiters, with one request per tick. */
export class OperationPoller {
  readonly #subscriptions = new Set<Subscription>();
  #inFlight: Promise<void> | undefined;
  /** No poll is sent before this moment, whoever wants one. */
  #pausedUntil = 0;
  /** The pause that the service asked for with `Retry-After`: when it asked, and until when. */
  #retryAfter = { askedAt: 0, until: 0 };

  constructor(
    private readonly shared: SharedByPollers,
    private readonly project: string,
  ) {}

  get isIdle(): boolean {
    return this.#subscriptions.size === 0;
  }

  /**
   * Polls with growing pauses until the waiter has seen enough ("done"), or a last poll after its deadline still finds the work
   * running ("late").
   * @throws Cancelled at a cancel, without a last poll
   */
  async waitFor(waiter: Waiter): Promise<"done" | "late"> {
    const subscription = this.#subscribe(waiter);
    const cancel = () => {
      subscription.error = new Cancelled();
      subscription.isDone = true;
      subscription.wake();
    };
    const { cancellation } = this.shared;
    const stopListening = cancellation.onRequest(cancel);
    if (cancellation.requested) cancel();
    try {
      for (;;) {
        await this.#sleep(subscription);
        if (!subscription.isDone && !subscription.isLate) await this.#poll();
        if (subscription.error !== undefined) throw subscription.error;
        if (subscription.isDone) return "done";
        if (subscription.isLate) return "late";
      }
    } finally {
      this.#subscriptions.delete(subscription);
      stopListening();
    }
  }

  /**
   * Passes a duration that was measured elsewhere to waiters for this kind of work that have no estimate. They then poll at the
   * expected end.
   * @param most the most waiters that get it
   * @returns how many got it
   */
  shareEstimate(workKind: string, expectedMs: number, most: number): number {
    const now = this.shared.clock.now();
    const lacksEstimate = (one: Subscription) =>
      one.waiter.workKind === workKind && !one.wasRetried && !one.isDone && one.backoff.expectedAt === undefined;
    const receivers = [...this.#subscriptions].filter(lacksEstimate).slice(0, most);
    for (const one of receivers) {
      one.hasReceivedEstimate = true;
      one.backoff.expect(expectedMs);
      const pollAt = Math.max(now, one.backoff.expectedAt ?? now);
      if (pollAt >= one.nextPollAt) continue;
      one.nextPollAt = pollAt;
      one.firstPollAt = Math.min(one.firstPollAt, pollAt);
      one.wake();
    }
    return receivers.length;
  }

  #subscribe(waiter: Waiter): Subscription {
    const { clock, estimates, pollMs: fixedMs } = this.shared;
    const { workKind, pollsOften } = waiter;
    const expectedMs = workKind === undefined ? waiter.expectedMs : estimates.expected(workKind);
    const since = clock.now();
    const backoff = new PollBackoff(since, { expectedMs, fixedMs, pollsOften });
    const subscription: Subscription = {
      waiter,
      backoff,
      since,
      firstPollAt: since,
      nextPollAt: since,
      isDone: false,
      isLate: false,
      hasReceivedEstimate: false,
      wasRetried: false,
      wake: () => {},
      woken: Promise.resolve(),
    };
    renewWake(subscription);
    // Added first: the pause depends on the number of waiters.
    this.#subscriptions.add(subscription);
    subscription.firstPollAt = since + this.#pauseMs(subscription, since, clock.random());
    subscription.nextPollAt = subscription.firstPollAt;
    return subscription;
  }

  #pauseMs({ backoff, waiter }: Subscription, now: number, random: number): number {
    const { pollMs, budget, projects } = this.shared;
    const planned = backoff.next({ now, evenPauseMs: budget.evenPauseMs(projects(), now), random });
    return pollMs === undefined ? (waiter.pauseMs?.(planned) ?? planned) : planned;
  }

  /** Sleeps until the subscription's next poll. A poll for somebody else may move that, or end the sleep. */
  async #sleep(subscription: Subscription): Promise<void> {
    while (!subscription.isDone && !subscription.isLate) {
      const now = this.shared.clock.now();
      const leftMs = subscription.waiter.deadline.leftMs();
      const deadlineAt = now + leftMs;
      // The last poll waits for a `Retry-After` that ends at most 15 s after the deadline, and ignores a longer one. If the
      // response with `Retry-After` came after the deadline, the 15 s begin at that response.
      const { askedAt, until } = this.#retryAfter;
      const retryAt = until - Math.max(askedAt, deadlineAt) > LAST_POLL_GRACE_MS ? 0 : until;
      const ownMs = Math.min(subscription.nextPollAt - now, leftMs);
      const ms = Math.max(this.#pausedUntil - now, retryAt - now, ownMs);
      if (ms <= 0) return;
      await Promise.race([this.shared.clock.sleep(ms), subscription.woken]);
    }
  }

  /** One poll for all present subscriptions. A later subscription gets no result from it, and polls again. */
  async #poll(): Promise<void> {
    this.#inFlight ??= this.#pollFor([...this.#subscriptions]).finally(() => {
      this.#inFlight = undefined;
    });
    await this.#inFlight;
  }

  async #pollFor(subscriptions: Subscription[]): Promise<void> {
    const { client, clock, pollMs, budget } = this.shared;
    const ids = new Set(subscriptions.flatMap(({ waiter }) => waiter.pendingIds()));
    const expired = subscriptions.filter(({ waiter }) => waiter.deadline.leftMs() <= 0);
    let result: PollResult = { operations: new Map(), missing: new Set() };
    let refusedKey: unknown;
    budget.polled(clock.now());
    try {
      result = await pollOperations(client, clock, this.project, ids);
    } catch (error) {
      refusedKey = error;
    }
    const retryAfterMs = isKind(result.error, "service") ? (result.error.answer.retryAfterMs ?? 0) : 0;
    const now = clock.now();
    this.#pausedUntil = now + Math.min(TICK_MS, pollMs ?? TICK_MS);
    this.#retryAfter = { askedAt: now, until: now + retryAfterMs };
    const random = clock.random();
    for (const one of subscriptions) {
      if (isKind(one.error, "cancelled")) continue;
      try {
        if (refusedKey !== undefined) throw refusedKey;
        const progress = one.waiter.onResult(result);
        one.isDone = progress === "done";
        if (progress === "retried") {
          one.wasRetried = true;
          one.backoff.restart(now);
          one.firstPollAt = now;
        }
      } catch (error) {
        one.error = error;
        one.isDone = true;
      }
      if (!one.isDone && now >= one.firstPollAt) {
        one.nextPollAt = now + Math.max(this.#pauseMs(one, now, random), retryAfterMs);
      }
      if (one.isDone) this.#learnDuration(one, now);
      else one.isLate = expired.includes(one);
      if (one.isDone || one.isLate) one.wake();
      one.lastPollAt = now;
    }
  }

  /** A failed operation gives no estimate. */
  #learnDuration(
    { waiter, since, lastPollAt, hasReceivedEstimate, wasRetried, error }: Subscription,
    now: number,
  ): void {
    const { workKind } = waiter;
    if (workKind === undefined || wasRetried || error !== undefined) return;
    const { estimates, onEstimate } = this.shared;
    const isFirst = estimates.expected(workKind) === undefined;
    const runningMs = lastPollAt === undefined ? undefined : lastPollAt - since;
    const expectedMs = estimates.learn(workKind, runningMs, now - since, waiter.reportedMs?.());
    if (isFirst || hasReceivedEstimate) onEstimate(workKind, expectedMs);
  }
}

/** Makes a new promise for the next sleep; `wake` resolves it. */
function renewWake(subscription: Subscription): void {
  subscription.woken = new Promise<void>((resolve) => {
    subscription.wake = () => {
      resolve();
      renewWake(subscription);
    };
  });
}
