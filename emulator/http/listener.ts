import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { uuid } from "../model/ids.js";
import type { EmulatorOptions } from "../model/options.js";
import { consolePage } from "./console-page.js";
import { type EmulatorAnswer, type EmulatorRequest, errorResponse, largestBody, splitQuery } from "./messages.js";
import { originError, pathIn } from "./request-origin.js";
import { withSecurityHeaders } from "./security-headers.js";

type Handle = (request: EmulatorRequest) => Promise<EmulatorAnswer | { cut: true }>;

/** The default of Node.js, set here because an environment variable could raise it. */
const LARGEST_HEAD_BYTES = 16_384;

/** Serves HTTP on a socket: decides which requests are accepted, reads them, and adds the security headers to each response. */
export function listener(handle: Handle, options: EmulatorOptions): Server {
  const { hosts = [] } = options;
  /** The number of open requests on each socket. The response to a broken request must not get into their responses. */
  const busy = new WeakMap<object, number>();
  const count = (socket: object, change: number) => busy.set(socket, (busy.get(socket) ?? 0) + change);

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    count(socket, 1);
    response.once("close", () => count(socket, -1));
    // It is not an error if the client hangs up before the response.
    serve(request, response).catch(() => socket.destroy());
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headersDistinct: headers, url: target = "/", method = "GET", socket } = request;
    const refused = originError({ headers, target, port: socket.localPort ?? 0 }, hosts);
    if (refused) {
      // The body is not read, so no later request on this connection can be read either.
      send(response, errorResponse(uuid(Math.random), refused.status, refused.message), { connection: "close" });
      return;
    }
    const path = pathIn(target);
    const page = method === "GET" || method === "HEAD" ? await consolePage(splitQuery(path)[0]) : undefined;
    if (page) {
      response.writeHead(page.status, page.headers).end(page.body);
      return;
    }
    const body = await bodyOf(request, path);
    const answer = await handle({
      method,
      path,
      headers: joinHeaders(request.headers, body),
      ...(body === "" ? {} : { body }),
    });
    if ("cut" in answer) socket.destroy();
    else send(response, answer);
  }

  // By default Node.js answers a request without `Host` itself. It also drops headers silently if there are too
  // many, and `Origin` may be one of them.
  const server = createServer({ requireHostHeader: false, maxHeaderSize: LARGEST_HEAD_BYTES }, take);
  server.maxHeadersCount = 0;
  Object.assign(server, connectionTimes(options));
  server.on("checkExpectation", take);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || (busy.get(socket) ?? 0) > 0) socket.destroy();
    else socket.end(brokenRequest(error));
  });
  return server;
}

function send(response: ServerResponse, answer: EmulatorAnswer, more: Record<string, string> = {}): void {
  const length = answer.status === 204 ? {} : { "content-length": String(Buffer.byteLength(answer.body)) };
  response.writeHead(answer.status, { ...length, ...withSecurityHeaders(answer.headers), ...more });
  response.end(answer.body);
}

const STATUS_OF = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** The complete response to a request that Node.js can't parse. */
function brokenRequest({ code = "", message }: NodeJS.ErrnoException): string {
  const status = STATUS_OF.get(code) ?? 400;
  const { headers, body } = errorResponse(uuid(Math.random), status, `not a request that can be read: ${message}`);
  const lines = Object.entries(withSecurityHeaders(headers)).map(([name, value]) => `${name}: ${value}`);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "connection: close", length, ...lines, "", body].join("\r\n");
}

/** Reads the body. Keeps a little more than the limit, so that a body that is too large can be refused, and drops the rest. */
async function bodyOf(request: IncomingMessage, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  const largest = largestBody(splitQuery(path)[0]);
  let length = 0;
  for await (const chunk of request) {
    if (length <= largest) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).toString();
}

/** The headers with one value each. A body without a content type gets an empty one, which is refused. */
function joinHeaders(headers: IncomingMessage["headers"], body: string): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const given = entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]);
  return { ...(body === "" ? {} : { "content-type": "" }), ...Object.fromEntries(given) };
}

/**
 * Lets connections stay open. By default Node.js closes a connection after 5 seconds without a request, and a new
 * connection after 60 seconds without headers. A test program that was busy for that long would meet a reset in the
 * middle of its next POST. Only programs of this machine connect, so the emulator needs no guard against clients that
 * hold connections.
 */
export const connectionTimes = ({
  keepAliveMs = 0,
}: EmulatorOptions): Pick<Server, "keepAliveTimeout" | "headersTimeout" | "requestTimeout"> => ({
  keepAliveTimeout: keepAliveMs,
  headersTimeout: 0,
  requestTimeout: 0,
});
