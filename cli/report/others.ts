// What changes beside the causes of an impact: another name, another time until a compute sleeps.

import { harmlessChanges } from "../../provider/rules/impact.js";
import { SIZE_FORMS } from "../../provider/rules/settings.js";
import { cleanLine } from "./clean.js";
import type { Compared, Judged } from "./judge.js";
import { topLevelOf } from "./preview.js";
import type { Finding } from "./types.js";

const isSize = (name: string): boolean => (SIZE_FORMS as readonly string[]).includes(name);

/** The other properties that the engine reports as different, without our internal ones. */
export function othersOf(
  { step, previousInputs, recorded, desired, unreadable }: Compared,
  { causes, noticeProperties = [] }: Judged,
): Pick<Finding, "others" | "otherChanges"> {
  if (step.op !== "update" && step.op !== "replace") return { others: [], otherChanges: [] };
  const named = new Set([...causes.map(({ property }) => topLevelOf(property)), ...noticeProperties.map(topLevelOf)]);
  // A size and its limits are one setting in two forms. Where one is named, the other would be the same change again.
  const isNamed = (name: string) => named.has(name) || (isSize(name) && [...named].some(isSize));
  const others = [...(step.differing ?? [])].filter(
    (name) => name !== "restart" && !name.startsWith("__") && !isNamed(name),
  );
  // A document can have very many settings.
  if (others.length === 0) return { others, otherChanges: [] };
  const options = { secrets: unreadable, showsStrings: true };
  // As the preview compares: what the program asked for before, else what the compute had.
  const changes = harmlessChanges({ ...recorded, ...previousInputs }, desired, options);
  return {
    others: others.map((name) => cleanLine(name, LONGEST_NAME)),
    otherChanges: changes
      .filter(({ property }) => others.includes(topLevelOf(property)))
      .map(({ property, old, new: next, words }) => ({
        property: cleanLine(property),
        old: cleanLine(old),
        new: cleanLine(next),
        ...(words ? { words: cleanLine(words) } : {}),
      })),
  };
}
const LONGEST_NAME = 60;
