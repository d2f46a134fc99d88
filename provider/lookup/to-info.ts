// API responses with the SDK's names, live facts included. Nothing here gets into a resource's state.

import { NEVER } from "../endpoint/activity.js";
import { observedSettings } from "../endpoint/mapping.js";
import { poolerHost } from "../endpoint/outputs.js";
import { labelOf, outcomeOf } from "../operations/outcome.js";
import { capacityOf } from "../rules/capacity.js";
import { without } from "../rules/paths.js";
import { filled, pruned } from "../rules/pruned.js";
import { NESTED_SETTINGS, type SettingOutput } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import type { EndpointInfo, OperationInfo } from "./info.js";

export function endpointInfo(endpoint: WireEndpoint, projectId: string): EndpointInfo {
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max, ...live } = observedSettings(endpoint);
  const settings: { [K in SettingOutput]?: EndpointInfo[K] } = {
    ...without(live, NESTED_SETTINGS),
    size: min === max ? max : undefined,
    autoscalingLimitMinCu: min,
    autoscalingLimitMaxCu: max,
    disabled: live.disabled ?? false,
    settings: pruned(Object.fromEntries(NESTED_SETTINGS.map((part) => [part, filled(live[part])]))),
  };
  const { host, last_active: lastActive } = endpoint;
  // The type says that the documented fields are always there. If a service leaves one out, the result lacks it.
  return pruned({
    ...settings,
    projectId,
    id: endpoint.id,
    regionId: endpoint.region_id,
    host,
    poolerHost: host && poolerHost(host),
    proxyHost: endpoint.proxy_host,
    poolerMode: endpoint.pooler_mode,
    passwordlessAccess: endpoint.passwordless_access,
    provisioner: endpoint.provisioner,
    creationSource: endpoint.creation_source,
    computeReleaseVersion: endpoint.compute_release_version,
    createdAt: endpoint.created_at,
    updatedAt: endpoint.updated_at,
    currentState: endpoint.current_state,
    pendingState: endpoint.pending_state,
    lastActive: lastActive && Date.parse(lastActive) <= NEVER ? undefined : lastActive,
    startedAt: endpoint.started_at,
    suspendedAt: endpoint.suspended_at,
    capacity: min === undefined || max === undefined ? undefined : capacityOf(min, max),
  }) as EndpointInfo;
}

export function operationInfo(operation: WireOperation, projectId: string): OperationInfo {
  return pruned({
    id: operation.id,
    projectId: operation.project_id ?? projectId,
    branchId: operation.branch_id,
    endpointId: operation.endpoint_id,
    action: operation.action,
    status: operation.status,
    label: labelOf(operation.status),
    error: operation.error,
    failuresCount: operation.failures_count ?? 0,
    retryAt: operation.retry_at,
    createdAt: operation.created_at,
    updatedAt: operation.updated_at,
    durationMs: durationOf(operation),
  }) as OperationInfo;
}

/** The service's duration. Without one: the time from the record's creation to its last change, if the work is over. */
function durationOf(operation: WireOperation): number | undefined {
  if (operation.total_duration_ms !== undefined) return operation.total_duration_ms;
  if (outcomeOf(operation.status) === "pending") return undefined;
  const passed = Date.parse(operation.updated_at ?? "") - Date.parse(operation.created_at ?? "");
  return passed >= 0 ? passed : undefined;
}
