import { z } from "zod";
import { EndpointCreateBody } from "../../provider/wire/endpoint.js";
import { BOUNDS } from "../bounds.js";

/** Bodies of the calls around computes, strict like those of the computes themselves. */

const name = z.string().min(1).max(256);
const options = EndpointCreateBody.shape.endpoint.pick({
  type: true,
  settings: true,
  autoscaling_limit_min_cu: true,
  autoscaling_limit_max_cu: true,
  provisioner: true,
  suspend_timeout_seconds: true,
});

const EndpointDefaultsBody = options
  .pick({ autoscaling_limit_min_cu: true, autoscaling_limit_max_cu: true, suspend_timeout_seconds: true })
  .extend({
    pg_settings: z.record(z.string(), z.string()).optional(),
    pgbouncer_settings: z.record(z.string(), z.string()).optional(),
  });

const common = {
  name: name.optional(),
  default_endpoint_settings: EndpointDefaultsBody.optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
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
      parent_timestamp: z.string().optional(),
      protected: z.boolean().optional(),
      archived: z.boolean().optional(),
      init_source: z.string().optional(),
      expires_at: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
  endpoints: z.array(options).max(BOUNDS.computes).optional(),
  annotation_value: z.record(z.string(), z.string()).optional(),
});

export const BranchUpdateBody = z.strictObject({
  branch: z.strictObject({
    name: name.optional(),
    protected: z.boolean().optional(),
    /** `null` takes the date away. */
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

const pgName = z.string().min(1).max(63);

export const RoleCreateBody = z.strictObject({
  role: z.strictObject({ name: pgName, no_login: z.boolean().optional() }),
});

export const DatabaseCreateBody = z.strictObject({ database: z.strictObject({ name: pgName, owner_name: pgName }) });
export const DatabaseUpdateBody = z.strictObject({
  database: z.strictObject({ name: pgName.optional(), owner_name: pgName.optional() }),
});
