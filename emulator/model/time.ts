/** A source of time. The emulator sets no timers of its own, so that a virtual source makes every run exact. */
export interface Time {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. The signal clears the timer. */
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

/** Time that moves only when it is advanced, or when somebody sleeps. (The option `time: "virtual"` moves only when advanced.) */
export interface VirtualTime extends Time {
  /** Milliseconds to go forward. */
  advance(ms: number): void;
}

const VIRTUAL_START = Date.UTC(2026, 4, 4, 9, 0, 0);

/**
 * A clock for tests in the emulator's process. A sleep takes no real time: it moves the clock to its end. Several sleepers wake in
 * the order of their ends, each after the work that is already queued, so that parallel sleeps do not add up.
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

export const MICROS_PER_MS = 1000;
const DIGITS_AFTER_SECONDS = 3;
const DIGITS_OF_MICROS = 6;

/** A time as the world stores it: RFC 3339 with microseconds. Responses have whole seconds. */
export function timestamp(ms: number): string {
  return fromMicros(Math.round(ms * MICROS_PER_MS));
}

export function fromMicros(micros: number): string {
  const ms = Math.floor(micros / MICROS_PER_MS);
  const rest = String(micros - ms * MICROS_PER_MS).padStart(DIGITS_AFTER_SECONDS, "0");
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** Any RFC 3339 time in the world's format, in which times can be compared as strings. */
export function normalizeTimestamp(text: string): string {
  const [whole, fraction = ""] = new Date(text).toISOString().slice(0, -1).split(".");
  // A Date has milliseconds only. The further digits come from the text, if it is in UTC.
  const given = /\.(\d+)Z$/i.exec(text)?.[1] ?? fraction;
  return `${whole}.${given.slice(0, DIGITS_OF_MICROS).padEnd(DIGITS_OF_MICROS, "0")}Z`;
}

/** A time as responses show it. */
export const wholeSeconds = (at: string): string => at.replace(/\.\d+Z$/, "Z");

export const toMs = (at: string): number => Date.parse(at);
