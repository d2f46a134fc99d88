import type { Scenario } from "../bench";
import { PROVIDERS, type ProviderName } from "../programs";
import { rowOf } from "../row";

const PROJECTS = 5;
const MOST = 0.5;

/** The engine writes the whole state after each step: its size decides how fast large stacks are. */
export const state: Scenario = {
  name: "state",
  title: "bytes of state a compute",
  async run(bench) {
    const sizes = bench.sizes([10, 100], [2, 10]);
    const [few, many] = [Math.min(...sizes), Math.max(...sizes)];
    // Both states hold the stack, its provider and its config. The difference is the computes.
    const perCompute = async (provider: ProviderName) => {
      const [small, large] = [await bytes(provider, few), await bytes(provider, many)];
      return few === many ? large / many : (large - small) / (many - few);
    };
    const bytes = async (provider: ProviderName, n: number) =>
      (await bench.built(provider, n, PROJECTS)).fleet.stateBytes();
    const samples: Partial<Record<ProviderName, number[]>> = {};
    for (const provider of PROVIDERS) samples[provider] = [await perCompute(provider)];
    return [
      rowOf({
        scenario: "state",
        figure: "state a compute ÷ naive",
        n: many,
        samples,
        sampled: "bytes",
        value: (samples.ours?.[0] ?? Number.NaN) / (samples.naive?.[0] ?? Number.NaN),
        unit: "ratio",
        most: MOST,
        note: few === many ? "with the stack's own" : `what ${many - few} more of them add to the file`,
      }),
    ];
  },
};
