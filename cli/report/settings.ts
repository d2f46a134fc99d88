// Reads the settings from the inputs and outputs of a document. Whatever a value's type, a secret appears as the text "[secret]"
// (as an object in engine events), and a value that is not known yet as the text UNKNOWN_VALUE.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { SECRET_SIGNATURE, SIGNATURE } from "../../provider/rules/equality.js";
import {
  type DesiredSettings,
  desiredSettings,
  type Kinds,
  NESTED_SETTINGS,
  propertyOf,
  rowOf,
  SETTING_PROPERTIES,
  type SettingName,
  type SettingsInput,
  SIZE_FORMS,
  SIZE_LIMITS,
} from "../../provider/rules/settings.js";
import { textsIn } from "../../provider/rules/texts-in.js";
import { isText, record, topLevelOf } from "./preview.js";
import type { Raw } from "./types.js";

const SECRET = "[secret]";
const DEEPEST = 20;

export interface Values {
  settings: SettingsInput;
  /** Paths that are not known yet. */
  unknown: Set<string>;
  /** Top-level names of values that can't be read: the secret ones, and all of `malformed`. */
  unreadable: Set<string>;
  /** Top-level names of values that are not of the kind that this package writes. */
  malformed: Set<string>;
}

const IS_KIND: { [K in keyof Kinds]: (value: unknown) => boolean } = {
  text: isText,
  type: isText,
  cu: isNumber,
  seconds: isNumber,
  flag: (value) => typeof value === "boolean",
  parameters: isTexts,
  libraries: isLibraries,
  triggers: Array.isArray,
};
const isOfKind = (name: SettingName, value: unknown): boolean => IS_KIND[rowOf(name).kind](value);

export function valuesOf(raw: Raw | undefined): Values {
  const values: Values = {
    settings: {},
    unknown: new Set(),
    unreadable: new Set(textsIn(raw?.["__secret"])),
    malformed: new Set(),
  };
  const settings = values.settings as Raw;
  for (const name of SETTING_PROPERTIES) {
    const value = raw?.[name];
    // Outputs have null in place of absent values.
    if (name === "settings" || value === undefined || value === null) continue;
    // The engine puts the mark in place of the whole list, or of one item.
    if (holds(value, isUnknown)) values.unknown.add(name);
    else if (holds(value, isSecretMark)) values.unreadable.add(name);
    else if (!isOfKind(name === "size" ? SIZE_LIMITS[0]! : name, value)) values.malformed.add(name);
    else settings[name] = value;
  }
  readSettings(raw?.["settings"], values);
  for (const name of values.malformed) values.unreadable.add(name);
  return values;
}

function readSettings(value: unknown, values: Values): void {
  const { unknown, unreadable, malformed } = values;
  if (value === undefined || value === null) return;
  if (isUnknown(value)) return void unknown.add("settings");
  const settings = record(value);
  if (holds(value, isSecretMark)) return void unreadable.add("settings");
  if (!settings || !NESTED_SETTINGS.every((part) => isEmptyOr(settings[part], (inner) => isOfKind(part, inner))))
    return void malformed.add("settings");
  const known = NESTED_SETTINGS.filter((part) => !holds(settings[part], isUnknown));
  for (const part of NESTED_SETTINGS) if (!known.includes(part)) unknown.add(propertyOf(part));
  const entries = known
    .filter((part) => record(settings[part]))
    .map((part) => [part, withoutNull(settings[part] as Raw)]);
  values.settings.settings = Object.fromEntries(entries);
}

/** Outputs have null in place of absent values. */
const withoutNull = (values: Raw): Raw =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

function isNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

const isEmptyOr = (value: unknown, isValid: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || holds(value, isUnknown) || isValid(value);

function isLibraries(value: unknown): boolean {
  const libraries = record(value);
  if (!libraries) return false;
  const { useDefaults = false, enabledLibraries = [] } = libraries;
  return typeof useDefaults === "boolean" && Array.isArray(enabledLibraries) && enabledLibraries.every(isText);
}

function isTexts(value: unknown): boolean {
  return record(value) !== undefined && Object.values(value as Raw).every(isText);
}

const isUnknown = (value: unknown): boolean => value === UNKNOWN_VALUE;
export const isSecretMark = (value: unknown): boolean =>
  value === SECRET || record(value)?.[SIGNATURE] === SECRET_SIGNATURE;

/** Whether `isOne` is true for the value or a nested value. Too deep nesting counts as true. */
function holds(value: unknown, isOne: (value: unknown) => boolean, depth = 0): boolean {
  if (isOne(value)) return true;
  if (value === null || typeof value !== "object") return false;
  return depth > DEEPEST || Object.values(value).some((inner) => holds(inner, isOne, depth + 1));
}

/** The settings without those that can't be read before or after: these can't be compared. */
export function desiredWithout(values: Values, unreadable: ReadonlySet<string>): DesiredSettings {
  const gone = new Set(unreadable);
  if (SIZE_FORMS.some((name) => unreadable.has(name))) for (const name of SIZE_FORMS) gone.add(name);
  const kept = <T extends string>(names: Iterable<T>) => [...names].filter((path) => !gone.has(topLevelOf(path)));
  const settings = Object.fromEntries(
    kept(Object.keys(values.settings)).map((name) => [name, (values.settings as Raw)[name]]),
  );
  return desiredSettings(settings as SettingsInput, new Set(kept(values.unknown)));
}
