/** The password in a connection URI. In one that is well formed it holds neither `@` nor `/`. */
const PASSWORD = /(\bpostgres(?:ql)?:\/\/[^\s:@/]*:)[^\s@/]+@/gi;

/**
 * Takes the key, and passwords of connection URIs, out of a text that others wrote: a service or a proxy may repeat a
 * request or an answer in its error.
 */
export function redact(text: string, key: string): string {
  const safe = text.replace(PASSWORD, "$1[password]@");
  // A key of a letter or two (in somebody's test) would garble every text and is no secret.
  return key.length < 4 ? safe : safe.replaceAll(key, "[key]");
}
