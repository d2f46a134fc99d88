import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { createPrivate, readPrivate } from "./private-file.js";

const MOST_TRIES = 10;

/** Of this process. */
const held = new Set<string>();

/**
 * Keeps other emulators off a state file, which would overwrite each other's worlds; gives what ends that. A note beside the
 * file names the process, so that one that was killed holds nothing.
 */
export function hold(path: string): () => void {
  const note = `${resolve(path)}.pid`;
  for (let tries = 0; held.has(note) || !createPrivate(note, String(process.pid)); tries += 1) {
    const holder = holderOf(note);
    if (holder !== undefined) {
      throw new Error(
        `the state in ${path} is kept by another emulator (process ${holder}): give each a file of its own`,
      );
    }
    // The note is of a process that was killed. If several processes see this at once, one of them creates the next note.
    if (tries === MOST_TRIES) throw new Error(`can't write ${note}: remove it`);
    rmSync(note, { force: true });
  }
  held.add(note);
  const release = () => {
    process.off("exit", release);
    if (held.delete(note)) rmSync(note, { force: true });
  };
  process.on("exit", release);
  return release;
}

/** The living process that a note names. */
function holderOf(note: string): number | undefined {
  if (held.has(note)) return process.pid;
  let pid = 0;
  try {
    pid = Number(readPrivate(note));
    // In a container each start has the same number.
    if (!(pid > 0) || pid === process.pid) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // A process of another user's lives too.
    return (error as NodeJS.ErrnoException).code === "EPERM" ? pid : undefined;
  }
}
