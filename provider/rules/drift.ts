// Drift in the settings that a change touches: what somebody has changed by hand since the state was recorded.

import { changeOf, endangers, type ImpactOptions, impactOf } from "./impact.js";
import { isAsDesired, pick, type SettingValues, settingOfPath, settingsByName, valuesByPath } from "./paths.js";
import { type ObservedSettings, type SettingsInput, SIZE_LIMITS, settingsIn } from "./settings.js";
import { isUnfinished } from "./unfinished.js";

/** A change of settings, by path. */
interface ChangeByPath {
  /** The values with which the preview compares the program. */
  before: SettingValues;
  desired: SettingValues;
}

/**
 * The changes that somebody made by hand to settings that this update changes too and that can restart the compute: ["size 1 →
 * 4"]. A reviewer has seen, and approved, the change from the value in the state. Empty after a failed step, because the state
 * may hold values that the compute never got.
 * @param olds the state's outputs. They differ from `before` where the service did not apply a value
 * @param now the settings that the compute has now; an absent one is unknown
 */
export function driftInChange(
  { before, desired }: ChangeByPath,
  olds: SettingsInput,
  now: ObservedSettings,
  { secrets, asSize, showsStrings }: ImpactOptions,
): string[] {
  if (isUnfinished(olds)) return [];
  const recorded = valuesByPath(settingsIn(olds));
  const current = valuesByPath(now);
  const isChanged = (path: string) => !isAsDesired(path, before[path], desired[path]);
  const isSameAt = (path: string, values: SettingValues) =>
    values[path] !== undefined && isAsDesired(path, current[path], values[path]);
  const hasDrifted = (path: string) => ![desired, before, recorded].some((values) => isSameAt(path, values));
  // A setting without a value in the state can't drift: the preview showed no old value.
  const paths = Object.keys(desired).filter(
    (path) =>
      path in current &&
      path in before &&
      endangers(settingOfPath(path), desired[path]) &&
      isChanged(path) &&
      hasDrifted(path),
  );
  const [old, next] = [before, current].map((values) => settingsByName(pick(values, paths)));
  const [min, max] = SIZE_LIMITS.map((limit) => current[limit]);
  return impactOf(old!, next!, { secrets, showsStrings, asSize: asSize && min === max }).reasons.map(changeOf);
}
