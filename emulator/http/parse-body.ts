import type * as z from "zod/mini";
import "../model/english.js";
import { invalidRequestError } from "../model/errors.js";

/** The body, as the schema parses it. Throws a 400 that names the first mistake in the service's words. */
export function parseBody<T extends z.ZodMiniType>(operation: string, schema: T, body: unknown): z.output<T> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  if (body === undefined) throw invalidRequestError(`operation ${operation}: decode request: body required`);
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] as string] : issue.path;
  const value = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], body);
  const nested = [...path]
    .reverse()
    .reduce<string>(
      (inner, name, depth) => `${String(name)} (${depth > 0 ? "invalid: " : ""}${inner})`,
      describeIssue(issue, value),
    );
  throw invalidRequestError(`operation ${operation}: decode request: validate: invalid: ${nested}`);
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "unrecognized_keys") return "unexpected field";
  if (value === undefined) return "field required";
  const shown = JSON.stringify(value);
  const kind = issue.code === "too_small" || issue.code === "too_big" ? issue.origin : "";
  const hasLength = kind === "string" || kind === "array";
  const measure = hasLength ? "len" : Number.isInteger(value) ? "int: value" : "float: value";
  const amount = hasLength ? (value as string | unknown[]).length : shown;
  if (issue.code === "too_small") return `${measure} ${amount} less than ${issue.minimum}`;
  if (issue.code === "too_big") return `${measure} ${amount} greater than ${issue.maximum}`;
  if (issue.code === "invalid_value") return `invalid value: ${shown}`;
  return issue.code === "invalid_type" ? `unexpected ${shown}, ${issue.expected} expected` : issue.message;
}
