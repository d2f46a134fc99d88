/**
 * `npm run chaos -- --runs N --seed S [--path P]` plays random scenarios of programs, commands and faults. The emulator's
 * world and its log of requests show whether a promise was broken. At the end it prints a table; the exit code is 1 if a
 * promise was broken. `--surface plugin` plays them against the plugin. `--planted` puts known bugs into copies of the sources, one at a time, and expects to find each.
 */
import { parseArgs } from "node:util";
import { findPlanted } from "./planted/find";
import { run } from "./run";
import type { Statistics } from "./statistics";
import { describeCounterexample, neverHit, table } from "./table";
import { trace } from "./trace";

const USAGE =
  "usage: npm run chaos -- [--runs N] [--seed S] [--path P] [--except RULE] [--no-shrink] [--surface class|plugin] | --planted [--no-shrink]";
/** After so many runs, a kind of fault that never hit points to a mistake in the generator. */
const ENOUGH_RUNS = 5000;

const line = (text = ""): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "1000" },
      seed: { type: "string" },
      path: { type: "string" },
      "no-shrink": { type: "boolean", default: false },
      except: { type: "string", multiple: true },
      surface: { type: "string", default: "class" },
      planted: { type: "boolean", default: false },
    },
  });
  const shrink = !values["no-shrink"];
  if (values.planted) return (await findPlanted({ shrink, line })) ? 0 : 1;

  const runs = values.path === undefined ? Number(values.runs) : 1;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
  if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed)) throw new Error(USAGE);
  if (values.surface !== "class" && values.surface !== "plugin") throw new Error(USAGE);
  // Only where it is asked for: it loads gRPC.
  const surface = values.surface === "plugin" ? (await import("../support/lab/plugin-form.js")).PLUGIN : undefined;
  line(`${runs} scenarios, seed ${seed}`);
  const began = performance.now();
  const watch: Parameters<typeof run>[0]["watch"] = (report, lab) => {
    for (const one of trace(report, lab)) line(one);
  };
  const scenario = values.path === undefined ? { shrink } : { path: values.path, shrink: false, watch };
  const { statistics, counterexample } = await run({
    runs,
    seed,
    ...scenario,
    except: values.except,
    surface,
    progress: progress(runs),
  });
  if (process.stdout.isTTY) process.stdout.write("\r\u001b[K");
  if (values.path === undefined || !counterexample) {
    for (const one of table(statistics, counterexample ? 1 : 0, (performance.now() - began) / 1000)) line(one);
  }
  if (counterexample) for (const one of ["", ...describeCounterexample(counterexample, seed)]) line(one);
  const missed = statistics.runs >= ENOUGH_RUNS ? neverHit(statistics) : [];
  if (missed.length > 0) line(`\nthese faults never hit, so the generator is wrong: ${missed.join(", ")}`);
  return counterexample || missed.length > 0 ? 1 : 0;
}

/** On a terminal only. */
function progress(runs: number): ((statistics: Statistics) => void) | undefined {
  if (!process.stdout.isTTY) return undefined;
  return (statistics) => {
    if (statistics.runs % 20 === 0)
      process.stdout.write(`\r${statistics.runs} of ${runs}, ${statistics.requests} requests`);
  };
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(
      `${/^ERR_PARSE_ARGS/.test(String((error as { code?: string }).code)) ? USAGE : error.message}\n`,
    );
    process.exitCode = 2;
  },
);
