/**
 * The cache holds programs that we run, so nobody else may be able to put one there: neither into its folder, nor in
 * the place of a folder above it. Files that others can change are not used, as ssh does with keys.
 */
import { chmod, lchown, lstat, readdir, readlink } from "node:fs/promises";
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

/** Checks only the folder itself and those above it: other files in it are not run. */
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
    throw untrusted(path, "is a symbolic link, and the cache has none: what it runs would be elsewhere", REMOVE(path));
  }
  if (isForeign(entry, me)) {
    throw untrusted(path, `belongs to user ${entry.uid}, and you are user ${me}`, REMOVE(path));
  }
  if ((entry.mode & OTHERS_WRITE) !== 0) {
    const who = (entry.mode & EVERYBODY_WRITES) !== 0 ? "every user" : "its group";
    throw untrusted(path, `may be written by ${who} (mode ${modeOf(entry)})`, CLOSE(path));
  }
}

/**
 * A folder above may be shared, but nobody else may rename its entries: they could put another cache in the place of this one.
 */
async function assertAbove(path: string, files: Files, links = 0): Promise<void> {
  const parent = dirname(path);
  if (parent === path) return;
  await assertAbove(parent, files, links);
  const entry = await files.look(parent);
  if (!entry) return;
  // The file system's own root belongs to nobody in some containers.
  if (isForeign(entry, files.me!) && dirname(parent) !== parent) {
    throw untrusted(parent, `belongs to user ${entry.uid}, and you are user ${files.me}`, "");
  }
  if (entry.isSymbolicLink()) {
    // A home that is a link, say. The link belongs to no other user. The same must hold for its target.
    if (links >= MOST_LINKS) throw untrusted(parent, "is a symbolic link that leads to itself", REMOVE(parent));
    const target = resolve(dirname(parent), await files.target(parent));
    await assertAbove(join(target, "x"), files, links + 1);
    return;
  }
  if ((entry.mode & EVERYBODY_WRITES) !== 0 && (entry.mode & STICKY) === 0) {
    throw untrusted(
      parent,
      `may be written by every user (mode ${modeOf(entry)}, without the sticky bit)`,
      CLOSE(parent),
    );
  }
}

const isForeign = ({ uid }: Entry, me: number): boolean => uid !== me && uid !== ROOT_USER;
const modeOf = ({ mode }: Entry): string => (mode & 0o7777).toString(8).padStart(4, "0");
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
const CLOSE = (path: string): string => `Look at what is in it, then run: chmod go-w ${quoted(path)}. Or`;
const REMOVE = (path: string): string => `Remove it: rm -r ${quoted(path)}. Or`;

const untrusted = (path: string, what: string, mend: string) =>
  new UntrustedCache(
    [
      `The cached engine is not used, because somebody else may have changed it: ${path} ${what}.`,
      `${mend || "To go on,"} set COMPUTE_ENDPOINT_ENGINE_CACHE to a folder that only you can write.`,
    ].join("\n"),
  );

/**
 * Closes what we have just made to others, whatever the umask is. Where root unpacks an archive, its files have the archive's
 * owners, so the owner is set too.
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
