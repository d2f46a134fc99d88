// The rows of the world, as schemas. The same schema checks a world that a test puts in place and a world that is read from a
// state file, and gives the row its type. No schema repeats the service's rules: a test may set up a state that the API would
// refuse.

import * as z from "zod/mini";
import type { EndpointCreateBody } from "../../provider/wire/endpoint.js";
import { LIMITS } from "./limits.js";
import { normalizeTimestamp } from "./time.js";

const id = z.string().check(z.regex(/^[a-z0-9-]{1,60}$/, "not an id: small letters, digits and dashes, at most 60"));
const time = z.pipe(z.iso.datetime({ offset: true, error: "not an RFC 3339 time" }), z.transform(normalizeTimestamp));
const stringMap = z.record(z.string(), z.string());
const cu = z.number().check(z.positive());
const count = z.int().check(z.gte(0));
/** A value of an enumeration that the service may extend. */
const word = z.string().check(z.minLength(1));

const EndpointDefaults = z.strictObject({
  autoscaling_limit_min_cu: z.optional(cu),
  autoscaling_limit_max_cu: z.optional(cu),
  /** Seconds. `-1`: never. `0`: the service's default. */
  suspend_timeout_seconds: z.optional(z.int()),
  pg_settings: z.optional(stringMap),
  pgbouncer_settings: z.optional(stringMap),
});
/** The settings of a project's new computes where the request names none. */
export interface EndpointDefaults extends z.output<typeof EndpointDefaults> {}

const PermissionRow = z.strictObject({ id: word, granted_to_email: word, granted_at: time });
/** A person with whom a project is shared. */
export interface PermissionRow extends z.output<typeof PermissionRow> {}

const JwksRow = z.strictObject({
  id: word,
  project_id: id,
  /** Absent: all branches. */
  branch_id: z.optional(id),
  jwks_url: word,
  provider_name: word,
  jwt_audience: z.optional(z.string()),
  role_names: z.optional(z.array(word)),
  created_at: time,
  updated_at: time,
});
/** An issuer of tokens for a project's databases, with the URL of its public keys. */
export interface JwksRow extends z.output<typeof JwksRow> {}

export const ApiKeyRow = z.strictObject({
  id: count,
  name: z.string(),
  /** Only the response that creates the key shows it. */
  key: word,
  created_at: time,
});
/** An API key that a request created. It works until it is revoked. */
export interface ApiKeyRow extends z.output<typeof ApiKeyRow> {}

export const ProjectRow = z.strictObject({
  id,
  name: z.string(),
  region_id: word,
  pg_version: z.int(),
  provisioner: word,
  /** Whether passwords can be revealed. */
  store_passwords: z.boolean(),
  default_endpoint_settings: EndpointDefaults,
  /** The settings that a request has set. Responses add the others. */
  settings: z.record(z.string(), z.unknown()),
  history_retention_seconds: count,
  org_id: z.optional(z.string()),
  /** Absent: shared with nobody. */
  permissions: z.optional(z.array(PermissionRow)),
  /** Absent: none. */
  jwks: z.optional(z.array(JwksRow)),
  created_at: time,
  updated_at: time,
});
/** A project. */
export interface ProjectRow extends z.output<typeof ProjectRow> {}

const RoleRow = z.strictObject({
  name: word,
  password: z.string(),
  no_login: z.optional(z.boolean()),
  created_at: time,
  /** Absent: never changed. */
  updated_at: z.optional(time),
});
/** A Postgres role on one branch. */
export interface RoleRow extends z.output<typeof RoleRow> {}

const DatabaseRow = z.strictObject({
  id: count,
  name: word,
  owner_name: word,
  created_at: time,
  /** Absent: never changed. */
  updated_at: z.optional(time),
});
/** A Postgres database on one branch. */
export interface DatabaseRow extends z.output<typeof DatabaseRow> {}

export const BranchRow = z.strictObject({
  id,
  project_id: id,
  /** Absent: a root branch. */
  parent_id: z.optional(id),
  /** With `parent_timestamp`: the point of the parent's history, where the request named one. */
  parent_lsn: z.optional(z.string()),
  parent_timestamp: z.optional(time),
  /** Absent: `parent-data`. */
  init_source: z.optional(word),
  name: z.string(),
  /** `init`, `resetting` or `ready`. Only a ready branch takes computes. */
  current_state: word,
  pending_state: z.optional(word),
  state_changed_at: time,
  default: z.boolean(),
  /** A protected branch can't be deleted, nor can its computes and its project. */
  protected: z.boolean(),
  expires_at: z.optional(time),
  /** The time of the last restore or reset. */
  last_reset_at: z.optional(time),
  created_at: time,
  updated_at: time,
  annotation: stringMap,
  roles: z.array(RoleRow),
  databases: z.array(DatabaseRow),
  /** The time at which the branch becomes ready, if that is later than the end of its operation. Never in a response. */
  ready_at: z.optional(time),
});
/** A branch, with its roles and databases. */
export interface BranchRow extends z.output<typeof BranchRow> {}

const state = z.enum(["init", "active", "idle"]);
type Settings = NonNullable<z.output<typeof EndpointCreateBody>["endpoint"]["settings"]>;

/** The fields of a compute that a test can change out of band: all but its identity. */
export const ChangeableEndpoint = z.strictObject({
  host: word,
  name: z.string(),
  branch_id: id,
  region_id: word,
  type: z.enum(["read_write", "read_only"]),
  autoscaling_limit_min_cu: cu,
  autoscaling_limit_max_cu: cu,
  /** Seconds. `-1`: never. `0`: the service's default. */
  suspend_timeout_seconds: z.int(),
  current_state: state,
  /** The state that the running operations lead to. */
  pending_state: state,
  /** Accepts any object, including unknown settings. */
  settings: z.record(z.string(), z.unknown()) as z.ZodMiniType<unknown> as z.ZodMiniType<Settings>,
  pooler_enabled: z.boolean(),
  pooler_mode: word,
  disabled: z.boolean(),
  passwordless_access: z.boolean(),
  provisioner: word,
  creation_source: z.string(),
  proxy_host: word,
  compute_release_version: z.string(),
  /** The time until suspension counts from the later of this and `started_at`. */
  last_active: time,
  /** Absent while the compute is idle. */
  started_at: time,
  /** Absent while the compute is active. */
  suspended_at: time,
});

export const OPTIONAL_ENDPOINT_FIELDS = [
  "name",
  "pending_state",
  "compute_release_version",
  "last_active",
  "started_at",
  "suspended_at",
] as const;

const optional = Object.fromEntries(OPTIONAL_ENDPOINT_FIELDS.map((name) => [name, true])) as {
  [K in (typeof OPTIONAL_ENDPOINT_FIELDS)[number]]: true;
};

export const EndpointRow = z.extend(z.partial(ChangeableEndpoint, optional), {
  id,
  project_id: id,
  created_at: time,
  updated_at: time,
});
/** A compute. */
export interface EndpointRow extends z.output<typeof EndpointRow> {}
/** State of a compute. */
export type EndpointState = EndpointRow["current_state"];
/** Postgres settings of a compute, as the API takes them. */
export type EndpointSettings = EndpointRow["settings"];

const OperationPlan = z.strictObject({
  /** Ids of the operations that must end well before this one starts. */
  after: z.array(z.string()),
  /** Duration of one attempt. */
  duration_ms: z.number().check(z.gte(0)),
  end: z.enum(["finished", "failed", "error", "cancelled", "skipped", "never"]),
  /** Start of the attempt that runs. */
  started_at: z.optional(time),
  /** Number of attempts that still fail before the end. */
  failures: z.optional(count.check(z.lte(LIMITS.failedAttempts))),
  /** Start of the next attempt, while the operation is `failed` and will be tried again. */
  again_at: z.optional(time),
  /** Set on an `apply_config` whose change makes the compute restart. */
  restarts: z.optional(z.boolean()),
});

export const OperationRow = z.strictObject({
  id: z.guid("not a UUID"),
  project_id: id,
  branch_id: z.optional(id),
  endpoint_id: z.optional(id),
  action: word,
  /** An operation is pending while it is `scheduling`, `running` or `cancelling`, or `failed` and about to be tried again. */
  status: word,
  /** The error of the last attempt that failed. */
  error: z.optional(z.string()),
  failures_count: count,
  retry_at: z.optional(time),
  created_at: time,
  updated_at: time,
  total_duration_ms: z.number().check(z.gte(0)),
  /** The emulator's plan for the operation, never in a response. An operation that has ended may leave it out. */
  plan: z._default(OperationPlan, { after: [], duration_ms: 0, end: "finished" }),
});
/** An operation: work that a request asked for, or that the service started itself. */
export interface OperationRow extends z.output<typeof OperationRow> {}
/** The status with which an operation will end. `never`: it runs until the scripted faults are cleared. */
export type OperationEnd = OperationRow["plan"]["end"];
