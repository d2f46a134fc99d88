import { createKeyOf } from "./create-key.js";
import type { Hints } from "./hints.js";

/** The place of a resource in the program's stack. */
export interface Place {
  urn: string;
  /** The URN of the parent; absent if the stack itself is the parent. */
  parent?: string;
}

const STACK_TYPE = "::pulumi:pulumi:Stack::";

/** Remembers the URN and parent of each resource. Only check gets them, from the class: Pulumi passes neither to create. */
export class Places {
  readonly #byKey = new Map<string, Place>();

  /** @param checked the answer of check, which a create gets */
  note({ urn, parent }: Hints, checked: Record<string, unknown>): void {
    if (urn === undefined) return;
    const isChild = parent !== undefined && !parent.includes(STACK_TYPE);
    this.#byKey.set(createKeyOf(checked), { urn, ...(isChild ? { parent } : {}) });
  }

  /** Undefined for a resource whose program removes the hints. */
  of(inputs: Record<string, unknown>): Place | undefined {
    return this.#byKey.get(createKeyOf(inputs));
  }
}
