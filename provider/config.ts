// The configuration of a process. Key and URL come from a `Provider` instance, the environment or the stack's config,
// always as a pair from one of these layers: otherwise a key could be sent to an address that was left over from
// another account.

import { ConfigError } from "./errors.js";
import { type Approvals, readApprovals } from "./rules/approval-list.js";
import { type ConfigName, INSTANCE } from "./rules/config-names.js";
import { type KeyAndUrl, keyAndUrl, secretsIn, urlProblem } from "./rules/key-and-url.js";
import { ON_RESTART, type OnRestart, softensPreviews } from "./rules/policies.js";
import { quotedText } from "./rules/quoted-text.js";
import { DEFAULT_API_URL, isForeign } from "./rules/service-url.js";
import { withoutForms } from "./secret-forms.js";

/** The shortest fixed time between two polls. One program must not use up the rate limit of the whole account. */
const SHORTEST_POLL_SECONDS = 0.2;

export interface Account {
  apiKey: string;
  apiUrl: string;
  /** The layer in words, for errors: "COMPUTE_API_KEY (environment)". */
  keySource: string;
  /** The same of the URL; absent for the public service's, which nobody has to set. */
  urlSource?: string;
  /** Advice for the user when the service refuses the key. Absent if the key can't be an old one. */
  keyHint?: string;
}

/** The configuration as read. An error about the account is kept here, and thrown when a step needs the account. */
export interface ProviderConfig {
  account: Account | ConfigError;
  /** The name of the program's `Provider` whose account this is; absent for the stack's own account. */
  instance?: string;
  onRestart?: OnRestart;
  /** Whether `refuse` only warns in a preview. */
  softensPreviews: boolean;
  /** Whether size rules fail a check or only warn. */
  sizes: "checked" | "unchecked";
  autoName: boolean;
  /** Whether to send again what the service did not apply: the account's plan may allow it by now. */
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

interface Layer extends KeyAndUrl {
  source: string;
  urlSource: string;
  /** Advice for `pulumi refresh` and `pulumi destroy`, which may have an old key. */
  hint?: string;
  /**
   * The error for a foreign URL (`isForeign`) that is not bound to its key: nobody can change a bound URL alone. Absent if the layer
   * accepts any URL.
   */
  foreignUrlError?: () => ConfigError;
  /** The command that binds key and URL into one value. Only for the layer in which a foreign URL has to be bound. */
  bindCommand?: string;
}

/** @param nowMs the wall clock: approvals may have a last day */
export function readConfig(stack: StackConfig, env: NodeJS.ProcessEnv, nowMs = Date.now()): ProviderConfig {
  const problems: ConfigProblem[] = [];
  const word = <T extends string>(name: ConfigName, words: readonly T[]): T | undefined => {
    const value = stack.get(name);
    if (value === undefined || (words as readonly string[]).includes(value)) return value as T | undefined;
    problems.push({ name, reason: `${quotedText(value)} is not one of ${words.map((one) => `"${one}"`).join(", ")}` });
    return undefined;
  };
  const amount = (name: ConfigName, from: number, to: number): number | undefined => {
    const value = stack.get(name);
    if (value === undefined) return undefined;
    const parsed = Number(value);
    if (value.trim() !== "" && parsed >= from && parsed <= to) return parsed;
    problems.push({ name, reason: `${quotedText(value)} is not a number from ${from} to ${to}` });
    return undefined;
  };
  const onRestart = word("compute:onRestart", ON_RESTART);
  const sizes = word("compute:sizes", ["checked", "unchecked"]) ?? "checked";
  const autoName = (word("compute:autoName", ["true", "false"]) ?? "true") === "true";
  const askAgain = word("compute:askAgain", ["true", "false"]) === "true";
  const pollSeconds = amount("compute:pollSeconds", SHORTEST_POLL_SECONDS, 60);
  const requestsPerMinute = amount("compute:requestsPerMinute", 1, 10_000);
  const approvals = readApprovals(stack.get("compute:approve"), nowMs);
  if (approvals.problem) problems.push({ name: "compute:approve", reason: approvals.problem });
  const account = readAccount(stack, env);
  // A check reports an instance's bad account: the program gives the key, so a preview has it too. Without an instance,
  // a preview may have no key where the update has one, so only a step that needs the account reports it.
  const instance = stack.get(INSTANCE.name);
  if (account instanceof Error && instance !== undefined) problems.push({ name: "provider", reason: account.message });
  // A check reports this, although a preview needs no account: the preview of the pull request that changes the URL
  // must show it.
  if (account instanceof UnboundUrl) problems.push({ name: "compute:apiUrl", reason: account.message });
  // Somebody who can't read an encrypted key can copy it to another setting in the stack's file. The error about that setting
  // must not show it.
  const values = [stack.get("compute:apiKey"), stack.get(INSTANCE.apiKey)];
  const keys = values.flatMap(secretsIn);
  for (const problem of problems) problem.reason = withoutForms(problem.reason, keys, "[key]");
  const options = { onRestart, sizes, autoName, askAgain, pollSeconds, requestsPerMinute, approvals, problems };
  return {
    account,
    ...options,
    softensPreviews: softensPreviews(env),
    ...(instance === undefined ? {} : { instance }),
  };
}

function readAccount(stack: StackConfig, env: NodeJS.ProcessEnv): Account | ConfigError {
  const layers = layersOf(stack, env);
  // An instance whose key is empty must not act on another account's computes.
  const hasInstance = stack.get(INSTANCE.name) !== undefined;
  const chosen = hasInstance
    ? 0
    : layers.findIndex((layer) => layer.apiKey !== undefined || layer.apiUrl !== undefined);
  const layer = layers[chosen];
  if (!layer) {
    return new ConfigError(
      "no API key: set COMPUTE_API_KEY in the environment, or run `pulumi config set --secret compute:apiKey …`. A .env file that only the program reads does not reach Pulumi's engine",
    );
  }
  if (layer.apiKey === undefined) {
    if (hasInstance) return new ConfigError(`${layer.source} is empty: give it the key of its account`);
    const other = layers.find((one) => one.apiKey !== undefined);
    const has = other ? `; the key in ${other.source} is not used for it, since key and URL come as a pair` : "";
    const isBindable = layer.bindCommand !== undefined && layer.apiUrl !== undefined && isForeign(layer.apiUrl);
    const way = isBindable
      ? `Put key and URL into one secret (${layer.bindCommand}) and remove ${layer.urlSource}, or just remove ${layer.urlSource}`
      : `Set ${layer.source} as well, or remove ${layer.urlSource}`;
    return new ConfigError(`${layer.urlSource} is set, but there is no key beside it${has}. ${way}`);
  }
  if (layer.problem !== undefined) return new ConfigError(`${layer.source} ${layer.problem}`);
  if (layer.apiUrl === undefined) {
    const lower = layers.slice(chosen + 1).find((one) => one.apiUrl !== undefined);
    if (lower) {
      const other = layer.bindCommand ? `; for another host put both into one secret: ${layer.bindCommand}` : "";
      return new ConfigError(
        `${layer.source} is set without a URL, while ${lower.urlSource} names one: it is unclear which service to use. Key and URL must be set together: set ${layer.urlSource} as well (the public service is ${DEFAULT_API_URL}${other}), or remove ${lower.urlSource}`,
      );
    }
  }
  const apiUrl = layer.apiUrl ?? DEFAULT_API_URL;
  const problem = urlProblem(apiUrl);
  if (problem) return new ConfigError(`${layer.urlSource}: ${problem}`);
  if (layer.foreignUrlError && isForeign(apiUrl) && !layer.isBound) return layer.foreignUrlError();
  const keyHint = layer.hint === undefined ? {} : { keyHint: layer.hint };
  const { urlSource } = layer;
  return { apiKey: layer.apiKey, apiUrl, keySource: layer.source, ...(layer.apiUrl ? { urlSource } : {}), ...keyHint };
}

const BIND_COMMAND = "`pulumi config set --secret compute:apiKey 'https://…/api/v2#KEY'`";

/**
 * A key of the stack's config beside a URL of another host. Whoever may change the stack's file can change the URL, or put the
 * encrypted key beside a URL of theirs, and this process can't see what was encrypted. Pulumi also keeps the config of a refused
 * `pulumi up` for the next refresh. So such a URL counts only inside the encrypted value.
 */
class UnboundUrl extends ConfigError {
  constructor() {
    super(
      `compute:apiUrl in the stack's config is not used beside compute:apiKey: whoever may change that line could send the key to another host. Nothing was sent. If somebody changed the URL, change it back. If it is right, put both into one secret, ${BIND_COMMAND}, and run \`pulumi config rm compute:apiUrl\`. Then run \`pulumi up\`: refresh and destroy get the config of the last one. Or set COMPUTE_API_KEY and COMPUTE_API_URL in the environment`,
    );
  }
}

/**
 * For an instance without `INSTANCE.byProgram`. Somebody may have written `INSTANCE.name`, `apiKey` and `apiUrl` into the
 * stack's config to send the key to another host.
 */
const unmarkedInstance = (): ConfigError =>
  new ConfigError(
    `${INSTANCE.apiUrl} names a host that no Provider of the program has given. Nothing was sent. If it is in the stack's config, remove it: ${[INSTANCE.name, INSTANCE.apiKey, INSTANCE.apiUrl].map((name) => `\`pulumi config rm ${name}\``).join(", ")}, and run \`pulumi up\`: refresh and destroy get the config of the last one. If an earlier version of this package created the Provider, keep it and its computes in the program and run \`pulumi up --refresh=false\` once; after that they can be removed`,
  );

/**
 * From the strongest to the weakest. The environment wins over the stack's config because refresh and destroy get the
 * config of the last `pulumi up`: a key that was rotated since would be the old one.
 */
function layersOf(stack: StackConfig, env: NodeJS.ProcessEnv): Layer[] {
  const instance = stack.get(INSTANCE.name);
  const ofStack = keyAndUrl(stack.get("compute:apiKey"), stack.get("compute:apiUrl"), true);
  const variables = ofStack.apiUrl !== undefined ? "COMPUTE_API_KEY and COMPUTE_API_URL" : "COMPUTE_API_KEY";
  const instanceLayer = {
    source: `apiKey of the Provider "${instance}"`,
    urlSource: `apiUrl of the Provider "${instance}"`,
    ...keyAndUrl(stack.get(INSTANCE.apiKey), stack.get(INSTANCE.apiUrl), false),
    ...(stack.get(INSTANCE.byProgram) === undefined ? { foreignUrlError: unmarkedInstance } : {}),
    hint: `${OLD_KEY}; after a new key, run \`pulumi up\` first, or pass --run-program`,
  };
  return [
    ...(instance === undefined ? [] : [instanceLayer]),
    {
      source: "COMPUTE_API_KEY (environment)",
      urlSource: "COMPUTE_API_URL (environment)",
      ...keyAndUrl(env["COMPUTE_API_KEY"], env["COMPUTE_API_URL"], false),
    },
    {
      source: "compute:apiKey (stack config)",
      urlSource: `${ofStack.isBound ? "compute:apiKey" : "compute:apiUrl"} (stack config)`,
      ...ofStack,
      foreignUrlError: () => new UnboundUrl(),
      bindCommand: BIND_COMMAND,
      hint: `${OLD_KEY}; after a new key, set ${variables} for them, or give them --run-program`,
    },
    {
      source: "NEON_API_KEY (environment)",
      urlSource: "NEON_API_HOST (environment)",
      ...keyAndUrl(env["NEON_API_KEY"], env["NEON_API_HOST"], false),
    },
  ];
}

/** Pulumi keeps the config of an `up` in the state, and gives it to refresh and destroy. */
const OLD_KEY = "`pulumi refresh` and `pulumi destroy` use the key of the last `pulumi up`";
