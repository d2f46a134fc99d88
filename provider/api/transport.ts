import { directTransport } from "./direct.js";
import { proxiedTransport } from "./proxied.js";

/** One HTTP request, as the seam between the client and the network (tests script the other side). */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds for the whole exchange: connecting, sending, the answer's head and its body. */
  timeoutMs: number;
}

export interface TransportAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
}

/** Rejects when no whole answer came: refused, cut, timed out, or a body that is too large or never ends. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/**
 * The real network. Redirects are answers like any other, because the key must not go along. Idle connections are kept
 * for the next poll; the process ends all the same. `HTTPS_PROXY` and `NO_PROXY` of the environment hold; what goes to
 * this machine (`http:`) never takes a proxy.
 */
export function networkTransport(env: NodeJS.ProcessEnv = process.env): Transport {
  const httpsProxy = env["https_proxy"] || env["HTTPS_PROXY"];
  const direct = directTransport();
  if (!httpsProxy) return direct;
  const proxied = proxiedTransport(httpsProxy, env["no_proxy"] || env["NO_PROXY"] || "");
  return (request) => (request.url.startsWith("https:") ? proxied(request) : direct(request));
}
