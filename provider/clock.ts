/** The only source of time and chance in the provider: tests pass a virtual one, so no test sleeps. */
export interface Clock {
  /** Monotonic milliseconds: deadlines are measured with this, so a changed wall clock can't lengthen or cut a wait. */
  now(): number;
  /** Milliseconds since the epoch: only for what the service writes as a date (`Retry-After`, `created_at`). */
  wall(): number;
  sleep(ms: number): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => Math.random(),
};

/** The end of one lifecycle step: every wait and every repetition inside the step looks at the same one. */
export class Deadline {
  private readonly start: number;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds the step may take. */
    readonly budgetMs: number,
  ) {
    this.start = clock.now();
  }

  /** Milliseconds left; zero or less when the time is up. */
  leftMs(): number {
    return this.start + this.budgetMs - this.clock.now();
  }

  passedMs(): number {
    return this.clock.now() - this.start;
  }
}
