import * as z from "zod";
import { optional, rows } from "./tolerant.js";

/** A record of work on a project. `action` and `status` are open vocabularies: any word is kept as it came. */
export const WireOperation = z.looseObject({
  /** Some services use a number: it is read as text. */
  id: z.union([z.string().min(1), z.int().nonnegative().transform(String)]),
  project_id: optional(z.string()),
  branch_id: optional(z.string()),
  endpoint_id: optional(z.string()),
  action: z.string().catch("unknown"),
  status: z.string().catch("unknown"),
  error: optional(z.string()),
  failures_count: optional(z.number()),
  retry_at: optional(z.string()),
  created_at: optional(z.string()),
  updated_at: optional(z.string()),
  total_duration_ms: optional(z.number()),
});
export type WireOperation = z.infer<typeof WireOperation>;

/** Answer of `GET …/operations/{id}`. */
export const WireOperationAnswer = z.looseObject({ operation: WireOperation });

/** Answer of `GET …/operations`: newest first; without `pagination` there is no further page. */
export const WireOperationPage = z
  .looseObject({
    operations: z.array(z.unknown()),
    pagination: optional(z.looseObject({ cursor: optional(z.string()) })),
  })
  .transform((page) => ({
    ...page,
    operations: rows(WireOperation).parse(page.operations),
    /** Rows that came, the unreadable ones as well: a page that is shorter than asked for is the last one. */
    received: page.operations.length,
  }));
export type WireOperationPage = z.infer<typeof WireOperationPage>;
