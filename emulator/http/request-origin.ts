import { isIPv4 } from "node:net";

/**
 * Who may use the emulator: programs of this machine, and pages that the emulator itself serves. Pages of other sites are refused,
 * although their browser runs on this machine. The check comes before the routes, so it applies to each route, also to new ones.
 *
 * - `Host` (and the authority of an absolute request target) must name this machine with this port. This stops DNS rebinding: an
 *   attacker's host name that resolves to 127.0.0.1.
 * - `Origin` must be the address that `Host` names. Browsers send it with each request that can change something.
 * - `Sec-Fetch-Site` must be `same-origin`, or `none`, which browsers send if a person typed the address. Programs send neither
 *   `Origin` nor `Sec-Fetch-Site`.
 *
 * A page of the emulator itself, such as a console at `/`, needs no exception: its requests are same-origin.
 */

/** The parts of a request that tell who sent it. */
export interface Sender {
  /** Each header with all its values. If a header has two values, neither can be trusted. */
  headers: NodeJS.Dict<string[]>;
  /** The target in the request line. */
  target: string;
  /** The port that received the request. */
  port: number;
}

interface OriginError {
  status: number;
  message: string;
}

const OWN_PAGE = ["same-origin", "none"];
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is;
const LONGEST_SHOWN = 200;

/**
 * The error for a request that does not come from this machine or from a page of the emulator.
 * @param hosts further values of `Host` that name this machine
 */
export function originError({ headers, target, port }: Sender, hosts: readonly string[]): OriginError | undefined {
  const named = headers["host"] ?? [];
  if (named.length !== 1) {
    const count = named.length === 0 ? "is missing" : `is there ${named.length} times`;
    return {
      status: 400,
      message: `the emulator refuses a request whose Host ${count}: send it once, as 127.0.0.1:${port}`,
    };
  }
  const host = named[0] as string;
  const absolute = ABSOLUTE.exec(target);
  if (!isThisMachine(host, port, hosts)) return refusal("Host", host, notThisMachine(port));
  if (absolute && !(absolute[1]?.toLowerCase() === "http" && isThisMachine(absolute[2] as string, port, hosts))) {
    return refusal("the request target", target, notThisMachine(port));
  }
  for (const origin of headers["origin"] ?? []) {
    if (!isOwnOrigin(origin, host, hosts)) return refusal("Origin", origin, OTHER_SITE);
  }
  for (const site of headers["sec-fetch-site"] ?? []) {
    if (!OWN_PAGE.includes(site)) return refusal("Sec-Fetch-Site", site, OTHER_SITE + AFTER_A_LINK);
  }
  return undefined;
}

/** The path and the query of a request target in either form, `/path` or `http://host/path`. */
export function pathIn(target: string): string {
  const path = ABSOLUTE.exec(target)?.[3];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}

const OTHER_SITE = "which belongs to a page of another site: a program must leave this header out";
/** Browsers then send `none`. */
const AFTER_A_LINK = "; if you followed a link, click the address bar and press Enter";
const notThisMachine = (port: number) =>
  `which does not name this machine: send the request to 127.0.0.1:${port}, ` +
  "or name the host when you start the emulator (--hosts, in a program hosts)";

const refusal = (name: string, value: string, reason: string): OriginError => ({
  status: 403,
  message: `the emulator refuses ${name} ${JSON.stringify(value.slice(0, LONGEST_SHOWN))}, ${reason}`,
});

const HTTP_PORT = 80;

function isThisMachine(authority: string, port: number, hosts: readonly string[]): boolean {
  const written = authority.toLowerCase();
  if (hosts.some((one) => one.toLowerCase() === written)) return true;
  const [, name = "", given] = /^(\[[0-9a-f:.]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(written) ?? [];
  return isLoopback(name) && Number(given ?? HTTP_PORT) === port;
}

/** The loopback names that browsers and programs use. Names such as `a.localhost` are refused, because nobody uses them. */
function isLoopback(name: string): boolean {
  if (name === "localhost" || name === "localhost." || name === "[::1]") return true;
  return isIPv4(name) && name.startsWith("127.");
}

/** Accepts https for a host of the option `hosts`: a proxy in front of the emulator may speak TLS. */
function isOwnOrigin(origin: string, host: string, hosts: readonly string[]): boolean {
  const written = origin.toLowerCase();
  const own = host.toLowerCase();
  if (written === `http://${own}`) return true;
  return written === `https://${own}` && hosts.some((one) => one.toLowerCase() === own);
}
