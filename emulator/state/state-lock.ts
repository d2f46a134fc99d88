import { lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createPrivate, overwritePrivate, readPrivate } from "./private-file.js";
import { assertSafeState } from "./state-file.js";

/** Each try after the first means that another process took or left the lock meanwhile. */
const MOST_TRIES = 100;

/** The lock files of this process. */
const held = new Set<string>();

/**
 * Locks a state file: two emulators on one file would overwrite each other's worlds. A lock file beside it names the process,
 * so that a process that was killed locks nothing.
 * @returns a function that unlocks it
 */
export function lockState(path: string): () => void {
  assertSafeState(path);
  const file = `${resolve(path)}.pid`;
  const holder = held.has(file) ? process.pid : acquire(file);
  if (holder !== undefined) {
    throw new Error(
      `the state in ${path} is kept by another emulator (process ${holder}): give each a file of its own`,
    );
  }
  held.add(file);
  removeOldClaims(file);
  const release = () => {
    process.off("exit", release);
    if (held.delete(file)) rmSync(file, { force: true });
  };
  process.on("exit", release);
  return release;
}

/**
 * Creates the lock file, or takes it over from a dead process.
 *
 * To remove a dead lock and then create one's own would not be safe: of two processes that see the dead lock, the slower one
 * would remove the lock of the faster one. So a process that wants a dead lock first claims it. The claim is a lock file too,
 * named after the dead lock. Only the process with the claim replaces the dead lock, and only if that lock is still in place.
 * @returns the living process that has the lock, if there is one
 */
function acquire(file: string): number | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (createPrivate(file, String(process.pid))) return undefined;
    const found = inspect(file);
    if (found === undefined) continue;
    if (found.holder !== undefined) return found.holder;
    const claim = `${file}.${found.identity}`;
    const rival = acquire(claim);
    if (rival !== undefined) return rival;
    try {
      if (inspect(file)?.identity !== found.identity) continue;
      overwritePrivate(file, String(process.pid));
      return undefined;
    } finally {
      rmSync(claim, { force: true });
    }
  }
  throw new Error(`can't write ${file}: remove it`);
}

/** The identity of a lock file, which no later file of this name has, and the living process that it names. */
function inspect(file: string): { identity: string; holder: number | undefined } | undefined {
  for (;;) {
    const identity = identityOf(file);
    if (identity === undefined) return undefined;
    const holder = holderOf(file);
    // If they differ, another process replaced the file between the two reads: look again.
    if (identityOf(file) === identity) return { identity, holder };
  }
}

function identityOf(file: string): string | undefined {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino}-${found.mtimeNs}`;
}

function holderOf(file: string): number | undefined {
  let pid = 0;
  try {
    pid = Number(readPrivate(file));
    // In a container each start has the same process id. The locks of this very process are in `held`.
    if (!(pid > 0) || pid === process.pid) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // A process of another user is alive too.
    return (error as NodeJS.ErrnoException).code === "EPERM" ? pid : undefined;
  }
}

/** Removes claims of processes that were killed. A claim on an earlier lock has no effect any more, whoever has it. */
function removeOldClaims(file: string): void {
  const folder = dirname(file);
  const isClaim = (name: string) => name.startsWith(`${basename(file)}.`) && /\.\d+-\d+$/.test(name);
  for (const name of readdirSync(folder).filter(isClaim)) rmSync(join(folder, name), { force: true });
}
