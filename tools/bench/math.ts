/** The arithmetic of the figures. */

/** @returns undefined of nothing */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

/**
 * The median of the ratios of each round: what runs side by side in one round meets the same noise, which the ratio of two
 * medians would keep.
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
