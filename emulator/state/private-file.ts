import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/**
 * Files that hold keys and passwords. No other user can read them, replace them, or lead a write to another place. Each
 * function throws an error with one line that says what is wrong.
 */

/** For the owner alone. The mode of an earlier file does not matter. */
const PRIVATE = 0o600;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT_USER = 0;
const RANDOM_BYTES = 12;
const temporaryName = (path: string) => `${path}.${randomBytes(RANDOM_BYTES).toString("hex")}.new`;
const TEMPORARY_NAME = /^\.[0-9a-f]{24}\.new$/;

/** The text of a file, or undefined if there is none. A symbolic link is refused: another user may have made it. */
export function readPrivate(path: string): string | undefined {
  try {
    assertOwnFile(lstatSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  // Another file may have replaced it. A pipe without a writer would block the open for ever.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    assertOwnFile(fstatSync(file));
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

interface Status {
  uid: number;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

function assertOwnFile(found: Status): void {
  if (found.isSymbolicLink()) throw new Error("it is a symbolic link: name the file itself");
  // A device may have no end.
  if (!found.isFile()) throw new Error("it is no file");
  if (isForeign(found)) throw new Error(`it belongs to another user (${found.uid}): name a file of your own`);
}

/** Whether a file or a folder belongs to a user whom this process must not trust. Root is trusted, and trusts each user. */
function isForeign({ uid }: Pick<Status, "uid">): boolean {
  const user = process.getuid?.();
  return user !== undefined && user !== ROOT_USER && uid !== user && uid !== ROOT_USER;
}

/**
 * Refuses a path through a folder in which another user can replace a file of ours: a folder of that user, or one that every
 * user may write. A sticky folder, such as /tmp, is accepted: users can remove only their own files there. A folder that its
 * group may write is accepted too. That is the owner's choice, and the default of some systems. A symbolic link on the way is
 * followed, but not another user's: whoever has it leads it elsewhere whenever they like.
 *
 * `tools/engine/trusted.ts` checks the folders of files that are run. Its rules are stricter and its code is separate: the package
 * ships no tools, and a change of the rules here must not loosen those there.
 */
export function assertSafeFolders(path: string): void {
  // Windows has other rights than these.
  if (process.getuid === undefined) return;
  let folders: string[];
  try {
    folders = foldersTo(dirname(resolve(path)));
  } catch (error) {
    if (error instanceof ForeignLink) throw error;
    return; // Writing there fails with a better message.
  }
  // From the innermost on.
  for (const folder of [...folders].reverse()) assertSafeFolder(folder);
}

function assertSafeFolder(folder: string): void {
  const found = statSync(folder);
  if (isForeign(found)) {
    throw new Error(
      `${folder} belongs to another user (${found.uid}), who could put another file in its place: ` +
        "choose a folder of your own",
    );
  }
  if ((found.mode & OTHERS_WRITE) === 0 || (found.mode & STICKY) !== 0) return;
  throw new Error(
    `every user of this machine may write into ${folder}, and could put another file in its place: ` +
      `take that right away (chmod o-w ${folder}), or choose another folder`,
  );
}

class ForeignLink extends Error {}

/** As many as Linux follows. */
const MOST_LINKS = 40;

/** All real folders on the way to this path, also those that contain a symbolic link on the way. @throws ForeignLink */
function foldersTo(path: string): string[] {
  const folders = new Set(["/"]);
  let [folder, links] = ["/", 0];
  for (const names = namesIn(path); names.length > 0; ) {
    const name = names.shift()!;
    const next = name === ".." ? dirname(folder) : join(folder, name);
    const found = lstatSync(next);
    if (found.isSymbolicLink()) {
      assertOwnLink(next, found, folder);
      links += 1;
      if (links > MOST_LINKS) throw new Error("too many links");
      const target = readlinkSync(next);
      // `..` in a link starts at the folder that really holds the link.
      if (isAbsolute(target)) folder = "/";
      names.unshift(...namesIn(target));
      continue;
    }
    folder = next;
    // A folder that is passed again moves to the end: the folders go from the outermost to the innermost.
    folders.delete(folder);
    folders.add(folder);
  }
  return [...folders];
}

const namesIn = (path: string): string[] => path.split("/").filter((name) => name !== "" && name !== ".");

/** The rule of Linux with `fs.protected_symlinks`, in each folder: whoever has the folder can replace all that is in it. */
function assertOwnLink(link: string, { uid }: Pick<Status, "uid">, folder: string): void {
  if (uid === process.getuid?.() || uid === ROOT_USER || uid === statSync(folder).uid) return;
  throw new ForeignLink(
    `${link} is a symbolic link of another user (${uid}), who can lead it elsewhere: name the folder itself`,
  );
}

/**
 * Replaces a file. The new content is written to a temporary file under a random name, flushed to the disk and renamed. So the
 * file is complete at any moment. A link at the path is replaced too: nothing is written through it.
 */
export async function replacePrivate(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path);
  // `wx`: never a file or a link that is there already.
  const file = await open(temporary, "wx", PRIVATE);
  try {
    await withFile(file, async () => {
      await file.writeFile(text);
      await file.sync();
    });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes temporary files of processes that were killed. They hold the same secrets as the file. */
export async function removeTemporaryFiles(path: string): Promise<void> {
  const folder = dirname(path);
  const isLeftover = (name: string) =>
    name.startsWith(`${basename(path)}.`) && TEMPORARY_NAME.test(name.slice(basename(path).length));
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter(isLeftover).map((name) => rm(join(folder, name), { force: true })));
}

/** Creates a file with all of its content at once. False if something of this name is there already. */
export function createPrivate(path: string, text: string): boolean {
  return withTemporary(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      if (!NO_HARD_LINKS.includes(code)) throw error;
      return createSlowly(path, text);
    }
    return true;
  });
}

/** Error codes of file systems that have no hard links, such as FAT and a few network ones. */
const NO_HARD_LINKS = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

/** For file systems without hard links. Another process may see the file before its content. */
function createSlowly(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: PRIVATE });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Like `replacePrivate`, without a flush: for a file that nobody needs after a power cut. */
export const overwritePrivate = (path: string, text: string): void =>
  withTemporary(path, text, (temporary) => renameSync(temporary, path));

function withTemporary<T>(path: string, text: string, use: (temporary: string) => T): T {
  const temporary = temporaryName(path);
  writeFileSync(temporary, text, { flag: "wx", mode: PRIVATE });
  try {
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** Makes the new name survive a power cut too. Systems on which a folder can't be opened decide this themselves. */
async function syncFolder(path: string): Promise<void> {
  try {
    await withFile(await open(path, "r"), (folder) => folder.sync());
  } catch {}
}
