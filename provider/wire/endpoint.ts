import * as z from "zod";
import { WireOperation } from "./operation.js";
import { listAndWhole, optional, rows } from "./tolerant.js";

/** `settings` of a compute. Values of `pg_settings` are strings on the wire. */
export const WireSettings = z.looseObject({
  pg_settings: optional(z.record(z.string(), z.string())),
  preload_libraries: optional(
    z.looseObject({ use_defaults: optional(z.boolean()), enabled_libraries: optional(z.array(z.string())) }),
  ),
});
export type WireSettings = z.infer<typeof WireSettings>;

/** A compute as the service describes it. Only `id` has to be there; see `optional`. */
export const WireEndpoint = z.looseObject({
  id: z.string().min(1),
  name: optional(z.string()),
  host: optional(z.string()),
  proxy_host: optional(z.string()),
  project_id: optional(z.string()),
  branch_id: optional(z.string()),
  region_id: optional(z.string()),
  type: optional(z.string()),
  autoscaling_limit_min_cu: optional(z.number()),
  autoscaling_limit_max_cu: optional(z.number()),
  suspend_timeout_seconds: optional(z.number()),
  current_state: optional(z.string()),
  pending_state: optional(z.string()),
  settings: optional(WireSettings),
  pooler_enabled: optional(z.boolean()),
  pooler_mode: optional(z.string()),
  disabled: optional(z.boolean()),
  passwordless_access: optional(z.boolean()),
  provisioner: optional(z.string()),
  creation_source: optional(z.string()),
  compute_release_version: optional(z.string()),
  created_at: optional(z.string()),
  updated_at: optional(z.string()),
  started_at: optional(z.string()),
  suspended_at: optional(z.string()),
  last_active: optional(z.string()),
});
export type WireEndpoint = z.infer<typeof WireEndpoint>;

/**
 * Answer of `GET …/endpoints`. Strict about the list and the ids in it: an answer without them says nothing about what
 * exists, and a compute whose row we left out would look as if it were deleted.
 */
export const WireEndpointList = z.looseObject({ endpoints: z.array(WireEndpoint) });

/** Answer of `GET …/endpoints/{id}`. */
export const WireEndpointAnswer = z.looseObject({ endpoint: WireEndpoint });

/** The answer to a change. */
export interface WireEndpointChange {
  endpoint: WireEndpoint;
  operations: WireOperation[];
  /** Set if the list of operations is missing or can't be read: the service may do work that we can't name. */
  mayHideOperations?: true;
}

/** Answer of create, update, start, suspend and restart. */
export const WireEndpointChange = z
  .looseObject({ endpoint: WireEndpoint, operations: listAndWhole(WireOperation) })
  .transform(
    ({ endpoint, operations: { list, isWhole } }): WireEndpointChange => ({
      endpoint,
      operations: list,
      ...(isWhole ? {} : { mayHideOperations: true }),
    }),
  );

/** Answer of delete: a missing body, or one without fields, is a success without operations. */
export const WireEndpointRemoval = z.looseObject({ endpoint: optional(WireEndpoint), operations: rows(WireOperation) });
export type WireEndpointRemoval = z.infer<typeof WireEndpointRemoval>;

const RequestSettings = z.strictObject({
  pg_settings: z.record(z.string(), z.string()).optional(),
  pgbouncer_settings: z.record(z.string(), z.string()).optional(),
  preload_libraries: z
    .strictObject({ use_defaults: z.boolean().optional(), enabled_libraries: z.array(z.string()).optional() })
    .optional(),
});

const changeable = {
  branch_id: z.string().optional(),
  name: z.string().min(1).max(64).optional(),
  autoscaling_limit_min_cu: z.number().min(0.25).optional(),
  autoscaling_limit_max_cu: z.number().min(0.25).optional(),
  suspend_timeout_seconds: z.number().int().min(-1).max(604_800).optional(),
  provisioner: z.string().optional(),
  settings: RequestSettings.optional(),
  pooler_enabled: z.boolean().optional(),
  pooler_mode: z.literal("transaction").optional(),
  disabled: z.boolean().optional(),
  passwordless_access: z.boolean().optional(),
};

/** Body of `PATCH …/endpoints/{id}`, with the limits of the published schema. It does not list the allowed sizes. */
export const EndpointUpdateBody = z.strictObject({ endpoint: z.strictObject(changeable) });
export type EndpointUpdateBody = z.infer<typeof EndpointUpdateBody>;

/** Body of `POST …/endpoints`. */
export const EndpointCreateBody = z.strictObject({
  endpoint: z.strictObject({
    ...changeable,
    branch_id: z.string(),
    type: z.enum(["read_write", "read_only"]),
    region_id: z.string().optional(),
  }),
});
export type EndpointCreateBody = z.infer<typeof EndpointCreateBody>;
