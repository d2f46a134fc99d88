/**
 * What every answer tells a browser, also a scripted one, a refusal and an answer to what is no HTTP: the answer is data.
 * A page that a fault answers with is opened in an origin of its own, where no script runs, so that it can't use the
 * emulator as the person who opened it. A page of our own would be the only exception, with a policy of its own.
 */
export const PROTECTION: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  // Another port of this machine is the same site, so `same-site` would not keep its pages out.
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  // The world holds passwords.
  "cache-control": "no-store",
};

/** A header with which pages of other origins would be let in. */
export const opensUp = (name: string): boolean => name.toLowerCase().startsWith("access-control-");

/** The headers of an answer, names in small letters. Nothing that answers can change the protection. */
export const protectedHeaders = (headers: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !opensUp(name))),
  ...PROTECTION,
});
