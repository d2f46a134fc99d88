// Runs work when all computes of the program have been compared. Some lines of a preview are correct only then.

import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";

/** Pulumi's outputs have a method `promise`, which its types leave out. */
type Settling = { promise?: () => Promise<unknown> };

/** Stops waiting after this many milliseconds without progress: in a failed run, some computes are never compared. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

type Work = (isComplete: boolean) => void | Promise<void>;

export class ProgramEnd {
  readonly #stack = pulumi.runtime.getStackResource?.() as { outputs?: Settling } | undefined;
  /** Ids of the computes that resources of this program have. */
  readonly ids = new Set<string>();
  readonly #works = new Set<Work>();
  #open = 0;
  #progress = 0;
  #isWaiting = false;

  /** Notes a compute of the program, right after the constructor has registered its resource. */
  follow(resource: pulumi.CustomResource): void {
    if (!pulumi.runtime.isDryRun()) return;
    this.#open++;
    const settled = () => {
      this.#open--;
      this.#progress++;
    };
    const { urn, id } = resource as unknown as { urn: Settling; id: Settling };
    Promise.all([urn.promise?.(), id.promise?.()])
      .then(([, known]) => {
        if (typeof known === "string") this.ids.add(known);
      })
      .catch(() => {})
      .finally(settled);
  }

  /**
   * Runs `work` once at the end, even if it is added several times. Call it while a hook runs.
   * @param work gets whether all computes are known
   */
  atEnd(work: Work): void {
    this.#works.add(work);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // After a failure, print nothing.
    await this.#stack?.outputs?.promise?.().catch(() => this.#works.clear());
    // Pulumi ends the program as soon as nothing is on its way to the engine.
    const release = pulumi.runtime.rpcKeepAlive();
    try {
      const isComplete = await this.#allCompared();
      this.#isWaiting = false;
      for (const work of this.#works) {
        this.#works.delete(work);
        await work(isComplete);
      }
    } finally {
      release();
    }
  }

  /** @returns false if for `PATIENCE_MS` no further compute was compared */
  async #allCompared(): Promise<boolean> {
    let seen = this.#progress;
    for (let at = Date.now(); this.#open > 0; await sleep(PAUSE_MS)) {
      if (this.#progress !== seen) [seen, at] = [this.#progress, Date.now()];
      else if (Date.now() - at > PATIENCE_MS) return false;
    }
    return true;
  }
}
