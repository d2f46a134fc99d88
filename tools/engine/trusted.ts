/**
 * The cache holds programs that we run. So nobody else may be able to put a program there, neither into its folder nor
 * by replacing a folder above it. Like ssh with its keys, we refuse files that others can change.
 */
import { chmod, lchown, lstat, mkdir, readdir, readlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

export class UntrustedCache extends Error {
  override readonly name = "UntrustedCache";
}

interface Entry {
  uid: number;
  mode: number;
  isSymbolicLink(): boolean;
  isDirectory(): boolean;
}

/** What the check asks the system; tests hand in files of other users. */
export interface Files {
  /** Undefined where files have no owners (Windows): then nothing is checked. */
  me: number | undefined;
  look(path: string): Promise<Entry | undefined>;
  list(path: string): Promise<string[]>;
  target(path: string): Promise<string>;
}

const SYSTEM: Files = {
  me: process.getuid?.(),
  look: (path) =>
    lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }),
  list: (path) => readdir(path),
  target: (path) => readlink(path),
};

const ROOT_USER = 0;
const PRIVATE = 0o700;
const OTHERS_WRITE = 0o022;
const EVERYBODY_WRITES = 0o002;
const STICKY = 0o1000;
const MOST_LINKS = 40;

/**
 * The folder, everything in it, and the folders above it. What does not exist yet is fine.
 * @throws UntrustedCache naming the path, what is wrong with it, and the command that mends it
 */
export async function assertTrusted(folder: string, files: Files = SYSTEM): Promise<void> {
  if (files.me === undefined) return;
  await assertAbove(resolve(folder), files);
  await assertWithin(resolve(folder), files);
}

/**
 * Creates a folder for the owner alone, unless it exists. Then checks it and the folders above it: between a check and
 * the creation, somebody else could create it.
 */
export async function ownFolder(folder: string, files: Files = SYSTEM): Promise<void> {
  // Checked before too: nothing is created below a folder of another user.
  await assertTrustedFolder(folder, files);
  await mkdir(folder, { recursive: true, mode: PRIVATE });
  await assertTrustedFolder(folder, files);
}

/** Checks the folder and those above it, but not its content: other files in the cache are not run. */
export async function assertTrustedFolder(folder: string, files: Files = SYSTEM): Promise<void> {
  if (files.me === undefined) return;
  await assertAbove(resolve(folder), files);
  const entry = await files.look(resolve(folder));
  if (entry) assertOwn(resolve(folder), entry, files.me);
}

async function assertWithin(path: string, files: Files): Promise<void> {
  const entry = await files.look(path);
  if (!entry) return;
  assertOwn(path, entry, files.me!);
  if (!entry.isDirectory()) return;
  for (const name of await files.list(path)) await assertWithin(join(path, name), files);
}

function assertOwn(path: string, entry: Entry, me: number): void {
  if (entry.isSymbolicLink()) {
    throw untrusted(
      path,
      "is a symbolic link, and the cache has none: what it runs would be elsewhere",
      removeAdvice(path),
    );
  }
  if (isForeign(entry, me)) {
    throw untrusted(path, `belongs to user ${entry.uid}, and you are user ${me}`, removeAdvice(path));
  }
  if ((entry.mode & OTHERS_WRITE) !== 0) {
    const who = (entry.mode & EVERYBODY_WRITES) !== 0 ? "every user" : "its group";
    throw untrusted(path, `may be written by ${who} (mode ${modeOf(entry)})`, chmodAdvice(path));
  }
}

/**
 * Checks the folders above. They may be shared, but nobody else may be able to rename their entries, or to put another
 * cache in place of this one. Follows links as the system does: `..` in a link starts at the folder that really holds
 * the link.
 */
async function assertAbove(path: string, files: Files): Promise<void> {
  await assertParent("/", files);
  await assertPath("/", dirname(path), files, 0);
}

/** Checks each folder of a path that starts at a folder already checked. @returns the real path of the last one */
async function assertPath(from: string, path: string, files: Files, links: number): Promise<string> {
  let folder = path.startsWith("/") ? "/" : from;
  for (const name of path.split("/").filter((part) => part !== "" && part !== ".")) {
    folder = name === ".." ? dirname(folder) : await assertEntry(folder, name, files, links);
  }
  return folder;
}

async function assertEntry(folder: string, name: string, files: Files, links: number): Promise<string> {
  const path = join(folder, name);
  const entry = await assertParent(path, files);
  if (!entry?.isSymbolicLink()) return path;
  // For example a home folder that is a link. The link itself is ours or root's. Its target is checked too.
  if (links >= MOST_LINKS) throw untrusted(path, "is a symbolic link that leads to itself", removeAdvice(path));
  return assertPath(folder, await files.target(path), files, links + 1);
}

async function assertParent(path: string, files: Files): Promise<Entry | undefined> {
  const entry = await files.look(path);
  if (!entry) return undefined;
  // The file system's own root belongs to nobody in some containers.
  if (isForeign(entry, files.me!) && path !== "/") {
    throw untrusted(path, `belongs to user ${entry.uid}, and you are user ${files.me}`, "");
  }
  if (!entry.isSymbolicLink() && (entry.mode & EVERYBODY_WRITES) !== 0 && (entry.mode & STICKY) === 0) {
    throw untrusted(
      path,
      `may be written by every user (mode ${modeOf(entry)}, without the sticky bit)`,
      chmodAdvice(path),
    );
  }
  return entry;
}

const isForeign = ({ uid }: Entry, me: number): boolean => uid !== me && uid !== ROOT_USER;
const modeOf = ({ mode }: Entry): string => (mode & 0o7777).toString(8).padStart(4, "0");
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
const chmodAdvice = (path: string): string => `Look at what is in it, then run: chmod go-w ${quoted(path)}. Or`;
const removeAdvice = (path: string): string => `Remove it: rm -r ${quoted(path)}. Or`;

const untrusted = (path: string, what: string, mend: string) =>
  new UntrustedCache(
    [
      `The cached engine is not used, because somebody else may have changed it: ${path} ${what}.`,
      `${mend || "To go on,"} set COMPUTE_ENDPOINT_ENGINE_CACHE to a folder that only you can write.`,
    ].join("\n"),
  );

/**
 * Gives a new folder to this user, and removes the write permission of all others, whatever the umask is. Files that root
 * unpacks have the owners that the archive names.
 */
export async function closeToOthers(path: string): Promise<void> {
  const entry = await lstat(path);
  const me = process.getuid?.();
  if (me === undefined) return;
  if (entry.uid !== me) await lchown(path, me, process.getgid!());
  if (entry.isSymbolicLink()) return;
  if ((entry.mode & OTHERS_WRITE) !== 0) await chmod(path, entry.mode & 0o7777 & ~OTHERS_WRITE);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await closeToOthers(join(path, name));
}
