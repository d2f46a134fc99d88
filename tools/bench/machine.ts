/** On what the figures were taken: without it they mean nothing. */
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";
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
  /** Of the last minute, before it began: what else the machine had to do. */
  loadBefore: number;
  rounds: number;
  parallel: number;
  quick: boolean;
  /** The command line's own words. */
  flags: string[];
}

export function circumstances({ version }: Engine, { rounds, parallel, quick }: Flags, flags: string[]): Circumstances {
  return {
    takenAt: new Date().toISOString(),
    engine: `Pulumi v${version}`,
    node: process.version,
    system: `${platform()} ${release()}`,
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

export const headline = (on: Circumstances): string =>
  `${on.engine}, Node.js ${on.node}, ${on.cores} cores (${on.processor}), load ${on.loadBefore} before, ` +
  `${on.rounds} rounds, --parallel ${on.parallel}`;
