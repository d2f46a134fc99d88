/** One stack of computes with one of the providers, and what its commands cost. */
import { cp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RequestRecord, World } from "../../emulator/index";
import type { Engine } from "../engine/index";
import { Workspace } from "../engine/workspace";
import { type PeakWatch, watchPeak } from "./peak";
import { type Place, placesIn, worldWith } from "./places";
import { filesOf, type ProviderName } from "./programs";
import { Service, type ServiceOptions } from "./service";

/** A naive provider in a busy project takes long, and a benchmark that hangs should end some day. */
const LIMIT_MS = 30 * 60_000;

export interface FleetOptions {
  provider: ProviderName;
  /** How many computes. */
  count: number;
  /** In how many projects. */
  projects: number;
}

export interface CommandOptions {
  parallel: number;
  service: ServiceOptions;
  env?: NodeJS.ProcessEnv;
  /** Watch how much memory the provider's processes take? Looking costs time, so the time is then no figure. */
  memory?: boolean;
}

export interface Cost {
  ms: number;
  requests: RequestRecord[];
  /** Bytes of the largest provider process, where they were watched and can be told. */
  peakBytes?: number;
}

export class Fleet {
  #world: World | undefined;

  private constructor(
    readonly options: FleetOptions,
    private readonly workspace: Workspace,
    private readonly places: readonly Place[],
  ) {}

  /** A stack that was never run. */
  static async create(engine: Engine, options: FleetOptions): Promise<Fleet> {
    const places = placesIn(options.projects, options.count);
    const workspace = await Workspace.create(engine, { program: filesOf(options.provider, places), project: "bench" });
    const fleet = new Fleet(options, workspace, places);
    await cp(fleet.#state, fleet.#kept, { recursive: true });
    return fleet;
  }

  /** One `pulumi` command, with a service of its own in which everything is as the last command left it. */
  async run(args: readonly string[], { parallel, service: options, env, memory }: CommandOptions): Promise<Cost> {
    const asksNobody = this.options.provider === "floor";
    const service = asksNobody ? undefined : await Service.start(options);
    let watch: PeakWatch | undefined;
    try {
      this.#world ??= service && worldWith(await service.world(), this.places);
      if (service && this.#world) await service.setWorld(this.#world);
      if (memory) watch = watchPeak(this.workspace.env["PULUMI_HOME"] ?? "");
      const { ms } = await this.workspace.pulumi([...args, "--parallel", String(parallel)], {
        env: { ...service?.env, ...env },
        limitMs: LIMIT_MS,
        fails: false,
      });
      this.#world = await service?.world();
      return { ms, requests: (await service?.requests()) ?? [], peakBytes: watch?.bytes };
    } finally {
      watch?.stop();
      await service?.close();
    }
  }

  /** Bytes of the state, as they stand in the backend. */
  async stateBytes(): Promise<number> {
    return (await stat(join(this.#state, ".pulumi", "stacks", "bench", "dev.json"))).size;
  }

  /** Where a process of the provider's runs, and with what environment. */
  get place(): { folder: string; env: NodeJS.ProcessEnv } {
    return { folder: this.workspace.programFolder, env: this.workspace.env };
  }

  /** The text of the provider that the state keeps. */
  async providerText(): Promise<unknown> {
    return (await this.workspace.resource("compute-0")).inputs?.["__provider"];
  }

  /** The names of what the state keeps of a compute, sorted. */
  async keys(): Promise<{ inputs: string[]; outputs: string[] }> {
    const { inputs, outputs } = await this.workspace.resource("compute-0");
    return { inputs: Object.keys(inputs ?? {}).sort(), outputs: Object.keys(outputs ?? {}).sort() };
  }

  /** As if no command had ever been run: neither the stack nor the service knows of a compute. */
  async forget(): Promise<void> {
    await rm(this.#state, { recursive: true });
    await cp(this.#kept, this.#state, { recursive: true });
    this.#world = undefined;
  }

  close = () => this.workspace.close();

  get #state(): string {
    return join(this.workspace.folder, "state");
  }

  get #kept(): string {
    return join(this.workspace.folder, "state-before");
  }
}
