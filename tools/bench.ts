/**
 * `npm run bench`: compares what the provider costs with the engine's own cost and with a naive provider. It prints a
 * table on stdout and progress on stderr. `--out` writes the figures as JSON, `--chart` a picture. A missed target is
 * only shown in the table: figures depend on the machine. A scenario that could not run ends the command with exit code
 * 1.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Bench } from "./bench/bench";
import { chartOf } from "./bench/chart";
import { type Flags, HELP, parseFlags } from "./bench/flags";
import { circumstances, headline } from "./bench/machine";
import type { Row } from "./bench/row";
import { SCENARIOS } from "./bench/scenarios/index";
import { summaryOf, tableOf } from "./bench/table";
import { ensureEngine } from "./engine/index";
import { kill, processesWith } from "./engine/processes";
import { onSignals } from "./signals";

// All processes that start here put their temporary files into this folder. It is removed at the end.
const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-bench-"));
process.env["TMPDIR"] = folder;
process.once("exit", () => {
  for (const pid of processesWith("TMPDIR", folder)) kill(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});
onSignals();

const say = (line: string) => void process.stderr.write(`${line}\n`);
const print = (line: string) => void process.stdout.write(`${line}\n`);

main(process.argv.slice(2)).catch((error: Error) => {
  say(`bench: ${error.stack ?? error.message}`);
  process.exitCode = 1;
});

async function main(args: string[]): Promise<void> {
  const names = SCENARIOS.map(({ name }) => name);
  let flags: Flags | "help";
  try {
    flags = parseFlags(args, names);
  } catch (error) {
    say(`bench: ${(error as Error).message}; see --help`);
    process.exitCode = 2;
    return;
  }
  if (flags === "help") {
    print(`${HELP}\nScenarios:\n${SCENARIOS.map(({ name, title }) => `  ${name.padEnd(14)}  ${title}`).join("\n")}`);
    return;
  }
  const engine = await ensureEngine({ say });
  const taken = circumstances(engine, flags, args);
  const { rows, failures } = await measured(new Bench(engine, flags, timed()), flags.only ?? names);
  print(headline(taken));
  for (const line of ["", ...tableOf(rows), "", summaryOf(rows)]) print(line);
  if (flags.out) await write(flags.out, `${JSON.stringify({ ...taken, failures, rows }, undefined, 2)}\n`);
  if (failures.length > 0) process.exitCode = 1;
  if (flags.chart) await write(flags.chart, await chartOf(rows, taken));
}

/** Runs the scenarios. If one fails, the figures of the others stay: they took an hour. */
async function measured(bench: Bench, names: readonly string[]) {
  const rows: Row[] = [];
  const failures: { scenario: string; message: string }[] = [];
  try {
    for (const scenario of SCENARIOS.filter(({ name }) => names.includes(name))) {
      try {
        rows.push(...(await scenario.run(bench)));
      } catch (error) {
        const { message, stack } = error as Error;
        say(`bench: ${scenario.name} failed: ${stack ?? message}`);
        failures.push({ scenario: scenario.name, message });
      }
    }
  } finally {
    await bench.close();
  }
  return { rows, failures };
}

/** Prints progress, with the minutes since the start. */
function timed(): (line: string) => void {
  const began = performance.now();
  return (line) => {
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`[${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}] ${line}`);
  };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
