// Which hosts a key may be sent to.

/** The public service, where a program names no other. */
export const DEFAULT_API_URL = "https://console.neon.tech/api/v2";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine (loopback). */
export const isThisMachine = (host: string): boolean => LOOPBACK.test(host);

/** Whether a URL names another host than the public service and this machine. A text that is not a URL names no host. */
export function isForeign(url: string): boolean {
  if (!URL.canParse(url.trim())) return false;
  const { origin, hostname } = new URL(url.trim());
  return origin !== new URL(DEFAULT_API_URL).origin && !isThisMachine(hostname);
}
