import * as z from "zod/mini";
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
export const WireEndpointChange = z.pipe(
  z.looseObject({ endpoint: WireEndpoint, operations: listAndWhole(WireOperation) }),
  z.transform(
    ({ endpoint, operations: { list, isWhole } }): WireEndpointChange => ({
      endpoint,
      operations: list,
      ...(isWhole ? {} : { mayHideOperations: true }),
    }),
  ),
);

/** Answer of delete: a missing body, or one without fields, is a success without operations. */
export const WireEndpointRemoval = z.looseObject({ endpoint: optional(WireEndpoint), operations: rows(WireOperation) });
export type WireEndpointRemoval = z.infer<typeof WireEndpointRemoval>;

const RequestSettings = z.strictObject({
  pg_settings: z.optional(z.record(z.string(), z.string())),
  pgbouncer_settings: z.optional(z.record(z.string(), z.string())),
  preload_libraries: z.optional(
    z.strictObject({ use_defaults: z.optional(z.boolean()), enabled_libraries: z.optional(z.array(z.string())) }),
  ),
});

const changeable = {
  branch_id: z.optional(z.string()),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  autoscaling_limit_min_cu: z.optional(z.number().check(z.gte(0.25))),
  autoscaling_limit_max_cu: z.optional(z.number().check(z.gte(0.25))),
  suspend_timeout_seconds: z.optional(z.int().check(z.gte(-1), z.lte(604_800))),
  provisioner: z.optional(z.string()),
  settings: z.optional(RequestSettings),
  pooler_enabled: z.optional(z.boolean()),
  pooler_mode: z.optional(z.literal("transaction")),
  disabled: z.optional(z.boolean()),
  passwordless_access: z.optional(z.boolean()),
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
    region_id: z.optional(z.string()),
  }),
});
export type EndpointCreateBody = z.infer<typeof EndpointCreateBody>;
