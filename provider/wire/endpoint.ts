import * as z from "zod";
import { WireOperation } from "./operation.js";
import { maybe, rows, told } from "./tolerant.js";

/** `settings` of a compute. Values of `pg_settings` are strings on the wire. */
export const WireSettings = z.looseObject({
  pg_settings: maybe(z.record(z.string(), z.string())),
  preload_libraries: maybe(
    z.looseObject({ use_defaults: maybe(z.boolean()), enabled_libraries: maybe(z.array(z.string())) }),
  ),
});
export type WireSettings = z.infer<typeof WireSettings>;

/** A compute as the service describes it. Only `id` is relied upon; see `maybe`. */
export const WireEndpoint = z.looseObject({
  id: z.string().min(1),
  name: maybe(z.string()),
  host: maybe(z.string()),
  proxy_host: maybe(z.string()),
  project_id: maybe(z.string()),
  branch_id: maybe(z.string()),
  region_id: maybe(z.string()),
  type: maybe(z.string()),
  autoscaling_limit_min_cu: maybe(z.number()),
  autoscaling_limit_max_cu: maybe(z.number()),
  suspend_timeout_seconds: maybe(z.number()),
  current_state: maybe(z.string()),
  pending_state: maybe(z.string()),
  settings: maybe(WireSettings),
  pooler_enabled: maybe(z.boolean()),
  pooler_mode: maybe(z.string()),
  disabled: maybe(z.boolean()),
  passwordless_access: maybe(z.boolean()),
  provisioner: maybe(z.string()),
  creation_source: maybe(z.string()),
  compute_release_version: maybe(z.string()),
  created_at: maybe(z.string()),
  updated_at: maybe(z.string()),
  started_at: maybe(z.string()),
  suspended_at: maybe(z.string()),
  last_active: maybe(z.string()),
});
export type WireEndpoint = z.infer<typeof WireEndpoint>;

/**
 * Answer of `GET …/endpoints`. Strict about the list and the ids in it: an answer without them says nothing about what
 * exists, and a row that were left out would be a compute that is gone.
 */
export const WireEndpointList = z.looseObject({ endpoints: z.array(WireEndpoint) });

/** Answer of `GET …/endpoints/{id}`. */
export const WireEndpointAnswer = z.looseObject({ endpoint: WireEndpoint });

/** What a change was answered with. */
export interface WireEndpointChange {
  endpoint: WireEndpoint;
  operations: WireOperation[];
  /** There where the answer has no list of operations, or one that can't be read: then work may go on that nobody told. */
  untold?: true;
}

/** Answer of create, update, start, suspend and restart. */
export const WireEndpointChange = z.looseObject({ endpoint: WireEndpoint, operations: told(WireOperation) }).transform(
  ({ endpoint, operations: { list, isWhole } }): WireEndpointChange => ({
    endpoint,
    operations: list,
    ...(isWhole ? {} : { untold: true }),
  }),
);

/** Answer of delete: a missing body, or one without fields, is a success without operations. */
export const WireEndpointRemoval = z.looseObject({ endpoint: maybe(WireEndpoint), operations: rows(WireOperation) });
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

/** Body of `PATCH …/endpoints/{id}`, as the published schema bounds it (the ladder is the server's own). */
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
