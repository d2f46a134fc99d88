import { z } from "zod";
import type { SavedClock } from "./clock.js";
import { checkFolders, readPrivate, removeLeftovers, replacePrivate } from "./private-file.js";
import { reasonsOf, WorldSchema } from "./schema.js";
import type { World } from "./world.js";

/** What is kept from one process to the next. */
export interface Saved {
  apiKey: string;
  clock: SavedClock;
  world: World;
}

const FORMAT = 1;

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
  let text: string | undefined;
  try {
    checkFolders(path);
    text = readPrivate(path);
  } catch (error) {
    throw new Error(`can't use the state in ${path}: ${(error as Error).message}`);
  }
  if (text === undefined) return undefined;
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
 * Writes the state, so that the file is always a whole one. Changes that come while one write runs share the next.
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
    if (this.written === undefined) await removeLeftovers(this.path);
    await replacePrivate(this.path, text);
    this.written = text;
  }
}
