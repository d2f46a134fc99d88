// What check needs to know about a resource beside its inputs.

import { textsIn } from "../rules/texts-in.js";

export interface Hints {
  /** Absent if unknown. Then the resource gets no generated name and can't be approved. */
  urn?: string;
  /** The URN of the parent, also where that is the stack. */
  parent?: string;
  /** Top-level names of the properties whose values are secret. */
  secrets?: readonly string[];
  /**
   * What may turn a change into a replacement: the option `replaceOnChanges` (true), or the program's transforms and options that
   * the adapter can't see ("transforms").
   */
  mayReplace?: true | "transforms";
  /** Whether a replacement is created before the old compute is deleted. */
  createsFirst?: boolean;
  /** Whether the resource has the option `retainOnDelete`. */
  isRetained?: boolean;
  /** Whether this is certainly a preview. */
  isPreview?: boolean;
}

/** The hints of the class, from internal inputs: its constructor adds them, because Pulumi's shim passes none of this on. */
export function hintsIn(news: Readonly<Record<string, unknown>>): Hints {
  const { __urn: urn, __parent: parent, __mayReplace: mayReplace } = news;
  return {
    ...(typeof urn === "string" ? { urn } : {}),
    ...(typeof parent === "string" ? { parent } : {}),
    secrets: textsIn(news["__secret"]),
    ...(mayReplace === true || mayReplace === "transforms" ? { mayReplace } : {}),
    createsFirst: news["__createFirst"] === true,
    isRetained: news["__retain"] === true,
    isPreview: news["__preview"] === true,
  };
}
