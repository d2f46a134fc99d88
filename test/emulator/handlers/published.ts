/** The published schema of the answers, and what an answer has that does not fit it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Schema {
  $ref?: string;
  type?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Published {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Schema | null> }>>;
  schemas: Record<string, Schema>;
}

export const published: Published = JSON.parse(
  readFileSync(join(__dirname, "../../fixtures/openapi/answers.json"), "utf8"),
);

/** Each call of the schema: `GET /projects/{project_id}`. */
export const publishedCalls = Object.entries(published.paths).flatMap(([path, calls]) =>
  Object.keys(calls).map((method) => `${method.toUpperCase()} ${path}`),
);

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
/** A path without parameters fits before one with them (`/projects/shared`). */
const paths = Object.keys(published.paths).sort((a, b) => a.split("{").length - b.split("{").length);

/** Why this answer is not one of the published ones; nothing where the call is not in the schema. */
export function problemsOf(method: string, path: string, status: number, body: unknown): string[] {
  const pathOnly = path.split("?")[0] as string;
  const template = paths.find((one) => patternOf(one).test(pathOnly));
  const call = template === undefined ? undefined : published.paths[template]?.[method.toLowerCase()];
  if (!call) return [];
  const success = Object.keys(call.responses).filter((code) => code.startsWith("2"));
  if (status < 300 && !success.includes(String(status))) return [`status ${status} is not one of ${success}`];
  const schema = call.responses[String(status)] === undefined ? call.responses["default"] : call.responses[status];
  if (!schema) return body === undefined ? [] : ["a body where there is none"];
  return check(schema, body, "");
}

const FORMATS: Record<string, RegExp> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, // as recorded: UTC and whole seconds
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/** All that a value must be: references and parts (`allOf`) in one. */
function merged(schema: Schema): Schema {
  if (schema.$ref) return merged(published.schemas[schema.$ref.split("/").at(-1) as string] as Schema);
  if (schema.oneOf || schema.anyOf) throw new Error("a form of schema that this test does not know");
  const { allOf = [], ...own } = schema;
  const parts = [own, ...allOf.map(merged)];
  return Object.assign({}, ...parts, {
    required: parts.flatMap((part) => part.required ?? []),
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
  });
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
};

function check(reference: Schema, value: unknown, at: string): string[] {
  const schema = merged(reference);
  const wrong = (what: string) => [`${at || "body"}: ${JSON.stringify(value)} ${what}`];
  const { type = schema.properties ? "object" : undefined } = schema;
  if (type && !TYPES[type]?.(value)) return wrong(`is no ${type}`);
  if (schema.enum && !schema.enum.includes(value)) return wrong(`is not one of ${schema.enum}`);
  if (type === "array") return (value as unknown[]).flatMap((one, n) => check(schema.items ?? {}, one, `${at}[${n}]`));
  if (type === "object") return checkFields(schema, value as Record<string, unknown>, at);
  if (typeof value === "string") {
    if (schema.pattern && !new RegExp(schema.pattern).test(value)) return wrong(`is not like ${schema.pattern}`);
    if (schema.format && FORMATS[schema.format]?.test(value) === false) return wrong(`is no ${schema.format}`);
    if (value.length < (schema.minLength ?? 0)) return wrong("is too short");
    if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY)) return wrong("is too long");
  }
  if (typeof value === "number") {
    if (value < (schema.minimum ?? value)) return wrong(`is less than ${schema.minimum}`);
    if (value > (schema.maximum ?? value)) return wrong(`is more than ${schema.maximum}`);
  }
  return [];
}

/** A field that nobody published is wrong as well: it would be the emulator's own. */
function checkFields(schema: Schema, value: Record<string, unknown>, at: string): string[] {
  const inside = (name: string) => (at === "" ? name : `${at}.${name}`);
  const missing = (schema.required ?? []).filter((name) => !(name in value)).map((name) => `${inside(name)}: missing`);
  const wrong = Object.entries(value).flatMap(([name, one]) => {
    const field = schema.properties?.[name] ?? schema.additionalProperties;
    if (field) return check(field, one, inside(name));
    return schema.properties && Object.keys(schema.properties).length > 0 ? [`${inside(name)}: not published`] : [];
  });
  return [...missing, ...wrong];
}
