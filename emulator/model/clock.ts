import * as z from "zod/mini";
import type { EmulatorOptions } from "./options.js";
import { realTime, type Time } from "./time.js";

/** The clock by which operations end and computes are suspended. It never goes back. */
export interface EmulatorClock {
  /** `virtual`: it stands still until it is advanced. */
  readonly mode: ClockMode;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves the clock forward by so many milliseconds, in both modes. Events that become due happen in their order. */
  advance(ms: number): void;
  /** Stops the clock (`virtual`), or lets it continue from where it stands (`real`). */
  run(mode: ClockMode): void;
}

/** `real`: the clock goes. `virtual`: it stands still until it is advanced. */
export type ClockMode = "real" | "virtual";

/** The clock in a state file. */
export const SavedClock = z.discriminatedUnion("mode", [
  /** How far it is ahead of its source. */
  z.strictObject({ mode: z.literal("real"), aheadMs: z.number() }),
  /** Its present time. */
  z.strictObject({ mode: z.literal("virtual"), now: z.number() }),
]);
export type SavedClock = z.output<typeof SavedClock>;

/** RFC 3339 has no later year. */
const LATEST = Date.UTC(9999, 0, 1);

/** The emulator's clock. It can be stopped, continued and moved forward. It never goes back. */
export class Clock implements Time {
  private aheadMs = 0;
  private stoppedAt: number | undefined;
  private sleepers = new Set<() => void>();
  /** Called when the clock was moved, stopped or continued. */
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

  /** Resolves when the clock has reached the time, by itself or by an advance. */
  async sleep(ms: number): Promise<void> {
    const until = this.now() + ms;
    for (let left = ms; left > 0; left = until - this.now()) {
      const change = this.nextChange();
      // Each move of the clock starts another wait, so the timer of the wait before must be cleared.
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

/** The clock of the option `time`. A saved clock continues as it was, unless the option says otherwise. */
export function clockOf({ time }: Pick<EmulatorOptions, "time">, saved: SavedClock | undefined): Clock {
  if (typeof time === "object") return new Clock(time, saved);
  const clock = new Clock(undefined, saved);
  if (time !== undefined) clock.run(time);
  return clock;
}
