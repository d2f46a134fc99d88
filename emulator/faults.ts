import { z } from "zod";

const RequestFault = z.strictObject({
  /**
   * Which requests: `method` absent is any. `path` is relative to the base URL, without the query (`/projects/p/endpoints`).
   * Without a `*` it is a prefix; with one it is a pattern for the whole path, where `*` stands for anything within one
   * segment and `**` for anything. Absent is any.
   */
  match: z.strictObject({ method: z.string().min(1).optional(), path: z.string().min(1).optional() }),
  /** How many requests are spoilt. @default 1 */
  times: z.number().int().min(1).default(1),
  then: z
    .strictObject({
      status: z.number().int().min(200).max(599).optional(),
      /** A string is sent as it is (an HTML page), anything else as JSON. */
      body: z.unknown().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      /** Waits before the answer; work that is done is done before the wait. */
      delayMs: z.number().min(0).optional(),
      /** Cut the connection instead of answering. */
      cut: z.literal(true).optional(),
      /** Is the request carried out before its answer is spoilt? @default false with `status` or `cut`, else true */
      work: z.boolean().optional(),
    })
    .refine((then) => !(then.cut && then.status !== undefined), "cut and status exclude each other")
    .refine(
      (then) => Object.keys(then).some((key) => key !== "work"),
      "nothing to do: give status, delayMs, headers or cut",
    ),
});

const OperationFault = z.strictObject({
  operation: z.strictObject({
    action: z.string().min(1),
    /** How many operations of that action, counted from now in the order of their creation. @default 1 */
    times: z.number().int().min(1).default(1),
    then: z.enum(["failed", "error", "cancelled", "never"]),
  }),
});

export const FaultRule = z.union([RequestFault, OperationFault]);
/** A rule as a test writes it. */
export type FaultRule = z.input<typeof FaultRule>;
