import type { Server } from "node:http";
import type { EmulatorOptions } from "./options.js";

/**
 * How long connections stay open. Node.js closes one after 5 seconds without a request, and one that has sent no headers
 * after 60. A test program that was busy for that long would meet a reset in the middle of its next POST. Only programs of this
 * machine connect, so the emulator needs no guard against clients that hold connections: the client closes them.
 */
export const connectionTimes = ({
  keepAliveMs = 0,
}: EmulatorOptions): Pick<Server, "keepAliveTimeout" | "headersTimeout" | "requestTimeout"> => ({
  keepAliveTimeout: keepAliveMs,
  headersTimeout: 0,
  requestTimeout: 0,
});
