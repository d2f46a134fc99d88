import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunningEmulator } from "./api.js";
import { connectionTimes } from "./connections.js";
import { build } from "./core.js";
import { hold } from "./hold.js";
import { BASE_PATH, largestBody } from "./http.js";
import type { EmulatorOptions } from "./options.js";

const LOOPBACK = "127.0.0.1";

/**
 * Starts a control plane on 127.0.0.1, by default with a seeded project (`SEED`) on a free port. It runs until it is
 * closed.
 * @example
 * const emulator = await startEmulator({ operationMs: 50 });
 * // … COMPUTE_API_URL=emulator.url COMPUTE_API_KEY=emulator.apiKey
 * await emulator.close();
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<RunningEmulator> {
  const { emulator, keep } = build(options);
  const release = options.state === undefined ? () => {} : hold(options.state);
  const server = createServer((request, response) => {
    // A client that hangs up while it is served is no news.
    serve(request, response).catch(() => request.socket.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const answer = await emulator.handle({
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: flat(request.headers),
      ...(body === "" ? {} : { body }),
    });
    if ("cut" in answer) {
      request.socket.destroy();
      return;
    }
    const length = answer.status === 204 ? {} : { "content-length": String(Buffer.byteLength(answer.body)) };
    response.writeHead(answer.status, { ...length, ...answer.headers });
    response.end(answer.body);
  }

  try {
    // At once: whoever is told the key finds it again, and a file that can't be written is no surprise later on.
    await keep();
    Object.assign(server, connectionTimes(options));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(options.port ?? 0, LOOPBACK, resolve);
    });
  } catch (error) {
    release();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const origin = `http://${LOOPBACK}:${port}`;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    })
      .then(keep)
      .finally(release);
    return closing;
  };
  // Defined on the object itself, not spread: `world` is looked up anew each time.
  return Object.defineProperties(emulator, {
    origin: { value: origin, enumerable: true },
    url: { value: `${origin}${BASE_PATH}`, enumerable: true },
    close: { value: close, enumerable: true },
  }) as RunningEmulator;
}

/** Reads a little more than is allowed, so that the refusal can be given, and no more. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  const largest = largestBody(request.url ?? "");
  let length = 0;
  for await (const chunk of request) {
    if (length <= largest) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).toString();
}

function flat(headers: IncomingMessage["headers"]): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}
