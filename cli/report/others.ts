// What changes beside the causes of an impact: another name, another suspend timeout.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { harmlessChanges } from "../../provider/rules/impact.js";
import {
  type DesiredSettings,
  propertyOf,
  type SettingName,
  SIZE_FORMS,
  UNKNOWN,
} from "../../provider/rules/settings.js";
import { VALUES } from "../../provider/rules/texts.js";
import { cleanLine } from "./clean.js";
import type { Compared, Judged } from "./judge.js";
import { record, topLevelOf } from "./preview.js";
import { isSecretMark } from "./settings.js";
import type { Finding, OtherChange, Step } from "./types.js";

const isSize = (name: string): boolean => (SIZE_FORMS as readonly string[]).includes(name);

/** The other properties that the engine reports as different, without our internal ones. */
export function othersOf(
  { step, previousInputs, recorded, desired, unreadable }: Compared,
  { causes, noticeProperties = [] }: Judged,
): Pick<Finding, "others" | "otherChanges"> {
  if (step.op !== "update" && step.op !== "replace") return { others: [], otherChanges: [] };
  const paths = new Set([...causes.map(({ property }) => property), ...noticeProperties]);
  const named = new Set([...paths].map(topLevelOf));
  // A size and its limits are one setting in two forms. Where one is named, the other would be the same change again.
  const isNamed = (name: string) => named.has(name) || (isSize(name) && [...named].some(isSize));
  const options = { secrets: unreadable, showsStrings: true };
  // As the preview compares: what the program asked for before, else what the compute had.
  const changes = [
    ...harmlessChanges({ ...recorded, ...previousInputs }, desired, options),
    ...droppedOf(previousInputs ?? {}, desired),
    ...adoptionChanges(step, unreadable),
  ]
    // One cause inside `settings` does not name the other changes there.
    .filter(({ property }) => !isBelowOneOf(property, paths) && (property.includes(".") || !isNamed(property)))
    .map(({ property, old, new: next, words }) => ({
      property: cleanLine(property),
      old: cleanLine(old),
      new: cleanLine(next),
      ...(words ? { words: cleanLine(words) } : {}),
    }));
  const valued = new Set(changes.map(({ property }) => topLevelOf(property)));
  const others = [...(step.differing ?? valued)].filter(
    (name) => name !== "restart" && !name.startsWith("__") && (valued.has(name) || !isNamed(name)),
  );
  const differs = new Set(others.some(isSize) ? [...others, ...SIZE_FORMS] : others);
  return {
    others: others.map((name) => cleanLine(name, LONGEST_NAME)),
    otherChanges: changes.filter(({ property }) => differs.has(topLevelOf(property))),
  };
}
const LONGEST_NAME = 60;

/** Whether the set has this path, or one above it. */
function isBelowOneOf(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path.indexOf("."); at >= 0; at = path.indexOf(".", at + 1))
    if (paths.has(path.slice(0, at))) return true;
  return paths.has(path);
}

/** What is taken over and what stays when it leaves the program. A digest of a replacement covers both. */
function adoptionChanges({ old, next }: Step, unreadable: ReadonlySet<string>): OtherChange[] {
  return ADOPTION.flatMap((property) => {
    const [before, after] = [old?.inputs, next?.inputs].map((inputs) => shownInput(inputs?.[property]));
    if (unreadable.has(property) || before === undefined || after === undefined || before === after) return [];
    return [{ property, old: before, new: after }];
  });
}
const ADOPTION = ["adopt", "onDelete"];

/** Undefined if the value can't be shown: then the row has the property's name. */
function shownInput(value: unknown): string | undefined {
  // `adopt: false` is the same as none.
  if (value === undefined || value === null || value === false) return VALUES.notSet;
  if (value === UNKNOWN_VALUE) return VALUES.unknown;
  if (isSecretMark(value)) return undefined;
  return typeof value === "string" || value === true ? String(value) : undefined;
}

/** What the program asked for before and does not name now. The service may keep it, so no rule counts it as a change. */
function droppedOf(old: DesiredSettings, desired: DesiredSettings): OtherChange[] {
  return (Object.keys(old) as SettingName[]).flatMap((name) => {
    const [before, next] = [old[name], desired[name]];
    if (before === undefined || before === UNKNOWN || next === UNKNOWN) return [];
    const property = propertyOf(name);
    const parts = Array.isArray(before) ? undefined : record(before);
    if (!parts) return next === undefined ? [dropped(property, before)] : [];
    const kept = record(next) ?? {};
    return Object.keys(parts)
      .filter((key) => parts[key] !== undefined && !Object.hasOwn(kept, key))
      .map((key) => dropped(`${property}.${key}`, parts[key]));
  });
}

const dropped = (property: string, old: unknown): OtherChange =>
  // Triggers may hold anything, and no text shows them.
  property === "restartTriggers"
    ? { property, old: "other values", new: DROPPED, words: DROPPED }
    : { property, old: typeof old === "string" && old !== "" ? old : JSON.stringify(old), new: DROPPED };
const DROPPED = "no longer in the program";
