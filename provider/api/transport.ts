import type { Dispatcher } from "undici";
import { BODY_TOO_LARGE, TIMED_OUT, throughProxy } from "./network.js";

/** One HTTP request. Tests pass a transport of their own, and script the answers. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds for all of it: connecting, sending, and the whole answer. */
  timeoutMs: number;
  /** Aborts the request. */
  signal?: AbortSignal;
}

export interface TransportAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
}

/** Rejects when no whole answer came: refused, cut, timed out, or too large. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** Bytes of a body that are read. A page of 1000 operations has half a megabyte. */
export const BODY_LIMIT = 16 * 1024 * 1024;
/** Milliseconds for connecting. */
const CONNECT_MS = 10_000;
const OPTIONS = { connect: { timeout: CONNECT_MS }, maxResponseSize: -1 };

/**
 * The real network. Redirects are not followed, because the key would go along. Idle connections are kept for the next poll;
 * undici lets the process end all the same. Requests obey `HTTPS_PROXY` and `NO_PROXY` of the environment. Requests to this
 * machine (`http:`) never take a proxy.
 */
export function undiciTransport(
  dispatcher?: Dispatcher,
  env: NodeJS.ProcessEnv = process.env,
  bodyLimit = BODY_LIMIT,
): Transport {
  let own = dispatcher;
  const httpsProxy = env["https_proxy"] || env["HTTPS_PROXY"];
  return async ({ method, url, headers, body, timeoutMs, signal }) => {
    own ??= httpsProxy ? proxied(httpsProxy, env["no_proxy"] || env["NO_PROXY"] || "") : direct();
    // undici's own timeouts are off: they begin anew with each chunk, so a slow response would never time out.
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(failed(TIMED_OUT, `no whole answer within ${timeoutMs} ms`)), timeoutMs);
    const giveUp = () => abort.abort(signal?.reason);
    if (signal?.aborted) giveUp();
    signal?.addEventListener("abort", giveUp);
    try {
      const { origin, pathname, search } = new URL(url);
      const answer = await own.request({
        origin,
        path: pathname + search,
        method: method as Dispatcher.HttpMethod,
        headers,
        body,
        signal: abort.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return { status: answer.statusCode, headers: flat(answer.headers), text: await read(answer.body, bodyLimit) };
    } catch (error) {
      if (httpsProxy && url.startsWith("https:")) throw throughProxy(error);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  };
}

// Loaded on first use: a preview sends nothing, and undici is the largest part of the provider.
const wholeUndici = () => require("undici") as typeof import("undici");

/**
 * Loads only undici's agent and request function: the whole package takes three times as long. Falls back to the whole package.
 */
export function direct(load: (path: string) => unknown = require): Dispatcher {
  try {
    const Agent = load("undici/lib/dispatcher/agent.js") as typeof import("undici").Agent;
    const request = load("undici/lib/api/api-request.js") as Dispatcher["request"];
    return Object.assign(new Agent(OPTIONS), { request });
  } catch {
    return new (wholeUndici().Agent)(OPTIONS);
  }
}

function proxied(httpsProxy: string, noProxy: string): Dispatcher {
  return new (wholeUndici().EnvHttpProxyAgent)({ ...OPTIONS, httpsProxy, httpProxy: "", noProxy });
}

async function read(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the body, and with it the connection.
  for await (const part of body) {
    size += part.length;
    if (size > limit) throw failed(BODY_TOO_LARGE, `the answer is larger than ${limit / 2 ** 20} MB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });
