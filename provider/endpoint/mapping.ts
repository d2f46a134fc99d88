// Converts settings to and from API fields. The table of settings has the field names, and the types check that wire/ has them.

import { type SettingValues, settingsByName, valuesByPath } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import {
  type DesiredSettings,
  isKnownType,
  NESTED_SETTINGS,
  type ObservedSettings,
  type PartName,
  rowOf,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  type SettingsWhere,
  SIZE_LIMITS,
  UNKNOWN,
} from "../rules/settings.js";
import type { EndpointCreateBody, EndpointUpdateBody, WireEndpoint, WireSettings } from "../wire/endpoint.js";

/** Settings that are a field of a compute itself. */
type Field = Exclude<SettingName, PartName | SettingsWhere<{ wire: null }>>;
type UpdatableField = Extract<Field, SettingsWhere<{ changedBy: "update" }>>;
type WireName<K extends SettingName> = (typeof SETTINGS)[K]["wire"];

const FIELDS = SETTING_NAMES.filter((name) => rowOf(name).wire !== null && !rowOf(name).part) as Field[];
const answerField = (name: Field): keyof (typeof WireEndpoint)["shape"] => SETTINGS[name].wire;
/** @param endpoint seen as an object whose fields have the types of the settings */
const readField = (endpoint: { [K in Field as WireName<K>]?: FieldType<K> }, name: Field): unknown =>
  endpoint[answerField(name) as keyof typeof endpoint];
/** The service may have words for types that are new to this version. */
type FieldType<K extends Field> = K extends "type" ? string : Settings[K];

/** The fields of a request, with the types that the settings have. */
type UpdateFields = { [K in UpdatableField as WireName<K>]?: Settings[K] };

/** Reads a part of `settings` from a response, and merges it with the compute's other values for a request. */
const PART_FORMS: {
  [K in PartName]: {
    observed: (has: WireSettings) => Settings[K];
    sent: (desired: Settings[K] | undefined, has: WireSettings | undefined) => WireSettings[WireName<K>];
  };
} = {
  pgSettings: {
    observed: ({ pg_settings = {} }) => pg_settings,
    sent: (desired, has) => ({ ...has?.pg_settings, ...desired }),
  },
  preloadLibraries: {
    observed: ({ preload_libraries: has }) =>
      pruned({ useDefaults: has?.use_defaults, enabledLibraries: has?.enabled_libraries }),
    sent: (desired, has) =>
      pruned({
        use_defaults: desired?.useDefaults ?? has?.preload_libraries?.use_defaults,
        enabled_libraries: desired?.enabledLibraries ?? has?.preload_libraries?.enabled_libraries,
      }),
  },
};

/** The settings a compute has, as far as the service's answer reports. */
export function observedSettings(endpoint: WireEndpoint): ObservedSettings {
  const { settings: parts } = endpoint;
  const observed: Record<string, unknown> = {};
  for (const name of FIELDS) observed[name] = readField(endpoint, name);
  if (!isKnownType(endpoint.type)) observed["type"] = undefined;
  // Servers often answer `settings: {}` where nothing is set. An answer without `settings` says nothing about them.
  if (parts) for (const name of NESTED_SETTINGS) observed[name] = PART_FORMS[name].observed(parts);
  return pruned(observed) as ObservedSettings;
}

/** The settings that a service's answer reports, by path. */
export interface ReportedValues {
  values: SettingValues;
  /** Whether the response contains the path. A missing field means unknown; a missing Postgres setting means not set. */
  isReported(path: string): boolean;
}

export function reportedBy(endpoint: WireEndpoint): ReportedValues {
  const values = valuesByPath(observedSettings(endpoint));
  return {
    values,
    isReported: (path) => path in values || (path.startsWith("settings.") && endpoint.settings !== undefined),
  };
}

/** The body that creates what is desired, and nothing else. */
export function createBody(
  desired: DesiredSettings,
  extra: { autoName?: string; regionId?: string },
): EndpointCreateBody {
  const chosen = knownSettings(desired);
  return {
    endpoint: pruned({
      ...changeFields(chosen, undefined),
      branch_id: chosen.branchId ?? "",
      type: chosen.type ?? SETTINGS.type.default,
      region_id: extra.regionId,
      name: chosen.name ?? extra.autoName,
    }),
  };
}

/**
 * The body that changes these settings, and nothing else. Sends both limits and the whole of `settings`, with current values for
 * the unchanged parts: the service may replace the object.
 * @param live the compute as it is
 * @param known the settings as they were last known, for those that `live` does not report
 */
export function updateBody(
  part: DesiredSettings,
  live: WireEndpoint | undefined,
  known: ObservedSettings,
): EndpointUpdateBody {
  const chosen = knownSettings(part);
  const now: ObservedSettings = { ...known, ...(live && observedSettings(live)) };
  if (SIZE_LIMITS.some((name) => chosen[name] !== undefined)) {
    for (const name of SIZE_LIMITS) chosen[name] ??= now[name];
  }
  // Where the answer has no `settings`, the request carries the parts as they were last known.
  const lacksParts = live?.settings === undefined && NESTED_SETTINGS.some((name) => chosen[name] !== undefined);
  return { endpoint: changeFields(lacksParts ? withKnownParts(chosen, known) : chosen, live) };
}

/** The parts of `settings` as they were last known, with those to be changed. */
function withKnownParts(chosen: ObservedSettings, known: ObservedSettings): ObservedSettings {
  const parts = Object.fromEntries(NESTED_SETTINGS.map((name) => [name, known[name]]));
  return settingsByName({ ...valuesByPath(parts), ...valuesByPath(chosen) });
}

function changeFields(chosen: ObservedSettings, has: WireEndpoint | undefined): EndpointUpdateBody["endpoint"] {
  const updatable = FIELDS.filter((name) => rowOf(name).changedBy === "update") as UpdatableField[];
  const fields: UpdateFields = Object.fromEntries(updatable.map((name) => [SETTINGS[name].wire, chosen[name]]));
  return pruned({ ...fields, settings: settingsField(chosen, has?.settings) } satisfies {
    [K in keyof UpdateFields | "settings"]?: EndpointUpdateBody["endpoint"][K];
  });
}

function settingsField(
  chosen: ObservedSettings,
  has: WireSettings | undefined,
): EndpointUpdateBody["endpoint"]["settings"] {
  if (NESTED_SETTINGS.every((name) => chosen[name] === undefined)) return undefined;
  const sent = NESTED_SETTINGS.map((name) => {
    const { wire } = SETTINGS[name];
    const isThere = chosen[name] !== undefined || has?.[wire] !== undefined;
    return [wire, isThere ? PART_FORMS[name].sent(chosen[name] as never, has) : undefined];
  });
  return pruned({ ...(has as object | undefined), ...Object.fromEntries(sent) });
}

/** Whether a request for these paths carries settings beside them, whose live values have to be known first. */
export const needsCurrentValues = (paths: readonly string[]): boolean =>
  paths.some((path) => path.startsWith("settings.")) ||
  SIZE_LIMITS.filter((limit) => paths.includes(limit)).length === 1;

/** The desired settings without values that are not known: outside a preview there are none. */
function knownSettings(desired: DesiredSettings): ObservedSettings {
  return Object.fromEntries(Object.entries(desired).filter(([, value]) => value !== UNKNOWN)) as Partial<Settings>;
}
