import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { EmulatorAnswer, EmulatorRequest } from "./api.js";
import { pathIn, refusalOf } from "./gate.js";
import { largestBody, problem, splitQuery } from "./http.js";
import { uuid } from "./ids.js";
import { protectedHeaders } from "./protection.js";

/** HTTP on a socket: which requests are let in, how much of them is read, and which headers every answer has. */

type Handle = (request: EmulatorRequest) => Promise<EmulatorAnswer | { cut: true }>;

/** The default of Node.js, set here because an environment variable could raise it. */
const LARGEST_HEAD_BYTES = 16_384;

/** @param hosts what else counts as this machine, beside the loopback names and addresses */
export function listener(handle: Handle, hosts: readonly string[]): Server {
  /** How many requests of a socket are being answered. The answer to a broken request behind them must not get into theirs. */
  const busy = new WeakMap<object, number>();
  const count = (socket: object, change: number) => busy.set(socket, (busy.get(socket) ?? 0) + change);

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    count(socket, 1);
    response.once("close", () => count(socket, -1));
    // A client that hangs up while it is served is no error.
    serve(request, response).catch(() => socket.destroy());
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headersDistinct: headers, url: target = "/", method = "GET", socket } = request;
    const refused = refusalOf({ headers, target, port: socket.localPort ?? 0 }, hosts);
    if (refused) {
      // The body is not read, so nothing that follows on this connection can be read either.
      send(response, problem(uuid(Math.random), refused.status, refused.message), { connection: "close" });
      return;
    }
    const path = pathIn(target);
    const body = await bodyOf(request, path);
    const answer = await handle({
      method,
      path,
      headers: flat(request.headers, body),
      ...(body === "" ? {} : { body }),
    });
    if ("cut" in answer) socket.destroy();
    else send(response, answer);
  }

  // By default Node.js answers a request without `Host` by itself, and drops headers beyond a number in silence: `Origin` may
  // be one.
  const server = createServer({ requireHostHeader: false, maxHeaderSize: LARGEST_HEAD_BYTES }, take);
  server.maxHeadersCount = 0;
  server.on("checkExpectation", take);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || (busy.get(socket) ?? 0) > 0) socket.destroy();
    else socket.end(brokenRequest(error));
  });
  return server;
}

function send(response: ServerResponse, answer: EmulatorAnswer, more: Record<string, string> = {}): void {
  const length = answer.status === 204 ? {} : { "content-length": String(Buffer.byteLength(answer.body)) };
  response.writeHead(answer.status, { ...length, ...protectedHeaders(answer.headers), ...more });
  response.end(answer.body);
}

const STATUS_OF: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The whole answer to a request that Node.js can't read. */
function brokenRequest({ code = "", message }: NodeJS.ErrnoException): string {
  const status = STATUS_OF[code] ?? 400;
  const { headers, body } = problem(uuid(Math.random), status, `not a request that can be read: ${message}`);
  const lines = Object.entries(protectedHeaders(headers)).map(([name, value]) => `${name}: ${value}`);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "connection: close", length, ...lines, "", body].join("\r\n");
}

/** Keeps a little more than is allowed, so that the body can be refused as too large, and drops the rest. */
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

/** A body without a content type gets an empty one, which is refused. */
function flat(headers: IncomingMessage["headers"], body: string): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const given = entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]);
  return { ...(body === "" ? {} : { "content-type": "" }), ...Object.fromEntries(given) };
}
