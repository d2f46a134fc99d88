// Which computes the program of this run holds on to, so that a delete for a resource's old name spares them.

import { canonical } from "../rules/settings.js";
import type { Outputs } from "./outputs.js";

/**
 * What a resource was to the state when this run compared it with the program. Two resources can hold one compute: it was
 * taken over under a new name, and the run ended before the old name was deleted.
 */
export class Wanted {
  readonly #marks = new Map<string, Set<string>>();

  see(id: string, state: Partial<Outputs>): void {
    const marks = this.#marks.get(id) ?? new Set();
    this.#marks.set(id, marks.add(markOf(state)));
  }

  /** Whether the program wants this compute by another resource than the one with this state. */
  byAnother(id: string, state: Partial<Outputs>): boolean {
    const own = markOf(state);
    return [...(this.#marks.get(id) ?? [])].some((mark) => mark !== own);
  }
}

/** Pulumi tells a provider no name of a resource: this is what differs between two, and stays the same during a run. */
const markOf = ({ __autoName, adopt, adopted, onDelete, managed }: Partial<Outputs>): string =>
  canonical({ __autoName, adopt, adopted, onDelete, managed });
