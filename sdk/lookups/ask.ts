// How a look-up gets its account and its answer. The provider's code, and with it zod and undici, is loaded by the first
// question: a program that asks nothing does not pay for it.

import * as pulumi from "@pulumi/pulumi";
import type { EngineEnvironment } from "../../provider/lookup/account.js";
import type { Access } from "../../provider/lookup/index.js";
import { warnOfConfig } from "../config-warnings.js";
import { engineEnvironment } from "../engine-environment.js";
import { failure } from "../failure.js";
import { secretsOf } from "../hints.js";
import { refusePlainUrl } from "../key-and-url.js";
import { ENDPOINT_TYPE } from "../literal.js";
import { type Provider, type Settings, settingsIn } from "../provider.js";
import { refuseTwoCopies } from "../two-copies.js";
import { asLookupError } from "./error.js";

/** How a look-up is made. */
export interface LookupOptions {
  /**
   * The account to ask with.
   * @default that of `parent`, else what an `Endpoint` without a provider gets: the environment, then the stack's config.
   * An inline program of the Automation API does not see the environment of its engine: the stack's config has the key, or the
   * look-up is refused
   */
  provider?: Provider;
  /** Inside a component: asks with the provider that its children get. */
  parent?: pulumi.Resource;
  /**
   * Seconds for each request with its repetitions (a busy or failing service is asked again).
   * @default 120
   */
  timeoutSeconds?: number;
}

/** How a look-up that takes and gives outputs is made. */
export interface LookupOutputOptions extends LookupOptions {
  /** Resources to wait for. What the arguments come from is waited for anyway. */
  dependsOn?: pulumi.Input<pulumi.Input<pulumi.Resource>[]> | pulumi.Input<pulumi.Resource>;
}

/** The arguments of a look-up, each of which may be an output. */
export type LookupInputs<T> = { [K in keyof T]: pulumi.Input<T[K]> };

/** The provider's side. */
export type Desk = typeof import("../../provider/lookup/index.js");

export interface Question<A extends object, T> {
  name: string;
  ask: (desk: Desk, access: Access, args: A) => Promise<T>;
  /** Where users' mocks have the answer: they can answer with an object only. */
  field?: string;
}

/** What decides which account asks. */
interface Source {
  settings: Record<string, string>;
  engine: EngineEnvironment;
}

const TIMEOUT_SECONDS = 120;

export const loadDesk = (): Desk => require("../../provider/lookup/index.js") as Desk;

export async function answer<A extends object, T>(
  question: Question<A, T>,
  args: A,
  opts: LookupOptions = {},
): Promise<T> {
  const engine = engineEnvironment();
  return answerWith(question, args, { settings: await known(settingsOf(opts), opts), engine }, opts);
}

export function answerOutput<A extends object, T>(
  question: Question<A, T>,
  args: LookupInputs<A>,
  opts: LookupOutputOptions = {},
): pulumi.Output<T> {
  // The key is a secret, but the answer is none because of it.
  const engine = engineEnvironment();
  const settings = pulumi.unsecret(pulumi.output(settingsOf(opts)));
  const ready = pulumi.output(opts.dependsOn).apply(idsOf);
  const secret = pulumi.unsecret(pulumi.output(secretsOf(args)));
  const all = pulumi.all([pulumi.output(args), settings, secret, ready]) as pulumi.Output<unknown>;
  return all.apply((values) => {
    const [plain, known, names = []] = values as [A, Record<string, string>, string[]?];
    return answerWith(question, plain, { settings: known, engine }, opts, names);
  }) as pulumi.Output<T>;
}

/** The account at the desk; for look-ups that ask more than once. */
export async function accessTo(opts: LookupOptions): Promise<[Desk, Access]> {
  const engine = engineEnvironment();
  return open({ settings: await known(settingsOf(opts), opts), engine }, opts);
}

/** Whether this is a unit test of a user's, where nothing may be asked. */
export function isMocked(): boolean {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}

/** Asks the mocks of a unit test, as the look-ups of every Pulumi provider do: `call` gets `compute:index:getEndpoint`. */
export const mockedAnswer = (name: string, args: object): Promise<Record<string, unknown>> =>
  pulumi.runtime.invoke(`compute:index:${name}`, { ...args });

async function answerWith<A extends object, T>(
  { name, ask, field }: Question<A, T>,
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
    const [desk, access] = open(source, opts);
    desk.keepSecret(args, secret);
    return await ask(desk, access, args);
  } catch (error) {
    throw asLookupError(loadDesk().withoutSecrets(error));
  }
}

function open({ settings, engine }: Source, { timeoutSeconds = TIMEOUT_SECONDS }: LookupOptions): [Desk, Access] {
  if (!(timeoutSeconds > 0)) throw failure(`timeoutSeconds ${timeoutSeconds} is not a number above 0`);
  const desk = loadDesk();
  const say = (line: string) => void pulumi.log.info(line);
  const config = desk.configFor({ get: (name) => settings[name] }, process.env, engine);
  return [desk, desk.accessTo(config, timeoutSeconds * 1000, say)];
}

/** The settings of the provider that applies, or else the stack's. Taken at once: callbacks may lose the stack. */
export function settingsOf({ provider, parent }: LookupOptions): Settings {
  refuseTwoCopies();
  const instance = provider ?? parent?.getProvider(ENDPOINT_TYPE);
  if (instance) return settingsIn(instance);
  warnOfConfig();
  refusePlainUrl();
  return pulumi.runtime.allConfig();
}

const known = (settings: Settings, { provider }: LookupOptions): Promise<Record<string, string>> =>
  accountOf(settings, provider ? "this provider" : "the provider");

/** The settings in plain form. Rejects where the preview does not know one of them yet. */
export async function accountOf(settings: Settings, which = "the provider"): Promise<Record<string, string>> {
  const values = pulumi.output(settings) as pulumi.Output<Record<string, string>>;
  // Of an output that is not known, `apply` would never call back.
  if ((await (values as { isKnown?: Promise<boolean> }).isKnown) === false) {
    throw failure(`the key or URL of ${which} is not known in this preview yet: use the look-up's …Output form`);
  }
  return new Promise((resolve) => values.apply(resolve));
}

/** The ids: unknown as long as one of the resources is still to be made. */
function idsOf(resources: unknown): pulumi.Output<unknown> {
  const all = Array.isArray(resources) ? resources : resources === undefined ? [] : [resources];
  return pulumi.all(all.map((one: pulumi.Resource) => (pulumi.CustomResource.isInstance(one) ? one.id : one.urn)));
}
