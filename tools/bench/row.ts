/** One figure of the benchmark: its samples, the figure itself, and whether it meets its target. */
import { median, type Verdict, verdict } from "./math";
import type { ProviderName } from "./programs";

export type Unit = "ratio" | "requests" | "s" | "ms" | "bytes" | "MB" | "%" | "polls";

/** The values of all rounds, in the unit `sampled`. */
export type Samples = Partial<Record<ProviderName, readonly number[]>>;

export interface Measured {
  /** Name of the scenario. */
  scenario: string;
  figure: string;
  /** How many computes. */
  n?: number;
  samples: Samples;
  /** Unit of the samples. */
  sampled: Unit;
  /** The figure itself. @default the median of ours */
  value?: number;
  /** Unit of the figure. @default that of the samples */
  unit?: Unit;
  /** The figure is to be at most this. @default none: it is only shown */
  most?: number;
  /** A remark below the figure in the table. */
  note?: string;
}

export interface Row extends Measured {
  unit: Unit;
  medians: Partial<Record<ProviderName, number>>;
  verdict?: Verdict;
}

export function rowOf(measured: Measured): Row {
  const { samples, sampled } = measured;
  const medians = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
  const value = "value" in measured ? measured.value : medians["ours"];
  const { most } = measured;
  return {
    ...measured,
    value,
    unit: measured.unit ?? sampled,
    medians,
    ...(most === undefined ? {} : { verdict: verdict(value, most) }),
  };
}
