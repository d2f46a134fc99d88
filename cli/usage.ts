import { type ParseArgsConfig, parseArgs } from "node:util";
import { millisecondsOf } from "../provider/endpoint/inputs.js";

/** 0: it is done. 1: the service refused it, failed, or was not done in time. 2: bad usage; nothing was sent. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** The command was called in a way that can't be meant. */
export class UsageError extends Error {
  readonly kind = "usage";
}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true; args: string[] }>>;

/** The flags and what stands beside them. @throws UsageError with one sentence */
export function parsed<const O extends Options>(args: string[], options: O): Parsed<O> {
  try {
    return parseArgs({ args, options, allowPositionals: true }) as Parsed<O>;
  } catch (error) {
    // The rest of the message is advice about dashes, and more than a line.
    throw new UsageError((error as Error).message.split(/\.\s/)[0]);
  }
}

/** The flags that all commands which ask a service have. */
export const COMMON = {
  timeout: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies Options;

export const COMMON_HELP = `  --timeout TIME   how long it may take at most, for example 90s or 10m (default 10m)
  --json           print JSON
  --help`;

export const ACCOUNT_HELP = `The key and the URL of the service come from the environment, as a pair: COMPUTE_API_KEY and COMPUTE_API_URL, else
NEON_API_KEY and NEON_API_HOST. Without a URL it is the public service. A stack's config is not read.`;

export const EXIT_HELP =
  "Exit codes: 0 done, 1 the service refused or failed, or time is up, 2 bad usage or no key, 130 interrupted.";

const DEFAULT_TIMEOUT = "10m";
const DURATION = /^(\d+(\.\d+)?(h|m|s|ms))+$/;

/** Milliseconds of `--timeout`. */
export function timeoutOf(text = DEFAULT_TIMEOUT): number {
  const ms = DURATION.test(text) ? millisecondsOf(text) : undefined;
  if (!ms) throw new UsageError(`--timeout must be a time such as 90s, 10m or 1h30m, not ${JSON.stringify(text)}`);
  return ms;
}

export function wholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new UsageError(`${flag} must be a whole number from ${least}, not ${JSON.stringify(text)}`);
}

const ID = /^[a-z0-9-]{1,60}$/;

export interface Target {
  projectId: string;
  endpointId?: string;
}

/** `PROJECT` or `PROJECT/ENDPOINT`. */
export function targetOf(text: string): Target {
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

/** The one target of a command. */
export function oneTarget(positionals: string[], form: string): Target {
  const [text, ...more] = positionals;
  if (text === undefined) throw new UsageError(`which one? give ${form}`);
  if (more.length > 0) throw new UsageError(`one at a time: give ${form}, not also ${JSON.stringify(more[0])}`);
  return targetOf(text);
}
