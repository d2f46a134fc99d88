import * as z from "zod/mini";
import { SavedClock } from "../model/clock.js";
import { describeIssues, SHOWN_REASONS } from "../model/issues.js";
import { World } from "../model/world.js";
import { assertSafeFolders, readPrivate, removeTemporaryFiles, replacePrivate } from "./private-file.js";

/** The part of an emulator that outlives its process. */
export interface SavedState {
  apiKey: string;
  clock: SavedClock;
  world: World;
}

const FORMAT = 1;

const File = z.strictObject({
  format: z.literal(FORMAT, { error: `another format than ${FORMAT}: it is from another version` }),
  apiKey: z.string().check(z.minLength(1)),
  clock: SavedClock,
  world: World,
});

/** Throws one line if another user could replace the state file. */
export const assertSafeState = (path: string): void => explainFailure(path, () => assertSafeFolders(path));

function explainFailure<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`can't use the state in ${path}: ${(error as Error).message}`);
  }
}

/** The saved state, or undefined if there is no file yet. Throws one line that says what is wrong and what to do. */
export function loadState(path: string): SavedState | undefined {
  assertSafeState(path);
  const text = explainFailure(path, () => readPrivate(path));
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
  if (!result.success) throw broken(describeIssues(result.error, SHOWN_REASONS));
  const { format: _, ...saved } = result.data;
  return saved;
}

/** Writes the state. Changes during a write share the next write. */
export class StateWriter {
  private written: string | undefined;
  /** The last write that has begun. It rejects if the write fails. */
  private running: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly state: () => SavedState,
  ) {}

  /** Resolves when the saves that were asked for so far are on the disk. @throws if the last of them fails */
  saved(): Promise<void> {
    return this.queued ?? this.running;
  }

  /** Resolves when the present state is on the disk. */
  save(): Promise<void> {
    const write = () => {
      this.queued = undefined;
      this.running = this.write(JSON.stringify({ format: FORMAT, ...this.state() }));
      return this.running;
    };
    // Everybody who waits for a failed write gets its error. The next write tries again.
    this.queued ??= this.running.then(write, write);
    return this.queued;
  }

  private async write(text: string): Promise<void> {
    if (text === this.written) return;
    if (this.written === undefined) await removeTemporaryFiles(this.path);
    await replacePrivate(this.path, text);
    this.written = text;
  }
}
