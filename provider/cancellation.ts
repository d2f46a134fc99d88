import type { Clock } from "./clock.js";
import { Cancelled } from "./errors.js";

/** After a cancel, a mutation in flight waits this long for its answer. */
export const ANSWER_AFTER_CANCEL_MS = 3_000;
/** Milliseconds after a cancel for requests that look whether a mutation with a lost answer was applied. */
export const APPLIED_CHECK_MS = 4_500;

/**
 * The engine asks every provider to cancel at the first Ctrl-C; `shim.ts` and `native/server.ts` receive this request. Each wait
 * and each request of the process then ends, so that Pulumi can save what the steps have done so far. The work itself goes on at
 * the service. At the second Ctrl-C the engine sends SIGINT: see `exit-with-engine.ts`.
 */
export class Cancellation {
  readonly #listeners = new Set<() => void>();
  #at: number | undefined;

  constructor(private readonly clock: Pick<Clock, "now" | "sleep">) {}

  get requested(): boolean {
    return this.#at !== undefined;
  }

  request(): void {
    if (this.requested) return;
    this.#at = this.clock.now();
    for (const listener of [...this.#listeners]) listener();
  }

  /** @returns a function that removes the listener */
  onRequest(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Runs `work`, and stops waiting for it `graceMs` after a cancel. With a grace of 0 no work begins after a cancel.
   * @param work gets a signal that aborts at that moment
   * @throws Cancelled
   */
  async runUntilCancelled<T>(graceMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#leftMs(graceMs) <= 0) throw new Cancelled();
    const abort = new AbortController();
    let stop = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => {
        const error = new Cancelled();
        reject(error);
        abort.abort(error);
      };
    });
    const stopInTime = () => {
      const leftMs = this.#leftMs(graceMs);
      if (leftMs <= 0) stop();
      else void this.clock.sleep(leftMs, "idly").then(stop);
    };
    const forget = this.onRequest(stopInTime);
    if (this.requested) stopInTime();
    try {
      return await Promise.race([work(abort.signal), stopped]);
    } finally {
      forget();
    }
  }

  #leftMs(graceMs: number): number {
    return this.#at === undefined ? Number.POSITIVE_INFINITY : this.#at + graceMs - this.clock.now();
  }
}

/** The clock of a step: a cancel ends its sleep with `Cancelled`. */
export const cancellable = (clock: Clock, cancellation: Cancellation): Clock => ({
  now: () => clock.now(),
  wall: () => clock.wall(),
  random: () => clock.random(),
  sleep: (ms, how) => cancellation.runUntilCancelled(0, () => clock.sleep(ms, how)),
});
