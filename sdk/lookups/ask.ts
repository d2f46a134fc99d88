// How a look-up gets its account and its answer. The provider's code, with zod and undici, is loaded at the first look-up: a
// program without look-ups does not pay for it.

import * as pulumi from "@pulumi/pulumi";
import type { EngineEnvironment } from "../../provider/lookup/account.js";
import type { Access } from "../../provider/lookup/index.js";
import { refuseForeignHosts } from "../config-guard.js";
import { warnOfConfig } from "../config-warnings.js";
import { engineEnvironment } from "../engine-environment.js";
import { failure } from "../failure.js";
import { secretsOf } from "../hints.js";
import { refuseTwoCopies } from "../installation.js";
import { ENDPOINT_TYPE } from "../literal.js";
import { configOfInstance, type InstanceConfig } from "../provider.js";
import { isMocked } from "../pulumi-run.js";
import { asLookupError } from "./error.js";
import type { LookupInputs, LookupOptions, LookupOutputOptions } from "./options.js";

/** The provider's side. */
export type LookupModule = typeof import("../../provider/lookup/index.js");

export interface Lookup<A extends object, T> {
  name: string;
  ask: (lookups: LookupModule, access: Access, args: A) => Promise<T>;
  /** Where users' mocks have the answer: they can answer with an object only. */
  field?: string;
}

/** What decides which account a look-up uses. */
interface Source {
  settings: Record<string, string>;
  engine: EngineEnvironment;
}

export const loadLookups = (): LookupModule => require("../../provider/lookup/index.js") as LookupModule;

export async function answer<A extends object, T>(lookup: Lookup<A, T>, args: A, opts: LookupOptions = {}): Promise<T> {
  const engine = engineEnvironment();
  return answerWith(lookup, args, { settings: await knownSettingsFor(settingsFor(opts), opts), engine }, opts);
}

export function answerOutput<A extends object, T>(
  lookup: Lookup<A, T>,
  args: LookupInputs<A>,
  opts: LookupOutputOptions = {},
): pulumi.Output<T> {
  // The key is a secret. That must not make the answer a secret.
  const engine = engineEnvironment();
  const settings = pulumi.unsecret(pulumi.output(settingsFor(opts)));
  const ready = pulumi.output(opts.dependsOn).apply(idsOf);
  const secret = pulumi.unsecret(pulumi.output(secretsOf(args)));
  const all = pulumi.all([pulumi.output(args), settings, secret, ready]) as pulumi.Output<unknown>;
  return all.apply((values) => {
    const [plain, plainSettings, names = []] = values as [A, Record<string, string>, string[]?];
    return answerWith(lookup, plain, { settings: plainSettings, engine }, opts, names);
  }) as pulumi.Output<T>;
}

/** The look-up module and the account, for look-ups that ask more than once. */
export async function openAccess(opts: LookupOptions): Promise<[LookupModule, Access]> {
  const engine = engineEnvironment();
  return open({ settings: await knownSettingsFor(settingsFor(opts), opts), engine }, opts);
}

/** Asks the mocks of a unit test, as the look-ups of every Pulumi provider do: `call` gets `compute:index:getEndpoint`. */
export const mockedAnswer = (name: string, args: object): Promise<Record<string, unknown>> =>
  pulumi.runtime.invoke(`compute:index:${name}`, { ...args });

async function answerWith<A extends object, T>(
  { name, ask, field }: Lookup<A, T>,
  args: A,
  source: Source,
  opts: LookupOptions,
  secret: readonly string[] = [],
): Promise<T> {
  if (isMocked()) {
    const mocked = await mockedAnswer(name, args);
    return (field === undefined ? mocked : mocked[field]) as T;
  }
  try {
    const [lookups, access] = open(source, opts);
    lookups.keepSecret(args, secret);
    return await ask(lookups, access, args);
  } catch (error) {
    throw asLookupError(loadLookups().withoutSecrets(error));
  }
}

function open({ settings, engine }: Source, { timeoutSeconds }: LookupOptions): [LookupModule, Access] {
  if (timeoutSeconds !== undefined && !(timeoutSeconds > 0)) {
    throw failure(`timeoutSeconds ${timeoutSeconds} is not a number above 0`);
  }
  const lookups = loadLookups();
  const report = (line: string) => void pulumi.log.info(line);
  const config = lookups.configFor({ get: (name) => settings[name] }, process.env, engine);
  const timeoutMs = timeoutSeconds === undefined ? lookups.LOOKUP_MS : timeoutSeconds * 1000;
  return [lookups, lookups.accessTo(config, timeoutMs, report)];
}

/**
 * The settings of the provider that applies, or else the stack's. Taken at once: callbacks may lose the stack. `configFor` in
 * `provider/lookup` makes the account of them.
 */
export function settingsFor({ provider, parent }: LookupOptions): InstanceConfig {
  refuseTwoCopies();
  const instance = provider ?? parent?.getProvider(ENDPOINT_TYPE);
  if (instance) return configOfInstance(instance);
  warnOfConfig();
  refuseForeignHosts();
  return pulumi.runtime.allConfig();
}

const knownSettingsFor = (settings: InstanceConfig, { provider }: LookupOptions): Promise<Record<string, string>> =>
  knownSettings(settings, provider ? "this provider" : "the provider");

/** The settings in plain form. Rejects where the preview does not know one of them yet. */
export async function knownSettings(settings: InstanceConfig, which = "the provider"): Promise<Record<string, string>> {
  const values = pulumi.output(settings) as pulumi.Output<Record<string, string>>;
  // Of an output that is not known, `apply` would never call back.
  if ((await (values as { isKnown?: Promise<boolean> }).isKnown) === false) {
    throw failure(`the key or URL of ${which} is not known in this preview yet: use the look-up's …Output form`);
  }
  return new Promise((resolve) => values.apply(resolve));
}

/** The ids: unknown as long as one of the resources is still to be created. */
function idsOf(resources: unknown): pulumi.Output<unknown> {
  const all = Array.isArray(resources) ? resources : resources === undefined ? [] : [resources];
  return pulumi.all(all.map((one: pulumi.Resource) => (pulumi.CustomResource.isInstance(one) ? one.id : one.urn)));
}
