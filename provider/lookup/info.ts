// Types of API responses with the SDK's names. They stand apart from the code that fills them: a program's compiler reads them, and
// with that code it would read the types of zod.

import type { OperationLabel } from "../operations/outcome.js";
import type { Capacity } from "../rules/capacity.js";
import type { EndpointType } from "../rules/settings.js";

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
  /** Absent if the compute has no name, or the service does not return it. */
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
  /** The fixed size in CU; absent if the compute scales by itself. */
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
  /** Who created it, in the service's word. */
  creationSource?: string;
  /** The release that runs on the compute. */
  computeReleaseVersion?: string;
  createdAt: string;
  updatedAt?: string;
  /** `init`, `active` or `idle`; a service may know further words. */
  currentState: string;
  /** The state a change is leading to; absent while nothing changes. */
  pendingState?: string;
  /** When it was used last; absent if it never was. */
  lastActive?: string;
  /** When it was started last. */
  startedAt?: string;
  /** When it was suspended last; absent while it is active. */
  suspendedAt?: string;
  /** The capacity of its size: documented by the service, approximate. Absent if the service gives no size. */
  capacity?: Capacity;
}

/** A record of work on a project. Times are RFC 3339 in UTC. */
export interface OperationInfo {
  id: string;
  projectId: string;
  branchId?: string;
  /** The compute that it concerns, if it concerns one. */
  endpointId?: string;
  /** For example `start_compute`, `suspend_compute`, `apply_config`. The service adds words without notice. */
  action: string;
  /** `scheduling`, `running`, `finished`, `skipped`, `failed`, `error`, `cancelling`, `cancelled`, or a newer word. */
  status: string;
  /** The label of the status in the service's console; absent for a word that this version does not know. */
  label?: OperationLabel;
  /** The service's own words, after a failure. */
  error?: string;
  /** Failed attempts so far. */
  failuresCount: number;
  /** When the service tries a failed operation again; absent if it does not. */
  retryAt?: string;
  createdAt?: string;
  updatedAt?: string;
  /** Its duration in milliseconds; while it goes on, the service's count so far (often 0). */
  durationMs?: number;
}
