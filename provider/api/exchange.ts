import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import type { Clock } from "../clock.js";
import { ServiceError, Stopped, UnknownOutcome } from "../errors.js";
import { isProblem, parse, type RequestLine, serviceAnswerOf } from "./answer.js";
import { isCertificateError, isTooLarge, isUnsent, networkReason } from "./network.js";
import type { Redactor } from "./redact.js";
import { hasUnknownOutcome, type RequestFailure } from "./retry.js";
import type { Transport, TransportAnswer } from "./transport.js";

/** Settings that all requests of a client share. */
export interface ExchangeOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  key: string;
  redactor: Redactor;
  keySource: string;
  /** Absent where nobody configured a URL. */
  urlSource?: string;
  /** Advice for the user when the service refuses the key. Absent if there is none. */
  keyHint?: string;
  clock: Clock;
  transport: Transport;
}

export interface ApiRequest<T> extends RequestLine {
  query?: Record<string, string>;
  body?: unknown;
  /** Reads the parsed body of a success; an empty body is `{}`. */
  schema: z.ZodMiniType<T>;
  /** Whether the answer holds a secret. Then nothing of it is shown, even if it can't be read. */
  secret?: boolean;
  /** Whether this call accepts a status as a success, whatever the body is. */
  lenient?: (status: number) => boolean;
}

export type ExchangeResult<T> =
  | { ok: true; status: number; value: T }
  /** `error` is thrown where the request is not repeated. */
  | { ok: false; failure: RequestFailure; error: Error };

/** Sends exactly one request. A failure is a result, not a rejection: `retry.ts` decides whether to send it again. */
export async function exchange<T>(
  options: ExchangeOptions,
  request: ApiRequest<T>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ExchangeResult<T>> {
  const { method, path } = request;
  const requestId = randomUUID();
  const headers: Record<string, string> = {
    authorization: `Bearer ${options.key}`,
    accept: "application/json",
    "x-request-id": requestId,
  };
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  if (body !== undefined) headers["content-type"] = "application/json";
  const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
  let answer: TransportAnswer;
  try {
    answer = await options.transport({
      method,
      url: `${options.baseUrl}${path}${query}`,
      headers,
      body,
      timeoutMs,
      signal,
    });
  } catch (thrown) {
    const reason = networkReason(thrown, options.redactor);
    const failure = failureOf(thrown);
    if (failure.kind === "unsent" || failure.kind === "untrusted") {
      const where = `${method} ${path}: no connection to ${hostOf(options.baseUrl)}`;
      return {
        ok: false,
        failure,
        error: new Stopped(`${where}: ${reason}; nothing was sent`),
      };
    }
    return { ok: false, failure, error: new UnknownOutcome({ method, path }, `${reason} (request id ${requestId})`) };
  }
  return resultOf(options, request, answer);
}

/** Host and port: the rest of a URL may hold a password. */
export const hostOf = (baseUrl: string): string => new URL(baseUrl).host;

function failureOf(thrown: unknown): RequestFailure {
  if (isCertificateError(thrown)) return { kind: "untrusted" };
  if (isTooLarge(thrown)) return { kind: "unreadable" };
  return { kind: isUnsent(thrown) ? "unsent" : "cut" };
}

/**
 * Why the configured URL may be wrong. Users often leave the version out of the URL. Then an API answers 404 or 405, and a web
 * server sends a page or a redirect.
 */
function urlDoubt({ baseUrl, urlSource }: ExchangeOptions, status: number, body: string): string | undefined {
  const from = urlSource === undefined ? "" : ` It comes from ${urlSource}`;
  const mayBeWrongUrl = status === 404 || status === 405 || status < 400;
  if (mayBeWrongUrl && !/\/v\d+[a-z0-9]*$/i.test(new URL(baseUrl).pathname)) {
    return `the service's URL does not end in its version: is /api/v2 missing?${from}`;
  }
  return status !== 404 || isProblem(body)
    ? undefined
    : `this is not an answer of the API: is the service's URL right? It looks like https://host/api/v2${from && `.${from}`}`;
}

function resultOf<T>(options: ExchangeOptions, request: ApiRequest<T>, answer: TransportAnswer): ExchangeResult<T> {
  const { method, path, schema, lenient, secret } = request;
  const { status } = answer;
  const success = status >= 200 && status < 300;
  if (success || lenient?.(status)) {
    const read = schema.safeParse(parse(answer.text));
    if (read.success) return { ok: true, status, value: read.data };
    if (lenient?.(status)) return { ok: true, status, value: schema.parse({}) };
  }
  const shown = serviceAnswerOf({ method, path }, answer, {
    redactor: options.redactor,
    host: hostOf(options.baseUrl),
    wallMs: options.clock.wall(),
  });
  if (success && secret) shown.message = "the body has an unexpected form; it may contain a secret and is not shown";
  const doubt = urlDoubt(options, status, answer.text);
  if (doubt !== undefined) Object.assign(shown, { message: `${shown.message} (${doubt})`, urlDoubt: doubt });
  if (success)
    return {
      ok: false,
      failure: { kind: "unreadable" },
      error: new UnknownOutcome({ method, path }, shown.message, shown),
    };
  if (status === 401 || status === 403) {
    const hint = status === 401 && options.keyHint ? `; ${options.keyHint}` : "";
    shown.message += ` (the key comes from ${options.keySource}${hint})`;
  }
  const failure: RequestFailure = { kind: "status", status, message: shown.message, retryAfterMs: shown.retryAfterMs };
  const isUnknown = hasUnknownOutcome(method, failure);
  return {
    ok: false,
    failure,
    error: isUnknown ? new UnknownOutcome({ method, path }, shown.message, shown) : new ServiceError(shown),
  };
}
