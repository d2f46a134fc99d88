// The state of one provider process, for both adapters: its configuration, its secrets, and the shared state of its steps.

import { Cancellation } from "./cancellation.js";
import { systemClock } from "./clock.js";
import { type ProviderConfig, readConfig, type StackConfig } from "./config.js";
import type { FirstOldInputs } from "./endpoint/check.js";
import { OldInputs } from "./endpoint/old-inputs.js";
import { Ownership } from "./endpoint/ownership.js";
import { Places } from "./endpoint/places.js";
import { Rollout } from "./endpoint/rollout.js";
import type { SharedState } from "./endpoint/shared-state.js";
import { isKind, type NotReady } from "./errors.js";
import { exitWithEngine } from "./exit-with-engine.js";
import type { Context } from "./operations/context.js";
import type { ContextOptions } from "./operations/create-context.js";
import { Peers } from "./peers.js";
import { HiddenTexts } from "./secret-forms.js";
import { SecretRedactor } from "./secret-redactor.js";
import { escapeInvisibleLines } from "./visible-text.js";

/** A longer error of somebody else is cut here, before it is searched for secrets and shown. */
const LONGEST_ERROR = 64 * 1024;

/** What an adapter gives its process. */
export interface ProcessOptions extends Pick<ContextOptions, "clock" | "transport"> {
  /** Prints a line, which Pulumi shows under the stack while a command runs. */
  print(line: string): void;
  /** The arguments of the process, which contain the engine's address. */
  argv: readonly string[];
}

export class ProviderProcess {
  readonly secrets = new SecretRedactor();
  /** Requested at the first Ctrl-C, and at the end of each command, when no step waits any more. */
  readonly cancellation: Cancellation;
  readonly firstOldInputs: FirstOldInputs = new Map();
  readonly ownership = new Ownership(() => {
    const { account } = this.shared.config;
    return account instanceof Error ? "" : account.apiUrl;
  });
  /** What all steps share. The context is built at the first request: a preview needs no key. */
  readonly shared: SharedState;
  /** Computes that a create has returned to Pulumi, with or without an error. Pulumi keeps these in the state. */
  readonly #returned = new Set<string>();
  #config: ProviderConfig | undefined;
  #context: Context | undefined;
  #peers: Peers | undefined;
  #hasPrintedUnapplied = false;
  readonly #keyTexts = new HiddenTexts("[key]");
  #isFollowing = false;
  #loaded: typeof import("./endpoint/lifecycle.js") | undefined;

  constructor(private readonly options: ProcessOptions) {
    this.cancellation = new Cancellation(options.clock ?? systemClock);
    const configOf = () => {
      this.#config ??= readConfig({ get: () => undefined }, process.env);
      return this.#config;
    };
    const contextOf = () => {
      this.#context ??= this.#contextFor(configOf());
      return this.#context;
    };
    this.shared = {
      get config() {
        return configOf();
      },
      get context() {
        return contextOf();
      },
      claimed: new Map(),
      idsInState: new Set(),
      oldInputs: new OldInputs(),
      ownership: this.ownership,
      places: new Places(),
      rollout: new Rollout(),
      warn: this.warn,
    };
  }

  /** Every line of the class's provider is printed here. The plugin's lines go through `#say` in `native/provider.ts`. */
  readonly print = (line: string): void => this.options.print(this.printable(line));
  readonly warn = (line: string): void => this.print(`warning: ${line}`);

  /** Prints which values the service did not apply, for the first compute only. Otherwise a run could print hundreds of lines. */
  readonly printFirstUnapplied = (line: string): void => {
    if (!this.#hasPrintedUnapplied) this.print(`${line}. The same may be true of further computes`);
    this.#hasPrintedUnapplied = true;
  };

  /** Synchronous: see `configure` in index.ts. */
  configure(stack: StackConfig): void {
    this.#config = readConfig(stack, process.env);
    this.#context = undefined;
  }

  /** Finds the other processes of the run, and ends with the engine. */
  followEngine(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const argv = [...this.options.argv];
    this.#joinPeers(argv);
    exitWithEngine(argv, { beforeExit: () => this.#warnOfUnsaved(), exit: (code) => process.exit(code) });
  }

  /** The code that sends requests, with the schemas of all answers. A preview needs neither, and does not load it. */
  steps(): typeof import("./endpoint/lifecycle.js") {
    this.#loaded ??= require("./endpoint/lifecycle.js") as typeof import("./endpoint/lifecycle.js");
    return this.#loaded;
  }

  /** Remembers the computes that creates return to Pulumi, so that an interrupted run can name the others. */
  async trackCreate<T extends { id: string }>(create: Promise<T>): Promise<T> {
    try {
      const made = await create;
      this.#returned.add(made.id);
      return made;
    } catch (error) {
      if (isKind(error, "not-ready")) this.#returned.add(error.id);
      if (isKind(error, "not-ready") && this.cancellation.requested) this.#reportInterrupted(error.id);
      throw error;
    }
  }

  /** A text of ours as people may see it: without the key and secrets, and with escapes for invisible characters. */
  printable = (text: string): string => escapeInvisibleLines(this.secrets.redact(text, this.#key));

  /**
   * The error of a step, as people may see it. An error of ours also loses its stack trace, which Pulumi would print. Any other
   * error may repeat a part of a secret value, as the text of a service may.
   */
  clean(error: unknown): unknown {
    if (typeof error === "string") return this.#printableExternal(error);
    if (!(error instanceof Error)) return error;
    const isOurs = "kind" in error;
    const clean = isOurs ? this.printable : this.#printableExternal;
    if (isOurs) error.name = "";
    error.stack = isOurs ? "" : clean(error.stack ?? "");
    error.message = clean(error.message);
    if (isKind(error, "not-ready")) cleanReasons(error, clean);
    return error;
  }

  /** For a text that somebody else wrote. */
  readonly #printableExternal = (text: string): string =>
    escapeInvisibleLines(this.secrets.redactExternal(text.slice(0, LONGEST_ERROR), this.#key));

  /** The key, as soon as the process is configured. */
  get #key(): HiddenTexts {
    const account = this.#config?.account;
    if (account !== undefined && !(account instanceof Error)) this.#keyTexts.addKey(account.apiKey);
    return this.#keyTexts;
  }

  #contextFor({ account, requestsPerMinute, pollSeconds }: ProviderConfig): Context {
    if (account instanceof Error) throw account;
    const { apiUrl: baseUrl, ...key } = account;
    const { secrets, cancellation, print: log } = this;
    const { clock, transport } = this.options;
    const outside = { ...(clock ? { clock } : {}), ...(transport ? { transport } : {}) };
    const { createContext } =
      require("./operations/create-context.js") as typeof import("./operations/create-context.js");
    return createContext({ ...key, baseUrl, requestsPerMinute, pollSeconds, log, secrets, cancellation, ...outside });
  }

  /** Each `Provider` instance has a process of its own: they tell each other which computes they hold. */
  #joinPeers(argv: readonly string[]): void {
    const { ownership } = this;
    const owner = { facts: () => ownership.facts, hear: ownership.hear.bind(ownership) };
    this.#peers = Peers.join(owner, { argv, cwd: process.cwd() });
    ownership.share(this.#peers);
    process.once("exit", () => this.#peers?.close());
  }

  /** Names the computes of creates that were stopped in the middle. Pulumi does not have their ids, so no state has them. */
  #warnOfUnsaved(): void {
    for (const [id, calledAs] of [...this.shared.claimed].filter(([one]) => !this.#returned.has(one))) {
      this.warn(
        `the run was interrupted before Pulumi could keep compute ${id} (${calledAs}) in the state, so no \`pulumi destroy\` will delete it. Take it over with adopt: "${id}" (and onDelete: "delete" if it should be deleted with the resource), or delete it if nobody needs it`,
      );
    }
  }

  /** Names the compute of a create that the first Ctrl-C has ended. A second Ctrl-C, before Pulumi has saved it, would lose it. */
  #reportInterrupted(id: string): void {
    this.print(
      `compute ${id} (${this.shared.claimed.get(id)}) exists: Pulumi keeps it in the state, unless a second Ctrl-C comes first`,
    );
  }
}

/** In place: `reasons` is read-only, and Pulumi reads it from this error. */
function cleanReasons({ reasons }: NotReady, clean: (text: string) => string): void {
  for (const [index, reason] of reasons.entries()) reasons[index] = clean(reason);
}
