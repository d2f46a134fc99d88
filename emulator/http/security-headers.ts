import { isCorsHeader } from "../model/fault-rules.js";

/**
 * Headers of every response, also of scripted responses, errors, and responses to requests that are no HTTP. They tell a browser
 * that the response is data. If a fault answers with a page, the browser opens it in an origin of its own and runs no script: the
 * page can't use the emulator for the person who opened it.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  // Another port of this machine is the same site, so `same-site` would not keep its pages out.
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  // The world holds passwords.
  "cache-control": "no-store",
};

/**
 * The policy of the console page, which is the only response that may run scripts: its own file. Nothing in it can load from, send
 * to, or be framed by another site. Trusted types make a browser that knows them refuse every text as HTML.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The headers of the console page. A page of another site that opens this page gets no reference to its window. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "content-security-policy": PAGE_POLICY,
  "cross-origin-opener-policy": "same-origin",
};

/** The headers of a response, with names in lower case. No response can change the security headers. */
export const withSecurityHeaders = (headers: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isCorsHeader(name))),
  ...SECURITY_HEADERS,
});
