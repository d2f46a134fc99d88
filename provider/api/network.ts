// What the network's own errors mean. Only codes are looked at: texts differ between versions.

import type { Redactor } from "./redact.js";

/** No connection came about, so the request was not sent. */
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

/** Set by the transport on an answer that is larger than it reads. */
export const BODY_TOO_LARGE = "BODY_TOO_LARGE";
/** Set by the transport when the time for one request is up. */
export const TIMED_OUT = "TIMED_OUT";

const WORDS = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ENOTFOUND", "the host's name is not known"],
  ["EAI_AGAIN", "the host's name could not be looked up"],
  ["ENETUNREACH", "the network can't be reached"],
  ["EHOSTUNREACH", "the host can't be reached"],
  ["UND_ERR_CONNECT_TIMEOUT", "no connection came about in time"],
  ["ECONNRESET", "the connection was cut"],
  ["EPIPE", "the connection was cut"],
  ["UND_ERR_SOCKET", "the connection was cut"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "the connection was cut in the middle of the answer"],
  ["PROXY_REFUSED", "the proxy did not connect"],
  [TIMED_OUT, "no whole answer came in time"],
  ["UND_ERR_HEADERS_TIMEOUT", "no answer came in time"],
  ["UND_ERR_BODY_TIMEOUT", "no whole answer came in time"],
  ["UND_ERR_HEADERS_OVERFLOW", "the answer's headers have no end"],
]);

export const isTooLarge = (error: unknown): boolean => codeOf(error) === BODY_TOO_LARGE;

export function isUnsent(error: unknown): boolean {
  return UNSENT.has(codeOf(error));
}

/** The other side is not who the URL names, or nobody vouches for it: nothing was sent, and waiting does not help. */
export function isCertificateError(error: unknown): boolean {
  return /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/.test(codeOf(error));
}

/** A sentence for a failed exchange, with the code for who wants to search for it. */
export function networkReason(error: unknown, redactor: Redactor): string {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const words = WORDS.get(code) ?? (redactor.redactForeign(message).slice(0, 300) || "the request failed");
  const via =
    error instanceof ProxiedError
      ? "; HTTPS_PROXY names a proxy, through which it goes unless NO_PROXY names the host"
      : "";
  return `${words}${code ? ` (${code})` : ""}${via}`;
}

/** What went wrong on the way through a proxy: the reader has to know that there is one. */
class ProxiedError extends Error {}

export function throughProxy(cause: unknown): Error {
  const error = new ProxiedError(cause instanceof Error ? cause.message : String(cause), { cause });
  // Our own end of a request has a code of ours: this one is the proxy's answer to CONNECT.
  return codeOf(cause) === "UND_ERR_ABORTED" ? Object.assign(error, { code: "PROXY_REFUSED" }) : error;
}

function codeOf(error: unknown): string {
  // Several addresses of one host fail together as an AggregateError, others wrap what they met as `cause`.
  for (let at: unknown = error, depth = 0; at instanceof Object && depth < 4; depth++) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: unknown[] };
    if (typeof code === "string" && code !== "") return code;
    at = cause ?? errors?.[0];
  }
  return "";
}
