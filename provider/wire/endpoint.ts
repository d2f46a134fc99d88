import * as z from "zod";
import { WireOperation } from "./operation.js";
import { id, listAndWhole, name, optional, rows, word } from "./tolerant.js";

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
  id,
  name: optional(name),
  host: optional(word),
  proxy_host: optional(word),
  project_id: optional(id),
  branch_id: optional(id),
  region_id: optional(word),
  type: optional(word),
  autoscaling_limit_min_cu: optional(z.number()),
  autoscaling_limit_max_cu: optional(z.number()),
  suspend_timeout_seconds: optional(z.number()),
  current_state: optional(word),
  pending_state: optional(word),
  settings: optional(WireSettings),
  pooler_enabled: optional(z.boolean()),
  pooler_mode: optional(word),
  disabled: optional(z.boolean()),
  passwordless_access: optional(z.boolean()),
  provisioner: optional(word),
  creation_source: optional(word),
  compute_release_version: optional(word),
  created_at: optional(word),
  updated_at: optional(word),
  started_at: optional(word),
  suspended_at: optional(word),
  last_active: optional(word),
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
