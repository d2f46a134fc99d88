import type { Dispatcher } from "undici";
import { TIMED_OUT, throughProxy } from "./network.js";
import type { Transport } from "./transport.js";
import { CONNECT_MS, failed, flat, textOf } from "./whole.js";

/**
 * Through the proxy, but for the hosts that `noProxy` names. undici knows how to do both; it is loaded on first use, since
 * it is the largest part of the provider.
 */
export function proxiedTransport(httpsProxy: string, noProxy: string): Transport {
  let dispatcher: Dispatcher | undefined;
  return async ({ method, url, headers, body, timeoutMs }) => {
    const { EnvHttpProxyAgent, request } = require("undici") as typeof import("undici");
    const options = { connect: { timeout: CONNECT_MS }, maxResponseSize: -1 };
    dispatcher ??= new EnvHttpProxyAgent({ ...options, httpsProxy, httpProxy: "", noProxy });
    // undici's own limits start anew with each piece that arrives, so an answer that trickles would never end.
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(failed(TIMED_OUT, `no whole answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const answer = await request(url, {
        method: method as Dispatcher.HttpMethod,
        headers,
        body,
        dispatcher,
        signal: abort.signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      return { status: answer.statusCode, headers: flat(answer.headers), text: await textOf(answer.body) };
    } catch (error) {
      throw throughProxy(error);
    } finally {
      clearTimeout(timer);
    }
  };
}
