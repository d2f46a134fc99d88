/** The arithmetic of the figures. */

/** @returns undefined without values */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

/** @returns NaN for an empty list */
export const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The most of these moments that lie in one span of so many milliseconds. */
export function mostWithin(moments: readonly number[], spanMs: number): number {
  const sorted = [...moments].sort((a, b) => a - b);
  const counts = sorted.map((at, last) => last + 1 - sorted.findIndex((first) => at - first < spanMs));
  return Math.max(0, ...counts);
}

/**
 * The median of each round's ratio. Both parts of a ratio ran in the same round and met the same noise, so it cancels
 * out. The ratio of two medians would keep it.
 */
export function ratio(over: readonly number[], under: readonly number[]): number | undefined {
  const rounds = Math.min(over.length, under.length);
  const ratios = Array.from({ length: rounds }, (_, round) => (over[round] as number) / (under[round] as number));
  return median(ratios.filter(Number.isFinite));
}

/** Each round's difference. */
export const differences = (from: readonly number[], less: readonly number[]): number[] =>
  from.slice(0, less.length).map((value, round) => value - (less[round] as number));

export type Verdict = "met" | "not met" | "not measured";

/** Equal is met. What could not be measured is never met. */
export function verdict(value: number | undefined, most: number): Verdict {
  if (value === undefined || !Number.isFinite(value)) return "not measured";
  return value <= most ? "met" : "not met";
}
