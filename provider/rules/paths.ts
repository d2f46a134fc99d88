// Settings by their paths in a program: `autoscalingLimitMaxCu`, `settings.pgSettings.work_mem`. Settings are compared, recorded
// and sent path by path, so that a change of one Postgres setting leaves the others as they are.
//
// A refresh calls these functions several times for every compute, so they are loops without copies in between.

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
const PREFIXES = NESTED_SETTINGS.map((part) => [part, prefixOf(part)] as const);
const partOfPath = (path: string): PartName | undefined => PREFIXES.find(([, prefix]) => path.startsWith(prefix))?.[0];

export function valuesByPath(settings: DesiredSettings | ObservedSettings): SettingValues {
  const values: SettingValues = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const value: unknown = settings[name];
    if (value === undefined || value === UNKNOWN) continue;
    const part = NESTED_SETTINGS.find((one) => one === name);
    if (part === undefined) values[name] = value;
    else
      for (const [key, inner] of Object.entries(value as object))
        if (inner !== undefined) values[prefixOf(part) + key] = inner;
  }
  return values;
}

export function settingsByName(values: SettingValues): ObservedSettings {
  const settings: Record<string, unknown> = {};
  const parts: { [K in PartName]?: Record<string, unknown> } = {};
  for (const path of Object.keys(values)) {
    const part = partOfPath(path);
    if (part === undefined) settings[path] = values[path];
    else {
      parts[part] ??= {};
      parts[part][path.slice(prefixOf(part).length)] = values[path];
    }
  }
  return Object.assign(settings, parts) as ObservedSettings;
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
  pick(
    values,
    Object.keys(values).filter((path) => !paths.includes(path)),
  );

/** The values at these paths, as far as there are any. */
export function pick(values: SettingValues, paths: Iterable<string>): SettingValues {
  const picked: SettingValues = {};
  for (const path of paths) if (values[path] !== undefined) picked[path] = values[path];
  return picked;
}

/** The values that a PATCH can change. */
export function updatableValues(settings: DesiredSettings | ObservedSettings): SettingValues {
  const values = valuesByPath(settings);
  return pick(
    values,
    Object.keys(values).filter((path) => changedBy(path) === "update"),
  );
}

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
  const asked = Object.keys(inputs).filter((path) => !again.includes(path) && changedBy(path) !== "restart");
  return { ...outputs, ...pick(inputs, asked) };
}

/** The same for inputs and outputs as Pulumi has them. */
export const comparedWith = (
  inputs: SettingsInput,
  outputs: SettingsInput,
  again: readonly string[] = [],
): ObservedSettings =>
  settingsByName(comparisonBase(valuesByPath(desiredSettings(inputs)), valuesByPath(desiredSettings(outputs)), again));
