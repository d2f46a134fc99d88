// Key, base URL and budgets: of a `Provider` instance, from the environment, from the stack's config. Key and URL come as
// a pair from one layer, or a key would be sent to an address that was left over from another account.

import { ConfigError } from "./errors.js";
import { type Approvals, readApprovals } from "./rules/approval.js";
import type { ConfigName } from "./rules/config-names.js";
import { INSTANCE } from "./rules/instance.js";
import { DEFAULT_API_URL, isThisMachine } from "./rules/service-url.js";
import { withoutForms } from "./secret-forms.js";

export { DEFAULT_API_URL };

export type OnRestart = "allow" | "warn" | "refuse";

export interface Account {
  apiKey: string;
  apiUrl: string;
  /** The layer in words, for errors: "COMPUTE_API_KEY (environment)". */
  keySource: string;
  /** What to do when the service refuses the key, where it may be an old one. */
  keyHint?: string;
}

/** What `configure` made of everything. An error is kept until somebody needs what it spoils. */
export interface ProviderConfig {
  account: Account | ConfigError;
  onRestart?: OnRestart;
  /** Whether size rules fail a check or only warn. */
  sizes: "checked" | "unchecked";
  autoName: boolean;
  /** Whether to ask again for what the service did not take: accounts get upgraded. */
  askAgain: boolean;
  pollSeconds?: number;
  requestsPerMinute?: number;
  /** The changes that pass `refuse`. */
  approvals: Approvals;
  /** Values of the stack's config that can't be used: a check reports them. */
  problems: ConfigProblem[];
}

export interface ConfigProblem {
  /** The config key, or the option. */
  name: string;
  reason: string;
}

/** The stack's config as the engine hands it on; names carry their namespace. */
export interface StackConfig {
  get(name: ConfigName | (typeof INSTANCE)[keyof typeof INSTANCE]): string | undefined;
}

interface Layer {
  source: string;
  urlSource: string;
  /** What helps where a command gets this layer as it was at the last `pulumi up`. */
  hint?: string;
  apiKey?: string;
  apiUrl?: string;
}

/** @param nowMs the wall clock: approvals may have a last day */
export function readConfig(stack: StackConfig, env: NodeJS.ProcessEnv, nowMs = Date.now()): ProviderConfig {
  const problems: ConfigProblem[] = [];
  const word = <T extends string>(name: ConfigName, words: readonly T[]): T | undefined => {
    const value = stack.get(name);
    if (value === undefined || (words as readonly string[]).includes(value)) return value as T | undefined;
    problems.push({ name, reason: `"${value}" is not one of ${words.map((one) => `"${one}"`).join(", ")}` });
    return undefined;
  };
  const amount = (name: ConfigName, from: number, to: number): number | undefined => {
    const value = stack.get(name);
    if (value === undefined) return undefined;
    const parsed = Number(value);
    if (value.trim() !== "" && parsed >= from && parsed <= to) return parsed;
    problems.push({ name, reason: `"${value}" is not a number from ${from} to ${to}` });
    return undefined;
  };
  const onRestart = word("compute:onRestart", ["allow", "warn", "refuse"]);
  const sizes = word("compute:sizes", ["checked", "unchecked"]) ?? "checked";
  const autoName = (word("compute:autoName", ["true", "false"]) ?? "true") === "true";
  const askAgain = word("compute:askAgain", ["true", "false"]) === "true";
  const pollSeconds = amount("compute:pollSeconds", 0.1, 60);
  const requestsPerMinute = amount("compute:requestsPerMinute", 1, 10_000);
  const approvals = readApprovals(stack.get("compute:approve"), nowMs);
  if (approvals.problem) problems.push({ name: "compute:approve", reason: approvals.problem });
  const account = readAccount(stack, env);
  // The program gives an instance its key, so a preview has it as well; other keys may be there only where changes are made.
  const isInstance = stack.get(INSTANCE.name) !== undefined;
  if (account instanceof Error && isInstance) problems.push({ name: "provider", reason: account.message });
  // Somebody who can't read an encrypted key can copy it to another setting in the stack's file. The error about that setting
  // must not show it.
  const keys = [stack.get("compute:apiKey"), stack.get(INSTANCE.apiKey)].flatMap((key) => text(key) ?? []);
  for (const problem of problems) problem.reason = withoutForms(problem.reason, keys, "[key]");
  return { account, onRestart, sizes, autoName, askAgain, pollSeconds, requestsPerMinute, approvals, problems };
}

function readAccount(stack: StackConfig, env: NodeJS.ProcessEnv): Account | ConfigError {
  const layers = layersOf(stack, env);
  // An instance whose key is empty must not act on another account's computes.
  const instance = stack.get(INSTANCE.name) !== undefined;
  const chosen = instance ? 0 : layers.findIndex((layer) => layer.apiKey !== undefined || layer.apiUrl !== undefined);
  const layer = layers[chosen];
  if (!layer) {
    return new ConfigError(
      "no API key: set COMPUTE_API_KEY in the environment, or run `pulumi config set --secret compute:apiKey …`. A .env file that only the program reads does not reach Pulumi's engine",
    );
  }
  if (layer.apiKey === undefined) {
    if (instance) return new ConfigError(`${layer.source} is empty: give it the key of its account`);
    const other = layers.find((one) => one.apiKey !== undefined);
    const has = other ? `; the key in ${other.source} is not used for it, since key and URL come as a pair` : "";
    return new ConfigError(
      `${layer.urlSource} is set, but no key beside it${has}. Set ${layer.source} as well, or remove ${layer.urlSource}`,
    );
  }
  if (layer.apiUrl === undefined) {
    const lower = layers.slice(chosen + 1).find((one) => one.apiUrl !== undefined);
    if (lower) {
      return new ConfigError(
        `${layer.source} is set without a URL, while ${lower.urlSource} names one: which service is meant? Key and URL come as a pair: set ${layer.urlSource} as well (the public service is ${DEFAULT_API_URL}), or remove ${lower.urlSource}`,
      );
    }
  }
  const apiUrl = layer.apiUrl ?? DEFAULT_API_URL;
  const problem = urlProblem(apiUrl);
  if (problem) return new ConfigError(`${layer.urlSource}: ${problem}`);
  const keyHint = layer.hint === undefined ? {} : { keyHint: layer.hint };
  return { apiKey: layer.apiKey, apiUrl, keySource: layer.source, ...keyHint };
}

/**
 * From the strongest to the weakest. The environment wins over the stack's config because refresh and destroy get the
 * config of the last `pulumi up`: a key that was rotated since would be the old one.
 */
function layersOf(stack: StackConfig, env: NodeJS.ProcessEnv): Layer[] {
  const instance = stack.get(INSTANCE.name);
  const variables = stack.get("compute:apiUrl") ? "COMPUTE_API_KEY and COMPUTE_API_URL" : "COMPUTE_API_KEY";
  const own = {
    source: `apiKey of the Provider "${instance}"`,
    urlSource: `apiUrl of the Provider "${instance}"`,
    apiKey: text(stack.get(INSTANCE.apiKey)),
    apiUrl: text(stack.get(INSTANCE.apiUrl)),
    hint: `${OLD_KEY}; after a new key, run \`pulumi up\` first, or give them --run-program`,
  };
  return [
    ...(instance === undefined ? [] : [own]),
    {
      source: "COMPUTE_API_KEY (environment)",
      urlSource: "COMPUTE_API_URL (environment)",
      apiKey: text(env["COMPUTE_API_KEY"]),
      apiUrl: text(env["COMPUTE_API_URL"]),
    },
    {
      source: "compute:apiKey (stack config)",
      urlSource: "compute:apiUrl (stack config)",
      apiKey: text(stack.get("compute:apiKey")),
      apiUrl: text(stack.get("compute:apiUrl")),
      hint: `${OLD_KEY}; after a new key, set ${variables} for them, or give them --run-program`,
    },
    {
      source: "NEON_API_KEY (environment)",
      urlSource: "NEON_API_HOST (environment)",
      apiKey: text(env["NEON_API_KEY"]),
      apiUrl: text(env["NEON_API_HOST"]),
    },
  ];
}

/** Pulumi keeps the config of an `up` in the state, and gives it to these two. */
const OLD_KEY = "`pulumi refresh` and `pulumi destroy` get the one of the last `pulumi up`";

const text = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** Never shows the value: where the two were mixed up, it is the key. */
function urlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return `its value is not a URL; it looks like ${DEFAULT_API_URL}`;
  const url = new URL(value);
  if (url.username || url.password) return "a URL with a user name or a password in it is not accepted";
  // Not `search` and `hash`: both are empty for a URL that ends in "?" or "#", and the paths of requests would be appended to
  // its query or fragment.
  if (/[?#]/.test(value)) return 'the URL must end with its path, such as /api/v2: remove "?" or "#" and what follows';
  // The parser of URLs drops these or reads them as "/": the request would go to another URL than the one in the config.
  if (/[\s\\]/.test(value)) return "the URL has white space or a backslash in it: remove it";
  if (url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname))) return undefined;
  return "the URL must begin with https:// (http:// is accepted for this machine only): the API key would travel in clear";
}
