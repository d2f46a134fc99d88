import type { Scenario } from "../bench";
import { median } from "../math";
import { type Row, rowOf } from "../row";

const PROJECTS = 20;
const MOST_MB = 60;
const MB = 1024 * 1024;
const SERVICE = { operationMs: 500, lock: "project" } as const;
const WATCHED = ["floor", "ours"] as const;

/** The largest memory of the provider process, over the first `up` and a refresh. */
export const memory: Scenario = {
  name: "memory",
  title: "memory of the provider's process",
  async run(bench) {
    const rows: Row[] = [];
    for (const n of bench.sizes([100, 1000], [2, 20])) {
      const made = await bench.allBuilt(WATCHED, n, PROJECTS);
      const costs = await bench.rounds(`memory with ${n}`, WATCHED, async (provider) => {
        const { fleet, first } = made[provider];
        const { parallel } = bench.flags;
        const again = await fleet.run(["refresh", "--yes"], { parallel, service: SERVICE, memory: true });
        return Math.max(first.peakBytes ?? Number.NaN, again.peakBytes ?? Number.NaN) / MB;
      });
      const over = costs.ours.map((mb, round) => mb - (costs.floor[round] ?? Number.NaN));
      rows.push(
        rowOf({
          scenario: "memory",
          figure: "memory of the process − floor",
          n,
          samples: { floor: costs.floor, ours: costs.ours },
          sampled: "MB",
          value: median(over),
          most: MOST_MB,
          note: "resident, at its highest, over the first up and a refresh",
        }),
      );
    }
    return rows;
  },
};
