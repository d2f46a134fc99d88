// Inputs and outputs of a state -> the wish that the rules compare. A secret is the text "[secret]" (in engine events an
// object), and a value that preview does not know is a fixed text, whatever their types are.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { SIGNATURE, type Wish } from "../../provider/rules/settings.js";
import { type Asked, wishOf } from "../../provider/rules/wish.js";
import { isText, listOf, record } from "./preview.js";
import type { Raw } from "./types.js";

const SECRET = "[secret]";
/** Beside it, Pulumi's signature stands for assets and archives, which are compared by their content. */
const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";
const DEEPEST = 20;

export interface Values {
  asked: Asked;
  /** Paths that are not known yet. */
  unknown: Set<string>;
  /** Top-level names whose values are secret, or odd. */
  hidden: Set<string>;
  /** Those whose values are of a kind that no version of ours writes. */
  odd: Set<string>;
}

const cu = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const flag = (value: unknown) => typeof value === "boolean";
/** An output without a value is there as null. */
const KINDS: Record<keyof Omit<Asked, "settings">, (value: unknown) => boolean> = {
  projectId: isText,
  branchId: isText,
  type: isText,
  size: cu,
  autoscalingLimitMinCu: cu,
  autoscalingLimitMaxCu: cu,
  suspendTimeoutSeconds: cu,
  name: isText,
  disabled: flag,
  poolerEnabled: flag,
  restartTriggers: Array.isArray,
};

export function valuesOf(raw: Raw | undefined): Values {
  const values: Values = { asked: {}, unknown: new Set(), hidden: new Set(secretNames(raw)), odd: new Set() };
  const asked = values.asked as Raw;
  for (const [name, isRight] of Object.entries(KINDS)) {
    const value = raw?.[name];
    if (value === undefined || value === null) continue;
    // The engine puts a mark for the whole list, or for an item.
    if (holds(value, isUnknown)) values.unknown.add(name);
    else if (holds(value, isSecret)) values.hidden.add(name);
    else if (!isRight(value)) values.odd.add(name);
    else asked[name] = value;
  }
  readSettings(raw?.["settings"], values);
  for (const name of values.odd) values.hidden.add(name);
  return values;
}

function readSettings(value: unknown, { asked, unknown, hidden, odd }: Values): void {
  if (value === undefined || value === null) return;
  if (isUnknown(value)) return void unknown.add("settings");
  const settings = record(value);
  if (holds(value, isSecret)) return void hidden.add("settings");
  const isRight =
    settings && isEmptyOr(settings["pgSettings"], isTexts) && isEmptyOr(settings["preloadLibraries"], isLibraries);
  if (!isRight) return void odd.add("settings");
  const read: NonNullable<Asked["settings"]> = {};
  const { pgSettings, preloadLibraries } = settings;
  if (holds(pgSettings, isUnknown)) unknown.add("settings.pgSettings");
  else if (isTexts(pgSettings)) read.pgSettings = pgSettings;
  if (holds(preloadLibraries, isUnknown)) unknown.add("settings.preloadLibraries");
  else if (record(preloadLibraries)) read.preloadLibraries = librariesOf(preloadLibraries as Raw);
  asked.settings = read;
}

const isEmptyOr = (value: unknown, isRight: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || holds(value, isUnknown) || isRight(value);

function isLibraries(value: unknown): boolean {
  const libraries = record(value);
  if (!libraries) return false;
  const { useDefaults = false, enabledLibraries = [] } = libraries;
  return typeof useDefaults === "boolean" && Array.isArray(enabledLibraries) && enabledLibraries.every(isText);
}

const isTexts = (value: unknown): value is Record<string, string> =>
  record(value) !== undefined && Object.values(value as Raw).every(isText);

function librariesOf({ useDefaults, enabledLibraries }: Raw) {
  return {
    ...(typeof useDefaults === "boolean" ? { useDefaults } : {}),
    ...(Array.isArray(enabledLibraries) ? { enabledLibraries: enabledLibraries.filter(isText) } : {}),
  };
}

const isUnknown = (value: unknown): boolean => value === UNKNOWN_VALUE;
export const isSecret = (value: unknown): boolean =>
  value === SECRET || record(value)?.[SIGNATURE] === SECRET_SIGNATURE;

/** Whether the value is such a one, or one of its parts. What is nested too deep counts as one. */
function holds(value: unknown, isOne: (value: unknown) => boolean, depth = 0): boolean {
  if (isOne(value)) return true;
  if (value === null || typeof value !== "object") return false;
  return depth > DEEPEST || Object.values(value).some((inner) => holds(inner, isOne, depth + 1));
}

export const secretNames = (raw: Raw | undefined): string[] => listOf(raw?.["__secret"]).filter(isText);

const SIZE_FORMS = ["size", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"];

/** The wish without what is hidden on either side: such values can't be compared. */
export function wishWithout(values: Values, hidden: ReadonlySet<string>): Wish {
  const gone = new Set(hidden);
  if (SIZE_FORMS.some((name) => hidden.has(name))) for (const name of SIZE_FORMS) gone.add(name);
  const kept = <T extends string>(names: Iterable<T>) => [...names].filter((path) => !gone.has(path.split(".")[0]!));
  const asked = Object.fromEntries(kept(Object.keys(values.asked)).map((name) => [name, (values.asked as Raw)[name]]));
  return wishOf(asked as Asked, new Set(kept(values.unknown)));
}
