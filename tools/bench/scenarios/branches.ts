import { FIRST_UP, floorAtBest, type Scenario, WIDE } from "../bench";
import type { Fleet } from "../fleet";
import { growthRows } from "../growth";
import { ratio } from "../math";
import { PROVIDERS, type ProviderName } from "../programs";
import { isMutation } from "../requests";
import { type Row, rowOf } from "../row";

const OPERATION_MS = 2_000;
const SERVICE = { operationMs: OPERATION_MS, lock: "branch" } as const;
const BEST = floorAtBest(OPERATION_MS);
/** Requests that may be sent beside one POST for each compute. */
const MOST_MORE = 40;
const MOST_RATIO = 1.3;

/** Where a project locks by branch, all branches can be worked on at once. */
export const branches: Scenario = {
  name: "branches",
  title: "first up in one project that locks by branch, a branch each",
  async run(bench) {
    const times: Row[] = [];
    const counts: Row[] = [];
    for (const n of bench.sizes([10, 100], [4])) {
      const fleets = {} as Record<ProviderName, Fleet>;
      for (const provider of PROVIDERS) fleets[provider] = await bench.fresh({ provider, count: n, projects: 1 });
      const costs = await bench.rounds(`first up of ${n}, lock by branch`, PROVIDERS, async (provider) => {
        await fleets[provider].forget();
        const env = provider === "floor" ? BEST : {};
        return fleets[provider].run(FIRST_UP, { parallel: WIDE, service: SERVICE, env });
      });
      const seconds = (name: ProviderName) => costs[name].map(({ ms }) => ms / 1000);
      const requests = (name: ProviderName) => costs[name].map((cost) => cost.requests.length);
      const changes = (name: ProviderName) => costs[name].map((cost) => cost.requests.filter(isMutation).length);
      counts.push(
        rowOf({
          scenario: "branches",
          figure: "first up: requests",
          n,
          samples: { naive: requests("naive"), ours: requests("ours") },
          sampled: "requests",
          most: n + MOST_MORE,
        }),
        rowOf({
          scenario: "branches",
          figure: "first up: POSTs among them",
          n,
          samples: { naive: changes("naive"), ours: changes("ours") },
          sampled: "requests",
          most: n,
        }),
      );
      times.push(
        rowOf({
          scenario: "branches",
          figure: "first up: wall time ÷ the best possible",
          n,
          samples: { floor: seconds("floor"), naive: seconds("naive"), ours: seconds("ours") },
          sampled: "s",
          value: ratio(seconds("ours"), seconds("floor")),
          unit: "ratio",
          most: MOST_RATIO,
          note: `operations of ${OPERATION_MS / 1000} s, --parallel ${WIDE}; the floor's creates last as long, and start as the rate limit allows`,
        }),
      );
    }
    return [...counts, ...times, ...growthRows(times, "first up: growth of the time")];
  },
};
