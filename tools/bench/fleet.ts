/** One stack of computes with one of the providers, and what its commands cost. */
import { chmod, cp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RequestRecord, World } from "../../emulator/index";
import type { Engine } from "../engine/index";
import { ensureLanguage } from "../engine/languages";
import { Workspace } from "../engine/workspace";
import { type PeakWatch, watchPeak } from "./peak";
import { type Place, placesIn, worldWith } from "./places";
import { type FleetProvider, filesOf, fleetOf, isFloor, isPlugin, NATIVE_FLOOR, USAGE_FILE } from "./programs";
import { Service, type ServiceOptions } from "./service";

/** Long enough for a naive provider in a busy project. A benchmark that hangs ends here. */
const LIMIT_MS = 30 * 60_000;

export interface FleetOptions {
  provider: FleetProvider;
  /** How many computes. */
  count: number;
  /** In how many projects. */
  projects: number;
}

export interface CommandOptions {
  parallel: number;
  service: ServiceOptions;
  env?: NodeJS.ProcessEnv;
  /** Whether to measure the memory of the provider's processes. That costs time, so `ms` is then no figure. */
  memory?: boolean;
}

export interface Cost {
  ms: number;
  /** Milliseconds of CPU that the program's processes took. */
  programCpuMs: number;
  /** Bytes of the largest of them: resident, at its highest. */
  programPeakBytes: number;
  requests: RequestRecord[];
  /** Bytes of the largest provider process, if they were measured and the system tells them. */
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
    const { provider } = options;
    const program = filesOf(provider, places);
    const { hosts } = isPlugin(provider) ? await ensureLanguage("yaml", engine) : { hosts: [] };
    const workspace = await Workspace.create(engine, { program, project: "bench", hosts });
    if (provider === "native-floor") await chmod(join(workspace.programFolder, NATIVE_FLOOR), 0o755);
    const fleet = new Fleet(options, workspace, places);
    await cp(fleet.#state, fleet.#kept, { recursive: true });
    return fleet;
  }

  /** One `pulumi` command, with a service of its own in which everything is as the last command left it. */
  async run(args: readonly string[], { parallel, service: options, env, memory }: CommandOptions): Promise<Cost> {
    const asksNobody = isFloor(this.options.provider);
    const service = asksNobody ? undefined : await Service.start(options);
    const usageFile = join(this.workspace.folder, "usage");
    let watch: PeakWatch | undefined;
    try {
      await rm(usageFile, { force: true });
      this.#world ??= service && worldWith(await service.world(), this.places);
      if (service && this.#world) await service.setWorld(this.#world);
      if (memory) watch = watchPeak(this.workspace.env["PULUMI_HOME"] ?? "");
      const { ms } = await this.workspace.pulumi([...args, "--parallel", String(parallel)], {
        env: { ...service?.env, [USAGE_FILE]: usageFile, ...env },
        limitMs: LIMIT_MS,
        fails: false,
      });
      this.#world = await service?.world();
      const usage = await usageIn(usageFile);
      return { ms, ...usage, requests: (await service?.requests()) ?? [], peakBytes: watch?.bytes };
    } finally {
      watch?.stop();
      await service?.close();
    }
  }

  /** The program gives all computes these arguments too, until the next change. */
  async change(more: object): Promise<void> {
    await writeFile(join(this.workspace.programFolder, "fleet.json"), fleetOf(this.places, more));
  }

  /** Bytes of the state, as they stand in the backend. */
  async stateBytes(): Promise<number> {
    return (await stat(join(this.#state, ".pulumi", "stacks", "bench", "dev.json"))).size;
  }

  /** The folder and the environment of a provider process. */
  get processOptions(): { folder: string; env: NodeJS.ProcessEnv } {
    return { folder: this.workspace.programFolder, env: this.workspace.env };
  }

  /** The text of the provider that the state keeps. */
  async providerText(): Promise<unknown> {
    return (await this.workspace.resource("compute-0")).inputs?.["__provider"];
  }

  /** The names of the inputs and outputs in the state, sorted. */
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

/** What the program's processes wrote, of all together. NaN where there is no such file. */
async function usageIn(path: string): Promise<Pick<Cost, "programCpuMs" | "programPeakBytes">> {
  const text = await readFile(path, "utf8").catch(() => "NaN NaN");
  const lines = text.trim().split("\n");
  const values = lines.map((line) => line.split(" ").map(Number));
  return {
    programCpuMs: values.reduce((sum, [cpuMs = Number.NaN]) => sum + cpuMs, 0),
    programPeakBytes: Math.max(...values.map(([, kilobytes = Number.NaN]) => kilobytes * 1024)),
  };
}
