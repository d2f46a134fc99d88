// Which computes a policy is about.

import { identityOf } from "../provider/rules/urn.js";

/** Patterns, in which `*` stands for anything. */
export interface Scope {
  /** Only these stacks: `PROJECT/STACK`. @default all of them */
  stacks?: string[];
  /** Not these stacks. */
  exceptStacks?: string[];
  /** Only these computes: the resource's name, or its URN where the pattern begins with `urn:`. @default all of them */
  resources?: string[];
  /** Not these computes. */
  exceptResources?: string[];
}

/** The descriptions in the schema of the pack's config. */
export const DESCRIPTIONS: Record<keyof Scope, string> = {
  stacks: "Only these stacks: PROJECT/STACK; * stands for anything.",
  exceptStacks: "Not these stacks.",
  resources: "Only these computes: the resource's name, or its URN where the pattern begins with urn:",
  exceptResources: "Not these computes.",
};

/** The defaults. */
export const NO_SCOPE: Required<Scope> = { stacks: ["*"], exceptStacks: [], resources: ["*"], exceptResources: [] };

/** @throws an error for a pattern that fits no stack: it would silently match nothing */
export function covers(scope: Scope, urn: string): boolean {
  for (const pattern of [...(scope.stacks ?? []), ...(scope.exceptStacks ?? [])]) {
    if (pattern.includes("/") || pattern.includes("*")) continue;
    throw new Error(
      `the stack ${JSON.stringify(pattern)} in the policies' scope matches no stack: write PROJECT/STACK, or */${pattern} for the stacks of that name in all projects`,
    );
  }
  const identity = identityOf(urn);
  // A URN that can't be parsed is always covered.
  if (!identity) return true;
  const isStack = (pattern: string) => fits(pattern, `${identity.project}/${identity.stack}`);
  const isResource = (pattern: string) => fits(pattern, pattern.startsWith("urn:") ? urn : identity.name);
  const { stacks, exceptStacks, resources, exceptResources } = { ...NO_SCOPE, ...scope };
  return (
    stacks.some(isStack) &&
    !exceptStacks.some(isStack) &&
    resources.some(isResource) &&
    !exceptResources.some(isResource)
  );
}

/** Matches the whole text piece by piece, without a regular expression, so no pattern takes long. */
function fits(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === text;
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}
