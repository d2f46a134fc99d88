import type { Scenario } from "../bench";
import { growthRows } from "../growth";
import { ratio } from "../math";
import { PROVIDERS } from "../programs";
import { type Row, rowOf } from "../row";

const SERVICE = { operationMs: 500, lock: "project" } as const;
const PROJECTS = 5;
const MOST_REQUESTS = 15;
const MOST_RATIO = 1.15;

/** Reads of one project are one list, however many computes it has. */
export const refresh: Scenario = {
  name: "refresh",
  title: `refresh of computes in ${PROJECTS} projects`,
  async run(bench) {
    const times: Row[] = [];
    const counts: Row[] = [];
    for (const n of bench.sizes([50, 100, 500], [2, 20])) {
      // The rate limit makes the naive provider wait for minutes. One round shows that.
      const options = { naive: 1 };
      const made = await bench.allBuilt(PROVIDERS, n, PROJECTS);
      const costs = await bench.rounds(
        `refresh of ${n}`,
        PROVIDERS,
        (provider) =>
          made[provider].fleet.run(["refresh", "--yes"], { parallel: bench.flags.parallel, service: SERVICE }),
        options,
      );
      const seconds = (name: keyof typeof costs) => costs[name].map(({ ms }) => ms / 1000);
      const requests = (name: keyof typeof costs) => costs[name].map((cost) => cost.requests.length);
      counts.push(
        rowOf({
          scenario: "refresh",
          figure: "refresh: requests",
          n,
          samples: { floor: requests("floor"), naive: requests("naive"), ours: requests("ours") },
          sampled: "requests",
          most: MOST_REQUESTS,
        }),
      );
      times.push(
        rowOf({
          scenario: "refresh",
          figure: "refresh: wall time ÷ floor",
          n,
          samples: { floor: seconds("floor"), naive: seconds("naive"), ours: seconds("ours") },
          sampled: "s",
          value: ratio(seconds("ours"), seconds("floor")),
          unit: "ratio",
          most: MOST_RATIO,
          note: "with its preview; the naive one once, since the rate limit makes it wait",
        }),
      );
    }
    const both = times.flatMap((time, index) => [counts[index] as Row, time]);
    return [
      ...both,
      ...growthRows(counts, "refresh: growth of requests"),
      ...growthRows(times, "refresh: growth of the time"),
    ];
  },
};
