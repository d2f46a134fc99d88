import { cutText } from "../model/cut-text.js";
import {
  bodyTooDeepError,
  bodyTooLargeError,
  contentTypeError,
  jsonSyntaxError,
  pathEncodingError,
  projectBusyError,
  rateLimitError,
  ServiceError,
} from "../model/errors.js";
import type { RequestEffect } from "../model/faults.js";
import { LIMITS } from "../model/limits.js";
import type { Behavior } from "../model/options.js";

/** One request, for `handle`. */
export interface EmulatorRequest {
  method: string;
  /** With the query, relative to the origin: `/api/v2/projects`. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The response of `handle`. */
export interface EmulatorAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export const BASE_PATH = "/api/v2";
export const CONTROL_PATH = "/_emulator";
const LARGEST_BODY_BYTES = 1_000_000;
/** A test may replace the world with one that is larger than any request of a client. */
const LARGEST_WORLD_BYTES = 100_000_000;
/** The body of a fault may be a large response. */
const LARGEST_FAULT_BYTES = 20_000_000;

const isBelow = (path: string, base: string) => path === base || path.startsWith(`${base}/`);
export const isControl = (path: string): boolean => isBelow(path, CONTROL_PATH);
/**
 * The most bytes of a request's body. Only `/_emulator/world` and `/_emulator/faults` take larger bodies than the API. Paths below
 * `/_emulator/api` never do, in any spelling.
 */
export function largestBody(path: string): number {
  if (path === `${CONTROL_PATH}/world`) return LARGEST_WORLD_BYTES;
  return path === `${CONTROL_PATH}/faults` ? LARGEST_FAULT_BYTES : LARGEST_BODY_BYTES;
}

export const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export function splitQuery(path: string): [path: string, query: string] {
  const [before = "", ...after] = path.split("#", 1)[0]?.split("?") ?? [];
  return [before, after.join("?")];
}

export function segmentsOf(path: string): string[] {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    throw pathEncodingError();
  }
}

/** Whether JSON is nested too deeply. It counts the brackets outside of strings, so that no value is built first. */
function isDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') at = endOfString(json, at);
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > LIMITS.jsonDepth) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/**
 * The parsed body of a request, or undefined without a body. Other content types than JSON are refused: a browser lets
 * any page send a form or plain text to any server. Before it sends JSON, it asks that server. A control route refuses them
 * without a body too, because it needs no key.
 */
export function parseJsonBody(path: string, { body, headers }: Pick<EmulatorRequest, "body" | "headers">): unknown {
  const isEmpty = body === undefined || body.trim() === "";
  const type = headers["content-type"];
  // A caller in this process may leave out the type.
  const isOther = type !== undefined && !JSON_TYPE.test(type);
  if (isOther && (!isEmpty || isControl(path))) throw contentTypeError(type);
  if (isEmpty) return undefined;
  if (Buffer.byteLength(body) > largestBody(path)) throw bodyTooLargeError();
  if (isDeep(body)) throw bodyTooDeepError(LIMITS.jsonDepth);
  try {
    return JSON.parse(body);
  } catch (error) {
    throw jsonSyntaxError((error as Error).message);
  }
}

/** The body for the record of requests: parsed if it is JSON, cut if it is larger than a request may be. */
export function recordedBody(body: string): unknown {
  if (body.length > LARGEST_BODY_BYTES || isDeep(body)) return cutText(body, LARGEST_BODY_BYTES);
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** About what a value in memory takes, in characters. A value in JSON can be as short as `{},`. */
const VALUE_CHARACTERS = 32;

/** The size of a body for the limit of the record of requests. Values count more than their characters. */
export function recordedSize(body: string, recorded: unknown): number {
  if (typeof recorded === "string") return body.length;
  let values = 1;
  for (let at = 0; at < body.length; at += 1) {
    const sign = body[at];
    if (sign === "," || sign === "{" || sign === "[") values += 1;
  }
  return body.length + values * VALUE_CHARACTERS;
}

export function jsonResponse(id: string, status: number, body?: unknown): EmulatorAnswer {
  const headers = { "x-neon-ret-request-id": id };
  if (body === undefined) return { status, headers, body: "" };
  return {
    status,
    headers: { ...headers, "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  };
}

export const errorResponse = (id: string, status: number, message: string, code = ""): EmulatorAnswer =>
  jsonResponse(id, status, { request_id: id, code, message });

/** The response for an error. A bug of the emulator gets a response too, so that no request ends the process. */
export function responseForError(error: unknown, id: string, behavior: Behavior, now: number): EmulatorAnswer {
  if (!(error instanceof ServiceError)) {
    return errorResponse(id, 500, `the emulator itself failed: ${(error as Error).stack}`);
  }
  const plain = errorResponse(id, error.status, error.message, error.code);
  if (error.retryAfterMs === undefined || behavior.retryAfter === "none") return plain;
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  // A date has whole seconds. Rounded down, it would be earlier than the end of the wait.
  const date = new Date(Math.ceil(now / 1000 + seconds) * 1000).toUTCString();
  return {
    ...plain,
    headers: { ...plain.headers, "retry-after": behavior.retryAfter === "seconds" ? String(seconds) : date },
  };
}

/** The service's own messages for a scripted status without a body. */
const MESSAGES = new Map([projectBusyError(), rateLimitError()].map(({ status, message }) => [status, message]));

/** The response of a fault rule: HTML if the body is a string, an error body like the service's if there is none. */
export function scriptedResponse(effect: RequestEffect, status: number, id: string): EmulatorAnswer {
  const headers = lowerCased(effect.headers ?? {});
  const plain =
    effect.body === undefined && status >= 400
      ? errorResponse(id, status, MESSAGES.get(status) ?? "scripted fault")
      : typeof effect.body === "string"
        ? { ...jsonResponse(id, status), headers: { "content-type": "text/html; charset=utf-8" }, body: effect.body }
        : jsonResponse(id, status, effect.body);
  return { ...plain, headers: { ...plain.headers, ...headers } };
}
