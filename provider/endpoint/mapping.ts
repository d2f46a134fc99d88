// Settings <-> wire: the only place outside wire/ that knows the API's field names.

import { type SettingValues, settingsByName, valuesByPath } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import { type Live, type Settings, UNKNOWN, type Wish } from "../rules/settings.js";
import type { EndpointCreateBody, EndpointUpdateBody, WireEndpoint, WireSettings } from "../wire/endpoint.js";

/** The settings a compute has, as far as the service's answer tells. */
export function liveOf(endpoint: WireEndpoint): Live {
  const preload = endpoint.settings?.preload_libraries;
  return pruned({
    projectId: endpoint.project_id,
    branchId: endpoint.branch_id,
    type: endpoint.type === "read_write" || endpoint.type === "read_only" ? endpoint.type : undefined,
    autoscalingLimitMinCu: endpoint.autoscaling_limit_min_cu,
    autoscalingLimitMaxCu: endpoint.autoscaling_limit_max_cu,
    suspendTimeoutSeconds: endpoint.suspend_timeout_seconds,
    name: endpoint.name,
    disabled: endpoint.disabled,
    poolerEnabled: endpoint.pooler_enabled,
    // A server often answers `settings: {}` where nothing is set: then nothing is, which is not the same as not told.
    pgSettings: endpoint.settings && (endpoint.settings.pg_settings ?? {}),
    preloadLibraries:
      endpoint.settings && pruned({ useDefaults: preload?.use_defaults, enabledLibraries: preload?.enabled_libraries }),
  });
}

/** The settings that a service's answer tells, by path. */
export interface ToldValues {
  values: SettingValues;
  /** Whether the answer speaks of a path at all: an absent field says nothing, an absent Postgres setting is not set. */
  isTold(path: string): boolean;
}

export function toldBy(endpoint: WireEndpoint): ToldValues {
  const values = valuesByPath(liveOf(endpoint));
  return {
    values,
    isTold: (path) => path in values || (path.startsWith("settings.") && endpoint.settings !== undefined),
  };
}

/** The body that creates what the wish asks for, and nothing that it does not ask for. */
export function createBody(wish: Wish, extra: { autoName?: string; regionId?: string }): EndpointCreateBody {
  const { branchId, type, ...rest } = settled(wish);
  return {
    endpoint: pruned({
      ...changeFields(rest, undefined),
      branch_id: branchId ?? "",
      type: type ?? "read_write",
      region_id: extra.regionId,
      name: rest.name ?? extra.autoName,
    }),
  };
}

/**
 * The body that changes these settings, and nothing else. The limits go as a pair and `settings` goes whole, since it is not
 * documented whether the service merges or replaces it: what is not to be changed keeps its live value.
 * @param live the compute as it is; @param known what was last known of it, for what its answer does not tell
 */
export function updateBody(part: Wish, live: WireEndpoint | undefined, known: Live): EndpointUpdateBody {
  const chosen = settled(part);
  const now: Live = { ...known, ...(live && liveOf(live)) };
  if (chosen.autoscalingLimitMinCu !== undefined || chosen.autoscalingLimitMaxCu !== undefined) {
    chosen.autoscalingLimitMinCu ??= now.autoscalingLimitMinCu;
    chosen.autoscalingLimitMaxCu ??= now.autoscalingLimitMaxCu;
  }
  // A service that does not tell its settings can only be told what is known of them.
  const untold = live?.settings === undefined && (chosen.pgSettings ?? chosen.preloadLibraries) !== undefined;
  return { endpoint: changeFields(untold ? withKnownSettings(chosen, known) : chosen, live) };
}

function withKnownSettings(chosen: Live, { pgSettings, preloadLibraries }: Live): Live {
  const known = valuesByPath(pruned({ pgSettings, preloadLibraries }));
  return settingsByName({ ...known, ...valuesByPath(chosen) });
}

function changeFields(live: Live, has: WireEndpoint | undefined): EndpointUpdateBody["endpoint"] {
  return pruned({
    branch_id: live.branchId,
    name: live.name,
    autoscaling_limit_min_cu: live.autoscalingLimitMinCu,
    autoscaling_limit_max_cu: live.autoscalingLimitMaxCu,
    suspend_timeout_seconds: live.suspendTimeoutSeconds,
    disabled: live.disabled,
    pooler_enabled: live.poolerEnabled,
    settings: settingsField(live, has?.settings),
  });
}

function settingsField(live: Live, has: WireSettings | undefined): EndpointUpdateBody["endpoint"]["settings"] {
  const { pgSettings, preloadLibraries } = live;
  if (pgSettings === undefined && preloadLibraries === undefined) return undefined;
  const libraries = pruned({
    use_defaults: preloadLibraries?.useDefaults ?? has?.preload_libraries?.use_defaults,
    enabled_libraries: preloadLibraries?.enabledLibraries ?? has?.preload_libraries?.enabled_libraries,
  });
  return pruned({
    ...(has as object | undefined),
    pg_settings: pgSettings || has?.pg_settings ? { ...has?.pg_settings, ...pgSettings } : undefined,
    preload_libraries: preloadLibraries || has?.preload_libraries ? libraries : undefined,
  });
}

/** Whether a request for these paths carries settings beside them, whose live values have to be known first. */
export const carriesMore = (paths: readonly string[]): boolean =>
  paths.some((path) => path.startsWith("settings.")) ||
  paths.includes("autoscalingLimitMinCu") !== paths.includes("autoscalingLimitMaxCu");

/** The wish without values that are not known: outside a preview there are none. */
function settled(wish: Wish): Live {
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== UNKNOWN)) as Partial<Settings>;
}
