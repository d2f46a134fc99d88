/** The machine and the options of a measurement. Figures mean nothing without them. */
import { availableParallelism, cpus, loadavg, platform, totalmem } from "node:os";
import type { Engine } from "../engine/index";
import type { Flags } from "./flags";

export interface Circumstances {
  takenAt: string;
  engine: string;
  node: string;
  system: string;
  cores: number;
  processor: string;
  memoryGb: number;
  /** The load of the last minute before the measurement: what else the machine was doing. */
  loadBefore: number;
  rounds: number;
  parallel: number;
  quick: boolean;
  /** The arguments on the command line. */
  flags: string[];
}

export function circumstances({ version }: Engine, { rounds, parallel, quick }: Flags, flags: string[]): Circumstances {
  return {
    takenAt: new Date().toISOString(),
    engine: `Pulumi v${version}`,
    node: process.version,
    system: platform(),
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    rounds,
    parallel,
    quick,
    flags,
  };
}

export const headline = (taken: Circumstances): string =>
  `${taken.engine}, Node.js ${taken.node}, ${taken.cores} cores (${taken.processor}), ` +
  `load ${taken.loadBefore} before, ${taken.rounds} rounds, --parallel ${taken.parallel}`;
