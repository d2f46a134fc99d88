// Ends an emulator that runs in the background, where nobody can press Ctrl-C.

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { LARGEST_PORT } from "../../emulator/model/options.js";
import { Stopped } from "../../provider/errors.js";
import { isThisMachine } from "../../provider/rules/service-url.js";
import { assertNoPositionals, EXIT, parseArguments, parseWholeNumber, UsageError } from "../arguments.js";
import type { Io } from "../io.js";
import { json } from "../table.js";

const ROUTE = "/_emulator/stop";
const HTTP_PORT = "80";
/** Milliseconds that it may take to end, in all. */
const LIMIT_MS = 10_000;
const PAUSE_MS = 50;
/** The status with which the emulator accepts the request to stop. */
const ACCEPTED = 204;

const HELP = `Usage: compute-endpoint emulator stop [--port PORT] [--json]

Ends the emulator on a port of this machine, and waits until it has ended. Its state file is complete.

  --port PORT      default: the port of COMPUTE_API_URL, if that is on this machine
  --json           print JSON
  --help

Exit codes: 0 ended, or none was there; 1 what answers is not an emulator, or it does not end; 2 bad usage.
`;

export async function stopEmulator(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArguments(args, { port: { type: "string" }, json: { type: "boolean" } });
  if (values.help) {
    io.out.write(HELP);
    return EXIT.ok;
  }
  assertNoPositionals(positionals);
  const port = portOf(values.port, io.env["COMPUTE_API_URL"]?.trim());
  const wasRunning = await stop(`http://127.0.0.1:${port}`);
  const said = wasRunning ? `the emulator on port ${port} has ended` : `no emulator runs on port ${port}`;
  io.out.write(values.json ? json({ action: "stop", port, wasRunning }) : `${said}\n`);
  return EXIT.ok;
}

function portOf(given: string | undefined, url: string | undefined): number {
  if (given !== undefined) return parseWholeNumber("--port", given, 1, LARGEST_PORT);
  if (url && URL.canParse(url)) {
    const { hostname, port } = new URL(url);
    if (isThisMachine(hostname)) return Number(port || HTTP_PORT);
  }
  throw new UsageError("which emulator? give --port, or set COMPUTE_API_URL to its URL");
}

/** @returns whether one was running */
async function stop(origin: string): Promise<boolean> {
  const first = await ask(origin);
  if (first === "nobody") return false;
  if (first !== "cut" && first !== ACCEPTED) {
    throw new Stopped(
      `what listens at ${origin} is not an emulator that can be stopped this way: it answered ${first}`,
    );
  }
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += PAUSE_MS) {
    await sleep(PAUSE_MS);
    if ((await ask(origin)) === "nobody") return true;
  }
  throw new Stopped(`the emulator at ${origin} has not ended within ${LIMIT_MS / 1000} s`);
}

/** The status of the answer; `cut` if the connection ended before the answer, for example because the emulator is ending. */
function ask(origin: string): Promise<number | "nobody" | "cut"> {
  return new Promise((resolve, reject) => {
    // Not `fetch`, which refuses some ports.
    const sent = request(
      `${origin}${ROUTE}`,
      { method: "POST", headers: { "content-type": "application/json" }, timeout: LIMIT_MS, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on("timeout", () => {
      reject(new Stopped(`what listens at ${origin} does not answer`));
      sent.destroy();
    });
    sent.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED" ? "nobody" : "cut"));
    sent.end("{}");
  });
}
