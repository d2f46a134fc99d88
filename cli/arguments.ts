import { type ParseArgsConfig, parseArgs } from "node:util";
import { isDuration, millisecondsOf } from "../provider/endpoint/inputs.js";

/**
 * 0: done. 1: the service refused or failed, or time was up. 2: bad usage, no usable account, a refused command, or a question that
 * was not answered with yes; nothing was changed. The report has more codes: `report/verdict.ts`.
 */
export const EXIT = { ok: 0, failed: 1, refused: 2 } as const;

/** The command did nothing, and ends with the exit code 2. */
export class CommandError extends Error {
  readonly kind = "usage";
}

/** The arguments make no sense. The message points to --help. */
export class UsageError extends CommandError {}

/** The command was understood and is refused: it would do harm, or a file is malformed. The message does not point to --help. */
export class CommandRefused extends CommandError {}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O & typeof HELP_OPTION; allowPositionals: true; args: string[] }>
>;

const HELP_OPTION = { help: { type: "boolean", short: "h" } } as const satisfies Options;

/** The options and positional arguments of a command. Each command has --help. @throws UsageError with one sentence */
export function parseArguments<const O extends Options>(args: string[], options: O): Parsed<O> {
  try {
    return parseArgs({ args, options: { ...options, ...HELP_OPTION }, allowPositionals: true }) as unknown as Parsed<O>;
  } catch (error) {
    // The rest of the message is advice about dashes, and longer than a line.
    throw new UsageError((error as Error).message.split(/\.\s/)[0]);
  }
}

/** The options of each command that asks a service. */
export const SERVICE_OPTIONS = { timeout: { type: "string" }, json: { type: "boolean" } } as const satisfies Options;

/** @param width of the column with the flags */
export const serviceOptionsHelp = (width: number): string =>
  [
    `  ${"--timeout TIME".padEnd(width)}the longest time it may take, for example 90s or 10m (default 10m)`,
    `  ${"--json".padEnd(width)}print JSON`,
    "  --help",
  ].join("\n");

export const SERVICE_OPTIONS_HELP = serviceOptionsHelp(17);

export const ACCOUNT_HELP = `The key and the URL of the service come from the environment, as a pair: COMPUTE_API_KEY and COMPUTE_API_URL, else
NEON_API_KEY and NEON_API_HOST. Without a URL it is the public service. A stack's config is not read.`;

export const EXIT_HELP =
  "Exit codes: 0 done, 1 the service refused or failed, or time is up, 2 bad usage or no key, 130 interrupted.";

const DEFAULT_TIMEOUT = "10m";

/** `--timeout` in milliseconds. */
export function parseTimeout(text = DEFAULT_TIMEOUT): number {
  const ms = isDuration(text) ? millisecondsOf(text) : undefined;
  if (!ms) throw new UsageError(`--timeout must be a time such as 90s, 10m or 1h30m, not ${JSON.stringify(text)}`);
  return ms;
}

const LARGEST_NUMBER = 999_999_999;

export function parseWholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= (most ?? LARGEST_NUMBER)) return value;
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${flag} must be a whole number ${range}, not ${JSON.stringify(text)}`);
}

export function parseChoice<const T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${flag} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}

export function assertNoPositionals(positionals: string[]): void {
  const [first] = positionals;
  if (first !== undefined) throw new UsageError(`only options are allowed, not ${JSON.stringify(first)}`);
}

const ID = /^[a-z0-9-]{1,60}$/;

export interface ComputeTarget {
  projectId: string;
  endpointId?: string;
}

/** `PROJECT` or `PROJECT/ENDPOINT`. */
export function parseTarget(text: string): ComputeTarget {
  const [projectId = "", endpointId, ...more] = text.split("/");
  if (projectId.startsWith("ep-") && ID.test(projectId)) {
    throw new UsageError(`${projectId} is a compute, and its project comes first: give PROJECT/${projectId}`);
  }
  const branch = [projectId, endpointId].find((one) => one?.startsWith("br-") && ID.test(one));
  if (branch) throw new UsageError(`${branch} is a branch: give PROJECT or PROJECT/ENDPOINT`);
  const isEndpoint = endpointId === undefined || (ID.test(endpointId) && endpointId.startsWith("ep-"));
  if (more.length > 0 || !ID.test(projectId) || !isEndpoint) {
    throw new UsageError(`${JSON.stringify(text)} is neither PROJECT nor PROJECT/ENDPOINT`);
  }
  return { projectId, ...(endpointId === undefined ? {} : { endpointId }) };
}

/** The one target of a command. `form` says how to write it. */
export function parseOneTarget(positionals: string[], form: string): ComputeTarget {
  const [text, ...more] = positionals;
  if (text === undefined) throw new UsageError(`which one? give ${form}`);
  if (more.length > 0) throw new UsageError(`only one at a time: give ${form}, without ${JSON.stringify(more[0])}`);
  return parseTarget(text);
}
