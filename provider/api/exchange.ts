import { randomUUID } from "node:crypto";
import type * as z from "zod";
import type { Clock } from "../clock.js";
import { ServiceError, Stopped, Unclear } from "../errors.js";
import { type Asked, describe, isProblem, parse } from "./answer.js";
import { isCertificateError, isTooLarge, isUnsent, networkReason } from "./network.js";
import type { Redactor } from "./redact.js";
import { type Failure, isUnclear } from "./retry.js";
import type { Transport, TransportAnswer } from "./transport.js";

/** What stays the same for all requests of a client. */
export interface Wire {
  /** Without a trailing slash. */
  baseUrl: string;
  key: string;
  redactor: Redactor;
  keySource: string;
  /** What to do about a key that the service refuses, where something can be said. */
  keyHint?: string;
  clock: Clock;
  transport: Transport;
}

export interface Question<T> extends Asked {
  query?: Record<string, string>;
  body?: unknown;
  /** Reads the parsed body of a success; an empty body is `{}`. */
  schema: z.ZodType<T>;
  /** The answer holds a secret: nothing of it is shown, also where it can't be read. */
  secret?: boolean;
  /** Statuses that this call takes for a success whatever their body is. */
  lenient?: (status: number) => boolean;
}

export type Exchanged<T> =
  | { ok: true; status: number; value: T }
  /** `error` is what the caller gets when nothing is repeated. */
  | { ok: false; failure: Failure; error: Error };

/** Exactly one request. Never rejects for what the other side does: whether to go on is decided in `retry.ts`. */
export async function exchange<T>(
  wire: Wire,
  question: Question<T>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Exchanged<T>> {
  const { method, path } = question;
  const requestId = randomUUID();
  const headers: Record<string, string> = {
    authorization: `Bearer ${wire.key}`,
    accept: "application/json",
    "x-request-id": requestId,
  };
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  if (body !== undefined) headers["content-type"] = "application/json";
  const query = question.query ? `?${new URLSearchParams(question.query)}` : "";
  let answer: TransportAnswer;
  try {
    answer = await wire.transport({ method, url: `${wire.baseUrl}${path}${query}`, headers, body, timeoutMs, signal });
  } catch (thrown) {
    const reason = networkReason(thrown, wire.redactor);
    const failure = failureOf(thrown);
    if (failure.kind === "unsent" || failure.kind === "untrusted") {
      const where = `${method} ${path}: no connection to ${hostOf(wire.baseUrl)}`;
      return {
        ok: false,
        failure,
        error: new Stopped(`${where}: ${reason}; nothing was sent. Check the service's URL`),
      };
    }
    return { ok: false, failure, error: new Unclear({ method, path }, `${reason} (request id ${requestId})`) };
  }
  return judge(wire, question, answer);
}

/** Host and port, without what else a URL may hold. */
export const hostOf = (baseUrl: string): string => new URL(baseUrl).host;

function failureOf(thrown: unknown): Failure {
  if (isCertificateError(thrown)) return { kind: "untrusted" };
  if (isTooLarge(thrown)) return { kind: "unreadable" };
  return { kind: isUnsent(thrown) ? "unsent" : "cut" };
}

/** For a 404, which may come from a server's other pages: a URL without its version is an easy mistake. */
function doubtOfUrl(baseUrl: string, body: string): string {
  if (!/\/v\d+[a-z0-9]*$/i.test(new URL(baseUrl).pathname)) {
    return " (the service's URL does not end in its version: is /api/v2 missing?)";
  }
  return isProblem(body)
    ? ""
    : " (the API does not answer so: is the service's URL right? It looks like https://host/api/v2)";
}

/** What the answer means. */
function judge<T>(wire: Wire, question: Question<T>, answer: TransportAnswer): Exchanged<T> {
  const { method, path, schema, lenient, secret } = question;
  const { status } = answer;
  const success = status >= 200 && status < 300;
  if (success || lenient?.(status)) {
    const read = schema.safeParse(parse(answer.text));
    if (read.success) return { ok: true, status, value: read.data };
    if (lenient?.(status)) return { ok: true, status, value: schema.parse({}) };
  }
  const said = describe({ method, path }, answer, {
    redactor: wire.redactor,
    host: hostOf(wire.baseUrl),
    wallMs: wire.clock.wall(),
  });
  if (success && secret) said.message = "a body that is not what was asked for; it may hold a secret and is not shown";
  if (success)
    return { ok: false, failure: { kind: "unreadable" }, error: new Unclear({ method, path }, said.message, said) };
  if (status === 401 || status === 403) {
    const hint = status === 401 && wire.keyHint ? `; ${wire.keyHint}` : "";
    said.message += ` (the key comes from ${wire.keySource}${hint})`;
  }
  if (status === 404) said.message += doubtOfUrl(wire.baseUrl, answer.text);
  const failure: Failure = { kind: "status", status, message: said.message, retryAfterMs: said.retryAfterMs };
  const unclear = isUnclear(method, failure);
  return {
    ok: false,
    failure,
    error: unclear ? new Unclear({ method, path }, said.message, said) : new ServiceError(said),
  };
}
