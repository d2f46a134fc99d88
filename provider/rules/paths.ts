// Settings by their paths in a program: `autoscalingLimitMaxCu`, `settings.pgSettings.work_mem`. What is compared, recorded
// and sent is decided path by path, so that a change of one Postgres setting leaves the others as they are.

import { type Live, type PreloadLibraries, type SettingName, satisfies, UNKNOWN, type Wish } from "./settings.js";

/** Settings by path. Values that are not known yet are left out. */
export type SettingValues = Record<string, unknown>;

const PG = "settings.pgSettings.";
const LIBRARIES = "settings.preloadLibraries.";

export function valuesByPath(settings: Wish | Live): SettingValues {
  const values: SettingValues = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || value === UNKNOWN) continue;
    const prefix = name === "pgSettings" ? PG : name === "preloadLibraries" ? LIBRARIES : undefined;
    if (prefix === undefined) values[name] = value;
    else for (const [key, inner] of Object.entries(value)) if (inner !== undefined) values[prefix + key] = inner;
  }
  return values;
}

export function settingsByName(values: SettingValues): Live {
  const settings: Record<string, unknown> = {};
  const pgSettings: Record<string, string> = {};
  const preloadLibraries: PreloadLibraries = {};
  for (const [path, value] of Object.entries(values)) {
    if (path.startsWith(PG)) pgSettings[path.slice(PG.length)] = value as string;
    else if (path.startsWith(LIBRARIES)) Object.assign(preloadLibraries, { [path.slice(LIBRARIES.length)]: value });
    else settings[path] = value;
  }
  if (Object.keys(pgSettings).length > 0) settings["pgSettings"] = pgSettings;
  if (Object.keys(preloadLibraries).length > 0) settings["preloadLibraries"] = preloadLibraries;
  return settings as Live;
}

export const settingOfPath = (path: string): SettingName =>
  path.startsWith(PG) ? "pgSettings" : path.startsWith(LIBRARIES) ? "preloadLibraries" : (path as SettingName);

/** Whether a compute that has `has` at this path is as the program wants it. */
export function isAsWanted(path: string, has: unknown, wanted: unknown): boolean {
  const name = settingOfPath(path);
  const nested = name === "pgSettings" ? PG : name === "preloadLibraries" ? LIBRARIES : undefined;
  if (nested === undefined) return satisfies(name, has as never, wanted as never);
  const key = path.slice(nested.length);
  return satisfies(name, (has === undefined ? {} : { [key]: has }) as never, { [key]: wanted } as never);
}

/** The paths of `wanted` at which a compute with `has` is otherwise. */
export const differingPaths = (wanted: SettingValues, has: SettingValues): string[] =>
  Object.keys(wanted).filter((path) => !isAsWanted(path, has[path], wanted[path]));

/** The values at all other paths. */
export const without = (values: SettingValues, paths: readonly string[]): SettingValues =>
  Object.fromEntries(Object.entries(values).filter(([path]) => !paths.includes(path)));

export const pick = (values: SettingValues, paths: Iterable<string>): SettingValues =>
  Object.fromEntries([...paths].filter((path) => values[path] !== undefined).map((path) => [path, values[path]]));
