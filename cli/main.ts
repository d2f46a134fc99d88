#!/usr/bin/env node
import { exitOf } from "./account.js";
import { actionCommand } from "./action.js";
import type { Command } from "./command.js";
import { emulator } from "./emulator.js";
import { importFile } from "./import-file.js";
import { processIo } from "./io.js";
import { endpoints, operations } from "./lists.js";
import { reportCommand } from "./report.js";
import { EXIT } from "./usage.js";

export type { Command } from "./command.js";

const COMMANDS: Record<string, Command> = {
  report: reportCommand({ stdin: () => process.stdin, cwd: () => process.cwd(), nowMs: () => Date.now() }),
  endpoints,
  operations,
  restart: actionCommand("restart"),
  start: actionCommand("start"),
  suspend: actionCommand("suspend"),
  "import-file": importFile,
  emulator,
};

const HELP_FLAGS = ["--help", "-h", "help"];
const VERSION_FLAGS = ["--version", "-v"];

function help(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: compute-endpoint <command> [options]\n\nCommands:\n${lines.join("\n")}\n\ncompute-endpoint <command> --help tells more; --version prints the version.\n`;
}

async function main(args: string[]): Promise<number | undefined> {
  const [name = "", ...rest] = args;
  const { out, err } = io;
  if (HELP_FLAGS.includes(name)) {
    out.write(help());
    return EXIT.ok;
  }
  if (VERSION_FLAGS.includes(name)) {
    const { version } = require("pulumi-compute-endpoint/package.json") as { version: string };
    out.write(`${version}\n`);
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    err.write(name === "" ? help() : `compute-endpoint: unknown command ${JSON.stringify(name)}; see --help\n`);
    return EXIT.usage;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    const hint = (error as { kind?: unknown }).kind === "usage" ? "; see --help" : "";
    err.write(`compute-endpoint ${name}: ${error instanceof Error ? error.message : String(error)}${hint}\n`);
    return exitOf(error);
  }
}

const io = processIo();
// Whoever reads has seen enough, as `head` does; a verdict that is known stays the verdict.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? (process.exitCode ?? EXIT.ok) : EXIT.failed),
);

main(process.argv.slice(2)).then((code) => {
  if (code !== undefined) process.exitCode = code;
});
