import type { Clock } from "../../provider/clock.js";

interface Sleeper {
  at: number;
  /** The number of this sleep. Of two sleepers that are due at the same time, the lower number wakes first. */
  turn: number;
  wake: () => void;
}

export interface VirtualClockOptions {
  /** The seed of `random()`. @default 1 */
  seed?: number;
  /** Milliseconds since the epoch at `now() === 0`. @default 2026-05-04T10:00:00Z */
  startsAt?: number;
  /** Virtual milliseconds one `run` may last: a loop that never ends is an error, not a hanging test. @default 24 h */
  limitMs?: number;
  /** Real milliseconds to wait for sockets when nobody sleeps. @default 500 */
  graceMs?: number;
  /**
   * Rounds of the event loop in which nothing may happen before time jumps. One is enough where all work is promises;
   * sockets and files need more. @default 3
   */
  calmRounds?: number;
}

/**
 * A clock that stands still while code runs and jumps to the next sleeper when all of it waits:
 * `await clock.run(settle(...))` takes no real time. Work on real sockets must be wrapped in `hold`, or time jumps
 * while an answer is on its way.
 */
export class VirtualClock implements Clock {
  #now = 0;
  #turn = 0;
  #held = 0;
  #sleepers: Sleeper[] = [];
  #pump: Promise<unknown> = Promise.resolve();
  #state: number;
  readonly #options: Required<VirtualClockOptions>;

  constructor(options: VirtualClockOptions = {}) {
    this.#options = {
      seed: 1,
      startsAt: Date.UTC(2026, 4, 4, 10),
      limitMs: 24 * 3_600_000,
      graceMs: 500,
      calmRounds: 3,
      ...options,
    };
    this.#state = this.#options.seed;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#options.startsAt + this.#now;
  }

  /** How many are asleep. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number): Promise<void> {
    if (!Number.isFinite(ms)) return Promise.reject(new Error(`can't sleep for ${ms} ms`));
    return new Promise((wake) => {
      const sleeper = { at: this.#now + Math.max(0, ms), turn: this.#turn++, wake };
      let place = this.#sleepers.length;
      while (place > 0 && this.#sleepers[place - 1]!.at > sleeper.at) place--;
      this.#sleepers.splice(place, 0, sleeper);
    });
  }

  /** The same sequence for the same seed (mulberry32). */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Time stands still until this real work (a socket, a file, a child process) is done. */
  async hold<T>(work: Promise<T> | (() => Promise<T>)): Promise<T> {
    this.#held++;
    try {
      return await (typeof work === "function" ? work() : work);
    } finally {
      this.#held--;
    }
  }

  /** Lets time pass until the promise settles, and hands its result or its error on. */
  run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const seen = promise.then(
      () => {
        settled = true;
      },
      () => {
        settled = true;
      },
    );
    const limit = this.#now + this.#options.limitMs;
    return this.#alone(async () => {
      while (await this.#calm(() => settled, seen)) {
        const next = this.#sleepers[0];
        if (!next) throw new Error(`at ${this.#now} ms nobody sleeps any more, and the promise has not settled`);
        if (next.at > limit) throw new Error(`the promise has not settled within ${this.#options.limitMs} virtual ms`);
        this.#wake();
      }
      return promise;
    });
  }

  /** Lets that much time pass, and wakes everybody whose time comes, in order. */
  advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    return this.#alone(async () => {
      await this.#calm(() => false);
      while (this.#sleepers[0] && this.#sleepers[0].at <= end) {
        this.#wake();
        await this.#calm(() => false);
      }
      this.#now = end;
    });
  }

  #wake(): void {
    const next = this.#sleepers.shift()!;
    this.#now = next.at;
    next.wake();
  }

  /** Waits until all that can run has run. False when `ended`. */
  async #calm(ended: () => boolean, awaited?: Promise<unknown>): Promise<boolean> {
    const { calmRounds, graceMs } = this.#options;
    const start = performance.now();
    for (let quiet = 0; quiet < calmRounds; quiet++) {
      const before = this.#turn;
      await new Promise(setImmediate);
      if (ended()) return false;
      if (this.#held > 0 || this.#turn !== before) quiet = -1;
      if (this.#held > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      // Nobody sleeps: perhaps a socket that nobody wrapped in `hold` is at work.
      if (awaited && quiet === calmRounds - 1 && this.#sleepers.length === 0 && performance.now() - start < graceMs) {
        await Promise.race([awaited, new Promise((resolve) => setTimeout(resolve, 2))]);
        quiet = -1;
      }
    }
    return !ended();
  }

  /** Two runs at once must not both move time: the second one begins when the first has ended. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#pump.then(work);
    this.#pump = mine.catch(() => {});
    return mine;
  }
}
