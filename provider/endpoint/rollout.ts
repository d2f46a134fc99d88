// Stops a rollout at its first failure. The computes of a branch restart one after the other (the queue of changes sees to it).
// If one does not come up again, the next must not go down: a pool of readers would lose one after the other.

import { Stopped } from "../errors.js";

export class Rollout {
  /** By project and branch: the compute whose change failed first in this run. */
  readonly #failed = new Map<string, string>();

  /** The change of a compute has failed after it was sent, so the compute may be down. */
  noteFailed(project: string, branches: readonly (string | undefined)[], id: string): void {
    for (const key of keysOf(project, branches)) if (!this.#failed.has(key)) this.#failed.set(key, id);
  }

  /** @throws Stopped if another compute of one of these branches may be down */
  assertGoesOn(project: string, branches: readonly (string | undefined)[], id: string): void {
    const failed = keysOf(project, branches).flatMap((key) => this.#failed.get(key) ?? []);
    const other = failed.find((one) => one !== id);
    if (other !== undefined) throw new Stopped(heldBack(id, other));
  }
}

const keysOf = (project: string, branches: readonly (string | undefined)[]): string[] =>
  branches.filter((branch) => branch !== undefined).map((branch) => `${project}/${branch}`);

const heldBack = (id: string, failed: string): string =>
  `compute ${id} was not changed: in this run the change of compute ${failed}, on the same branch, failed after it was sent, so ${failed} may be down. The computes of a branch restart one at a time and stop at the first failure, so that not all of them are down. The state was left as it was. Run \`pulumi up\` again after you have fixed the cause; \`pulumi up --target\` with its URN changes ${id} alone`;
