// The outputs that an update leaves as they are. In the preview of an update, Pulumi marks all outputs as unknown. Then
// everything that uses an output seems to change.

import { differences } from "./equality.js";
import {
  type DesiredSettings,
  type ObservedSettings,
  rowOf,
  SETTING_NAMES,
  type SettingName,
  UNKNOWN,
} from "./settings.js";

type Props = Readonly<Record<string, unknown>>;

/** No update changes these. */
export const FIXED_OUTPUTS = [
  ...(["host", "poolerHost", "proxyHost", "regionId", "createdAt"] as const),
  ...(["adopted", "poolerMode", "passwordlessAccess", "provisioner"] as const),
];

/** Settings that a program may leave to the service: they stay as well, unless this update changes them. */
export const OPTIONAL_SETTINGS = SETTING_NAMES.filter((name) => {
  const { required, part, wire } = rowOf(name);
  return !required && !part && wire !== null;
});

/** The old outputs that are true after the update too; none where the compute may be replaced. */
export function unchangedOutputs(
  outputs: Props,
  before: ObservedSettings,
  desired: DesiredSettings,
  news: Props,
): Record<string, unknown> {
  if (desired.projectId === UNKNOWN || desired.type === UNKNOWN) return {};
  const changing = differences(desired, before);
  const isKept = (name: SettingName) =>
    news[name] === undefined && desired[name] !== UNKNOWN && !changing.includes(name);
  const names = [...FIXED_OUTPUTS, ...OPTIONAL_SETTINGS.filter(isKept)];
  return Object.fromEntries(names.map((name) => [name, outputs[name]]));
}
