/** Looks for a usable engine in folders, in the order of PATH. */
import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { COMPANIONS, OLDEST_ENGINE } from "./recipe";
import { run } from "./run";
import { isUsable } from "./version";

export interface Found {
  binDir: string;
  version: string;
}

/** The first usable engine on PATH. If there is none, `instead` says why the first engine on PATH is not usable. */
export async function findOnPath(path: string, without: string): Promise<{ engine?: Found; instead?: string }> {
  const folders = foldersOn(path, without);
  let instead: string | undefined;
  for (const folder of folders) {
    if (!(await isExecutable(join(folder, "pulumi")))) continue;
    const version = await versionOf(folder);
    const lacks = await missingCompanion(folder, folders);
    if (version !== undefined && isUsable(version, OLDEST_ENGINE) && !lacks) {
      return { engine: { binDir: folder, version: version.replace(/^v/, "") } };
    }
    instead ??= lacks
      ? `the pulumi in ${folder} has no ${lacks}`
      : `the pulumi in ${folder} is ${version ?? "of an unknown version"}, needed is ${OLDEST_ENGINE} or newer`;
  }
  return { instead };
}

/**
 * @param without a folder to skip: the cache. An engine in the cache is used only after the cache's own checks, even if PATH names
 * its folder
 */
export const foldersOn = (path: string, without: string): string[] =>
  path.split(delimiter).filter((folder) => folder !== "" && !isInside(folder, without));

/** The version that `pulumi` in this folder prints; undefined if it doesn't run. */
export async function versionOf(folder: string): Promise<string | undefined> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const result = await run(join(folder, "pulumi"), ["version"], { env, limitMs: 20_000 }).catch(() => undefined);
  return result?.code === 0 ? result.stdout.trim() : undefined;
}

/**
 * A companion that is neither on PATH nor beside the binary. `pulumi` on PATH is often a link, so its target counts.
 */
async function missingCompanion(folder: string, path: readonly string[]): Promise<string | undefined> {
  const beside = dirname(await realpath(join(folder, "pulumi")));
  for (const name of COMPANIONS) {
    const places = await Promise.all([beside, ...path].map((place) => isExecutable(join(place, name))));
    if (!places.includes(true)) return name;
  }
  return undefined;
}

const isInside = (folder: string, root: string): boolean => !relative(root, folder).startsWith("..");

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
