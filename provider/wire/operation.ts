import * as z from "zod/mini";
import { id, optional, rows, word } from "./tolerant.js";

/** Some services write times and colons into them. */
const operationId = z.string().check(z.regex(/^[\w.:~-]{1,200}$/));

/** A record of work on a project. `action` and `status` are open vocabularies: any word is kept as it came. */
export const WireOperation = z.looseObject({
  /** Some services use a number: it is read as text. */
  id: z.union([operationId, z.pipe(z.int().check(z.nonnegative()), z.transform(String))]),
  project_id: optional(id),
  branch_id: optional(id),
  endpoint_id: optional(id),
  action: z.catch(word, "unknown"),
  status: z.catch(word, "unknown"),
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

const readRows = rows(WireOperation);

/** Answer of `GET …/operations`: newest first; without `pagination` there is no further page. */
export const WireOperationPage = z.pipe(
  z.looseObject({
    operations: z.array(z.unknown()),
    pagination: optional(z.looseObject({ cursor: optional(z.string()) })),
  }),
  z.transform((page) => ({
    ...page,
    operations: readRows.parse(page.operations),
    /** Rows that came, the unreadable ones as well: a page that is shorter than asked for is the last one. */
    received: page.operations.length,
  })),
);
export type WireOperationPage = z.infer<typeof WireOperationPage>;
