import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Files that hold keys and passwords: nobody else reads them, and nobody else decides what is read from them or where they
 * are written. Each function throws an error with one line that says what is wrong.
 */

/** For the owner alone, whatever the mode of the file that stood there was. */
const PRIVATE = 0o600;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT_USER = 0;
const RANDOM_BYTES = 12;
const ASIDE = /^\.[0-9a-f]{24}\.new$/;

/** Undefined where there is no file. A symbolic link is refused: another user may have made it. */
export function readPrivate(path: string): string | undefined {
  try {
    checkKind(lstatSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  // Another file may stand there by now. The open of a pipe that nobody writes into would wait for ever.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    checkKind(fstatSync(file));
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

interface Kind {
  uid: number;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

function checkKind(found: Kind): void {
  if (found.isSymbolicLink()) throw new Error("it is a symbolic link: name the file itself");
  // A device may have no end.
  if (!found.isFile()) throw new Error("it is no file");
  const user = process.getuid?.();
  if (user === undefined || found.uid === user || found.uid === ROOT_USER || user === ROOT_USER) return;
  throw new Error(`it belongs to another user (${found.uid}): name a file of your own`);
}

/**
 * Refuses a path with a folder that every user may write: others could put a file of theirs in the place of ours. A sticky
 * folder, such as /tmp, is accepted: users can remove only their own files there. A folder that its group may write is accepted
 * too: that is the owner's choice, and the default of some systems.
 */
export function checkFolders(path: string): void {
  // Windows has other rights than these.
  if (process.getuid === undefined) return;
  let folder: string;
  try {
    folder = realpathSync(dirname(resolve(path)));
  } catch {
    return; // Writing there fails with a better message.
  }
  for (let last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    const { mode } = statSync(folder);
    if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) continue;
    throw new Error(
      `every user of this machine may write into ${folder}, and could put another file in its place: ` +
        `take that right away (chmod o-w ${folder}), or choose another folder`,
    );
  }
}

/**
 * Writes a file beside its place, under a name that nobody can foresee, flushes it to the disk and renames it, so that the file
 * is always a whole one. Whatever stood there, also a link, is replaced and not written through.
 */
export async function replacePrivate(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomBytes(RANDOM_BYTES).toString("hex")}.new`;
  // `wx`: never a file or a link that is there already.
  const file = await open(aside, "wx", PRIVATE);
  try {
    await withFile(file, async () => {
      await file.writeFile(text);
      await file.sync();
    });
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes the files of writes whose process was killed. They hold the same secrets as the file. */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const isLeft = (name: string) =>
    name.startsWith(`${basename(path)}.`) && ASIDE.test(name.slice(basename(path).length));
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter(isLeft).map((name) => rm(join(folder, name), { force: true })));
}

/** Creates a file; false where something of this name is there already. */
export function createPrivate(path: string, text: string): boolean {
  try {
    const file = openSync(path, "wx", PRIVATE);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
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
