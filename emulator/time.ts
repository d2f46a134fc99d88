/** A source of time for an emulator, which sets no timer of its own: so a virtual one makes every run exact. */
export interface Time {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Ends when `now()` is that much later. After the signal nobody waits for it any more, so its timer can be cleared. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This machine's clock. */
export const realTime: Time = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
    }),
};

/** Time that moves only when it is told to, or when somebody sleeps. */
export interface VirtualTime extends Time {
  /** Milliseconds to go forward. */
  advance(ms: number): void;
}

const VIRTUAL_START = Date.UTC(2026, 4, 4, 9, 0, 0);

/**
 * A clock for tests that live in the emulator's process. A sleep ends at once for the real world, and the clock then shows the time it should have ended: sleepers
 * wake in the order of their ends, each after the work that is already queued, so parallel sleeps do not add up.
 */
export function virtualTime(startMs: number = VIRTUAL_START): VirtualTime {
  let now = startMs;
  const sleepers: { until: number; wake: () => void }[] = [];
  const wakeNext = () => {
    sleepers.sort((a, b) => a.until - b.until);
    const next = sleepers.shift();
    if (!next) return;
    now = Math.max(now, next.until);
    next.wake();
  };
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ until: now + ms, wake });
        setImmediate(wakeNext);
      }),
  };
}

/** A source of chance that repeats: the same number gives the same ids (mulberry32; any small generator would do). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const MICROS_PER_MS = 1000;
const DIGITS_AFTER_SECONDS = 3;
const DIGITS_OF_MICROS = 6;

/** The instant as the world keeps it: RFC 3339 with microseconds. What goes out is cut to whole seconds (`seconds`). */
export function instant(ms: number): string {
  return fromMicros(Math.round(ms * MICROS_PER_MS));
}

export function fromMicros(micros: number): string {
  const ms = Math.floor(micros / MICROS_PER_MS);
  const rest = String(micros - ms * MICROS_PER_MS).padStart(DIGITS_AFTER_SECONDS, "0");
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** Any RFC 3339 time as the world keeps it, so that times can be compared as texts. */
export function worldTime(text: string): string {
  const [whole, fraction = ""] = new Date(text).toISOString().slice(0, -1).split(".");
  // A Date knows milliseconds; what a text in UTC says beyond them is kept.
  const given = /\.(\d+)Z$/i.exec(text)?.[1] ?? fraction;
  return `${whole}.${given.slice(0, DIGITS_OF_MICROS).padEnd(DIGITS_OF_MICROS, "0")}Z`;
}

/** Times in answers have whole seconds. */
export const seconds = (at: string): string => at.replace(/\.\d+Z$/, "Z");

export const msOf = (at: string): number => Date.parse(at);
