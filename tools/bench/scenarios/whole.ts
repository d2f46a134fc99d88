import { FIRST_UP, type Scenario, WIDE } from "../bench";
import { median } from "../math";
import { lockedShare } from "../requests";
import { type Row, rowOf } from "../row";

const OPERATIONS_MS = [2_000, 5_000];
const MOST_RATIO = 1.3;
const MOST_LOCKED = 5;
/** A round takes minutes, mostly for the operations. Noise is small beside them, so few rounds are enough. */
const ROUNDS = 3;
const COMPARED = ["naive", "ours"] as const;

/** Where a project locks as a whole, one operation after the other is the best there is. */
export const whole: Scenario = {
  name: "whole",
  title: "first up in one project that locks as a whole",
  async run(bench) {
    const rows: Row[] = [];
    for (const operationMs of OPERATIONS_MS) {
      for (const n of bench.sizes([2, 20], [2])) {
        const fleets = {
          naive: await bench.fresh({ provider: "naive", count: n, projects: 1 }),
          ours: await bench.fresh({ provider: "ours", count: n, projects: 1 }),
        };
        const operation = `operations of ${operationMs / 1000} s`;
        const service = { operationMs, lock: "project" } as const;
        const costs = await bench.rounds(
          `first up of ${n}, lock as a whole, ${operation}`,
          COMPARED,
          async (provider) => {
            const fleet = fleets[provider];
            await fleet.forget();
            return fleet.run(FIRST_UP, { parallel: WIDE, service });
          },
          { atMost: ROUNDS, naive: 1 },
        );
        const seconds = (name: keyof typeof costs) => costs[name].map(({ ms }) => ms / 1000);
        const shares = (name: keyof typeof costs) => costs[name].map(({ requests }) => lockedShare(requests));
        const best = (n * operationMs) / 1000;
        rows.push(
          rowOf({
            scenario: "whole",
            figure: `first up, ${operation}: wall time ÷ their sum`,
            n,
            samples: { naive: seconds("naive"), ours: seconds("ours") },
            sampled: "s",
            value: median(seconds("ours").map((time) => time / best)),
            unit: "ratio",
            // The time includes the engine's own seconds. At small N they are most of it, so there is no target.
            ...(n >= 20 ? { most: MOST_RATIO } : {}),
          }),
          rowOf({
            scenario: "whole",
            figure: `first up, ${operation}: mutations that met 423`,
            n,
            samples: { naive: shares("naive"), ours: shares("ours") },
            sampled: "%",
            ...(n >= 20 ? { most: MOST_LOCKED } : {}),
            note: `the naive one once; --parallel ${WIDE}`,
          }),
        );
      }
    }
    return rows;
  },
};
