/**
 * The cache: a folder outside of the clone, which outlives the clone. It is filled under another name and renamed, so a
 * killed build leaves no half cache. A lock beside it keeps two processes from building the same engine at once.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir, hostname, platform } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { closeToOthers } from "./trusted";

const FOLDER = "pulumi-compute-endpoint";

/** Where engines are kept: `COMPUTE_ENDPOINT_ENGINE_CACHE`, or our folder in the user's cache. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env, os: string = platform()): string {
  const own = env["COMPUTE_ENDPOINT_ENGINE_CACHE"];
  if (own) return resolve(own);
  if (env["XDG_CACHE_HOME"]) return join(env["XDG_CACHE_HOME"], FOLDER);
  return os === "darwin" ? join(homedir(), "Library", "Caches", FOLDER) : join(homedir(), ".cache", FOLDER);
}

/** One folder per engine version and recipe. */
export const cacheFolder = (root: string, version: string, revision: string): string =>
  join(root, `engine-${version}-${revision}`);

/** The mode of the cache, which holds programs that we run. */
const PRIVATE = 0o700;

/** A lock that nobody has touched for so long is left over. Its holder renews it every 3 s. */
const STALE_MS = 30_000;

/**
 * Fills `folder` with `fill` unless it exists. If several processes want it, one fills it and the others wait. Two may
 * fill it after all, for example if a laptop slept and its lock looked stale. Then the first rename wins, and both
 * succeed.
 */
export async function fillOnce(
  folder: string,
  fill: (staging: string) => Promise<void>,
  onWait: () => void = () => {},
  look: { everyMs: number } = { everyMs: 500 },
): Promise<void> {
  if (await exists(folder)) return;
  await mkdir(join(folder, ".."), { recursive: true, mode: PRIVATE });
  const release = await lock(`${folder}.lock`, () => exists(folder), onWait, look.everyMs);
  if (!release) return;
  const staging = `${folder}.tmp-${randomBytes(4).toString("hex")}`;
  try {
    if (await exists(folder)) return;
    await removeLeftOvers(folder);
    await mkdir(staging, { mode: PRIVATE });
    await fill(staging);
    await closeToOthers(staging);
    await rename(staging, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
    await release();
  }
}

/** Takes the lock and gives the function that releases it; undefined if `done` came true while waiting. */
async function lock(
  path: string,
  done: () => Promise<boolean>,
  onWait: () => void,
  everyMs: number,
): Promise<(() => Promise<void>) | undefined> {
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), token: randomBytes(4).toString("hex") });
  for (let waited = false; ; ) {
    try {
      await writeFile(path, mine, { flag: "wx" });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (await isLeftOver(path)) {
      await rm(path, { force: true });
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await sleep(everyMs);
    if (await done()) return undefined;
  }
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), STALE_MS / 10);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await readFile(path, "utf8").catch(() => "")) === mine) await rm(path, { force: true });
  };
}

async function isLeftOver(path: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = [await readFile(path, "utf8"), await stat(path)];
    if (Date.now() - mtimeMs > STALE_MS) return true;
    const owner = JSON.parse(text) as { pid: number; host: string };
    return owner.host === hostname() && !isAlive(owner.pid);
  } catch {
    return false; // just released, or just being written
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What a killed build left. Only the lock's holder comes here. */
async function removeLeftOvers(folder: string): Promise<void> {
  const root = join(folder, "..");
  const prefix = `${folder.slice(root.length + 1)}.tmp-`;
  for (const name of await readdir(root)) {
    if (name.startsWith(prefix)) await rm(join(root, name), { recursive: true, force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
