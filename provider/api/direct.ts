import * as http from "node:http";
import * as https from "node:https";
import { CONNECT_TIMEOUT, TIMED_OUT } from "./network.js";
import type { Transport, TransportAnswer, TransportRequest } from "./transport.js";
import { CONNECT_MS, failed, flat, textOf } from "./whole.js";

/** Milliseconds an idle connection is kept where the server does not say: shorter than any server keeps it. */
const IDLE_MS = 4_000;

/**
 * Without a proxy, Node.js itself is enough. It is loaded already, while undici takes 0.1 s of a core and 50 MB at the
 * first request of every process, most of it to compile what it parses answers with.
 */
export function directTransport(): Transport {
  const options = { keepAlive: true, timeout: IDLE_MS };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };
  return async (wanted) => {
    const secure = wanted.url.startsWith("https:");
    const { method, headers } = wanted;
    const request = secure
      ? https.request(wanted.url, { method, headers, agent: agents["https:"] })
      : http.request(wanted.url, { method, headers, agent: agents["http:"] });
    return ended(request, wanted, secure ? "secureConnect" : "connect");
  };
}

async function ended(
  request: http.ClientRequest,
  { body, timeoutMs }: TransportRequest,
  connected: string,
): Promise<TransportAnswer> {
  let late: Error | undefined;
  const end = (code: string, message: string) => {
    late = failed(code, message);
    request.destroy(late);
  };
  // The time of a socket starts anew with each piece that arrives, so an answer that trickles would never end.
  const timer = setTimeout(() => end(TIMED_OUT, `no whole answer within ${timeoutMs} ms`), timeoutMs);
  let connecting: NodeJS.Timeout | undefined;
  const stopConnecting = () => clearTimeout(connecting);
  request.once("socket", (socket) => {
    if (!request.reusedSocket) {
      connecting = setTimeout(() => end(CONNECT_TIMEOUT, `no connection within ${CONNECT_MS} ms`), CONNECT_MS);
      socket.once(connected, stopConnecting);
    }
  });
  try {
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once("response", resolve);
      // Also when the answer has begun: an error that nobody hears would end the process.
      request.on("error", reject);
      request.end(body);
    });
    return { status: answer.statusCode ?? 0, headers: flat(answer.headers), text: await textOf(answer) };
  } catch (error) {
    // What was cut by us looks like any other cut to who reads the body.
    throw late ?? error;
  } finally {
    clearTimeout(timer);
    stopConnecting();
  }
}
