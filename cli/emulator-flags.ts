import { parseArgs } from "node:util";
import type { EmulatorOptions } from "../emulator/index.js";
import { HOST_NAME } from "../emulator/options.js";

/** The flags of `compute-endpoint emulator`: each is the option of `startEmulator` of the same name. */

interface Flag {
  name: keyof EmulatorOptions;
  /** What stands behind it in the help. */
  value: string;
  help: string;
  parse(text: string): unknown;
}

const LARGEST_PORT = 65_535;
const LONGEST_MS = 3_600_000;
const LARGEST_RATE = 1_000_000;
const A_YEAR_SECONDS = 31_536_000;

const wholeNumber =
  (most: number, least = 0) =>
  (text: string) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new Error(`must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  };

function choice(name: keyof EmulatorOptions, words: string[], help: string): Flag {
  const parse = (text: string) => {
    if (words.includes(text)) return text;
    throw new Error(`must be ${words.join(" or ")}, not ${JSON.stringify(text)}`);
  };
  return { name, value: words.join("|"), help: `${help} (default ${words[0]})`, parse };
}

function status(name: keyof EmulatorOptions, numbers: number[], help: string): Flag {
  const words = choice(name, numbers.map(String), help);
  return { ...words, parse: (text) => Number(words.parse(text)) };
}

function key(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new Error("must be printable characters without spaces");
}

function file(text: string): string {
  if (text !== "") return text;
  throw new Error("must be the path of a file");
}

function rateLimit(text: string): EmulatorOptions["rateLimit"] {
  if (text === "public") return text;
  const [, perMinute, perRouteAndSecond] = /^(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (perMinute === undefined) throw new Error(`must be public, or like 700 or 700/40, not ${JSON.stringify(text)}`);
  const rate = wholeNumber(LARGEST_RATE, 1);
  return {
    perMinute: rate(perMinute),
    ...(perRouteAndSecond === undefined ? {} : { perRouteAndSecond: rate(perRouteAndSecond) }),
  };
}

function fields(text: string): string[] {
  const names = text.split(",").filter(Boolean);
  if (names.length > 0) return names;
  throw new Error(`must name a field, not ${JSON.stringify(text)}`);
}

function hosts(text: string): string[] {
  const names = text.split(",").filter(Boolean);
  const wrong = names.find((name) => !HOST_NAME.test(name));
  if (names.length > 0 && wrong === undefined) return names;
  throw new Error(`must be hosts as clients send them, as in emulator.test:8080, not ${JSON.stringify(wrong ?? text)}`);
}

const FLAGS: Flag[] = [
  { name: "port", value: "PORT", help: "0, the default, takes a free one", parse: wholeNumber(LARGEST_PORT) },
  {
    name: "hosts",
    value: "A,B",
    help: "further hosts that are answered, as in emulator.test:8080, where they lead to this machine",
    parse: hosts,
  },
  { name: "apiKey", value: "KEY", help: "the key that clients must send; made up if left out", parse: key },
  {
    name: "state",
    value: "FILE",
    help: "keep the world, the key and the clock there, also through kill -9",
    parse: file,
  },
  {
    name: "operationMs",
    value: "MS",
    help: "how long each operation takes (default 500)",
    parse: wholeNumber(LONGEST_MS),
  },
  choice("time", ["real", "virtual"], "virtual: the clock stands until POST /_emulator/time moves it"),
  choice("lock", ["project", "branch"], "what a pending operation locks"),
  choice("failed", ["final", "retried"], "is a scripted failed operation at its end, or tried again"),
  { name: "failedRetryMs", value: "MS", help: "how long until then (default 1000)", parse: wholeNumber(LONGEST_MS) },
  choice("idleUpdate", ["operations", "none"], "what updating an idle compute answers"),
  status("restartIdleStatus", [412, 423], "what restarting an idle compute answers"),
  choice(
    "settingsPatch",
    ["replace", "merge"],
    "what settings in a PATCH, and a project's allowed_ips, do to those that are there",
  ),
  {
    name: "ignoredFields",
    value: "A,B",
    help: "fields that are answered with success and not taken: name,settings.pg_settings.work_mem",
    parse: fields,
  },
  choice("listOrder", ["newest", "random"], "order of the lists that promise none"),
  choice("restoredBranch", ["new", "same"], "does restoring a branch make a new one, to which computes move"),
  {
    name: "branchReadyMs",
    value: "MS",
    help: "from the end of its operation until a branch takes computes (default 0)",
    parse: wholeNumber(LONGEST_MS),
  },
  status("branchNotReadyStatus", [422, 423], "what a request for a branch that is not ready answers"),
  {
    name: "availabilityCheckMs",
    value: "MS",
    help: "between the service's own checks of a compute, which lock (default 0, never)",
    parse: wholeNumber(A_YEAR_SECONDS * 1000),
  },
  {
    name: "rateLimit",
    value: "public|M[/S]",
    help: "429 beyond M requests a minute and S a second for each route; public is 700/40",
    parse: rateLimit,
  },
  {
    name: "keepAliveMs",
    value: "MS",
    help: "how long a connection stays open between two requests; 0, the default: until the client closes it",
    parse: wholeNumber(LONGEST_MS),
  },
  choice("retryAfter", ["none", "seconds", "date"], "send Retry-After with 423 and 429"),
  {
    name: "suspendDefaultSeconds",
    value: "S",
    help: "when a compute without a timeout of its own is suspended (default 300)",
    parse: wholeNumber(A_YEAR_SECONDS, 1),
  },
];

const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const shown = ({ name, value }: Flag) => `  --${flagOf(name)} ${value}`;
const width = Math.max(...FLAGS.map((flag) => shown(flag).length)) + 2;

export const HELP = `Usage: compute-endpoint emulator [options]

Runs a control plane on 127.0.0.1 that behaves like the service's, with a seeded project, until it is interrupted.

${FLAGS.map((flag) => `${shown(flag).padEnd(width)}${flag.help}`).join("\n")}
  --help

Beside the API, for tests in any language: /_emulator/world, requests, faults, time, operations, endpoints/ID.
`;

/** The options, or `help`. Throws an error with one line that names the flag. */
export function parseFlags(args: string[]): EmulatorOptions | "help" {
  const values = valuesOf(args);
  if (values["help"]) return "help";
  const options: Record<string, unknown> = {};
  for (const { name, parse } of FLAGS) {
    const text = values[flagOf(name)];
    if (typeof text !== "string") continue;
    try {
      options[name] = parse(text);
    } catch (error) {
      throw new Error(`--${flagOf(name)} ${(error as Error).message}`);
    }
  }
  return options;
}

function valuesOf(args: string[]): Record<string, unknown> {
  const texts = FLAGS.map(({ name }) => [flagOf(name), { type: "string" as const }]);
  try {
    return parseArgs({ args, options: { ...Object.fromEntries(texts), help: { type: "boolean", short: "h" } } }).values;
  } catch (error) {
    // Only the first sentence of its message: the rest is advice, and more than a line.
    throw new Error((error as Error).message.split(/\.\s/)[0]);
  }
}
