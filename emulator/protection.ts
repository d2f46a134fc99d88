/**
 * Headers of every answer, also of a scripted answer, a refusal and the answer to a request that is no HTTP. They tell a
 * browser that the answer is data. If a fault answers with a page, the browser opens it in an origin of its own, where no
 * script runs: the page can't use the emulator for the person who opened it. Only a page of the emulator's own would be an
 * exception, with another policy.
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

/** Whether a header would let pages of other origins read the answer. */
export const opensUp = (name: string): boolean => name.toLowerCase().startsWith("access-control-");

/** The headers of an answer, names in small letters. No answer can change the protection. */
export const protectedHeaders = (headers: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !opensUp(name))),
  ...PROTECTION,
});
