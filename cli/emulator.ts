import { parseArgs } from "node:util";
import { type RunningEmulator, startEmulator } from "../emulator/index.js";
import type { Command } from "./main.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const LARGEST_PORT = 65_535;
const LARGEST_OPERATION_MS = 3_600_000;

const HELP = `Usage: compute-endpoint emulator [--port PORT] [--api-key KEY] [--operation-ms MS]

Runs a control plane on 127.0.0.1 that behaves like the service's, with a seeded project, until it is interrupted.

  --port PORT          0, the default, takes a free one
  --api-key KEY        the key that clients must send; made up if left out
  --operation-ms MS    how long each operation takes (default 500)
  --help
`;

export const emulator: Command = {
  summary: "run a local control plane to try programs against",
  async run(args) {
    const options = parsed(args);
    if (typeof options === "number") return options;
    let running: RunningEmulator;
    try {
      running = await startEmulator(options);
    } catch (error) {
      return fail(EXIT_FAILED, portError(error as NodeJS.ErrnoException, options.port));
    }
    // At once: what a client is waiting for is not worth a terminal that hangs.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
    process.stdout.write(greeting(running));
    return undefined;
  },
};

function fail(code: number, message: string): number {
  process.stderr.write(`compute-endpoint emulator: ${message}\n`);
  return code;
}

function parsed(args: string[]): number | { port: number; apiKey?: string; operationMs?: number } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: "string", default: "0" },
        "api-key": { type: "string" },
        "operation-ms": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    const apiKey = values["api-key"];
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new Error("--api-key must be printable characters without spaces");
    }
    return {
      port: wholeNumber("--port", values.port, LARGEST_PORT) ?? 0,
      apiKey,
      operationMs: wholeNumber("--operation-ms", values["operation-ms"], LARGEST_OPERATION_MS),
    };
  } catch (error) {
    // Only the first sentence of parseArgs's message: the rest is advice, and more than a line.
    return fail(EXIT_USAGE, `${(error as Error).message.split(/\.\s/)[0]}; see --help`);
  }
}

function wholeNumber(flag: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most) {
    throw new Error(`${flag} must be a whole number from 0 to ${most}, not ${JSON.stringify(text)}`);
  }
  return value;
}

function portError(error: NodeJS.ErrnoException, port: number): string {
  if (error.code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 for a free one`;
  if (error.code === "EACCES") return `port ${port} needs more rights than this user has; choose one above 1023`;
  return error.message;
}

function greeting({ url, apiKey, seed }: RunningEmulator): string {
  return `emulator at ${url}

project    ${seed.projectId}  (${seed.regionId})
  branch   ${seed.branches.main}  main, root
  primary  ${seed.primaryId}  on main, active, 0.25 CU
  branch   ${seed.branches.dev}  dev, no compute
  branch   ${seed.branches.preview}  preview, no compute
project    ${seed.second.projectId}
  branch   ${seed.second.branchId}  main, root, its compute was deleted

In the terminal that runs your program:
  export COMPUTE_API_KEY=${quoted(apiKey)}
  export COMPUTE_API_URL=${url}
  curl -H "Authorization: Bearer $COMPUTE_API_KEY" $COMPUTE_API_URL/projects/${seed.projectId}/endpoints

Ctrl-C ends it.
`;
}

const quoted = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
