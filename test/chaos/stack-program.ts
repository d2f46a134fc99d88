// The program of one stack, as the edits of a scenario leave it.

import type { Options, Props } from "../support/lab";
import { argsOf, nameOf, optionsOf, type ResourceSpec, type Slot, type Slots } from "./program";
import type { Edit } from "./scenario";

export class StackProgram {
  readonly #slots: Slots;
  /** Each slot as it was before its last edit. */
  readonly #earlier = new Map<number, Slots[number]>();
  /** The computes that resources take over, by the resource's name. */
  readonly #takenOver = new Map<string, string>();

  constructor(
    private readonly stack: number,
    specs: readonly (ResourceSpec | null)[],
    /** The compute that the state has for a resource. */
    private readonly idOf: (name: string) => string | undefined,
  ) {
    this.#slots = specs.map((spec) => (spec ? { spec, generation: 0 } : undefined));
  }

  /** The arguments of each resource, by name. */
  resources(): Record<string, Props> {
    return this.#byName((index, slot) => ({ ...argsOf(this.stack, index, slot.spec), ...this.#adoption(index, slot) }));
  }

  /** The options of each resource, by name. */
  options(): Record<string, Options> {
    return this.#byName((_index, { spec }) => optionsOf(spec));
  }

  /** The compute of a slot's resource. */
  computeOf(index: number): string | undefined {
    const slot = this.#slots[index];
    return slot && this.idOf(nameOf(index, slot));
  }

  edit(edit: Edit): void {
    const slots = this.#slots;
    const slot = slots[edit.slot];
    const generation = slot?.generation ?? 0;
    if ("back" in edit) {
      slots[edit.slot] = this.#earlier.get(edit.slot) ?? slot;
      return;
    }
    this.#earlier.set(edit.slot, slot);
    if ("to" in edit) slots[edit.slot] = edit.to ? { spec: edit.to, generation } : undefined;
    else if (!slot) return;
    else if ("rename" in edit) slots[edit.slot] = { ...slot, generation: generation + 1 };
    else slots[edit.slot] = { spec: changed(slot.spec, edit.change), generation };
  }

  #byName<T>(make: (index: number, slot: Slot) => T): Record<string, T> {
    return Object.fromEntries(
      this.#slots.flatMap((slot, index) => (slot ? [[nameOf(index, slot), make(index, slot)]] : [])),
    );
  }

  /** With `takesOver`, a renamed resource adopts the compute that it had under its old name. */
  #adoption(index: number, slot: Slot): Props {
    if (!slot.spec.takesOver) return {};
    const name = nameOf(index, slot);
    const oldName = nameOf(index, { ...slot, generation: slot.generation - 1 });
    const id = this.#takenOver.get(name) ?? this.idOf(oldName);
    if (id === undefined) return {};
    this.#takenOver.set(name, id);
    return { adopt: id };
  }
}

/** A program gives a size in one form: a change of one form takes the other one out. */
function changed({ size, limits, ...rest }: ResourceSpec, change: Partial<ResourceSpec>): ResourceSpec {
  const isResized = change.size !== undefined || change.limits !== undefined;
  const kept = isResized ? {} : { ...(size && { size }), ...(limits && { limits }) };
  return { ...rest, ...kept, ...change };
}
