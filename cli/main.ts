#!/usr/bin/env node
import { emulator } from "./emulator.js";

export interface Command {
  summary: string;
  /** Takes the arguments behind its name; the exit code, or nothing while it goes on running. */
  run(args: string[]): Promise<number | undefined>;
}

const COMMANDS: Record<string, Command> = { emulator };

const EXIT_USAGE = 2;
const HELP_FLAGS = ["--help", "-h", "help"];

function help(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: compute-endpoint <command> [options]\n\nCommands:\n${lines.join("\n")}\n\ncompute-endpoint <command> --help tells more.\n`;
}

async function main(args: string[]): Promise<number | undefined> {
  const [name = "", ...rest] = args;
  if (HELP_FLAGS.includes(name)) {
    process.stdout.write(help());
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command.run(rest);
  process.stderr.write(
    name === "" ? help() : `compute-endpoint: unknown command ${JSON.stringify(name)}; see --help\n`,
  );
  return EXIT_USAGE;
}

main(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`compute-endpoint: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
