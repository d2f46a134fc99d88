import type { EndpointCreateBody } from "../provider/wire/endpoint.js";

/**
 * Everything the emulator knows, as plain JSON data under the names of the wire, so that `GET /_emulator/world` shows
 * it and tests read and write it. Times are RFC 3339 with microseconds; answers cut them to whole seconds.
 */
export interface World {
  projects: Record<string, ProjectRow>;
  branches: Record<string, BranchRow>;
  endpoints: Record<string, EndpointRow>;
  /** In the order of their creation, which is also the order of `created_at`: no two share a microsecond. */
  operations: OperationRow[];
  /** Creation time of the newest operation, in microseconds since the epoch. */
  last_operation_us: number;
}

export interface EndpointDefaults {
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  suspend_timeout_seconds?: number;
  pg_settings?: Record<string, string>;
}

export interface ProjectRow {
  id: string;
  name: string;
  region_id: string;
  pg_version: number;
  provisioner: string;
  store_passwords: boolean;
  default_endpoint_settings: EndpointDefaults;
  settings: Record<string, unknown>;
  history_retention_seconds: number;
  org_id?: string;
  created_at: string;
  updated_at: string;
}

export interface RoleRow {
  name: string;
  password: string;
  no_login?: boolean;
  created_at: string;
  updated_at?: string;
}

export interface DatabaseRow {
  id: number;
  name: string;
  owner_name: string;
  created_at: string;
  updated_at?: string;
}

export interface BranchRow {
  id: string;
  project_id: string;
  parent_id?: string;
  name: string;
  current_state: string;
  pending_state?: string;
  state_changed_at: string;
  default: boolean;
  protected: boolean;
  expires_at?: string;
  created_at: string;
  updated_at: string;
  annotation: Record<string, string>;
  roles: RoleRow[];
  databases: DatabaseRow[];
  /** The emulator's own part, never in an answer: when it becomes ready, where that is later than its operation's end. */
  ready_at?: string;
}

export type EndpointState = "init" | "active" | "idle";
export type EndpointSettings = NonNullable<EndpointCreateBody["endpoint"]["settings"]>;

export interface EndpointRow {
  id: string;
  host: string;
  name?: string;
  project_id: string;
  branch_id: string;
  region_id: string;
  type: "read_write" | "read_only";
  autoscaling_limit_min_cu: number;
  autoscaling_limit_max_cu: number;
  suspend_timeout_seconds: number;
  current_state: EndpointState;
  pending_state?: EndpointState;
  settings: EndpointSettings;
  pooler_enabled: boolean;
  pooler_mode: string;
  disabled: boolean;
  passwordless_access: boolean;
  provisioner: string;
  creation_source: string;
  proxy_host: string;
  compute_release_version?: string;
  last_active?: string;
  started_at?: string;
  suspended_at?: string;
  created_at: string;
  updated_at: string;
}

/** How an operation will end; `never` keeps it running until the scripted faults are cleared. */
export type OperationEnd = "finished" | "failed" | "error" | "cancelled" | "skipped" | "never";

export interface OperationRow {
  id: string;
  project_id: string;
  branch_id?: string;
  endpoint_id?: string;
  action: string;
  status: string;
  error?: string;
  failures_count: number;
  retry_at?: string;
  created_at: string;
  updated_at: string;
  total_duration_ms: number;
  /** The emulator's own part, never in an answer. */
  plan: {
    /** Ids of the operations that must end well before this one starts. */
    after: string[];
    duration_ms: number;
    end: OperationEnd;
    started_at?: string;
    /** How many attempts still fail before the end. */
    failures?: number;
    /** When the next attempt starts, while the operation is `failed` and will be tried again. */
    again_at?: string;
    /** `apply_config` for a change that the compute can only take by starting anew. */
    restarts?: boolean;
  };
}
