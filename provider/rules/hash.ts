import { createHash } from "node:crypto";

/** The beginning of a text's SHA-256, in hex digits. */
export const hashOf = (text: string, digits: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, digits);
