import type { Scenario } from "../bench";
import { growthRows } from "../growth";
import { ratio } from "../math";
import { PROVIDERS } from "../programs";
import { type Row, rowOf } from "../row";

const SERVICE = { operationMs: 500, lock: "project" } as const;
const PROJECTS = 5;
const MOST = 1.1;

const COMMANDS = { preview: ["preview"], up: ["up", "--yes"] } as const;

/** Most runs change nothing: they are to cost what the engine itself costs. */
export const unchanged: Scenario = {
  name: "unchanged",
  title: "preview and up without a change",
  async run(bench) {
    const rows: Row[] = [];
    for (const [command, args] of Object.entries(COMMANDS)) {
      const times: Row[] = [];
      for (const n of bench.sizes([10, 100, 500], [2, 10])) {
        const made = await bench.allBuilt(PROVIDERS, n, PROJECTS);
        const costs = await bench.rounds(`${command} of ${n}, no change`, PROVIDERS, (provider) =>
          made[provider].fleet.run(args, { parallel: bench.flags.parallel, service: SERVICE }),
        );
        const seconds = (name: keyof typeof costs) => costs[name].map(({ ms }) => ms / 1000);
        const counts = (name: keyof typeof costs) => costs[name].map(({ requests }) => requests.length);
        const time = rowOf({
          scenario: "unchanged",
          figure: `${command}: wall time ÷ floor`,
          n,
          samples: { floor: seconds("floor"), naive: seconds("naive"), ours: seconds("ours") },
          sampled: "s",
          value: ratio(seconds("ours"), seconds("floor")),
          unit: "ratio",
          most: MOST,
        });
        times.push(time);
        rows.push(
          time,
          rowOf({
            scenario: "unchanged",
            figure: `${command}: requests`,
            n,
            samples: { floor: counts("floor"), naive: counts("naive"), ours: counts("ours") },
            sampled: "requests",
            most: 0,
          }),
        );
      }
      rows.push(...growthRows(times, `${command}: growth of the time`));
    }
    return rows;
  },
};
