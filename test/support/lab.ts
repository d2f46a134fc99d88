import { createEmulator, type Emulator, type EmulatorOptions, seededRandom } from "../../emulator/index.js";
import { type ProviderConfig, readConfig } from "../../provider/config.js";
import type { FirstChecks } from "../../provider/endpoint/check.js";
import { CheckedInputs } from "../../provider/endpoint/checked-inputs.js";
import { Ownership, type Sharing } from "../../provider/endpoint/ownership.js";
import type { Process } from "../../provider/endpoint/step.js";
import { createContext } from "../../provider/operations/context.js";
import { autoNameOf } from "../../provider/rules/auto-name.js";
import {
  apply,
  destroyed,
  type Options,
  type Plan,
  PROVIDER_TEXT,
  type Processes,
  type Props,
  plan,
  type Resource,
  refreshed,
} from "./lab-engine.js";
import { Life } from "./lab-life.js";
import { type Between, type Sent, wireTo } from "./lab-wire.js";
import { VirtualClock } from "./virtual-clock.js";

export type { Options, Plan, Props, Resource } from "./lab-engine.js";
export { Killed } from "./lab-life.js";
export type { Between, Sent } from "./lab-wire.js";

/** One step of a command. Times are virtual milliseconds. */
export interface Step {
  name: string;
  op: Plan["op"] | "refresh" | "delete";
  from: number;
  /** When it had the project for itself. */
  turns: { from: number; to?: number }[];
  /** Absent where the process was killed before. */
  to?: number;
  error?: Error;
}

/** What a command said and sent, with all its resources together. */
export interface Run {
  warnings: string[];
  said: string[];
  sent: Sent[];
  /** In the order in which they began. */
  steps: Step[];
}

/** What a command planned and did for one resource. */
export interface Outcome extends Run, Plan {
  error?: Error;
}

export interface LabOptions {
  emulator?: Omit<EmulatorOptions, "time">;
  /** Shares that lab's service and clock: another stack, or with the same `stack` name a run whose state was lost. */
  beside?: Lab;
  stack?: string;
  apiKey?: string;
  /** The keys of the program's `Provider` instances, by name. */
  instances?: Readonly<Record<string, string>>;
  config?: Partial<ProviderConfig>;
  seed?: number;
  /** Somebody between the provider and the service: a setting that the service never sees, it ignores. */
  between?: Between;
  /** Milliseconds by which the service's clock is ahead of the provider's. @default 0 */
  skewMs?: number;
}

/** How the steps of a run follow each other. */
export interface Stepping {
  /** Names of resources; without it, in the order of the program. */
  order?: string[];
  /** Steps at once. @default 8 */
  parallel?: number;
}

const BASE_URL = "https://service.test/api/v2";
/** As many steps as the engine has at once on two cores. */
const PARALLEL = 8;

/** A service and a stack in one process and in virtual time: the real steps, driven as the engine drives them. */
export class Lab {
  readonly clock: VirtualClock;
  readonly emulator: Emulator;
  /** The stack's state, by resource name. */
  readonly state = new Map<string, Resource>();
  /** Creates that a kill has cut short: the engine warns of them, and creates again. */
  readonly pendingCreates = new Set<string>();
  /** The last command, also one that failed or was killed. */
  last: Run = { warnings: [], said: [], sent: [], steps: [] };
  /** What the last `up` planned, by resource name. */
  planned: Record<string, Outcome> = {};
  /** Of the process of the last command. */
  life: Life;

  constructor(readonly options: LabOptions = {}) {
    const { beside, seed = 1, skewMs = 0 } = options;
    // Nothing here is a socket or a file, so one calm round of the event loop is enough.
    this.clock = beside?.clock ?? new VirtualClock({ seed, calmRounds: 1 });
    this.life = new Life(this.clock);
    const time = { now: () => this.clock.wall() + skewMs, sleep: (ms: number) => this.clock.sleep(ms) };
    this.emulator =
      beside?.emulator ??
      createEmulator({ apiKey: "key-of-the-lab", random: seededRandom(seed), ...options.emulator, time });
  }

  /** `pulumi up` of one resource; rejects with the step's error, or with the failures of its check. */
  async up(name: string, args: Props, options: Options = {}): Promise<Outcome> {
    const outcome = (await this.upAll({ [name]: args }, "keep", { [name]: options }))[name]!;
    if (outcome.error) throw outcome.error;
    return outcome;
  }

  /** `pulumi up` that has to fail. */
  async fails(name: string, args: Props): Promise<Outcome & { error: Error }> {
    const outcome = await this.attempt(name, args);
    if (!outcome.error) throw new Error(`${outcome.op} of ${name} did not fail`);
    return outcome as Outcome & { error: Error };
  }

  async attempt(name: string, args: Props): Promise<Outcome> {
    return (await this.upAll({ [name]: args }))[name]!;
  }

  /**
   * `pulumi up` of resources that do not depend on each other. Rejects for no step's error: each outcome has its own.
   * @param rest what becomes of the state's resources that the program does not name: Pulumi deletes them at the end,
   *   and not after an error
   * @param options of the resources, by name
   */
  upAll(
    program: Record<string, Props>,
    rest: "keep" | "delete" = "keep",
    options: Record<string, Options> = {},
    { order = Object.keys(program), parallel }: Stepping = {},
  ): Promise<Record<string, Outcome>> {
    return this.#run(async (processes, run) => {
      this.planned = this.#planAll(processes, run, program, options);
      const outcomes = Object.entries(this.planned);
      const asked = [...outcomes].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
      const carryOut = async ([name, outcome]: [string, Outcome]) => {
        const keep = (resource: Resource) => void this.state.set(name, resource);
        const creates = outcome.op === "create" || outcome.op === "replace";
        if (creates) this.pendingCreates.add(name);
        await this.#step(processes, run, name, outcome.op, (mine) =>
          apply(mine, outcome, this.state.get(name), keep),
        ).catch((error: Error) => {
          outcome.error = error;
        });
        this.pendingCreates.delete(name);
      };
      await this.#together(asked, carryOut, parallel);
      const named = new Set(Object.keys(program));
      const failed = outcomes.some(([, { error }]) => error !== undefined);
      const gone = rest === "keep" || failed ? [] : [...this.state].filter(([name]) => !named.has(name));
      await this.#destroy(processes, run, gone);
      return this.planned;
    });
  }

  /** `pulumi preview` of one resource: no step is carried out, and nothing is remembered. */
  async preview(name: string, args: Props, options?: Options): Promise<Outcome> {
    return (await this.previewAll({ [name]: args }, options && { [name]: options }))[name]!;
  }

  /** `pulumi preview`: in processes of its own, so that nothing of it is known to the `up` that follows. */
  previewAll(program: Record<string, Props>, options: Record<string, Options> = {}): Promise<Record<string, Outcome>> {
    return this.#run(async (processes, run) => this.#planAll(processes, run, program, options));
  }

  /** Resources are checked and compared one after the other; the steps themselves run together. */
  #planAll(
    processes: Processes,
    run: Run,
    program: Record<string, Props>,
    options: Record<string, Options>,
  ): Record<string, Outcome> {
    // Each process remembers by itself.
    const first = new Map<Process, FirstChecks>();
    return Object.fromEntries(
      Object.entries(program).map(([name, args]) => {
        const process = processes(options[name]?.provider);
        if (!first.has(process)) first.set(process, new Map());
        return [name, this.#plan(process, run, first.get(process)!, name, args, options[name] ?? {})];
      }),
    );
  }

  /** `pulumi preview` of the whole program: why resources were refused, by their names. */
  async refusals(program: Record<string, Props>): Promise<Record<string, string>> {
    const plans = Object.entries(await this.previewAll(program));
    return Object.fromEntries(plans.flatMap(([name, { error }]) => (error ? [[name, error.message]] : [])));
  }

  /** `pulumi refresh`, of all resources or of these; rejects with the first error. */
  refresh(...names: string[]): Promise<Run> {
    return this.#run(async (processes, run) => {
      await this.#together(this.#these(names), async ([name, old]) => {
        const now = await this.#step(processes, run, name, "refresh", (mine) => refreshed(mine, old));
        if (now) this.state.set(name, now);
        else this.state.delete(name);
      });
      return run;
    });
  }

  /** `pulumi destroy`, of all resources or of these; rejects with the first error. */
  destroy(...names: string[]): Promise<Run> {
    return this.#run(async (processes, run) => {
      await this.#destroy(processes, run, this.#these(names));
      return run;
    });
  }

  /** One Ctrl-C in the command that runs. Afterwards, or while none runs, it does nothing. */
  cancel(): void {
    this.life.cancel();
  }

  #destroy(processes: Processes, run: Run, resources: [string, Resource][]): Promise<void> {
    return this.#together(resources, async ([name, old]) => {
      await this.#step(processes, run, name, "delete", (mine) => destroyed(mine, old));
      this.state.delete(name);
    });
  }

  /** One step, with note of when it began, had its turn and ended. */
  async #step<T>(
    processes: Processes,
    run: Run,
    name: string,
    op: Step["op"],
    work: (processes: Processes) => Promise<T>,
  ): Promise<T> {
    const { clock } = this;
    const step: Step = { name, op, from: clock.now(), turns: [] };
    run.steps.push(step);
    try {
      return await work((provider) => this.#watched(processes(provider), step));
    } catch (error) {
      step.error = error as Error;
      throw error;
    } finally {
      step.to = clock.now();
    }
  }

  /** The process as one step sees it: its turns are noted. */
  #watched(process: Process, step: Step): Process {
    const { clock } = this;
    const { turns } = process.context;
    const take: typeof turns.take = (project, keys, inTurn) =>
      turns.take(project, keys, async () => {
        const turn: Step["turns"][number] = { from: clock.now() };
        step.turns.push(turn);
        try {
          return await inTurn();
        } finally {
          turn.to = clock.now();
        }
      });
    const context = { ...process.context, turns: { take, joins: turns.joins.bind(turns) } as typeof turns };
    return { ...process, context };
  }

  /** The name of a compute to which the program gives none. */
  hint(name: string): string {
    return autoNameOf(this.urn(name));
  }

  /** What the class hands to check. */
  urn(name: string): string {
    return `urn:pulumi:${this.options.stack ?? "dev"}::lab::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;
  }

  /** The state's resource. Throws where there is none. */
  resource(name: string): Resource {
    const found = this.state.get(name);
    if (!found) throw new Error(`${name} is not in the state`);
    return found;
  }

  #these(names: string[]): [string, Resource][] {
    return (names.length > 0 ? names : [...this.state.keys()]).map((name) => [name, this.resource(name)]);
  }

  #plan(process: Process, run: Run, first: FirstChecks, name: string, args: Props, options: Options): Outcome {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    // A test may give the hint of the option in its place.
    const retainOnDelete = options.retainOnDelete ?? given["__retain"] === true;
    // What the constructor sees of the options; of rules it sees nothing.
    const hints = {
      ...(options.replaceOnChanges?.length ? { __mayReplace: true } : {}),
      ...(retainOnDelete ? { __retain: true } : {}),
    };
    const news = { ...given, __provider: PROVIDER_TEXT, __urn: this.urn(name), ...hints };
    const planned = plan(process, first, this.state.get(name), news, { ...options, retainOnDelete });
    const refusal = planned.failures.map((one) => `${one.property}: ${one.reason}`).join("\n");
    return { ...run, ...planned, ...(planned.op === "refused" ? { error: new Error(refusal) } : {}) };
  }

  /** One command: processes of its own, one for each instance, and time that passes until it has ended. */
  #run<T>(work: (processes: Processes, run: Run) => Promise<T>): Promise<T> {
    const run: Run = { warnings: [], said: [], sent: [], steps: [] };
    const life = new Life(this.clock);
    this.life = life;
    this.last = run;
    const begun = new Map<string | undefined, Process>();
    const processes: Processes = (provider) => {
      const known = begun.get(provider);
      if (known) return known;
      const process = this.#begin(run, life, provider);
      process.ownership?.share(sharingOf(String(provider), process, begun));
      begun.set(provider, process);
      return process;
    };
    // With the command ends its process, and with that what nobody waited for.
    return this.clock.run(Promise.race([work(processes, run), life.death])).finally(() => life.kill());
  }

  #begin(run: Run, life: Life, provider: string | undefined): Process {
    const { apiKey = this.emulator.apiKey, instances = {}, between } = this.options;
    const own = provider === undefined ? apiKey : instances[provider];
    if (own === undefined) throw new Error(`the lab has no key for the instance ${provider}`);
    const config = { ...readConfig({ get: () => undefined }, {}), ...this.options.config };
    const context = createContext({
      baseUrl: BASE_URL,
      apiKey: own,
      keySource: "COMPUTE_API_KEY (environment)",
      clock: life.clock(this.clock),
      cancellation: life.cancellation,
      transport: life.transport(wireTo(this.emulator, this.clock, BASE_URL, run.sent, between)),
      say: (line) => run.said.push(line),
      requestsPerMinute: config.requestsPerMinute,
      pollSeconds: config.pollSeconds,
    });
    const warn = (line: string) => void run.warnings.push(line);
    const shared = { created: new Map<string, string>(), known: new Set<string>(), ownership: new Ownership() };
    return { context, config, ...shared, checked: new CheckedInputs(), warn };
  }

  /** Runs the work for all, some at once, in their order. One that fails does not keep the others from their end. */
  async #together<T>(items: readonly T[], work: (item: T) => Promise<void>, parallel = PARALLEL): Promise<void> {
    const { life } = this;
    const queue = [...items];
    const errors: unknown[] = [];
    const worker = async () => {
      for (let item = queue.shift(); item !== undefined && !life.stopping; item = queue.shift()) {
        await work(item).catch((error) => void errors.push(error));
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    if (errors.length > 0) throw errors[0];
  }
}

/** What the provider processes of a run tell each other, without sockets. */
function sharingOf(name: string, { ownership }: Process, others: ReadonlyMap<string | undefined, Process>): Sharing {
  const exchange = async () => {
    for (const [other, process] of others) {
      if (process.ownership === ownership) continue;
      process.ownership?.hear(name, ownership?.facts ?? []);
      ownership?.hear(String(other), process.ownership?.facts ?? []);
    }
  };
  return { exchange, soon: () => void exchange() };
}
