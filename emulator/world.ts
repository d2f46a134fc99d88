/**
 * Everything the emulator knows, as plain JSON data under the names of the API, so that `GET /_emulator/world` shows it
 * and tests read and write it. Times are RFC 3339 with microseconds; answers cut them to whole seconds.
 */
export interface World {
  /** By id, in the order of their creation, as branches and computes are. */
  projects: Record<string, ProjectRow>;
  branches: Record<string, BranchRow>;
  endpoints: Record<string, EndpointRow>;
  /** Those that were made by `POST /api_keys`, by id. Absent: none. */
  api_keys?: Record<string, ApiKeyRow>;
  /** In the order of their creation, which is also the order of `created_at`: no two share a microsecond. */
  operations: OperationRow[];
  /** Creation time of the newest operation, in microseconds since the epoch. */
  last_operation_us: number;
}

/** A key to the API that was made by request. It works until it is revoked. */
export interface ApiKeyRow {
  id: number;
  name: string;
  /** Shown only in the answer that makes the key. */
  key: string;
  created_at: string;
}

/** Somebody a project is shared with. */
export interface PermissionRow {
  id: string;
  granted_to_email: string;
  granted_at: string;
}

/** An issuer of tokens for a project's databases, and the URL of its keys. */
export interface JwksRow {
  id: string;
  project_id: string;
  /** Absent: all branches. */
  branch_id?: string;
  jwks_url: string;
  provider_name: string;
  jwt_audience?: string;
  role_names?: string[];
  created_at: string;
  updated_at: string;
}

/** What a project's new computes have where the request says nothing. */
export interface EndpointDefaults {
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  /** Seconds; `-1` never, `0` the service's default. */
  suspend_timeout_seconds?: number;
  pg_settings?: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
}

/** A project. */
export interface ProjectRow {
  id: string;
  name: string;
  region_id: string;
  pg_version: number;
  provisioner: string;
  /** Can passwords be revealed? */
  store_passwords: boolean;
  default_endpoint_settings: EndpointDefaults;
  /** Those that somebody has set; answers fill in the others. */
  settings: Record<string, unknown>;
  history_retention_seconds: number;
  org_id?: string;
  /** Absent: shared with nobody. */
  permissions?: PermissionRow[];
  /** Absent: none. */
  jwks?: JwksRow[];
  created_at: string;
  updated_at: string;
}

/** A role of Postgres, on one branch. */
export interface RoleRow {
  name: string;
  password: string;
  no_login?: boolean;
  created_at: string;
  /** Absent: as it was created. */
  updated_at?: string;
}

/** A database of Postgres, on one branch. */
export interface DatabaseRow {
  id: number;
  name: string;
  owner_name: string;
  created_at: string;
  /** Absent: as it was created. */
  updated_at?: string;
}

/** A branch, with its roles and databases. */
export interface BranchRow {
  id: string;
  project_id: string;
  /** Absent: a root branch. */
  parent_id?: string;
  /** The point of the parent's history, where the request that made the branch named one. */
  parent_lsn?: string;
  parent_timestamp?: string;
  /** Absent: `parent-data`. */
  init_source?: string;
  name: string;
  /** `init`, `resetting`, `ready`: only a ready one takes computes. */
  current_state: string;
  pending_state?: string;
  state_changed_at: string;
  default: boolean;
  /** It can't be deleted, nor can its computes and its project. */
  protected: boolean;
  expires_at?: string;
  /** When it was last restored or reset. */
  last_reset_at?: string;
  created_at: string;
  updated_at: string;
  annotation: Record<string, string>;
  roles: RoleRow[];
  databases: DatabaseRow[];
  /** Never in an answer: when it becomes ready, where that is later than the end of its operation. */
  ready_at?: string;
}

/** State of a compute. */
export type EndpointState = "init" | "active" | "idle";

/** What a compute's Postgres is set to. */
export interface EndpointSettings {
  pg_settings?: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
  preload_libraries?: { use_defaults?: boolean; enabled_libraries?: string[] };
}

/** A compute. */
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
  /** Seconds; `-1` never, `0` the service's default. */
  suspend_timeout_seconds: number;
  current_state: EndpointState;
  /** The state it is moving to, while operations run on it. */
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
  /** With `started_at`, what the time until its suspension counts from. */
  last_active?: string;
  /** Absent while it is idle. */
  started_at?: string;
  /** Absent while it is active. */
  suspended_at?: string;
  created_at: string;
  updated_at: string;
}

/** How an operation will end; `never` keeps it running until the scripted faults are cleared. */
export type OperationEnd = "finished" | "failed" | "error" | "cancelled" | "skipped" | "never";

/** An operation: work that was asked for, or that the service does by itself. */
export interface OperationRow {
  id: string;
  project_id: string;
  branch_id?: string;
  endpoint_id?: string;
  action: string;
  /** Pending: `scheduling`, `running`, and `failed` where it will be tried again. */
  status: string;
  /** Of the last attempt that failed. */
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
    /** Of one attempt. */
    duration_ms: number;
    end: OperationEnd;
    /** When the attempt that runs started. */
    started_at?: string;
    /** How many attempts still fail before the end. */
    failures?: number;
    /** When the next attempt starts, while the operation is `failed` and will be tried again. */
    again_at?: string;
    /** `apply_config` for a change that the compute can only take by starting anew. */
    restarts?: boolean;
  };
}
