// Reads text from files and stdin. PowerShell's `>` writes UTF-16.

import { open } from "node:fs/promises";

const LARGEST_BYTES = 64 * 1024 * 1024;

export interface Source {
  name: string;
  text?: string;
  /** Why there is no text. */
  problem?: string;
}

export const STDIN = "stdin";

export async function fromFile(path: string): Promise<Source> {
  try {
    const file = await open(path);
    try {
      const info = await file.stat();
      if (info.isDirectory()) return { name: path, problem: "is a folder" };
      return await read(path, file.createReadStream({ autoClose: false }));
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { name: path, problem: code === "ENOENT" ? "does not exist" : `can't be read: ${message}` };
  }
}

/** @param chunks buffers, as streams give them */
export async function read(name: string, chunks: AsyncIterable<unknown>): Promise<Source> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const part = Buffer.from(chunk as Buffer);
    size += part.length;
    if (size > LARGEST_BYTES) return { name, problem: "is larger than 64 MB, so it is not a preview" };
    parts.push(part);
  }
  return { name, ...textOf(Buffer.concat(parts)) };
}

function textOf(bytes: Buffer): Pick<Source, "text" | "problem"> {
  const [a, b] = bytes;
  // UTF-16 with a byte order mark; or without one, if one of the first two bytes is zero, as with an ASCII character.
  const little = (a === 0xff && b === 0xfe) || (a !== 0 && b === 0);
  const big = (a === 0xfe && b === 0xff) || (a === 0 && b !== undefined && b !== 0);
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const text = little
    ? even.toString("utf16le")
    : big
      ? Buffer.from(even).swap16().toString("utf16le")
      : bytes.toString("utf8");
  return { text: text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n") };
}
