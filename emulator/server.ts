import type { AddressInfo } from "node:net";
import { buildEmulator, type Emulator } from "./emulator.js";
import { listener } from "./http/listener.js";
import { BASE_PATH } from "./http/messages.js";
import { assertOptions, type EmulatorOptions } from "./model/options.js";
import { lockState } from "./state/state-lock.js";

/** A control plane that listens on 127.0.0.1. */
export interface RunningEmulator extends Emulator {
  /** `http://127.0.0.1:4010` */
  readonly origin: string;
  /** The base URL: the origin with `/api/v2`. */
  readonly url: string;
  /** Ends all connections. A second call does nothing. */
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
/** Milliseconds between a request to stop and the end, so that the response to that request is sent first. */
const LAST_RESPONSE_MS = 50;

/**
 * Starts a control plane on 127.0.0.1, by default with a seeded project (`SEED`) on a free port. It runs until it
 * is closed.
 * @example
 * const emulator = await startEmulator({ operationMs: 50 });
 * // … COMPUTE_API_URL=emulator.url COMPUTE_API_KEY=emulator.apiKey
 * await emulator.close();
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<RunningEmulator> {
  assertOptions(options);
  // The lock comes before the read: an emulator that still has the lock may change the file.
  const release = options.state === undefined ? () => {} : lockState(options.state);
  try {
    return await listen(options, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function listen(options: EmulatorOptions, release: () => void): Promise<RunningEmulator> {
  const { emulator, save } = buildEmulator(options, () => setTimeout(() => void close(), LAST_RESPONSE_MS));
  const server = listener(emulator.handle, options);
  // The key must be in the file before anybody sees it. And a file that can't be written should fail the start.
  await save();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, LOOPBACK, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://${LOOPBACK}:${port}`;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    })
      .then(save)
      .finally(release);
    return closing;
  };
  // A spread would copy `world` once, and its getter must run each time.
  return Object.defineProperties(emulator, {
    origin: { value: origin, enumerable: true },
    url: { value: `${origin}${BASE_PATH}`, enumerable: true },
    close: { value: close, enumerable: true },
  }) as RunningEmulator;
}
