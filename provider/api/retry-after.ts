/**
 * `Retry-After` in milliseconds from now, or undefined when it is absent or can't be read. Never negative: 0 and dates
 * that have passed ask for no pause of their own, and the backoff's own lower bound still holds.
 */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  // No upper bound here: who waits compares with its own deadline, and must not wait less than was asked.
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse takes "-5" and "2" for dates; the dates HTTP allows begin with a weekday.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - wallMs);
}
