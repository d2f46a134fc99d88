// To which URLs a key goes.

/** The public service, where a program names no other. */
export const DEFAULT_API_URL = "https://console.neon.tech/api/v2";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine, whatever else is on the network. */
export const isThisMachine = (host: string): boolean => LOOPBACK.test(host);

/**
 * The host to which a URL of the stack's config would send a key, if only an encrypted URL may do that: any but the public
 * service and this machine. Undefined for what is no URL too: nothing can be sent there.
 */
export function foreignHostOf(url: string | undefined): string | undefined {
  const text = url?.trim();
  if (!text || !URL.canParse(text)) return undefined;
  const { origin, host, hostname } = new URL(text);
  return origin === new URL(DEFAULT_API_URL).origin || isThisMachine(hostname) ? undefined : host;
}
