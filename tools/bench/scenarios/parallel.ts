import { FIRST_UP, floorAtBest, type Scenario } from "../bench";
import type { Fleet } from "../fleet";
import { ratio } from "../math";
import { type Row, rowOf } from "../row";

const OPERATION_MS = 2_000;
const SERVICE = { operationMs: OPERATION_MS, lock: "branch" } as const;
const BEST = floorAtBest(OPERATION_MS);
const HIGH = 100;
const MOST = 1.1;
const COMPARED = ["floor", "ours"] as const;
const ROUNDS = 3;

/** How long creates take with the engine's own number of them at once, and with a high one. */
export const parallel: Scenario = {
  name: "parallel",
  title: "first up in one project that locks by branch, with --parallel as it is and high",
  async run(bench) {
    const rows: Row[] = [];
    for (const n of bench.sizes([100], [10])) {
      const fleets = {} as Record<(typeof COMPARED)[number], Fleet>;
      for (const provider of COMPARED) fleets[provider] = await bench.fresh({ provider, count: n, projects: 1 });
      for (const atOnce of [bench.flags.parallel, HIGH]) {
        const costs = await bench.rounds(
          `first up of ${n}, --parallel ${atOnce}`,
          COMPARED,
          async (provider) => {
            await fleets[provider].forget();
            const env = provider === "floor" ? BEST : {};
            return fleets[provider].run(FIRST_UP, { parallel: atOnce, service: SERVICE, env });
          },
          { atMost: ROUNDS },
        );
        const seconds = (name: (typeof COMPARED)[number]) => costs[name].map(({ ms }) => ms / 1000);
        rows.push(
          rowOf({
            scenario: "parallel",
            figure: `first up, --parallel ${atOnce}: wall time ÷ the best possible`,
            n,
            samples: { floor: seconds("floor"), ours: seconds("ours") },
            sampled: "s",
            value: ratio(seconds("ours"), seconds("floor")),
            unit: "ratio",
            most: MOST,
            note: `operations of ${OPERATION_MS / 1000} s, which alone take ${(Math.ceil(n / atOnce) * OPERATION_MS) / 1000} s with --parallel ${atOnce}`,
          }),
        );
      }
    }
    return rows;
  },
};
