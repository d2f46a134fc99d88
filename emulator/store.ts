import { readFileSync, statSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { SavedClock } from "./clock.js";
import { reasonsOf, WorldSchema } from "./schema.js";
import type { World } from "./world.js";

/** What is kept from one process to the next. */
export interface Saved {
  apiKey: string;
  clock: SavedClock;
  world: World;
}

const FORMAT = 1;
const PRIVATE = 0o600;

const File = z.strictObject({
  format: z.literal(FORMAT, { error: `another format than ${FORMAT}: it is from another version` }),
  apiKey: z.string().min(1),
  clock: z.discriminatedUnion("mode", [
    z.strictObject({ mode: z.literal("real"), aheadMs: z.number() }),
    z.strictObject({ mode: z.literal("virtual"), now: z.number() }),
  ]),
  world: WorldSchema,
});

/** Nothing where there is no file yet. Throws one line that says what is wrong with it and what to do. */
export function load(path: string): Saved | undefined {
  let text: string;
  try {
    // A device may have no end.
    if (!statSync(path).isFile()) throw new Error("it is no file");
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`can't read the state in ${path}: ${(error as Error).message}`);
  }
  const broken = (reason: string) =>
    new Error(`the state in ${path} can't be used: ${reason.replace(/\s+/g, " ")}; remove the file to start anew`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw broken(text.trim() === "" ? "it is empty" : (error as Error).message);
  }
  const result = File.safeParse(json);
  if (!result.success) throw broken(reasonsOf(result.error));
  const { format: _, ...saved } = result.data;
  return saved;
}

/**
 * Writes the state: aside, to the disk, and into place, so that the file is always a whole one. Changes that come while
 * one write runs share the next.
 */
export class Store {
  private written: string | undefined;
  private running: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly state: () => Saved,
  ) {}

  /** Ends when what was to be saved so far is on the disk, for who has only looked at it. */
  saved(): Promise<void> {
    return this.queued ?? this.running;
  }

  /** Ends when what the state is now is on the disk. */
  save(): Promise<void> {
    this.queued ??= this.running.then(() => {
      this.queued = undefined;
      const writing = this.write(JSON.stringify({ format: FORMAT, ...this.state() }));
      // A failed write is told to those who wait for it; the next one tries again.
      this.running = writing.catch(() => {});
      return writing;
    });
    return this.queued;
  }

  private async write(text: string): Promise<void> {
    if (text === this.written) return;
    const aside = `${this.path}.new`;
    await withFile(await open(aside, "w", PRIVATE), async (file) => {
      await file.writeFile(text);
      await file.sync();
    });
    await rename(aside, this.path);
    await syncFolder(dirname(this.path));
    this.written = text;
  }
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** So that the new name outlives a power cut too. Not every system lets a folder be opened: then the system decides. */
async function syncFolder(path: string): Promise<void> {
  try {
    await withFile(await open(path, "r"), (folder) => folder.sync());
  } catch {}
}
