import * as z from "zod";
import { id, optional, rows, word } from "./tolerant.js";

/** Some services write times and colons into them. */
const operationId = z.string().regex(/^[\w.:~-]{1,200}$/);

/** A record of work on a project. `action` and `status` are open vocabularies: any word is kept as it came. */
export const WireOperation = z.looseObject({
  /** Some services use a number: it is read as text. */
  id: z.union([operationId, z.int().nonnegative().transform(String)]),
  project_id: optional(id),
  branch_id: optional(id),
  endpoint_id: optional(id),
  action: word.catch("unknown"),
  status: word.catch("unknown"),
  error: optional(z.string()),
  failures_count: optional(z.number()),
  retry_at: optional(word),
  created_at: optional(word),
  updated_at: optional(word),
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
