/** The flags of `npm run bench`. */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

export interface Flags {
  rounds: number;
  /** `--parallel` of Pulumi, unless a scenario sets it. */
  parallel: number;
  quick: boolean;
  /** Names of scenarios; undefined: all. */
  only?: string[];
  /** Numbers of computes in the place of the scenarios' own. */
  sizes?: number[];
  out?: string;
  chart?: string;
}

const ROUNDS = 5;
const QUICK_ROUNDS = 2;
/** The default of the engine. */
const PER_CORE = 4;

export const HELP = `Usage: npm run bench -- [options]

Measures the provider beside a no-op provider (the engine's own cost, the floor) and a naive one.

  --quick         small numbers and few rounds, to see that it works and for rough figures
  --only A,B      only these scenarios
  --n A,B         these numbers of computes in the place of the scenarios' own
  --rounds N      how often each is measured (default ${ROUNDS}, with --quick ${QUICK_ROUNDS})
  --parallel N    pulumi's --parallel, where a scenario does not set it (default ${PER_CORE} a core, like the engine's)
  --out FILE      the figures as JSON
  --chart FILE    a chart as SVG; needs the scenarios branches, unchanged and refresh
  --help
`;

const wholeNumber = (flag: string, text: string): number => {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error(`--${flag} takes whole numbers from 1, not ${JSON.stringify(text)}`);
};

/** @throws an error in one line for flags that make no sense */
export function parseFlags(args: string[], scenarios: readonly string[]): Flags | "help" {
  const text = { type: "string" as const };
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      only: text,
      n: text,
      rounds: text,
      parallel: text,
      out: text,
      chart: text,
    },
  });
  if (values.help) return "help";
  const { quick = false, only, n, rounds, parallel, out, chart } = values;
  const names = only?.split(",");
  const unknown = names?.find((name) => !scenarios.includes(name));
  if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}; there are ${scenarios.join(", ")}`);
  return {
    quick,
    rounds: rounds === undefined ? (quick ? QUICK_ROUNDS : ROUNDS) : wholeNumber("rounds", rounds),
    parallel: parallel === undefined ? PER_CORE * availableParallelism() : wholeNumber("parallel", parallel),
    ...(names ? { only: names } : {}),
    ...(n === undefined ? {} : { sizes: n.split(",").map((one) => wholeNumber("n", one)) }),
    ...(out === undefined ? {} : { out }),
    ...(chart === undefined ? {} : { chart }),
  };
}
