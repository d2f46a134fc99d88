// What the state's one line of provider text loads: the adapter between Pulumi's dynamic provider and the lifecycle.

import { Cancellation } from "./cancellation.js";
import { systemClock } from "./clock.js";
import { type ProviderConfig, readConfig, type StackConfig } from "./config.js";
import { check, type FirstChecks } from "./endpoint/check.js";
import { CheckedInputs } from "./endpoint/checked-inputs.js";
import { diff } from "./endpoint/diff.js";
import { programOf } from "./endpoint/inputs.js";
import type { Outputs } from "./endpoint/outputs.js";
import { Ownership } from "./endpoint/ownership.js";
import type { Process } from "./endpoint/step.js";
import { isKind, type NotReady, Stopped } from "./errors.js";
import { endWithEngine } from "./lifeline.js";
import type { Context } from "./operations/context.js";
import { Peers } from "./peers.js";
import { SecretRedactor } from "./secret-redactor.js";
import { followShim, takeDelete, takeRequest } from "./shim.js";

type Props = Record<string, unknown>;

const PROVIDER_KEY = "__provider";
const firstChecks: FirstChecks = new Map();
let config: ProviderConfig | undefined;
let context: Context | undefined;

// Plain lines of the provider show under the stack while a command runs.
const say = (line: string) => console.log(secrets.redact(line));
const warn = (line: string) => say(`warning: ${line}`);
const secrets = new SecretRedactor();
/** The first of such lines: a program with many computes would say it for each of them at every run. */
let saidOnce = false;
const sayOnce = (line: string) => {
  if (!saidOnce) say(`${line}. The same may be true of further computes`);
  saidOnce = true;
};

/** One Ctrl-C. The engine also cancels at the end of each command: then nothing waits any more. */
const cancellation = new Cancellation(systemClock);

/** Computes of steps whose answers Pulumi has got, and so keeps. */
const answered = new Set<string>();

/** What all steps of this process share. The context is built at the first request: a preview needs no key. */
const ownership = new Ownership(() => {
  const { account } = shared.config;
  return account instanceof Error ? "" : account.apiUrl;
});
let peers: Peers | undefined;
const shared: Process = {
  get config() {
    config ??= readConfig({ get: () => undefined }, process.env);
    return config;
  },
  get context() {
    context ??= connected(this.config);
    return context;
  },
  created: new Map(),
  known: new Set(),
  checked: new CheckedInputs(),
  ownership,
  warn,
};

/** What sends requests, with the schemas of all answers, is loaded by the first step: a preview only checks and compares. */
let loaded: typeof import("./endpoint/steps.js") | undefined;
const steps = () => {
  loaded ??= require("./endpoint/steps.js") as typeof import("./endpoint/steps.js");
  return loaded;
};

function connected({ account, requestsPerMinute, pollSeconds }: ProviderConfig): Context {
  if (account instanceof Error) throw account;
  const { apiUrl: baseUrl, ...key } = account;
  const { createContext } = require("./operations/context.js") as typeof import("./operations/context.js");
  return createContext({ ...key, baseUrl, requestsPerMinute, pollSeconds, say, secrets, cancellation });
}

/** The resource's provider, as Pulumi's own shim calls it. */
export const provider = {
  /** Everything is set before the first await: the shim uses the provider before an async configure is done. */
  configure(request: { config: StackConfig }): Promise<void> {
    config = readConfig(request.config, process.env);
    context = undefined;
    followShim({ cancelled: () => cancellation.request() });
    joinPeers();
    endWithEngine(process.argv.slice(2), { interrupted: nameUnsaved, exit: (code) => process.exit(code) });
    return Promise.resolve();
  },

  check(olds: Props, news: Props) {
    secrets.see(news);
    return speaking(async () => {
      const answer = check(firstChecks, shared.config, olds, news, ownership);
      for (const line of answer.warnings) warn(line);
      shared.checked.remember(answer.inputs, olds);
      return { inputs: answer.inputs, failures: answer.failures };
    });
  },

  diff(id: string, olds: Props, news: Props) {
    takeRequest(news);
    shared.known.add(id);
    const urn = ownership.see(id, olds);
    return speaking(async () => {
      const oldInputs = shared.checked.compared(id, news);
      const { branches } = ownership;
      const { askAgain } = shared.config;
      const options = { id, urn, branches, oldInputs, askAgain, notTaken: sayOnce };
      const answer = diff(olds as unknown as Outputs, news, options);
      // A state without the provider's text can be neither refreshed nor destroyed: an update puts it back.
      const isLost = olds[PROVIDER_KEY] === undefined && answer.changes === false;
      return isLost ? { changes: true } : answer;
    });
  },

  create(news: Props) {
    const request = takeRequest(news);
    secrets.see(news);
    return speaking(async () => {
      const { id, outputs } = await steps()
        .create(shared, programOf(news, request))
        .catch((error: unknown) => {
          if (isKind(error, "not-ready")) answered.add(error.id);
          if (isKind(error, "not-ready") && cancellation.requested) nameInterrupted(error.id);
          throw error;
        });
      answered.add(id);
      return { id, outs: { ...outputs } };
    }, news);
  },

  read(id: string, state: Props) {
    takeRequest(state);
    secrets.see(state);
    return speaking(async () => {
      const answer = await steps().read(shared, id, state as Partial<Outputs>);
      if (answer.id === undefined && isLookup(state)) throw notThere(id, state);
      return { id: answer.id, props: answer.outputs && { ...answer.outputs }, inputs: answer.inputs };
    });
  },

  update(id: string, olds: Props, news: Props) {
    const request = takeRequest(news);
    for (const props of [olds, news]) secrets.see(props);
    return speaking(async () => {
      const program = programOf(news, request);
      const outputs = await steps().update(shared, { id, olds: olds as unknown as Outputs, program });
      return { outs: { ...outputs } };
    }, news);
  },

  delete(id: string, state: Props) {
    const request = takeDelete(id, state);
    secrets.see(state);
    return speaking(() => steps().remove(shared, id, state as unknown as Outputs, request));
  },
};

/** Each `Provider` instance has a process of its own: they tell each other which computes they hold. */
function joinPeers(): void {
  if (peers) return;
  const book = { facts: () => ownership.facts, hear: ownership.hear.bind(ownership) };
  peers = Peers.join(book, { argv: process.argv.slice(2), cwd: process.cwd() });
  ownership.share(peers);
  process.once("exit", () => peers?.close());
}

/** Pulumi has been stopped in the middle of a create and forgets its answer: what it was about to keep is named. */
function nameUnsaved(): void {
  for (const [id, calledAs] of [...shared.created].filter(([one]) => !answered.has(one))) {
    warn(
      `the run was interrupted before Pulumi could keep compute ${id} (${calledAs}) in the state, so no \`pulumi destroy\` will delete it. Take it over with adopt: "${id}" (and onDelete: "delete" if it is to go with the resource), or delete it if nobody needs it`,
    );
  }
}

/** A second Ctrl-C right after the first may come before Pulumi has saved the answer, which nobody can see here. */
function nameInterrupted(id: string): void {
  say(
    `compute ${id} (${shared.created.get(id)}) exists: Pulumi keeps it in the state, unless a second Ctrl-C comes before it has`,
  );
}

/** `Endpoint.get` says only where the compute is; what is in a state says what it is as well. */
const isLookup = (state: Props): boolean => state["managed"] === undefined;

/** In the place of the engine's "resource does not exist". */
const notThere = (id: string, { projectId }: Props): Stopped =>
  new Stopped(
    `compute ${id} is not in project ${projectId}, which was asked for its computes and does not list it. Check the id and the project of this Endpoint.get`,
  );

/** Errors leave without secrets, without a stack, which Pulumi's shim would print, and with the text of the provider where they keep a state. */
async function speaking<T>(work: () => Promise<T>, news?: Props): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isKind(error, "not-ready")) withProvider(error, news);
    if (error instanceof Error) {
      const isOurs = "kind" in error;
      if (isOurs) error.name = "";
      error.stack = isOurs ? "" : secrets.redact(error.stack ?? "");
      error.message = secrets.redact(error.message);
      if (isKind(error, "not-ready"))
        error.reasons.splice(0, Infinity, ...error.reasons.map((one) => secrets.redact(one)));
    }
    throw error;
  }
}

/** Without it, refresh and destroy of a compute that was kept after a failure could not load the provider. */
function withProvider(error: NotReady, news: Props | undefined): void {
  if (news) error.properties[PROVIDER_KEY] = news[PROVIDER_KEY];
}
