import type { RateLimit } from "../model/options.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/**
 * Counts requests in sliding windows. Modelling choice: all keys belong to one account, so their requests count together. A
 * request that is refused does not count.
 */
export class RateLimiter {
  private readonly minute: number[] = [];
  private routes = new Map<string, number[]>();

  constructor(private readonly limit: RateLimit) {}

  /** Counts the request and returns undefined, or returns the milliseconds until it would be accepted. */
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

/** Removes the times up to `until`. The times are in order. */
function forget(times: number[], until: number): void {
  const kept = times.findIndex((at) => at > until);
  times.splice(0, kept < 0 ? times.length : kept);
}
