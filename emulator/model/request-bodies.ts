// Request bodies, strict like those of computes. The bodies of computes are in `provider/wire`.

import * as z from "zod/mini";
import { EndpointCreateBody } from "../../provider/wire/endpoint.js";
import { LIMITS } from "./limits.js";

const name = z.string().check(z.minLength(1), z.maxLength(256));
const BranchEndpointBody = z.pick(EndpointCreateBody.shape.endpoint, {
  type: true,
  settings: true,
  autoscaling_limit_min_cu: true,
  autoscaling_limit_max_cu: true,
  provisioner: true,
  suspend_timeout_seconds: true,
});

const EndpointDefaultsBody = z.extend(
  z.pick(BranchEndpointBody, {
    autoscaling_limit_min_cu: true,
    autoscaling_limit_max_cu: true,
    suspend_timeout_seconds: true,
  }),
  {
    pg_settings: z.optional(z.record(z.string(), z.string())),
    pgbouncer_settings: z.optional(z.record(z.string(), z.string())),
  },
);

const count = z.optional(z.int().check(z.gte(0)));
const flag = z.optional(z.boolean());

/** Unknown settings are stored and returned unchanged. */
const ProjectSettingsBody = z.looseObject({
  quota: z.optional(
    z.strictObject({
      active_time_seconds: count,
      compute_time_seconds: count,
      written_data_bytes: count,
      data_transfer_bytes: count,
      logical_size_bytes: count,
    }),
  ),
  allowed_ips: z.optional(
    z.strictObject({ ips: z.optional(z.array(z.string())), protected_branches_only: z.optional(z.boolean()) }),
  ),
  enable_logical_replication: flag,
  maintenance_window: z.optional(
    z.strictObject({ weekdays: z.array(z.int()), start_time: z.string(), end_time: z.string() }),
  ),
  block_public_connections: flag,
  block_vpc_connections: flag,
  audit_log_level: z.optional(z.enum(["base", "extended", "full"])),
  hipaa: flag,
  preload_libraries: z.optional(
    z.strictObject({ use_defaults: flag, enabled_libraries: z.optional(z.array(z.string())) }),
  ),
});

const common = {
  name: z.optional(name),
  default_endpoint_settings: z.optional(EndpointDefaultsBody),
  settings: z.optional(ProjectSettingsBody),
  history_retention_seconds: z.optional(z.int().check(z.gte(0), z.lte(2_592_000))),
};

export const ProjectCreateBody = z.strictObject({
  project: z.strictObject({
    ...common,
    region_id: z.optional(z.string()),
    pg_version: z.optional(z.int().check(z.gte(14), z.lte(18))),
    org_id: z.optional(z.string()),
    branch: z.optional(
      z.strictObject({
        name: z.optional(name),
        role_name: z.optional(z.string().check(z.minLength(1))),
        database_name: z.optional(z.string().check(z.minLength(1))),
        annotations: z.optional(z.record(z.string(), z.string())),
      }),
    ),
    autoscaling_limit_min_cu: z.optional(z.number().check(z.gte(0.25))),
    autoscaling_limit_max_cu: z.optional(z.number().check(z.gte(0.25))),
    provisioner: z.optional(z.string()),
    store_passwords: z.optional(z.boolean()),
  }),
});

export const ProjectUpdateBody = z.strictObject({ project: z.strictObject(common) });

export const BranchCreateBody = z.strictObject({
  branch: z.optional(
    z.strictObject({
      name: z.optional(name),
      parent_id: z.optional(z.string()),
      parent_lsn: z.optional(z.string()),
      parent_timestamp: z.optional(z.iso.datetime({ offset: true })),
      protected: z.optional(z.boolean()),
      archived: z.optional(z.boolean()),
      init_source: z.optional(z.enum(["parent-data", "schema-only"])),
      expires_at: z.optional(z.iso.datetime({ offset: true })),
    }),
  ),
  endpoints: z.optional(z.array(BranchEndpointBody).check(z.maxLength(LIMITS.computesPerRequest))),
  annotation_value: z.optional(z.record(z.string(), z.string())),
});

export const BranchUpdateBody = z.strictObject({
  branch: z.strictObject({
    name: z.optional(name),
    protected: z.optional(z.boolean()),
    /** `null` removes the date. */
    expires_at: z.optional(z.nullable(z.iso.datetime({ offset: true }))),
  }),
});

/** A restore to the head of another branch, or to a point in the history of any. */
export const BranchRestoreBody = z.strictObject({
  source_branch_id: z.string(),
  source_lsn: z.optional(z.string()),
  source_timestamp: z.optional(z.iso.datetime({ offset: true })),
  preserve_under_name: z.optional(name),
});

export const ApiKeyCreateBody = z.strictObject({ key_name: z.string().check(z.minLength(1), z.maxLength(64)) });

export const PermissionCreateBody = z.strictObject({ email: z.email().check(z.maxLength(256)) });

export const JwksCreateBody = z.strictObject({
  jwks_url: z.string().check(z.minLength(1)),
  provider_name: z.string().check(z.minLength(1)),
  branch_id: z.optional(z.string()),
  jwt_audience: z.optional(z.string()),
  role_names: z.optional(z.array(z.string()).check(z.maxLength(10))),
  skip_role_creation: z.optional(z.boolean()),
});

const pgName = z.string().check(z.minLength(1), z.maxLength(63));

export const RoleCreateBody = z.strictObject({
  role: z.strictObject({ name: pgName, no_login: z.optional(z.boolean()) }),
});

export const DatabaseCreateBody = z.strictObject({ database: z.strictObject({ name: pgName, owner_name: pgName }) });
export const DatabaseUpdateBody = z.strictObject({
  database: z.strictObject({ name: z.optional(pgName), owner_name: z.optional(pgName) }),
});
