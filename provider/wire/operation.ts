import * as z from "zod";
import { maybe, rows } from "./tolerant.js";

/** A record of work on a project. `action` and `status` are open vocabularies: any word is kept as it came. */
export const WireOperation = z.looseObject({
  /** A number is as good a name. */
  id: z.union([z.string().min(1), z.int().nonnegative().transform(String)]),
  project_id: maybe(z.string()),
  branch_id: maybe(z.string()),
  endpoint_id: maybe(z.string()),
  action: z.string().catch("unknown"),
  status: z.string().catch("unknown"),
  error: maybe(z.string()),
  failures_count: maybe(z.number()),
  retry_at: maybe(z.string()),
  created_at: maybe(z.string()),
  updated_at: maybe(z.string()),
  total_duration_ms: maybe(z.number()),
});
export type WireOperation = z.infer<typeof WireOperation>;

/** Answer of `GET …/operations/{id}`. */
export const WireOperationAnswer = z.looseObject({ operation: WireOperation });

/** Answer of `GET …/operations`: newest first; without `pagination` there is no further page. */
export const WireOperationPage = z
  .looseObject({
    operations: z.array(z.unknown()),
    pagination: maybe(z.looseObject({ cursor: maybe(z.string()) })),
  })
  .transform((page) => ({
    ...page,
    operations: rows(WireOperation).parse(page.operations),
    /** Rows that came, the unreadable ones as well: a page that is shorter than asked for is the last one. */
    received: page.operations.length,
  }));
export type WireOperationPage = z.infer<typeof WireOperationPage>;
