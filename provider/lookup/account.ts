// Finds the account for a look-up. It has to be the account of the program's own computes; if that is not sure, the
// look-up is refused. The program sees its own environment. But the computes are changed by another process, which has
// the environment of Pulumi's engine.

import { type Account, type ProviderConfig, readConfig, type StackConfig } from "../config.js";
import { ConfigError } from "../errors.js";
import { ACCOUNT_VARIABLES, INSTANCE } from "../rules/config-names.js";

export type Variables = Readonly<Record<string, string | undefined>>;

/** What a program knows of the environment of the process that changes its computes. */
export type EngineEnvironment =
  /** No engine runs this process, so nothing changes computes for it. */
  | { kind: "none" }
  /** The engine started this process with these variables. */
  | { kind: "inherited"; variables: Variables }
  /** An inline program of the Automation API. `seen` is the engine's environment, if the system lets us read it. */
  | { kind: "inline"; seen: Variables | undefined };

export type KnownConfig = ProviderConfig & { account: Account };

/**
 * Key, URL and rate for a look-up.
 * @param env the environment that the program sees now
 * @throws ConfigError without a usable account, and where the computes may have another one
 */
export function configFor(stack: StackConfig, env: Variables, engine: EngineEnvironment): KnownConfig {
  if (engine.kind === "none") return usable(readConfig(stack, env));
  if (stack.get(INSTANCE.name) !== undefined) {
    // The environment can't give an instance another key. A URL in it can only make `readConfig` refuse the instance.
    return usable(readConfig(stack, engine.kind === "inherited" ? engine.variables : env));
  }
  return engine.kind === "inherited" ? inherited(stack, env, engine.variables) : inline(stack, env, engine.seen);
}

function inherited(stack: StackConfig, env: Variables, variables: Variables): KnownConfig {
  const config = readConfig(stack, variables);
  if (!isSame(config.account, readConfig(stack, env).account)) throw new ConfigError(changedByProgram(env, variables));
  return usable(config);
}

/** An inline program does not see the `envVars` of its workspace. The stack's config is all that both sides see. */
function inline(stack: StackConfig, env: Variables, seen: Variables | undefined): KnownConfig {
  const { COMPUTE_API_KEY: _key, COMPUTE_API_URL: _url, ...withoutComputeVariables } = env;
  const config = readConfig(stack, withoutComputeVariables);
  if (!stack.get("compute:apiKey")?.trim()) {
    throw new ConfigError(
      `the account of this stack's computes is not known here: an inline program of the Automation API can't see the envVars of its workspace, which Pulumi's engine has. Nothing was asked, since it could be another account. ${BOTH_SEE}`,
    );
  }
  for (const variables of [env, seen ?? {}]) {
    if (isSame(config.account, readConfig(stack, { ...withoutComputeVariables, ...variables }).account)) continue;
    throw new ConfigError(
      `compute:apiKey (stack config) names one account, and ${namesIn(variables)} (environment) another. The computes use the second one. An inline program of the Automation API can't see the envVars of its workspace, so nothing was asked. Remove one of the two, or make the account a Provider: new Provider("…", { apiKey, apiUrl }), for computes and look-ups`,
    );
  }
  return usable(config);
}

const BOTH_SEE =
  "Give the key where both see it: in the stack's config (compute:apiKey, as 'https://…/api/v2#KEY' for another service than the public one), or with new Provider(\"…\", { apiKey, apiUrl }) for computes and look-ups";

function usable(config: ProviderConfig): KnownConfig {
  const { account } = config;
  if (account instanceof Error) throw account;
  return { ...config, account };
}

function isSame(one: Account | ConfigError, other: Account | ConfigError): boolean {
  if (one instanceof Error || other instanceof Error) {
    return one instanceof Error && other instanceof Error && one.message === other.message;
  }
  return one.apiKey === other.apiKey && one.apiUrl === other.apiUrl;
}

const textOf = (variables: Variables, name: string): string => variables[name]?.trim() ?? "";

const namesIn = (variables: Variables): string =>
  ACCOUNT_VARIABLES.filter((name) => name.startsWith("COMPUTE_") && textOf(variables, name)).join(" and ");

/** The usual cause is a `.env` file that the program reads. */
function changedByProgram(now: Variables, before: Variables): string {
  const changed = ACCOUNT_VARIABLES.filter((name) => textOf(now, name) !== textOf(before, name));
  const names = changed.join(" and ");
  const [were, them] = changed.length === 1 ? ["was", "it"] : ["were", "them"];
  const isRemoved = changed.every((name) => !textOf(now, name));
  const isNew = changed.every((name) => !textOf(before, name));
  const [did, engine] = isNew
    ? ["set", `does not have ${them}`]
    : isRemoved
      ? ["removed", `still has ${them}`]
      : ["changed", changed.length === 1 ? "has another value" : "has other values"];
  const way = isRemoved
    ? `Leave ${them} in the environment`
    : `Export ${them} before \`pulumi up\`, as a .env file that only the program reads does not`;
  return `${names} ${were} ${did} by the program itself; Pulumi's engine, which changes the computes, ${engine}. Nothing was asked, since it would be another account. ${way}, or make the account a Provider: new Provider("…", { apiKey, apiUrl }), for computes and look-ups`;
}
