import type { EmulatorAnswer, EmulatorRequest } from "./api.js";
import { BOUNDS } from "./bounds.js";
import type { Spoiling } from "./faults.js";
import * as refuse from "./refuse.js";
import type { Rules } from "./rules.js";

/** Requests and answers in the form of HTTP, without a socket. */

export const BASE_PATH = "/api/v2";
export const CONTROL_PATH = "/_emulator";
const LARGEST_BODY_BYTES = 1_000_000;
/** A world that is put in place can be larger than any request of a client. */
const LARGEST_WORLD_BYTES = 100_000_000;
const LARGEST_CONTROL_BODY_BYTES = 20_000_000;

const isBelow = (path: string, base: string) => path === base || path.startsWith(`${base}/`);
export const isControl = (path: string): boolean => isBelow(path, CONTROL_PATH);
export function largestBody(path: string): number {
  if (!isControl(path)) return LARGEST_BODY_BYTES;
  return path === `${CONTROL_PATH}/world` ? LARGEST_WORLD_BYTES : LARGEST_CONTROL_BODY_BYTES;
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
    throw refuse.brokenPath();
  }
}

/** Whether JSON is too deep to be written again. It counts the brackets outside of strings, so that no value is built first. */
function isDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') at = endOfString(json, at);
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > BOUNDS.depth) return true;
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
 * The parsed body of a request, or undefined where it has none. Browsers let any page send bodies of a few other types to any
 * server. Before they send JSON, they ask the server.
 */
export function parsedBody(path: string, { body, headers }: Pick<EmulatorRequest, "body" | "headers">): unknown {
  if (body === undefined || body.trim() === "") return undefined;
  const type = headers["content-type"];
  // Callers in this process may leave the type out.
  if (type !== undefined && !JSON_TYPE.test(type)) throw refuse.notJson(type);
  if (Buffer.byteLength(body) > largestBody(path)) throw refuse.tooLarge();
  if (isDeep(body)) throw refuse.tooDeep(BOUNDS.depth);
  try {
    return JSON.parse(body);
  } catch (error) {
    throw refuse.brokenJson((error as Error).message);
  }
}

/** A body for the record of requests: parsed where that can be done, cut where it is larger than a request may be. */
export function readableBody(body: string): unknown {
  if (body.length > LARGEST_BODY_BYTES || isDeep(body)) return body.slice(0, LARGEST_BODY_BYTES);
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

export function answer(id: string, status: number, body?: unknown): EmulatorAnswer {
  const headers = { "x-neon-ret-request-id": id };
  if (body === undefined) return { status, headers, body: "" };
  return {
    status,
    headers: { ...headers, "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  };
}

export const problem = (id: string, status: number, message: string, code = ""): EmulatorAnswer =>
  answer(id, status, { request_id: id, code, message });

/** A refusal as its answer. A mistake of ours is one too, so that no request takes the process down. */
export function problemOf(error: unknown, id: string, rules: Rules, now: number): EmulatorAnswer {
  if (!(error instanceof refuse.Refusal)) {
    return problem(id, 500, `the emulator itself failed: ${(error as Error).stack}`);
  }
  const plain = problem(id, error.status, error.message, error.code);
  if (error.retryAfterMs === undefined || rules.retryAfter === "none") return plain;
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  // A date has whole seconds: rounded up, or it would be earlier than the wait it stands for.
  const date = new Date(Math.ceil(now / 1000 + seconds) * 1000).toUTCString();
  return {
    ...plain,
    headers: { ...plain.headers, "retry-after": rules.retryAfter === "seconds" ? String(seconds) : date },
  };
}

const WORDS: Record<number, string> = {
  423: "project already has running conflicting operations, scheduling of new ones is prohibited",
  429: "rate limit exceeded",
};

/** The answer of a fault rule: HTML where the body is a text, an error body like the service's where it is left out. */
export function scripted(rule: Spoiling, status: number, id: string): EmulatorAnswer {
  const headers = lowerCased(rule.headers ?? {});
  const plain =
    rule.body === undefined && status >= 400
      ? problem(id, status, WORDS[status] ?? "scripted fault")
      : typeof rule.body === "string"
        ? { ...answer(id, status), headers: { "content-type": "text/html; charset=utf-8" }, body: rule.body }
        : answer(id, status, rule.body);
  return { ...plain, headers: { ...plain.headers, ...headers } };
}
