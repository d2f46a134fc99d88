import { z } from "zod";
import { EndpointCreateBody } from "../../provider/wire/endpoint.js";
import { LIMITS } from "./limits.js";

/** Request bodies, strict like those of computes. The bodies of computes are in `provider/wire`. */

const name = z.string().min(1).max(256);
const BranchEndpointBody = EndpointCreateBody.shape.endpoint.pick({
  type: true,
  settings: true,
  autoscaling_limit_min_cu: true,
  autoscaling_limit_max_cu: true,
  provisioner: true,
  suspend_timeout_seconds: true,
});

const EndpointDefaultsBody = BranchEndpointBody.pick({
  autoscaling_limit_min_cu: true,
  autoscaling_limit_max_cu: true,
  suspend_timeout_seconds: true,
}).extend({
  pg_settings: z.record(z.string(), z.string()).optional(),
  pgbouncer_settings: z.record(z.string(), z.string()).optional(),
});

const count = z.number().int().min(0).optional();
const flag = z.boolean().optional();

/** Unknown settings are stored and returned unchanged. */
const ProjectSettingsBody = z.looseObject({
  quota: z
    .strictObject({
      active_time_seconds: count,
      compute_time_seconds: count,
      written_data_bytes: count,
      data_transfer_bytes: count,
      logical_size_bytes: count,
    })
    .optional(),
  allowed_ips: z
    .strictObject({ ips: z.array(z.string()).optional(), protected_branches_only: z.boolean().optional() })
    .optional(),
  enable_logical_replication: flag,
  maintenance_window: z
    .strictObject({ weekdays: z.array(z.number().int()), start_time: z.string(), end_time: z.string() })
    .optional(),
  block_public_connections: flag,
  block_vpc_connections: flag,
  audit_log_level: z.enum(["base", "extended", "full"]).optional(),
  hipaa: flag,
  preload_libraries: z
    .strictObject({ use_defaults: flag, enabled_libraries: z.array(z.string()).optional() })
    .optional(),
});

const common = {
  name: name.optional(),
  default_endpoint_settings: EndpointDefaultsBody.optional(),
  settings: ProjectSettingsBody.optional(),
  history_retention_seconds: z.number().int().min(0).max(2_592_000).optional(),
};

export const ProjectCreateBody = z.strictObject({
  project: z.strictObject({
    ...common,
    region_id: z.string().optional(),
    pg_version: z.number().int().min(14).max(18).optional(),
    org_id: z.string().optional(),
    branch: z
      .strictObject({
        name: name.optional(),
        role_name: z.string().min(1).optional(),
        database_name: z.string().min(1).optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
    autoscaling_limit_min_cu: z.number().min(0.25).optional(),
    autoscaling_limit_max_cu: z.number().min(0.25).optional(),
    provisioner: z.string().optional(),
    store_passwords: z.boolean().optional(),
  }),
});

export const ProjectUpdateBody = z.strictObject({ project: z.strictObject(common) });

export const BranchCreateBody = z.strictObject({
  branch: z
    .strictObject({
      name: name.optional(),
      parent_id: z.string().optional(),
      parent_lsn: z.string().optional(),
      parent_timestamp: z.iso.datetime({ offset: true }).optional(),
      protected: z.boolean().optional(),
      archived: z.boolean().optional(),
      init_source: z.enum(["parent-data", "schema-only"]).optional(),
      expires_at: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
  endpoints: z.array(BranchEndpointBody).max(LIMITS.computesPerRequest).optional(),
  annotation_value: z.record(z.string(), z.string()).optional(),
});

export const BranchUpdateBody = z.strictObject({
  branch: z.strictObject({
    name: name.optional(),
    protected: z.boolean().optional(),
    /** `null` removes the date. */
    expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
  }),
});

/** A restore to the head of another branch, or to a point in the history of any. */
export const BranchRestoreBody = z.strictObject({
  source_branch_id: z.string(),
  source_lsn: z.string().optional(),
  source_timestamp: z.iso.datetime({ offset: true }).optional(),
  preserve_under_name: name.optional(),
});

export const ApiKeyCreateBody = z.strictObject({ key_name: z.string().min(1).max(64) });

export const PermissionCreateBody = z.strictObject({ email: z.email().max(256) });

export const JwksCreateBody = z.strictObject({
  jwks_url: z.string().min(1),
  provider_name: z.string().min(1),
  branch_id: z.string().optional(),
  jwt_audience: z.string().optional(),
  role_names: z.array(z.string()).max(10).optional(),
  skip_role_creation: z.boolean().optional(),
});

const pgName = z.string().min(1).max(63);

export const RoleCreateBody = z.strictObject({
  role: z.strictObject({ name: pgName, no_login: z.boolean().optional() }),
});

export const DatabaseCreateBody = z.strictObject({ database: z.strictObject({ name: pgName, owner_name: pgName }) });
export const DatabaseUpdateBody = z.strictObject({
  database: z.strictObject({ name: pgName.optional(), owner_name: pgName.optional() }),
});
