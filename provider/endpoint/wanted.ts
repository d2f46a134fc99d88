// Which computes the program of this run holds on to, so that a delete for a resource's old name spares them.

import { canonical } from "../rules/settings.js";
import type { Outputs } from "./outputs.js";

/**
 * What a resource was to the state when this run compared it with the program. Two resources can hold one compute: it was
 * taken over under a new name, and the run ended before the old name was deleted.
 */
export class Wanted {
  readonly #seen = new Map<string, { was: Was; urn: string | undefined }[]>();
  /** Of the check before: the engine checks and compares one resource after the other. */
  #urn: string | undefined;
  readonly #replaced = new Set<string>();

  /** @param anew checked without old inputs: a resource that is made, or, after it was compared, one that is replaced */
  check(urn: unknown, anew: boolean): void {
    this.#urn = typeof urn === "string" ? urn : undefined;
    if (this.#urn !== undefined && anew) this.#replaced.add(this.#urn);
  }

  see(id: string, state: Partial<Outputs>): void {
    const { __autoName, adopt, adopted, onDelete, managed } = state;
    const one = { was: { __autoName, adopt, adopted, onDelete, managed }, urn: this.#urn };
    const others = this.#seen.get(id);
    if (others) others.push(one);
    else this.#seen.set(id, [one]);
  }

  /** Whether a resource that stays in the program has this compute. */
  isHeld(id: string): boolean {
    return (this.#seen.get(id) ?? []).some(({ urn }) => this.#stays(urn));
  }

  /**
   * Whether the program wants this compute by another resource than the one with this state. Two may look alike in the
   * state; but one that was compared and is not replaced is not the one that is deleted.
   */
  byAnother(id: string, state: Partial<Outputs>): boolean {
    const own = markOf(state);
    return (this.#seen.get(id) ?? []).some(({ was, urn }) => markOf(was) !== own || this.#stays(urn));
  }

  #stays(urn: string | undefined): boolean {
    return urn !== undefined && !this.#replaced.has(urn);
  }
}

/** Pulumi tells a provider no name of a resource: this is what differs between two, and stays the same during a run. */
type Was = Partial<Pick<Outputs, "__autoName" | "adopt" | "adopted" | "onDelete" | "managed">>;

const markOf = ({ __autoName, adopt, adopted, onDelete, managed }: Was): string =>
  canonical({ __autoName, adopt, adopted, onDelete, managed });
