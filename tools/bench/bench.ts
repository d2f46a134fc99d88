/** What all scenarios work with: the engine, the flags, and stacks that several of them look at. */
import type { Engine } from "../engine/index";
import type { Flags } from "./flags";
import { type Cost, Fleet, type FleetOptions } from "./fleet";
import type { FleetProvider } from "./programs";
import type { Row } from "./row";

export interface Scenario {
  name: string;
  /** What it shows, in a line. */
  title: string;
  run(bench: Bench): Promise<Row[]>;
}

/** `--parallel` so high that the number of workers does not limit a first `up`. */
export const WIDE = 200;
const AT_ONCE = { operationMs: 0, lock: "branch", limited: false } as const;

/**
 * Checkpoints slow a command with many changes. The preparation of a scenario needs none, and a preview throws them away.
 */
export const SKIP_CHECKPOINTS = { PULUMI_SKIP_CHECKPOINTS: "true" };

/** The environment in which the floor waits as long as operations and the rate limit demand: the best possible time. */
export const floorAtBest = (operationMs: number) => ({
  FLOOR_OPERATION_MS: String(operationMs),
  FLOOR_PER_SECOND: "40",
});

export const FIRST_UP = ["up", "--yes", "--skip-preview"] as const;

export class Bench {
  readonly #built = new Map<string, Promise<{ fleet: Fleet; first: Cost }>>();
  readonly #fresh: Fleet[] = [];

  constructor(
    readonly engine: Engine,
    readonly flags: Flags,
    readonly say: (line: string) => void,
  ) {}

  /** The sizes of a scenario: as the flags say, or small ones with `--quick`, or its own. */
  sizes(own: number[], quick: number[]): number[] {
    return this.flags.sizes ?? (this.flags.quick ? quick : own);
  }

  /** A stack whose computes exist, made once for all scenarios. Only the memory of its first `up` is reported. */
  built(provider: FleetProvider, count: number, projects: number): Promise<{ fleet: Fleet; first: Cost }> {
    const key = `${provider} ${count} ${projects}`;
    const known = this.#built.get(key) ?? this.#build({ provider, count, projects });
    this.#built.set(key, known);
    return known;
  }

  /** The same for several providers, before anything is measured. */
  async allBuilt<P extends FleetProvider>(providers: readonly P[], count: number, projects: number) {
    const made = {} as Record<P, { fleet: Fleet; first: Cost }>;
    for (const provider of providers) made[provider] = await this.built(provider, count, projects);
    return made;
  }

  /** A stack that was never run. */
  async fresh(options: FleetOptions): Promise<Fleet> {
    const fleet = await Fleet.create(this.engine, options);
    this.#fresh.push(fleet);
    return fleet;
  }

  /**
   * Measures the same for several providers, or programs, in several rounds. Each round measures every provider once; each round
   * begins with another provider.
   * @param limits fewer rounds for slow scenarios: `atMost` for all providers, `naive` for the naive one
   */
  async rounds<T, P extends string>(
    what: string,
    providers: readonly P[],
    once: (provider: P) => Promise<T>,
    limits: { atMost?: number; naive?: number } = {},
  ): Promise<Record<P, T[]>> {
    const results = Object.fromEntries(providers.map((provider) => [provider, [] as T[]])) as Record<P, T[]>;
    const { atMost = this.flags.rounds, naive = this.flags.rounds } = limits;
    const rounds = Math.min(this.flags.rounds, atMost);
    for (let round = 0; round < rounds; round++) {
      for (const provider of rotated(providers, round)) {
        if (provider === "naive" && round >= naive) continue;
        this.say(`${what}: round ${round + 1} of ${rounds}, ${provider}`);
        results[provider].push(await once(provider));
      }
    }
    return results;
  }

  async close(): Promise<void> {
    const built = await Promise.allSettled(this.#built.values());
    const fleets = built.flatMap((one) => (one.status === "fulfilled" ? [one.value.fleet] : []));
    await Promise.all([...fleets, ...this.#fresh].map((fleet) => fleet.close()));
  }

  async #build(options: FleetOptions) {
    const { provider, count, projects } = options;
    this.say(`making ${count} computes in ${projects} projects, ${provider}`);
    const fleet = await this.fresh(options);
    const env = SKIP_CHECKPOINTS;
    const first = await fleet.run(FIRST_UP, { parallel: WIDE, service: AT_ONCE, env, memory: true });
    return { fleet, first };
  }
}

const rotated = <P>(providers: readonly P[], by: number): P[] =>
  providers.map((_, index, all) => all[(index + by) % all.length] as P);
