#!/usr/bin/env node
import { exitOf } from "./account.js";
import { EXIT, UsageError } from "./arguments.js";
import type { Command } from "./command.js";
import { actionCommand } from "./commands/action.js";
import { approveCommand } from "./commands/approve.js";
import { deleteCommand } from "./commands/delete.js";
import { emulator } from "./commands/emulator.js";
import { importFile } from "./commands/import-file.js";
import { endpoints, operations } from "./commands/lists.js";
import { reportCommand } from "./commands/report.js";
import { processIo } from "./io.js";

const ENVIRONMENT = { cwd: () => process.cwd(), nowMs: () => Date.now() };

const COMMANDS: Record<string, Command> = {
  report: reportCommand({ stdin: () => process.stdin, ...ENVIRONMENT }),
  approve: approveCommand(ENVIRONMENT),
  endpoints,
  operations,
  restart: actionCommand("restart"),
  start: actionCommand("start"),
  suspend: actionCommand("suspend"),
  delete: deleteCommand,
  "import-file": importFile,
  emulator,
};

/** `npx --no compute-endpoint --help` is npm's own help: npx takes a flag right after the command's name for its own. */
const HELP_WORDS = ["help", "--help", "-h"];
const VERSION_WORDS = ["version", "--version", "-v"];

function help(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary] as const);
  const all = [
    ...rows,
    ["help", "explain a command: help COMMAND, or COMMAND --help"],
    ["version", "print the version"],
  ] as const;
  const width = Math.max(...all.map(([name]) => name.length));
  const lines = all.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: compute-endpoint <command> [options]\n\nCommands:\n${lines.join("")}`;
}

async function main(args: string[]): Promise<number | undefined> {
  const [first = "", ...more] = args;
  const { out, err } = io;
  // "help delete" is "delete --help".
  const [name = "", ...rest] = first === "help" && more[0] !== undefined ? [more[0], "--help"] : [first, ...more];
  if (HELP_WORDS.includes(name)) {
    out.write(help());
    return EXIT.ok;
  }
  if (VERSION_WORDS.includes(name)) {
    const { version } = require("pulumi-compute-endpoint/package.json") as { version: string };
    out.write(`${version}\n`);
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    err.write(
      name === "" ? help() : `compute-endpoint: unknown command ${JSON.stringify(name)}; see compute-endpoint help\n`,
    );
    return EXIT.refused;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    // Not --help alone, which npx takes for its own.
    const hint = error instanceof UsageError ? `; see compute-endpoint help ${name}` : "";
    err.write(`compute-endpoint ${name}: ${error instanceof Error ? error.message : String(error)}${hint}\n`);
    return exitOf(error);
  }
}

const io = processIo();
// A reader such as `head` may close the pipe early. That is not an error. If the exit code is already set, it stays.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? (process.exitCode ?? EXIT.ok) : EXIT.failed),
);

main(process.argv.slice(2)).then((code) => {
  if (code !== undefined) process.exitCode = code;
});
