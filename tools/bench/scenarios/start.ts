import type { Scenario } from "../bench";
import { median, ratio } from "../math";
import { placesIn, settingsOf } from "../places";
import { SpawnedProvider, StandIn } from "../process";
import { PROVIDERS, type ProviderName } from "../programs";
import { rowOf } from "../row";

const MOST = 1.3;
/** Each takes less than a second: many rounds cost little. */
const TIMES = 4;

/** An `up` or a refresh starts the process twice, a preview once. */
export const start: Scenario = {
  name: "start",
  title: "from the provider process's start to its first answer",
  async run(bench) {
    const standIn = await StandIn.listen();
    try {
      const parts = {} as Record<ProviderName, { folder: string; env: NodeJS.ProcessEnv; text: unknown }>;
      const made = await bench.allBuilt(PROVIDERS, 2, 1);
      for (const provider of PROVIDERS) {
        const { fleet } = made[provider];
        parts[provider] = { ...fleet.processOptions, text: await fleet.providerText() };
      }
      const once = async (provider: ProviderName): Promise<number[]> => {
        const times: number[] = [];
        for (let time = 0; time < TIMES; time++) {
          const { text, ...options } = parts[provider];
          const started = await SpawnedProvider.start({ ...options, engine: standIn.address });
          try {
            await started.configure();
            await started.check({
              ...settingsOf(placesIn(1, 1)[0]!),
              __urn: "urn:pulumi:dev::bench::pulumi-nodejs:dynamic/compute:Endpoint::one",
              __provider: text,
            });
            times.push(performance.now() - started.spawnedAt);
          } finally {
            await started.close();
          }
        }
        return times;
      };
      const rounds = await bench.rounds("start of the process", PROVIDERS, once);
      const samples = {
        floor: rounds.floor.flat(),
        naive: rounds.naive.flat(),
        ours: rounds.ours.flat(),
      };
      return [
        rowOf({
          scenario: "start",
          figure: "first answer (check) ÷ floor",
          samples,
          sampled: "ms",
          // The ratio of each round's medians. A provider takes its four samples of a round in a row, so no sample can be paired
          // with one of another provider.
          value: ratio(medians(rounds.ours), medians(rounds.floor)),
          unit: "ratio",
          most: MOST,
          note: "without the engine: spawn, configure, check",
        }),
      ];
    } finally {
      standIn.close();
    }
  },
};

const medians = (rounds: number[][]): number[] => rounds.map((times) => median(times) ?? Number.NaN);
