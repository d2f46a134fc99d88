import type { RateLimit } from "./options.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/**
 * Counts requests in windows that slide. Modelling choice: one account, so all keys count together, and a request that
 * is refused does not count.
 */
export class RateCounter {
  private readonly minute: number[] = [];
  private routes = new Map<string, number[]>();

  constructor(private readonly limit: RateLimit) {}

  /** Takes the request, or tells in how many milliseconds it would be taken. */
  take(route: string, now: number): number | undefined {
    const { perMinute = Number.POSITIVE_INFINITY, perRouteAndSecond = Number.POSITIVE_INFINITY } = this.limit;
    const { minute } = this;
    const second = this.routes.get(route) ?? [];
    forget(minute, now - MINUTE_MS);
    forget(second, now - SECOND_MS);
    const waits = [
      minute.length >= perMinute ? (minute.at(-perMinute) as number) + MINUTE_MS - now : 0,
      second.length >= perRouteAndSecond ? (second.at(-perRouteAndSecond) as number) + SECOND_MS - now : 0,
    ];
    const wait = Math.max(...waits);
    if (wait > 0) return wait;
    if (perMinute !== Number.POSITIVE_INFINITY) minute.push(now);
    if (perRouteAndSecond !== Number.POSITIVE_INFINITY) {
      second.push(now);
      this.routes.set(route, second);
    }
    return undefined;
  }
}

/** The times are in order. */
function forget(times: number[], until: number): void {
  const kept = times.findIndex((at) => at > until);
  times.splice(0, kept < 0 ? times.length : kept);
}
