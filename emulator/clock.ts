import { realTime, type Time } from "./time.js";

/** What the clock does by itself: go, or stand still until it is advanced. */
export type ClockMode = "real" | "virtual";

/** The clock as it is kept in a file: how far it is ahead of its source, or where it stands. */
export type SavedClock = { mode: "real"; aheadMs: number } | { mode: "virtual"; now: number };

/** RFC 3339 has no later year. */
const LATEST = Date.UTC(9999, 0, 1);

/** The emulator's clock: it can be stopped, let go again, and moved forward. It never goes back. */
export class Clock implements Time {
  private aheadMs = 0;
  private stoppedAt: number | undefined;
  private sleepers = new Set<() => void>();
  /** Called when it has been moved, stopped or let go. */
  onChange = () => {};

  constructor(
    private readonly source: Time = realTime,
    saved?: SavedClock,
  ) {
    if (saved?.mode === "virtual") this.stoppedAt = saved.now;
    if (saved?.mode === "real") this.aheadMs = saved.aheadMs;
  }

  get mode(): ClockMode {
    return this.stoppedAt === undefined ? "real" : "virtual";
  }

  get saved(): SavedClock {
    return this.stoppedAt === undefined
      ? { mode: "real", aheadMs: this.aheadMs }
      : { mode: "virtual", now: this.stoppedAt };
  }

  now(): number {
    return this.stoppedAt ?? this.source.now() + this.aheadMs;
  }

  advance(ms: number): void {
    if (!(ms >= 0 && Number.isFinite(ms)))
      throw new Error(`time goes forward only: ${ms} is not 0 or more milliseconds`);
    if (this.now() + ms > LATEST) {
      throw new Error(`time ends with the year 9999: ${ms} milliseconds more would pass it`);
    }
    if (this.stoppedAt === undefined) this.aheadMs += ms;
    else this.stoppedAt += ms;
    this.changed();
  }

  run(mode: ClockMode): void {
    const now = this.now();
    this.stoppedAt = mode === "virtual" ? now : undefined;
    if (mode === "real") this.aheadMs = now - this.source.now();
    this.changed();
  }

  /** Ends when the clock shows the time, whether that comes by itself or by an advance. */
  async sleep(ms: number): Promise<void> {
    const until = this.now() + ms;
    for (let left = ms; left > 0; left = until - this.now()) {
      const change = this.nextChange();
      // Each move of the clock begins another wait, so the timer of the wait before has to end.
      const over = new AbortController();
      const waits = this.mode === "real" ? [change.happens, this.source.sleep(left, over.signal)] : [change.happens];
      await Promise.race(waits);
      over.abort();
      change.forget();
    }
  }

  private nextChange() {
    let wake = () => {};
    const happens = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.sleepers.add(wake);
    return { happens, forget: () => this.sleepers.delete(wake) };
  }

  private changed(): void {
    this.onChange();
    for (const wake of this.sleepers) wake();
    this.sleepers.clear();
  }
}
