// What look-ups answer: the wire in a program's words, live facts included. Nothing here gets into a resource's state.

import { liveOf } from "../endpoint/mapping.js";
import { poolerHost } from "../endpoint/outputs.js";
import { labelOf, type OperationLabel, outcomeOf } from "../operations/outcome.js";
import { type Capacity, capacityOf } from "../rules/capacity.js";
import { pruned } from "../rules/pruned.js";
import type { EndpointType } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";

export type { OperationLabel } from "../operations/outcome.js";

/** A compute as it is at this moment. Times are RFC 3339 in UTC. */
export interface EndpointInfo {
  /** `ep-…` */
  id: string;
  projectId: string;
  branchId: string;
  type: EndpointType;
  /** Region of the project, for example `aws-us-east-2`. */
  regionId: string;
  /** Absent where the compute has no name, or the service does not tell it. */
  name?: string;
  /** The host to connect to. */
  host: string;
  /** The host of the connection pooler in front of the compute. */
  poolerHost: string;
  /** The proxy of the region. */
  proxyHost: string;
  /** The lower limit of autoscaling in CU; equal to the upper one where the size is fixed. */
  autoscalingLimitMinCu: number;
  /** The upper limit of autoscaling in CU. */
  autoscalingLimitMaxCu: number;
  /** The fixed size in CU; absent where the compute scales by itself. */
  size?: number;
  /** Seconds without activity until it suspends: -1 never, 0 the service's default (5 minutes). */
  suspendTimeoutSeconds?: number;
  /** Whether connections are refused. */
  disabled: boolean;
  /** Postgres settings, without those that are not set. */
  settings: {
    pgSettings?: Record<string, string>;
    preloadLibraries?: { useDefaults?: boolean; enabledLibraries?: string[] };
  };
  poolerEnabled?: boolean;
  poolerMode?: string;
  passwordlessAccess?: boolean;
  provisioner?: string;
  /** Who made it, in the service's word. */
  creationSource?: string;
  /** The release that runs on the compute. */
  computeReleaseVersion?: string;
  createdAt: string;
  updatedAt?: string;
  /** `init`, `active` or `idle`; a service may know further words. */
  currentState: string;
  /** The state a change is leading to; absent while nothing changes. */
  pendingState?: string;
  /** When it was used last; absent where it never was. */
  lastActive?: string;
  /** When it was started last. */
  startedAt?: string;
  /** When it was suspended last; absent while it is active. */
  suspendedAt?: string;
  /** What its size gives: documented by the service, approximate. Absent where the service tells no size. */
  capacity?: Capacity;
}

/** A record of work on a project. Times are RFC 3339 in UTC. */
export interface OperationInfo {
  id: string;
  projectId: string;
  branchId?: string;
  /** The compute that it concerns, where it concerns one. */
  endpointId?: string;
  /** For example `start_compute`, `suspend_compute`, `apply_config`. The service adds words without notice. */
  action: string;
  /** `scheduling`, `running`, `finished`, `skipped`, `failed`, `error`, `cancelling`, `cancelled`, or a newer word. */
  status: string;
  /** What the service's console shows for the status; absent for a word that this version does not know. */
  label?: OperationLabel;
  /** The service's own words, after a failure. */
  error?: string;
  /** Failed attempts so far. */
  failuresCount: number;
  /** There while the service tries a failed one again. */
  retryAt?: string;
  createdAt?: string;
  updatedAt?: string;
  /** Milliseconds it took; while it goes on, what the service says so far (often 0). */
  durationMs?: number;
}

/** What the service gives for the last activity of a compute that has had none. */
const NEVER = Date.parse("2000-01-01T00:00:00Z");

export function endpointInfo(endpoint: WireEndpoint, projectId: string): EndpointInfo {
  const { pgSettings, preloadLibraries, ...live } = liveOf(endpoint);
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = live;
  const { host, last_active: lastActive } = endpoint;
  // Documented to be there always: a service that leaves one out is taken as it is.
  return pruned({
    projectId,
    ...live,
    id: endpoint.id,
    regionId: endpoint.region_id,
    host,
    poolerHost: host && poolerHost(host),
    proxyHost: endpoint.proxy_host,
    size: min === max ? max : undefined,
    disabled: live.disabled ?? false,
    settings: pruned({ pgSettings: filled(pgSettings), preloadLibraries: filled(preloadLibraries) }),
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

/** A service may not count; then the record's own times tell, in whole seconds, once it is over. */
function durationOf(operation: WireOperation): number | undefined {
  if (operation.total_duration_ms !== undefined) return operation.total_duration_ms;
  if (outcomeOf(operation.status) === "pending") return undefined;
  const passed = Date.parse(operation.updated_at ?? "") - Date.parse(operation.created_at ?? "");
  return passed >= 0 ? passed : undefined;
}

const filled = <T extends object>(value: T | undefined): T | undefined =>
  value && Object.keys(value).length > 0 ? value : undefined;
