/**
 * `npm run chaos -- --runs N --seed S [--path P]`: random stories of programs, commands and faults, judged by what the
 * emulator's world and its log of requests show. Ends with a table; a broken promise ends it with exit code 1.
 * `--planted` shows that it finds the bugs that are put in on purpose, each in a copy of the sources.
 */
import { parseArgs } from "node:util";
import { findPlanted } from "./chaos/planted";
import { run } from "./chaos/run";
import { account, neverHit, table } from "./chaos/table";
import type { Tally } from "./chaos/tally";
import { trace } from "./chaos/trace";

const USAGE = "usage: npm run chaos -- [--runs N] [--seed S] [--path P] [--no-shrink] | --planted [--no-shrink]";
/** Runs after which a fault that has never hit is no accident. */
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
      planted: { type: "boolean", default: false },
    },
  });
  const shrink = !values["no-shrink"];
  if (values.planted) return (await findPlanted({ shrink, line })) ? 0 : 1;

  const runs = values.path === undefined ? Number(values.runs) : 1;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
  if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed)) throw new Error(USAGE);
  line(`${runs} stories, seed ${seed}`);
  const began = performance.now();
  const watch: Parameters<typeof run>[0]["watch"] = (report, lab) => {
    for (const one of trace(report, lab)) line(one);
  };
  const story = values.path === undefined ? { shrink } : { path: values.path, shrink: false, watch };
  const { tally, found } = await run({ runs, seed, ...story, except: values.except, progress: progress(runs) });
  if (process.stdout.isTTY) process.stdout.write("\r\u001b[K");
  if (values.path === undefined || !found) {
    for (const one of table(tally, found ? 1 : 0, (performance.now() - began) / 1000)) line(one);
  }
  if (found) for (const one of ["", ...account(found, seed)]) line(one);
  const missed = tally.runs >= ENOUGH_RUNS ? neverHit(tally) : [];
  if (missed.length > 0) line(`\nthe generator is at fault: never hit were ${missed.join(", ")}`);
  return found || missed.length > 0 ? 1 : 0;
}

/** On a terminal only. */
function progress(runs: number): ((tally: Tally) => void) | undefined {
  if (!process.stdout.isTTY) return undefined;
  return (tally) => {
    if (tally.runs % 20 === 0) process.stdout.write(`\r${tally.runs} of ${runs}, ${tally.requests} requests`);
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
