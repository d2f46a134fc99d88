import { z } from "zod";
import { BOUNDS } from "./bounds.js";
import { worldTime } from "./time.js";
import type { World } from "./world.js";

/** The world as a schema: for one that is put in place by a test, and for one that is read from a file. */

const id = z.string().regex(/^[a-z0-9-]{1,60}$/, "not an id: small letters, digits and dashes, at most 60");
const time = z.iso.datetime({ offset: true, error: "not an RFC 3339 time" }).transform(worldTime);
const texts = z.record(z.string(), z.string());
const cu = z.number().positive();
const count = z.number().int().min(0);
/** Words are open where the service's are. */
const word = z.string().min(1);

const Defaults = z.strictObject({
  autoscaling_limit_min_cu: cu.optional(),
  autoscaling_limit_max_cu: cu.optional(),
  suspend_timeout_seconds: z.number().int().optional(),
  pg_settings: texts.optional(),
  pgbouncer_settings: texts.optional(),
});

const Permission = z.strictObject({ id: word, granted_to_email: word, granted_at: time });

const Jwks = z.strictObject({
  id: word,
  project_id: id,
  branch_id: id.optional(),
  jwks_url: word,
  provider_name: word,
  jwt_audience: z.string().optional(),
  role_names: z.array(word).optional(),
  created_at: time,
  updated_at: time,
});

const ApiKey = z.strictObject({ id: count, name: z.string(), key: word, created_at: time });

const Project = z.strictObject({
  id,
  name: z.string(),
  region_id: word,
  pg_version: z.number().int(),
  provisioner: word,
  store_passwords: z.boolean(),
  default_endpoint_settings: Defaults,
  settings: z.record(z.string(), z.unknown()),
  history_retention_seconds: count,
  org_id: z.string().optional(),
  permissions: z.array(Permission).optional(),
  jwks: z.array(Jwks).optional(),
  created_at: time,
  updated_at: time,
});

const Role = z.strictObject({
  name: word,
  password: z.string(),
  no_login: z.boolean().optional(),
  created_at: time,
  updated_at: time.optional(),
});

const Database = z.strictObject({
  id: count,
  name: word,
  owner_name: word,
  created_at: time,
  updated_at: time.optional(),
});

const Branch = z.strictObject({
  id,
  project_id: id,
  parent_id: id.optional(),
  parent_lsn: z.string().optional(),
  parent_timestamp: time.optional(),
  init_source: word.optional(),
  name: z.string(),
  current_state: word,
  pending_state: word.optional(),
  state_changed_at: time,
  default: z.boolean(),
  protected: z.boolean(),
  expires_at: time.optional(),
  last_reset_at: time.optional(),
  created_at: time,
  updated_at: time,
  annotation: texts,
  roles: z.array(Role),
  databases: z.array(Database),
  ready_at: time.optional(),
});

const State = z.enum(["init", "active", "idle"]);

/** What of a compute can be changed by hand: everything but what it is. Nothing is checked against the service's rules. */
export const ChangeableEndpoint = z.strictObject({
  host: word,
  name: z.string(),
  branch_id: id,
  region_id: word,
  type: z.enum(["read_write", "read_only"]),
  autoscaling_limit_min_cu: cu,
  autoscaling_limit_max_cu: cu,
  suspend_timeout_seconds: z.number().int(),
  current_state: State,
  pending_state: State,
  settings: z.record(z.string(), z.unknown()),
  pooler_enabled: z.boolean(),
  pooler_mode: word,
  disabled: z.boolean(),
  passwordless_access: z.boolean(),
  provisioner: word,
  creation_source: z.string(),
  proxy_host: word,
  compute_release_version: z.string(),
  last_active: time,
  started_at: time,
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

const Endpoint = ChangeableEndpoint.partial(optional).extend({
  id,
  project_id: id,
  created_at: time,
  updated_at: time,
});

const Plan = z.strictObject({
  after: z.array(z.string()),
  duration_ms: z.number().min(0),
  end: z.enum(["finished", "failed", "error", "cancelled", "skipped", "never"]),
  started_at: time.optional(),
  failures: count.max(BOUNDS.failures).optional(),
  again_at: time.optional(),
  restarts: z.boolean().optional(),
});

const Operation = z.strictObject({
  id: z.guid("not a UUID"),
  project_id: id,
  branch_id: id.optional(),
  endpoint_id: id.optional(),
  action: word,
  status: word,
  error: z.string().optional(),
  failures_count: count,
  retry_at: time.optional(),
  created_at: time,
  updated_at: time,
  total_duration_ms: z.number().min(0),
  // One that has ended needs none.
  plan: Plan.default({ after: [], duration_ms: 0, end: "finished" }),
});

const Rows = z.strictObject({
  projects: z.record(z.string(), Project),
  branches: z.record(z.string(), Branch),
  endpoints: z.record(z.string(), Endpoint),
  api_keys: z.record(z.string(), ApiKey).optional(),
  operations: z.array(Operation).default([]),
  last_operation_us: count.optional(),
});

type Complain = (path: PropertyKey[], message: string) => void;

/** What each row alone can't tell. */
function checkReferences(world: z.output<typeof Rows>, complain: Complain): void {
  for (const table of ["projects", "branches", "endpoints"] as const) {
    for (const [key, row] of Object.entries(world[table])) {
      if (row.id !== key) complain([table, key, "id"], `is ${row.id}, but the row is under ${key}`);
      if ("project_id" in row && !Object.hasOwn(world.projects, row.project_id)) {
        complain([table, key, "project_id"], `there is no project ${row.project_id}`);
      }
    }
  }
  for (const { id, branch_id: branchId, project_id: projectId } of Object.values(world.endpoints)) {
    const branch = Object.hasOwn(world.branches, branchId) ? world.branches[branchId] : undefined;
    if (branch?.project_id === projectId) continue;
    complain(["endpoints", id, "branch_id"], `there is no branch ${branchId} in project ${projectId}`);
  }
  const seen = new Set<string>();
  for (const [index, { created_at: created }] of world.operations.entries()) {
    if (seen.has(created)) complain(["operations", index, "created_at"], "another operation has this very microsecond");
    seen.add(created);
  }
}

const microsOf = (at: string): number => Date.parse(at) * 1000 + Number(at.slice(-4, -1));

/** Operations come in the order of their creation, whatever order they are given in. */
export const WorldSchema = Rows.superRefine((world, context) =>
  checkReferences(world, (path, message) => context.addIssue({ code: "custom", path, message })),
).transform((world): World => {
  const operations = world.operations.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  const newest = operations.at(-1);
  const newestUs = newest ? microsOf(newest.created_at) : 0;
  return { ...world, operations, last_operation_us: Math.max(world.last_operation_us ?? 0, newestUs) };
});

const SHOWN_REASONS = 3;
const LONGEST_REASON = 500;

/** The first reasons in one line, each with the property it is about. */
export function reasonsOf({ issues }: z.ZodError): string {
  const reasons = issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  const more = reasons.length - SHOWN_REASONS;
  const shown = reasons.slice(0, SHOWN_REASONS).map((reason) => reason.slice(0, LONGEST_REASON));
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
