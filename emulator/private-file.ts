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

/** For the owner alone, whatever the file that stood there was. */
const PRIVATE = 0o600;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT_USER = 0;
const RANDOM_BYTES = 12;
const ASIDE = /^\.[0-9a-f]{24}\.new$/;

/** Undefined where there is no file. A symbolic link is refused: whoever made it may not be the one who starts us. */
export function readPrivate(path: string): string | undefined {
  try {
    checkKind(lstatSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  // What stands there by now may be something else; a pipe that nobody writes into would hold us up for ever.
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
 * Refuses a path where others could put a file of theirs into the place of ours: any folder on the way that everybody may
 * write. In a sticky one, such as /tmp, everybody takes only what is theirs, so it is a good place for a file that is ours.
 * A group that may write is somebody's own choice, and the habit of some systems.
 */
export function checkFolders(path: string): void {
  // Windows has other rights than these.
  if (process.getuid === undefined) return;
  let folder: string;
  try {
    folder = realpathSync(dirname(resolve(path)));
  } catch {
    return; // To write there fails with better words.
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
 * Writes a file: aside under a name that nobody can foresee, to the disk, and into place, so that it is always a whole one.
 * What stood there, a link too, is replaced and not written through.
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

/** What writes left aside whose process was killed. They hold what the file holds. */
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
