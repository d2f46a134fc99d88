/** The only source of time and chance in the provider: tests pass a virtual one, so no test sleeps. */
export interface Clock {
  /** Monotonic milliseconds: deadlines are measured with this, so a changed wall clock can't lengthen or cut a wait. */
  now(): number;
  /** Milliseconds since the epoch: only for what the service writes as a date (`Retry-After`, `created_at`). */
  wall(): number;
  /** @param how "idly": the timer does not keep the process running */
  sleep(ms: number, how?: "idly"): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** A longer timer of Node's ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: (ms, how) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
      if (how === "idly") timer.unref();
    }),
  random: () => Math.random(),
};

/** The time limit of a lifecycle step, shared by all its waits and retries. */
export class Deadline {
  private readonly start: number;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds the step may take. */
    readonly budgetMs: number,
    /** Milliseconds for which requests with this deadline go on after a cancel. */
    readonly graceMs = 0,
    start = clock.now(),
  ) {
    this.start = start;
  }

  /** The same end, for requests that go on for a while after a cancel. */
  withGrace(graceMs: number): Deadline {
    return new Deadline(this.clock, this.budgetMs, Math.max(graceMs, this.graceMs), this.start);
  }

  /** A deadline in `budgetMs` from now, or this one if it is earlier. */
  atMost(budgetMs: number, graceMs = 0): Deadline {
    return new Deadline(this.clock, Math.min(budgetMs, Math.max(0, this.leftMs())), graceMs);
  }

  /** Milliseconds left; zero or less when the time is up. */
  leftMs(): number {
    return this.start + this.budgetMs - this.clock.now();
  }

  elapsedMs(): number {
    return this.clock.now() - this.start;
  }
}
/** Milliseconds as a reader wants them: "0.5 s", "12 s", "2 min 5 s", "10 min", "3 h 20 min". */
export function formatDuration(ms: number): string {
  const exact = Math.max(0, ms) / 1000;
  if (exact < 10) return `${Math.round(exact * 10) / 10} s`;
  const whole = Math.round(exact);
  const parts: [number, string][] = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

/** "trying again in 10 s, for at most 9 min 50 s more". A pause of less than half a second is "at once". */
export const nextTry = (pauseMs: number, leftMs: number): string =>
  `trying again ${pauseMs < 500 ? "at once" : `in ${formatDuration(pauseMs)}`}, for at most ${formatDuration(leftMs)} more`;
