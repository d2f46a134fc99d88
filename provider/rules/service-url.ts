// Which hosts a key may be sent to.

/** The public service, where a program names no other. */
export const DEFAULT_API_URL = "https://console.neon.tech/api/v2";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine, whatever else is on the network. */
export const isThisMachine = (host: string): boolean => LOOPBACK.test(host);

/**
 * The host of a URL in the stack's config, if that URL has to be encrypted before a key is sent there: any host but the public
 * service and this machine. Undefined for these two, and for a text that is no URL: nothing can be sent there.
 */
export function foreignHostOf(url: string | undefined): string | undefined {
  const text = url?.trim();
  if (!text || !URL.canParse(text)) return undefined;
  const { origin, host, hostname } = new URL(text);
  return origin === new URL(DEFAULT_API_URL).origin || isThisMachine(hostname) ? undefined : host;
}
