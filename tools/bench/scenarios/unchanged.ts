import type { Scenario } from "../bench";
import type { Cost } from "../fleet";
import { growthRows } from "../growth";
import { ratio } from "../math";
import { PROVIDERS, type ProviderName } from "../programs";
import { type Row, rowOf } from "../row";

const SERVICE = { operationMs: 500, lock: "project" } as const;
const PROJECTS = 5;
const MOST = 1.1;
/** In a program with so many computes, their cost outweighs loading the SDK. So the targets are stricter there. */
const LARGE = 500;
const MOST_LARGE = 0.75;
const MOST_CPU = 0.6;
const MOST_MEMORY = 0.8;
/** Below so many, the SDK's own modules are most of the memory. */
const LARGE_MEMORY = 1000;
const MB = 1024 * 1024;

const COMMANDS = { preview: ["preview"], up: ["up", "--yes"] } as const;
/** Of more computes than `LARGE`, a naive stack takes many minutes to make. */
const WITHOUT_NAIVE: readonly ProviderName[] = ["floor", "ours"];
const SIZES = { preview: [10, 100, 500, 1000], up: [10, 100, 500] };

/** Most runs change nothing: they are to cost what the engine itself costs. */
export const unchanged: Scenario = {
  name: "unchanged",
  title: "preview and up without a change",
  async run(bench) {
    const rows: Row[] = [];
    for (const [command, args] of entriesOf(COMMANDS)) {
      const times: Row[] = [];
      for (const n of bench.sizes(SIZES[command], [2, 10])) {
        const providers = n > LARGE ? WITHOUT_NAIVE : PROVIDERS;
        const made = await bench.allBuilt(providers, n, PROJECTS);
        const costs = await bench.rounds(`${command} of ${n}, no change`, providers, (provider) =>
          made[provider].fleet.run(args, { parallel: bench.flags.parallel, service: SERVICE }),
        );
        const each = (of: (cost: Cost) => number) => (name: ProviderName) => (costs[name] ?? []).map(of);
        const seconds = each(({ ms }) => ms / 1000);
        const cpu = each(({ programCpuMs }) => programCpuMs / 1000);
        const memory = each(({ programPeakBytes }) => programPeakBytes / MB);
        const counts = each(({ requests }) => requests.length);
        const time = rowOf({
          scenario: "unchanged",
          figure: `${command}: wall time ÷ floor`,
          n,
          samples: { floor: seconds("floor"), naive: seconds("naive"), ours: seconds("ours") },
          sampled: "s",
          value: ratio(seconds("ours"), seconds("floor")),
          unit: "ratio",
          most: command === "preview" && n >= LARGE ? MOST_LARGE : MOST,
        });
        times.push(time);
        rows.push(
          time,
          ...(command === "preview"
            ? [
                processRow("cpu", n, cpu("floor"), cpu("ours")),
                processRow("memory", n, memory("floor"), memory("ours")),
              ]
            : []),
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

const entriesOf = <T extends object>(object: T) => Object.entries(object) as [keyof T, T[keyof T]][];

/** What is measured of the process that runs the program, and from how many computes on it has a target. */
const OF_PROCESS = {
  cpu: { figure: "preview: the program's CPU ÷ floor", sampled: "s", most: MOST_CPU, from: LARGE },
  memory: { figure: "preview: the program's memory ÷ floor", sampled: "MB", most: MOST_MEMORY, from: LARGE_MEMORY },
} as const;

function processRow(what: keyof typeof OF_PROCESS, n: number, floor: readonly number[], ours: readonly number[]): Row {
  const { figure, sampled, most, from } = OF_PROCESS[what];
  return rowOf({
    scenario: "unchanged",
    figure,
    n,
    samples: { floor, ours },
    sampled,
    value: ratio(ours, floor),
    unit: "ratio",
    ...(n >= from ? { most } : {}),
  });
}
