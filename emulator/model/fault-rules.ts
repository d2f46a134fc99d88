// biome-ignore-all lint/suspicious/noThenProperty: "match … then …" are the words of the control route
import { validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod/mini";
import { KnownField } from "./endpoint-fields.js";
import type * as types from "./fault-types.js";
import { describeIssues } from "./issues.js";
import { LIMITS } from "./limits.js";
import { wildcardsIn } from "./path-pattern.js";

const times = z._default(z.int().check(z.gte(1)), 1);
const LONGEST_DELAY_MS = 3_600_000;

/** Whether a header would let pages of other origins read the response. */
export const isCorsHeader = (name: string): boolean => name.toLowerCase().startsWith("access-control-");

/** Reports headers that Node.js would refuse to send. They must fail now, not when a request uses the rule. */
function checkHeaders(headers: Record<string, string>, context: z.core.$RefinementCtx): void {
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

const Pattern = z.string().check(
  z.minLength(1),
  z.maxLength(LIMITS.patternCharacters),
  z.refine((path) => wildcardsIn(path) <= LIMITS.patternWildcards, `more than ${LIMITS.patternWildcards} wildcards`),
);

const RequestFault = z.strictObject({
  match: z.strictObject({
    method: z.optional(z.string().check(z.minLength(1), z.maxLength(LIMITS.nameCharacters))),
    path: z.optional(Pattern),
  }),
  times,
  then: z
    .strictObject({
      status: z.optional(z.int().check(z.gte(200), z.lte(599))),
      body: z.optional(z.unknown()),
      headers: z.optional(z.record(z.string(), z.string()).check(z.superRefine(checkHeaders))),
      delayMs: z.optional(z.number().check(z.gte(0), z.lte(LONGEST_DELAY_MS))),
      cut: z.optional(z.literal(true)),
      work: z.optional(z.boolean()),
    })
    .check(
      z.refine((then) => !(then.cut && then.status !== undefined), "cut and status exclude each other"),
      z.refine((then) => then.body === undefined || then.status !== undefined, "a body needs a status"),
      z.refine(
        (then) => then.work !== false || then.cut || then.status !== undefined,
        "work: false needs status or cut",
      ),
      z.refine(
        (then) => Object.keys(then).some((key) => key !== "work"),
        "nothing to do: give status, cut, delayMs or headers",
      ),
    ),
}) satisfies z.ZodMiniType<unknown, types.RequestFault>;
export type RequestRule = z.output<typeof RequestFault>;

const OperationFault = z.strictObject({
  operation: z
    .strictObject({
      action: z.string().check(z.minLength(1), z.maxLength(LIMITS.nameCharacters)),
      times,
      then: z.enum(["failed", "failed-then-finished", "error", "cancelled", "skipped", "never"]),
      failures: z.optional(z.int().check(z.gte(1), z.lte(LIMITS.failedAttempts))),
    })
    .check(
      z.refine(
        ({ then, failures }) => failures === undefined || then === "failed-then-finished",
        "failures needs then: failed-then-finished",
      ),
    ),
}) satisfies z.ZodMiniType<unknown, types.OperationFault>;
export type OperationRule = z.output<typeof OperationFault>["operation"];

const IgnoreFault = z.strictObject({
  ignore: z.strictObject({
    fields: z.array(KnownField).check(z.minLength(1), z.maxLength(LIMITS.faultRuleEntries)),
    method: z.optional(z.enum(["POST", "PATCH"])),
    times,
  }),
}) satisfies z.ZodMiniType<unknown, types.IgnoreFault>;
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

function parseWith<T extends z.ZodMiniType>(schema: T, rule: unknown): z.output<T> {
  const result = schema.safeParse(rule);
  if (result.success) return result.data;
  throw new Error(`not a fault rule: ${describeIssues(result.error)}`);
}
