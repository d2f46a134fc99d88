// Where the sockets of the provider processes are: in a folder that only this user can enter.

import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes of a socket's path that every system allows. */
const LONGEST_PATH = 100;
/** Milliseconds. An older socket file of another run may be stale, so `removeStale` tries to connect to it. */
const OLD_MS = 3_600_000;

export const IS_WINDOWS = process.platform === "win32";

/** Windows has no socket files. Its pipes are in no folder, so a file in the folder tells their names, which nobody can guess. */
export const addressOf = (folder: string, name: string): string =>
  IS_WINDOWS ? `\\\\.\\pipe\\pulumi-compute-endpoint-${name}` : join(folder, name);

/**
 * A folder of this user's own for a socket with this name. Anybody can make a folder with our name among the temporary
 * files. If another user did, the folder in the home folder is used.
 */
export function folderFor(name: string): string | undefined {
  const user = process.getuid?.();
  const temporary = [tmpdir(), "/tmp"].map((each) => join(each, `pulumi-compute-endpoint-${user ?? "run"}`));
  return [...temporary, join(homedir(), ".cache", "pulumi-compute-endpoint", "run")]
    .filter((each) => IS_WINDOWS || join(each, name).length <= LONGEST_PATH)
    .find((each) => isOwnFolder(each, user));
}

function isOwnFolder(folder: string, user: number | undefined): boolean {
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const found = lstatSync(folder);
    if (!found.isDirectory()) return false;
    // Windows gives each user a folder for temporary files. Elsewhere this may be another user's folder, or a link.
    return user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
  } catch {
    return false;
  }
}

/** Removes sockets that killed processes of other runs have left. Those of this run are removed when nobody answers. */
export function removeStale(folder: string, run: string): void {
  const now = Date.now();
  for (const name of readdirSync(folder)) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (name.startsWith(run) || !found || now - found.mtimeMs < OLD_MS) continue;
    const socket = connect(addressOf(folder, name)).unref();
    socket.once("error", (error) => removeIfGone(folder, name, error));
    socket.once("connect", () => socket.destroy());
  }
}

/** Removes the socket file of a process that has ended: nobody answers there. */
export function removeIfGone(folder: string, name: string, { code }: NodeJS.ErrnoException): void {
  if (code === "ECONNREFUSED" || (IS_WINDOWS && code === "ENOENT")) rmSync(join(folder, name), { force: true });
}
