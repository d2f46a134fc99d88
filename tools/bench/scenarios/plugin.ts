import { resolve } from "node:path";
import type { Bench, Scenario } from "../bench";
import { median, ratio } from "../math";
import { placesIn, settingsOf } from "../places";
import { SpawnedProvider, StandIn } from "../process";
import { type Row, rowOf } from "../row";

const SERVICE = { operationMs: 500, lock: "project" } as const;
const PROJECTS = 5;
const MB = 1024 * 1024;
const MAIN = resolve(__dirname, "..", "..", "..", "dist", "native", "main.js");
/** Each start takes less than a second: many rounds cost little. */
const TIMES = 4;
const MOST_CPU = 0.5;
/** In large programs the plugin is to be no slower than the class. */
const LARGE = 500;
const MOST_TIME = 1;

const COMPARED = ["ours", "plugin", "native-floor"] as const;
const MEASURED = ["ours", "plugin"] as const;
const STARTED = ["floor", "plugin"] as const;
const COMMANDS = { preview: ["preview"], refresh: ["refresh", "--yes"] } as const;

/** The plugin for all languages beside the class of TypeScript programs. */
export const plugin: Scenario = {
  name: "plugin",
  title: "the plugin from YAML beside the class from TypeScript",
  run: async (bench) => [...(await startRows(bench)), ...(await commandRows(bench)), ...(await memoryRows(bench))],
};

/** From the start of the process to its first answer, without the engine. */
async function startRows(bench: Bench): Promise<Row[]> {
  const standIn = await StandIn.listen();
  try {
    const { fleet } = await bench.built("floor", 2, 1);
    const text = await fleet.providerText();
    const settings = settingsOf(placesIn(1, 1)[0]!);
    const once = async (which: (typeof STARTED)[number]) => {
      const costs: { ms: number; cpuMs: number; peakMb: number }[] = [];
      for (let time = 0; time < TIMES; time++) {
        const engine = standIn.address;
        const script = which === "plugin" ? { script: MAIN } : {};
        const started = await SpawnedProvider.start({ ...fleet.processOptions, engine, ...script });
        try {
          if (which === "plugin") await started.handshake(engine);
          await started.configure();
          if (which === "plugin") await started.check(settings, "urn:pulumi:dev::bench::compute:index:Endpoint::one");
          else await started.check({ ...settings, __urn: "one", __provider: text });
          const ms = performance.now() - started.spawnedAt;
          costs.push({ ms, cpuMs: started.cpuMs, peakMb: started.peakBytes / MB });
        } finally {
          await started.close();
        }
      }
      return costs;
    };
    const rounds = await bench.rounds("start of the plugin", STARTED, once);
    const each = (which: (typeof STARTED)[number], of: keyof (typeof rounds)["floor"][number][number]) =>
      rounds[which].map((costs) => costs.map((cost) => cost[of]));
    const medians = (all: number[][]) => all.map((some) => median(some) ?? Number.NaN);
    const row = (figure: string, of: "ms" | "cpuMs" | "peakMb", more: { most?: number; note?: string } = {}) => {
      const [floor, ours] = [each("floor", of), each("plugin", of)];
      return rowOf({
        scenario: "plugin",
        figure,
        samples: { floor: floor.flat(), ours: ours.flat() },
        sampled: of === "peakMb" ? "MB" : "ms",
        value: ratio(medians(ours), medians(floor)),
        unit: "ratio",
        ...more,
      });
    };
    const note = "without the engine: spawn, configure, check; the floor is a no-op dynamic provider";
    return [
      row("first answer of the plugin: CPU ÷ floor", "cpuMs", { most: MOST_CPU }),
      row("first answer of the plugin: wall time ÷ floor", "ms"),
      row("first answer of the plugin: memory ÷ floor", "peakMb", { note }),
    ];
  } finally {
    standIn.close();
  }
}

async function commandRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const n of bench.sizes([10, 100, 500], [2, 10])) {
    const made = await bench.allBuilt(COMPARED, n, PROJECTS);
    for (const command of ["preview", "refresh"] as const) {
      const costs = await bench.rounds(`${command} of ${n}, plugin and class`, COMPARED, (provider) =>
        made[provider].fleet.run(COMMANDS[command], { parallel: bench.flags.parallel, service: SERVICE }),
      );
      const seconds = (which: (typeof COMPARED)[number]) => costs[which].map(({ ms }) => ms / 1000);
      const row = (figure: string, other: "ours" | "native-floor", more: { most?: number; note: string }) =>
        rowOf({
          scenario: "plugin",
          figure,
          n,
          samples: { floor: seconds(other), ours: seconds("plugin") },
          sampled: "s",
          value: ratio(seconds("plugin"), seconds(other)),
          unit: "ratio",
          ...more,
        });
      rows.push(
        row(`${command} by the plugin ÷ by the class`, "ours", {
          ...(n >= LARGE ? { most: MOST_TIME } : {}),
          note: "wall time without a change; under floor stands the class in TypeScript, under ours the plugin from YAML",
        }),
        row(`${command} by the plugin ÷ by a plugin that does nothing`, "native-floor", {
          note: "wall time without a change, both from YAML; under floor stands the plugin that does nothing",
        }),
      );
    }
  }
  return rows;
}

async function memoryRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const n of bench.sizes([500], [10])) {
    const made = await bench.allBuilt(MEASURED, n, PROJECTS);
    const costs = await bench.rounds(`memory of the plugin with ${n}`, MEASURED, async (provider) => {
      const { fleet, first } = made[provider];
      const { parallel } = bench.flags;
      const again = await fleet.run(COMMANDS.refresh, { parallel, service: SERVICE, memory: true });
      return Math.max(first.peakBytes ?? Number.NaN, again.peakBytes ?? Number.NaN) / MB;
    });
    rows.push(
      rowOf({
        scenario: "plugin",
        figure: "memory of the plugin's process",
        n,
        samples: { floor: costs.ours, ours: costs.plugin },
        sampled: "MB",
        note: "resident, at its highest, over the first up and a refresh; under floor stands the class's process",
      }),
    );
  }
  return rows;
}
