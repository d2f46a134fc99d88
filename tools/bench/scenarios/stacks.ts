import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { stacksAtOnce } from "../../../examples/automation/at-once";
import type { Bench, Scenario } from "../bench";
import { ratio } from "../math";
import { placesIn, worldWith } from "../places";
import { type Row, rowOf } from "../row";
import { Service } from "../service";
import { childrenCpuMs, watchMemory } from "../tree";

const EXAMPLE = resolve(__dirname, "..", "..", "..", "examples", "automation");
const SERVICE = { operationMs: 500, lock: "project" } as const;
const MOST_MEMORY = 0.7;
const MB = 1024 * 1024;
const TOO_MANY_REQUESTS = 429;
const ROUNDS = 2;

interface FleetCost {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
  refused: number;
}

/** The example `fleet.ts`, a stack for each project: all at once, and as many as it chooses for this machine. */
export const stacks: Scenario = {
  name: "stacks",
  title: "many stacks by the Automation API: CPU, memory, 429s",
  async run(bench) {
    const rows: Row[] = [];
    for (const n of bench.sizes([20], [3])) {
      const chosen = Math.min(n, stacksAtOnce());
      const costs = new Map<number, FleetCost[]>();
      for (const atOnce of new Set([n, chosen])) {
        const { ours } = await bench.rounds(
          `${n} stacks, ${atOnce} at once`,
          ["ours"],
          () => runFleet(bench, n, atOnce),
          {
            atMost: ROUNDS,
          },
        );
        costs.set(atOnce, ours);
      }
      const row = (atOnce: number, what: keyof FleetCost, name: string, more: Partial<Parameters<typeof rowOf>[0]>) =>
        rowOf({
          scenario: "stacks",
          figure: `${n} stacks, ${atOnce} at once: ${name}`,
          n,
          samples: { ours: costs.get(atOnce)?.map((cost) => cost[what]) ?? [] },
          sampled: "s",
          ...more,
        });
      for (const atOnce of costs.keys()) {
        rows.push(
          row(atOnce, "seconds", "wall time", {}),
          row(atOnce, "cpuSeconds", "CPU of all processes", {}),
          row(atOnce, "peakMb", "memory of all processes", { sampled: "MB" }),
          row(atOnce, "refused", "requests that met 429", { sampled: "requests", most: 0 }),
        );
      }
      if (chosen < n) {
        const peaks = (atOnce: number) => costs.get(atOnce)?.map(({ peakMb }) => peakMb) ?? [];
        rows.push(
          row(chosen, "peakMb", "memory ÷ all at once", {
            sampled: "MB",
            unit: "ratio",
            value: ratio(peaks(chosen), peaks(n)),
            most: MOST_MEMORY,
            note: "the first up of all; the number at once is the example's own for this machine",
          }),
        );
      }
    }
    return rows;
  },
};

async function runFleet(bench: Bench, n: number, atOnce: number): Promise<FleetCost> {
  const places = placesIn(n, n);
  const folder = await mkdtemp(join(tmpdir(), "compute-endpoint-stacks-"));
  const home = join(folder, "home");
  await Promise.all([mkdir(home), mkdir(join(folder, "state"))]);
  const service = await Service.start(SERVICE);
  try {
    await service.setWorld(worldWith(await service.world(), places));
    const before = childrenCpuMs();
    const began = performance.now();
    const watch = watchMemory("PULUMI_HOME", home);
    const child = spawn(process.execPath, ["--require", "ts-node/register", "fleet.ts"], {
      cwd: EXAMPLE,
      env: {
        ...process.env,
        ...service.env,
        PATH: `${bench.engine.binDir}${delimiter}${process.env["PATH"]}`,
        PULUMI_HOME: home,
        PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: "bench",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        TS_NODE_TRANSPILE_ONLY: "true",
        PLACES: JSON.stringify(places),
        AT_ONCE: String(atOnce),
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(child, "exit");
    watch.stop();
    if (code !== 0) throw new Error(`fleet.ts ended with ${code}`);
    const requests = await service.requests();
    return {
      seconds: (performance.now() - began) / 1000,
      cpuSeconds: (childrenCpuMs() - before) / 1000,
      peakMb: watch.bytes / MB,
      refused: requests.filter(({ status }) => status === TOO_MANY_REQUESTS).length,
    };
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
