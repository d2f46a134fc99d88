import { isIPv4 } from "node:net";

/**
 * Who may talk to the emulator: programs of this machine, and pages that the emulator itself serves. A page of another
 * site is refused, although the browser that shows it runs on this machine. The check comes before the routes, so it holds for
 * the API, for the control routes and for every route that is added.
 *
 * - `Host` (and the authority of an absolute request target) names this machine with this port. A name that an attacker owns
 *   and points to 127.0.0.1 does not.
 * - `Origin`, which browsers send with each request that can change something, is the address that `Host` names.
 * - `Sec-Fetch-Site` is `same-origin`, or `none` where a person typed the address. Programs send neither `Origin` nor
 *   `Sec-Fetch-Site`.
 *
 * A page of our own, such as a console at `/`, needs no exception: it is opened by its address, and what it asks for is
 * same-origin.
 */

/** A request, as far as it tells who sent it. */
export interface Sender {
  /** Each header with all its values: if two of them differ, neither can be trusted. */
  headers: NodeJS.Dict<string[]>;
  /** As it stands in the request line. */
  target: string;
  /** The port on which it came in. */
  port: number;
}

interface GateRefusal {
  status: number;
  message: string;
}

const OWN_PAGE = ["same-origin", "none"];
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is;
const LONGEST_SHOWN = 200;

/**
 * Why a request is refused, if it is.
 * @param hosts what else counts as this machine, beside the loopback names and addresses
 */
export function refusalOf({ headers, target, port }: Sender, hosts: readonly string[]): GateRefusal | undefined {
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
  if (!isHere(host, port, hosts)) return foreign("Host", host, notHere(port));
  if (absolute && !(absolute[1]?.toLowerCase() === "http" && isHere(absolute[2] as string, port, hosts))) {
    return foreign("the request target", target, notHere(port));
  }
  for (const origin of headers["origin"] ?? []) {
    if (!isOwnOrigin(origin, host, hosts)) return foreign("Origin", origin, OF_ANOTHER_SITE);
  }
  for (const site of headers["sec-fetch-site"] ?? []) {
    if (!OWN_PAGE.includes(site)) return foreign("Sec-Fetch-Site", site, OF_ANOTHER_SITE);
  }
  return undefined;
}

/** The path and the query, whichever form the request target has. */
export function pathIn(target: string): string {
  const path = ABSOLUTE.exec(target)?.[3];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}

const OF_ANOTHER_SITE =
  "which is of a page of another site: programs do not send this header, pages of the emulator do";
const notHere = (port: number) =>
  `which does not name this machine: send the request to 127.0.0.1:${port}, localhost:${port} or [::1]:${port}, ` +
  "or name the host when you start the emulator (--hosts, in a program hosts)";

const foreign = (name: string, value: string, reason: string): GateRefusal => ({
  status: 403,
  message: `the emulator refuses ${name} ${JSON.stringify(value.slice(0, LONGEST_SHOWN))}, ${reason}`,
});

const HTTP_PORT = 80;

function isHere(authority: string, port: number, hosts: readonly string[]): boolean {
  const written = authority.toLowerCase();
  if (hosts.some((one) => one.toLowerCase() === written)) return true;
  const [, name = "", given] = /^(\[[0-9a-f:.]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(written) ?? [];
  return isLoopback(name) && Number(given ?? HTTP_PORT) === port;
}

/**
 * The forms that browsers and programs write. Names below `localhost` are this machine's too, but nobody uses them: they are
 * refused.
 */
function isLoopback(name: string): boolean {
  if (name === "localhost" || name === "localhost." || name === "[::1]") return true;
  return isIPv4(name) && name.startsWith("127.");
}

/** For a host of the option `hosts` the origin may be https: a proxy before the emulator may speak TLS. */
function isOwnOrigin(origin: string, host: string, hosts: readonly string[]): boolean {
  const written = origin.toLowerCase();
  const own = host.toLowerCase();
  if (written === `http://${own}`) return true;
  return written === `https://${own}` && hosts.some((one) => one.toLowerCase() === own);
}
