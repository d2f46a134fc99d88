// What both ways to the network have in common: an answer is read whole, or not at all.

import { BODY_TOO_LARGE } from "./network.js";

/** Bytes of a body that are read: a page of 1000 operations is half a megabyte. */
export const BODY_LIMIT = 16 * 1024 * 1024;
/** Milliseconds until a connection must stand. */
export const CONNECT_MS = 10_000;

export const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });

export async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the body, and with it the connection.
  for await (const part of body) {
    size += part.length;
    if (size > BODY_LIMIT) throw failed(BODY_TOO_LARGE, `the answer is larger than ${BODY_LIMIT} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

export const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
