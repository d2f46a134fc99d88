// Explains network errors by their codes. The texts differ between versions.

import type { Redactor } from "./redact.js";

/** With these codes there was no connection, so the request was not sent. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "PROXY_REFUSED",
]);

/** Code of the transport's error for an answer that is too large. */
export const BODY_TOO_LARGE = "BODY_TOO_LARGE";
/** Code of the transport's error for a request that took too long. */
export const TIMED_OUT = "TIMED_OUT";

const REASONS = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ENOTFOUND", "the host's name is not known"],
  ["EAI_AGAIN", "the host's name could not be looked up"],
  ["ENETUNREACH", "the network can't be reached"],
  ["EHOSTUNREACH", "the host can't be reached"],
  ["UND_ERR_CONNECT_TIMEOUT", "there was no connection in time"],
  ["ECONNRESET", "the connection was cut"],
  ["EPIPE", "the connection was cut"],
  ["UND_ERR_SOCKET", "the connection was cut"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "the connection was cut in the middle of the answer"],
  ["PROXY_REFUSED", "the proxy did not connect"],
  [TIMED_OUT, "the response did not complete in time"],
  ["UND_ERR_HEADERS_TIMEOUT", "no answer came in time"],
  ["UND_ERR_BODY_TIMEOUT", "the response did not complete in time"],
  ["UND_ERR_HEADERS_OVERFLOW", "the response headers are too large"],
]);

export const isTooLarge = (error: unknown): boolean => codeOf(error) === BODY_TOO_LARGE;

export function isUnsent(error: unknown): boolean {
  return UNSENT.has(codeOf(error));
}

/** The certificate is for another host, or not trusted. Nothing was sent, and waiting does not help. */
export function isCertificateError(error: unknown): boolean {
  return /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/.test(codeOf(error));
}

/** A sentence for a failed request, with the code that a reader can search for. */
export function networkReason(error: unknown, redactor: Redactor): string {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const reason = REASONS.get(code) ?? (redactor.redactExternal(message).slice(0, 300) || "the request failed");
  const via =
    error instanceof ProxiedError
      ? "; the request goes through the proxy that HTTPS_PROXY names, unless NO_PROXY names the host"
      : "";
  return `${reason}${code ? ` (${code})` : ""}${via}`;
}

/** A failed request that went through a proxy. The message names the proxy, because users often forget it. */
class ProxiedError extends Error {}

export function throughProxy(cause: unknown): Error {
  const error = new ProxiedError(cause instanceof Error ? cause.message : String(cause), { cause });
  // We abort requests with codes of our own, so this code means that the proxy has refused CONNECT.
  return codeOf(cause) === "UND_ERR_ABORTED" ? Object.assign(error, { code: "PROXY_REFUSED" }) : error;
}

function codeOf(error: unknown): string {
  // The addresses of one host fail together as an AggregateError. Other errors hold the code in their `cause`.
  for (let at: unknown = error, depth = 0; at instanceof Object && depth < 4; depth++) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: unknown[] };
    if (typeof code === "string" && code !== "") return code;
    at = cause ?? errors?.[0];
  }
  return "";
}
