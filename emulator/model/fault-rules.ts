// biome-ignore-all lint/suspicious/noThenProperty: "match … then …" are the words of the control route
import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import { KnownField } from "./endpoint-fields.js";
import type * as types from "./fault-types.js";
import { describeIssues } from "./issues.js";
import { LIMITS } from "./limits.js";
import { wildcardsIn } from "./path-pattern.js";

const times = z.number().int().min(1).default(1);
const LONGEST_DELAY_MS = 3_600_000;

/** Whether a header would let pages of other origins read the response. */
export const isCorsHeader = (name: string): boolean => name.toLowerCase().startsWith("access-control-");

/** Reports headers that Node.js would refuse to send. They must fail now, not when a request uses the rule. */
function checkHeaders(headers: Record<string, string>, context: z.RefinementCtx): void {
  const count = Object.keys(headers).length;
  if (count > LIMITS.faultRuleEntries) {
    context.addIssue({ code: "custom", message: `${count} headers are more than ${LIMITS.faultRuleEntries}` });
    return;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (isCorsHeader(name)) {
      const message = "is refused: it would let pages of other sites read the answer";
      context.addIssue({ code: "custom", path: [name], message });
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      context.addIssue({ code: "custom", path: [name], message: (error as Error).message });
    }
  }
}

const Pattern = z
  .string()
  .min(1)
  .max(LIMITS.patternCharacters)
  .refine((path) => wildcardsIn(path) <= LIMITS.patternWildcards, `more than ${LIMITS.patternWildcards} wildcards`);

const RequestFault = z.strictObject({
  match: z.strictObject({
    method: z.string().min(1).max(LIMITS.nameCharacters).optional(),
    path: Pattern.optional(),
  }),
  times,
  then: z
    .strictObject({
      status: z.number().int().min(200).max(599).optional(),
      body: z.unknown().optional(),
      headers: z.record(z.string(), z.string()).superRefine(checkHeaders).optional(),
      delayMs: z.number().min(0).max(LONGEST_DELAY_MS).optional(),
      cut: z.literal(true).optional(),
      work: z.boolean().optional(),
    })
    .refine((then) => !(then.cut && then.status !== undefined), "cut and status exclude each other")
    .refine((then) => then.body === undefined || then.status !== undefined, "a body needs a status")
    .refine((then) => then.work !== false || then.cut || then.status !== undefined, "work: false needs status or cut")
    .refine(
      (then) => Object.keys(then).some((key) => key !== "work"),
      "nothing to do: give status, cut, delayMs or headers",
    ),
}) satisfies z.ZodType<unknown, types.RequestFault>;
export type RequestRule = z.output<typeof RequestFault>;

const OperationFault = z.strictObject({
  operation: z
    .strictObject({
      action: z.string().min(1).max(LIMITS.nameCharacters),
      times,
      then: z.enum(["failed", "failed-then-finished", "error", "cancelled", "skipped", "never"]),
      failures: z.number().int().min(1).max(LIMITS.failedAttempts).optional(),
    })
    .refine(
      ({ then, failures }) => failures === undefined || then === "failed-then-finished",
      "failures needs then: failed-then-finished",
    ),
}) satisfies z.ZodType<unknown, types.OperationFault>;
export type OperationRule = z.output<typeof OperationFault>["operation"];

const IgnoreFault = z.strictObject({
  ignore: z.strictObject({
    fields: z.array(KnownField).min(1).max(LIMITS.faultRuleEntries),
    method: z.enum(["POST", "PATCH"]).optional(),
    times,
  }),
}) satisfies z.ZodType<unknown, types.IgnoreFault>;
export type IgnoreRule = z.output<typeof IgnoreFault>["ignore"];

export type ParsedRule = { request: RequestRule } | { operation: OperationRule } | { ignore: IgnoreRule };

const has = (rule: unknown, key: string): boolean => typeof rule === "object" && rule !== null && key in rule;

/**
 * Throws an error that says what is wrong with the rule. The rule's key chooses the schema. A union of the schemas would not
 * name the wrong property.
 */
export function parseRule(rule: unknown): ParsedRule {
  if (has(rule, "operation")) return parseWith(OperationFault, rule);
  if (has(rule, "ignore")) return parseWith(IgnoreFault, rule);
  return { request: parseWith(RequestFault, rule) };
}

function parseWith<T extends z.ZodType>(schema: T, rule: unknown): z.output<T> {
  const result = schema.safeParse(rule);
  if (result.success) return result.data;
  throw new Error(`not a fault rule: ${describeIssues(result.error)}`);
}
