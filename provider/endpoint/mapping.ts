// Settings <-> wire: the only place outside wire/ that knows the API's field names.

import { pruned } from "../rules/pruned.js";
import { type Live, type SettingName, type Settings, UNKNOWN, type Wish } from "../rules/settings.js";
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
 * The body that changes the named settings to what the wish asks for. The limits go as a pair; `settings` goes whole,
 * since it is not documented whether the service merges or replaces it: what is not named stays as it is.
 * @param live the compute as it is, for the parts of `settings` that are not named
 */
export function updateBody(
  names: readonly SettingName[],
  wish: Wish,
  live: WireEndpoint | undefined,
): EndpointUpdateBody {
  const wanted = settled(wish);
  const send = new Set(names);
  if (send.has("autoscalingLimitMinCu") || send.has("autoscalingLimitMaxCu")) {
    send.add("autoscalingLimitMinCu").add("autoscalingLimitMaxCu");
  }
  // A service that does not tell its settings can only be told what the program wants.
  const silent = live?.settings === undefined;
  if (silent && needsLiveSettings(names)) send.add("pgSettings").add("preloadLibraries");
  const chosen = Object.fromEntries(Object.entries(wanted).filter(([name]) => send.has(name as SettingName))) as Live;
  return { endpoint: changeFields(chosen, live) };
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

/** Whether an update of these settings needs the live compute first. */
export const needsLiveSettings = (names: readonly SettingName[]): boolean =>
  names.includes("pgSettings") || names.includes("preloadLibraries");

/** The wish without values that are not known: outside a preview there are none. */
function settled(wish: Wish): Live {
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== UNKNOWN)) as Partial<Settings>;
}
