// Settings by their paths in a program: `autoscalingLimitMaxCu`, `settings.pgSettings.work_mem`. Settings are compared, recorded
// and sent path by path, so that a change of one Postgres setting leaves the others as they are.

import { satisfies } from "./equality.js";
import {
  type DesiredSettings,
  desiredSettings,
  NESTED_SETTINGS,
  type ObservedSettings,
  type PartName,
  rowOf,
  type SettingName,
  type SettingsInput,
  UNKNOWN,
} from "./settings.js";

/** Settings by path. Values that are not known yet are left out. */
export type SettingValues = Record<string, unknown>;

/** The beginning of the paths inside a part of `settings`. */
const prefixOf = (part: PartName): string => `settings.${part}.`;
const partOfPath = (path: string): PartName | undefined =>
  NESTED_SETTINGS.find((part) => path.startsWith(prefixOf(part)));

export function valuesByPath(settings: DesiredSettings | ObservedSettings): SettingValues {
  const values: SettingValues = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || value === UNKNOWN) continue;
    const part = NESTED_SETTINGS.find((one) => one === name);
    if (part === undefined) values[name] = value;
    else
      for (const [key, inner] of Object.entries(value)) if (inner !== undefined) values[prefixOf(part) + key] = inner;
  }
  return values;
}

export function settingsByName(values: SettingValues): ObservedSettings {
  const settings: Record<string, unknown> = {};
  const parts: { [K in PartName]?: Record<string, unknown> } = {};
  for (const [path, value] of Object.entries(values)) {
    const part = partOfPath(path);
    if (part === undefined) settings[path] = value;
    else {
      parts[part] ??= {};
      parts[part][path.slice(prefixOf(part).length)] = value;
    }
  }
  return { ...settings, ...parts } as ObservedSettings;
}

export const settingOfPath = (path: string): SettingName => partOfPath(path) ?? (path as SettingName);

/** Whether the value `has` at this path needs no change to become `desired`. */
export function isAsDesired(path: string, has: unknown, desired: unknown): boolean {
  const part = partOfPath(path);
  if (part === undefined) return satisfies(path as SettingName, has as never, desired as never);
  const key = path.slice(prefixOf(part).length);
  return satisfies(part, (has === undefined ? {} : { [key]: has }) as never, { [key]: desired } as never);
}

/** The paths at which `has` differs from `desired`. */
export const differingPaths = (desired: SettingValues, has: SettingValues): string[] =>
  Object.keys(desired).filter((path) => !isAsDesired(path, has[path], desired[path]));

/** The values at all other paths. */
export const without = (values: SettingValues, paths: readonly string[]): SettingValues =>
  Object.fromEntries(Object.entries(values).filter(([path]) => !paths.includes(path)));

export const pick = (values: SettingValues, paths: Iterable<string>): SettingValues =>
  Object.fromEntries([...paths].filter((path) => values[path] !== undefined).map((path) => [path, values[path]]));

/** The values that a PATCH can change. */
export const updatableValues = (settings: DesiredSettings | ObservedSettings): SettingValues =>
  Object.fromEntries(Object.entries(valuesByPath(settings)).filter(([path]) => changedBy(path) === "update"));

const changedBy = (path: string) => rowOf(settingOfPath(path)).changedBy;

/**
 * The values with which a preview compares a program: those of the last inputs, and, for paths without an input, those of the
 * outputs. If both differ, the service did not apply the value, and the provider does not send it again on its own. Restart
 * triggers are compared with those of the last restart, which only the outputs have.
 * @param again paths that the service did not apply and that are sent again
 */
export function comparisonBase(
  inputs: SettingValues,
  outputs: SettingValues,
  again: readonly string[] = [],
): SettingValues {
  const asked = Object.entries(without(inputs, again)).filter(([path]) => changedBy(path) !== "restart");
  return { ...outputs, ...Object.fromEntries(asked) };
}

/** The same for inputs and outputs as Pulumi has them. */
export const comparedWith = (
  inputs: SettingsInput,
  outputs: SettingsInput,
  again: readonly string[] = [],
): ObservedSettings =>
  settingsByName(comparisonBase(valuesByPath(desiredSettings(inputs)), valuesByPath(desiredSettings(outputs)), again));
