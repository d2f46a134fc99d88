import type { EmulatorOptions } from "../../emulator/index.js";
import { DEFAULTS, HOST_NAME, LARGEST_PORT, OPTIONS } from "../../emulator/model/options.js";
import { assertNoPositionals, parseArguments, parseChoice, parseWholeNumber, UsageError } from "../arguments.js";

/** The flags of `compute-endpoint emulator`. Each is the option of `startEmulator` with the same name. */

interface Flag {
  name: keyof EmulatorOptions;
  /** The flag's value in the help. */
  value: string;
  help: string;
  parse(text: string, flag: string): unknown;
}

const LONGEST_MS = 3_600_000;
const LARGEST_RATE = 1_000_000;
const A_YEAR_SECONDS = 31_536_000;

const wholeNumber =
  (most: number, least = 0) =>
  (text: string, flag: string) =>
    parseWholeNumber(flag, text, least, most);

const ms = (name: keyof EmulatorOptions, help: string, most = LONGEST_MS): Flag => ({
  name,
  value: "MS",
  help,
  parse: wholeNumber(most),
});

const { shape } = OPTIONS;
type Word = "lock" | "failed" | "idleUpdate" | "settingsPatch" | "listOrder" | "restoredBranch" | "retryAfter";
type Status = "restartIdleStatus" | "branchNotReadyStatus";

function choice(name: keyof EmulatorOptions, choices: readonly string[], help: string, byDefault = choices[0]): Flag {
  const parse = (text: string, flag: string) => parseChoice(flag, text, choices);
  return { name, value: choices.join("|"), help: `${help} (default ${byDefault})`, parse };
}

const word = (name: Word, help: string): Flag => choice(name, shape[name].def.innerType.options, help, DEFAULTS[name]);

function status(name: Status, help: string): Flag {
  const { values } = shape[name].def.innerType.def;
  const { parse, ...flag } = choice(name, values.map(String), help, String(DEFAULTS[name]));
  return { ...flag, parse: (...given) => Number(parse(...given)) };
}

function key(text: string, flag: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(`${flag} must be printable characters without spaces`);
}

function file(text: string, flag: string): string {
  if (text !== "") return text;
  throw new UsageError(`${flag} must be the path of a file`);
}

function rateLimit(text: string, flag: string): EmulatorOptions["rateLimit"] {
  if (text === "public") return text;
  const [, perMinute, perRouteAndSecond] = /^(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (perMinute === undefined) {
    throw new UsageError(`${flag} must be public, or like 700 or 700/40, not ${JSON.stringify(text)}`);
  }
  const rate = (count: string) => parseWholeNumber(flag, count, 1, LARGEST_RATE);
  return {
    perMinute: rate(perMinute),
    ...(perRouteAndSecond === undefined ? {} : { perRouteAndSecond: rate(perRouteAndSecond) }),
  };
}

function fields(text: string, flag: string): string[] {
  const names = text.split(",").filter(Boolean);
  if (names.length > 0) return names;
  throw new UsageError(`${flag} must name a field, not ${JSON.stringify(text)}`);
}

function hosts(text: string, flag: string): string[] {
  const names = text.split(",").filter(Boolean);
  const wrong = names.find((name) => !HOST_NAME.test(name));
  if (names.length > 0 && wrong === undefined) return names;
  const given = JSON.stringify(wrong ?? text);
  throw new UsageError(`${flag} must be hosts as clients send them, as in emulator.test:8080, not ${given}`);
}

const FLAGS: Flag[] = [
  { name: "port", value: "PORT", help: "0, the default, takes a free one", parse: wholeNumber(LARGEST_PORT) },
  {
    name: "hosts",
    value: "A,B",
    help: "accept these values of Host too, as in emulator.test:8080",
    parse: hosts,
  },
  { name: "apiKey", value: "KEY", help: "the key that clients must send (default a random one)", parse: key },
  {
    name: "state",
    value: "FILE",
    help: "keep the world, the key and the clock in this file, where they survive kill -9",
    parse: file,
  },
  ms("operationMs", `duration of each operation (default ${DEFAULTS.operationMs})`),
  choice("time", ["real", "virtual"], "virtual: the clock stands still until POST /_emulator/time moves it"),
  word("lock", "what a pending operation locks"),
  word("failed", "whether a scripted failed operation has ended, or is tried again"),
  ms("failedRetryMs", `time until it is tried again (default ${DEFAULTS.failedRetryMs})`),
  word("idleUpdate", "what updating an idle compute starts"),
  status("restartIdleStatus", "status for the restart of an idle compute"),
  word("settingsPatch", "what a PATCH does to a compute's settings and a project's allowed_ips"),
  {
    name: "ignoredFields",
    value: "A,B",
    help: "ignore these fields, but answer with success: name,settings.pg_settings.work_mem",
    parse: fields,
  },
  word("listOrder", "order of the lists whose order is not documented"),
  word("restoredBranch", "restoring a branch makes a new one with its computes, or keeps the same"),
  ms(
    "branchReadyMs",
    `from the end of its operation until a branch takes computes (default ${DEFAULTS.branchReadyMs})`,
  ),
  status("branchNotReadyStatus", "status for a request for a branch that is not ready"),
  ms(
    "availabilityCheckMs",
    "time between the service's own checks of a compute, which lock (default 0, never)",
    A_YEAR_SECONDS * 1000,
  ),
  {
    name: "rateLimit",
    value: "public|M[/S]",
    help: "429 beyond M requests a minute and S a second for each route; public is 700/40",
    parse: rateLimit,
  },
  ms("keepAliveMs", "how long a connection stays open between two requests (default 0, until the client closes it)"),
  word("retryAfter", "send Retry-After with 423 and 429"),
  {
    name: "suspendDefaultSeconds",
    value: "S",
    help: `time after which a compute without its own timeout is suspended (default ${DEFAULTS.suspendDefaultSeconds})`,
    parse: wholeNumber(A_YEAR_SECONDS, 1),
  },
];

const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const headOf = ({ name, value }: Flag) => `  --${flagOf(name)} ${value}`;
const OPEN = "  --open";
const width = Math.max(...FLAGS.map((flag) => headOf(flag).length)) + 2;

export const HELP = `Usage: compute-endpoint emulator [options]
       compute-endpoint emulator stop [--port PORT] [--json]

Runs a control plane on 127.0.0.1 that behaves like the service's, with two seeded projects, until it is interrupted.
\`stop\` ends one that runs in the background: that of the port, else that of COMPUTE_API_URL.

${FLAGS.map((flag) => `${headOf(flag).padEnd(width)}${flag.help}`).join("\n")}
${OPEN.padEnd(width)}open the console page in a browser (BROWSER names another command)
  --help

The console page, at the address without a path, shows computes, operations and requests while they happen.
Routes beside the API, for tests in any language: /_emulator/world, requests, changes, faults, time, operations, endpoints/ID,
api/…, stop.
Exit codes: 0 ended by Ctrl-C or by stop, 1 it could not start or be stopped, 2 bad usage.
`;

const VALUE_FLAGS = Object.fromEntries(FLAGS.map(({ name }) => [flagOf(name), { type: "string" as const }]));
const ALL_FLAGS: Record<string, { type: "string" | "boolean" }> = { ...VALUE_FLAGS, open: { type: "boolean" } };

export interface EmulatorArguments {
  options: EmulatorOptions;
  /** Whether to open the console page in a browser. */
  opens: boolean;
}

/** Undefined if help is asked for. @throws UsageError that names the flag */
export function parseEmulatorOptions(args: string[]): EmulatorArguments | undefined {
  const { values, positionals } = parseArguments(args, ALL_FLAGS);
  if (values["help"]) return undefined;
  assertNoPositionals(positionals);
  const options: Record<string, unknown> = {};
  for (const { name, parse } of FLAGS) {
    const text = values[flagOf(name)];
    if (typeof text === "string") options[name] = parse(text, `--${flagOf(name)}`);
  }
  return { options, opens: values["open"] === true };
}
