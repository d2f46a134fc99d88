import { createEmulator, type Emulator, type EmulatorOptions, seededRandom } from "../../emulator/index.js";
import type { ProviderConfig } from "../../provider/config.js";
import { autoNameOf } from "../../provider/rules/name.js";
import { NATIVE_TYPE } from "../../provider/rules/urn.js";
import {
  apply,
  destroyed,
  type Options,
  type Processes,
  type Props,
  plan,
  type Resource,
  refreshed,
} from "./lab/engine.js";
import { CLASS, type Surface } from "./lab/form.js";
import { lookAhead } from "./lab/look.js";
import type { Between } from "./lab/network.js";
import { ProcessLife } from "./lab/process-life.js";
import { providerProcesses } from "./lab/provider-processes.js";
import { type Outcome, type Run, type StepOrder, timedStep, together } from "./lab/steps.js";
import { VirtualClock } from "./virtual-clock.js";

export type { Options, Props, Resource } from "./lab/engine.js";
export type { Between, Sent } from "./lab/network.js";
export { Killed } from "./lab/process-life.js";
export type { Outcome, Run, Step } from "./lab/steps.js";

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
  /** Code between the provider and the service, which may change requests and answers. */
  between?: Between;
  /** Milliseconds by which the service's clock is ahead of the provider's. @default 0 */
  skewMs?: number;
  /** @default the class of TypeScript programs */
  surface?: Surface;
}

/** A service and a stack in one process and in virtual time: the real steps, driven as the engine drives them. */
export class Lab {
  readonly clock: VirtualClock;
  readonly emulator: Emulator;
  /** The stack's state, by resource name. */
  readonly state = new Map<string, Resource>();
  /** Creates that a kill has cut short: the engine warns of them, and creates again. */
  readonly pendingCreates = new Set<string>();
  /** The last command, even if it failed or was killed. */
  last: Run = { warnings: [], said: [], sent: [], steps: [] };
  /** What the last `up` planned, by resource name. */
  planned: Record<string, Outcome> = {};
  /** The life of the last command's process. */
  life: ProcessLife;

  constructor(readonly options: LabOptions = {}) {
    const { beside, seed = 1, skewMs = 0 } = options;
    // Nothing here is a socket or a file, so one calm round of the event loop is enough.
    this.clock = beside?.clock ?? new VirtualClock({ seed, calmRounds: 1 });
    this.life = new ProcessLife(this.clock);
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
   * `pulumi up` of resources that do not depend on each other. It does not reject if a step fails: each outcome has its
   * own error.
   * @param rest what happens to resources in the state that the program does not name. Pulumi deletes them at the end,
   *   unless a step failed
   * @param options of the resources, by name
   */
  upAll(
    program: Record<string, Props>,
    rest: "keep" | "delete" = "keep",
    options: Record<string, Options> = {},
    { order = Object.keys(program), parallel }: StepOrder = {},
  ): Promise<Record<string, Outcome>> {
    return this.#run(async (processes, run) => {
      this.planned = await this.#planAll(processes, run, program, options);
      const outcomes = Object.entries(this.planned);
      const asked = [...outcomes].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
      const carryOut = async ([name, outcome]: [string, Outcome]) => {
        const keep = (resource: Resource) => void this.state.set(name, resource);
        const creates = outcome.op === "create" || outcome.op === "replace";
        if (creates) this.pendingCreates.add(name);
        await timedStep(this.clock, processes, run, { name, op: outcome.op }, (mine) =>
          apply(mine, this.urn(name), outcome, this.state.get(name), keep),
        ).catch((error: Error) => {
          outcome.error = error;
        });
        this.pendingCreates.delete(name);
      };
      await together(this.life, asked, carryOut, parallel);
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
    return this.#run(async (processes, run) => {
      const plans = await this.#planAll(processes, run, program, options);
      const ours = new Set([...this.state].flatMap(([name, { id }]) => (name in program ? [id] : [])));
      for (const [name, plan] of Object.entries(plans)) {
        const { onRestart } = processes(options[name]?.provider).config;
        const outlook = await lookAhead(this.emulator, plan, onRestart, ours);
        if (outlook) plan.outlook = outlook;
      }
      return plans;
    }, true);
  }

  /** Resources are checked and compared one after the other; the steps themselves run together. */
  async #planAll(
    processes: Processes,
    run: Run,
    program: Record<string, Props>,
    options: Record<string, Options>,
  ): Promise<Record<string, Outcome>> {
    const plans: Record<string, Outcome> = {};
    for (const [name, args] of Object.entries(program)) {
      plans[name] = await this.#plan(processes, run, name, args, options[name] ?? {});
    }
    return plans;
  }

  /** `pulumi preview` of the whole program: why resources were refused, by their names. */
  async refusals(program: Record<string, Props>): Promise<Record<string, string>> {
    const plans = Object.entries(await this.previewAll(program));
    return Object.fromEntries(plans.flatMap(([name, { error }]) => (error ? [[name, error.message]] : [])));
  }

  /** `pulumi refresh`, of all resources or of these; rejects with the first error. */
  refresh(...names: string[]): Promise<Run> {
    return this.#run(async (processes, run) => {
      await together(this.life, this.#these(names), async ([name, old]) => {
        const now = await timedStep(this.clock, processes, run, { name, op: "refresh" }, (mine) =>
          refreshed(mine, this.urn(name), old),
        );
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
    return together(this.life, resources, async ([name, old]) => {
      await timedStep(this.clock, processes, run, { name, op: "delete" }, (mine) =>
        destroyed(mine, this.urn(name), old),
      );
      this.state.delete(name);
    });
  }

  /** The generated name, for a compute to which the program gives no name. */
  autoName(name: string): string {
    return autoNameOf(this.urn(name));
  }

  /** The type of its resources. */
  get type(): string {
    return (this.options.surface ?? CLASS).type;
  }

  /** The URN of a resource. The class sends it to check as `__urn`. */
  urn(name: string): string {
    return `urn:pulumi:${this.options.stack ?? "dev"}::lab::${this.type}::${name}`;
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

  async #plan(processes: Processes, run: Run, name: string, args: Props, options: Options): Promise<Outcome> {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    // A test may give the input `__retain` in place of the option.
    const retainOnDelete = options.retainOnDelete ?? given["__retain"] === true;
    const all = { ...options, retainOnDelete, byRule: { ...timeoutsOf(given, this.type), ...options.byRule } };
    const planned = await plan(processes(options.provider), this.urn(name), this.state.get(name), given, all);
    const refusal = planned.failures.map((one) => `${one.property}: ${one.reason}`).join("\n");
    return { ...run, ...planned, ...(planned.op === "refused" ? { error: new Error(refusal) } : {}) };
  }

  /** One command: processes of its own, one for each instance, and time that passes until it has ended. */
  #run<T>(work: (processes: Processes, run: Run) => Promise<T>, isPreview = false): Promise<T> {
    const run: Run = { warnings: [], said: [], sent: [], steps: [] };
    const life = new ProcessLife(this.clock);
    this.life = life;
    this.last = run;
    const { apiKey = this.emulator.apiKey, instances = {}, config, between, surface = CLASS } = this.options;
    const { clock, emulator } = this;
    const own = { apiKey, instances, config, between, surface, isPreview };
    const processes = providerProcesses({ emulator, clock, life, run, ...own });
    // The process ends with the command. Work that nobody waited for ends with it.
    return this.clock.run(Promise.race([work(processes, run), life.death])).finally(() => life.kill());
  }
}

/** For the class, a time limit is an input. For the plugin it is an option alone. */
const timeoutsOf = ({ customTimeouts }: Props, type: string): Options["byRule"] =>
  type === NATIVE_TYPE && customTimeouts ? { customTimeouts } : {};
