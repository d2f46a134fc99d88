import type { AddressInfo } from "node:net";
import type { RunningEmulator } from "./api.js";
import { connectionTimes } from "./connections.js";
import { build } from "./core.js";
import { hold } from "./hold.js";
import { BASE_PATH } from "./http.js";
import { listener } from "./listener.js";
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
  const server = listener(emulator.handle, options.hosts ?? []);
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
