/**
 * A real Pulumi engine for the tests and the demo. Tries the cheapest source first: PATH, then our cache, then the
 * installer of the SDK, then a build from Go modules. If `COMPUTE_ENDPOINT_ENGINE_VERSION` names one of the versions in
 * `recipe.ts`, PATH is not looked at.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build, whyNotBuildable } from "./build";
import { cacheFolder, cacheRoot, fillOnce } from "./cache";
import { findOnPath, versionOf } from "./find";
import { install } from "./install";
import { ENGINE_VERSION, MODULES, OLDEST_ENGINE, recipeRevision } from "./recipe";
import { assertTrusted, ownFolder, UntrustedCache } from "./trusted";

export interface Engine {
  /** The folder to put on PATH: `pulumi`, its language host for Node.js and the start script of dynamic providers. */
  binDir: string;
  version: string;
  source: "path" | "cache" | "installed" | "built";
}

/** No engine can be had here. The message tells what was tried and the ways out. */
export class EngineUnavailable extends Error {
  override readonly name = "EngineUnavailable";
}

export interface EnsureOptions {
  env?: NodeJS.ProcessEnv;
  /** One line of progress. @default to stderr */
  say?: (line: string) => void;
}

const toStderr = (line: string) => void process.stderr.write(`${line}\n`);

export async function ensureEngine({ env = process.env, say = toStderr }: EnsureOptions = {}): Promise<Engine> {
  const root = cacheRoot(env);
  const asked = env["COMPUTE_ENDPOINT_ENGINE_VERSION"];
  const { engine, instead } = asked ? {} : await findOnPath(env["PATH"] ?? "", root);
  if (engine) return { ...engine, source: "path" };

  const version = asked || ENGINE_VERSION;
  if (!MODULES[version]) throw new EngineUnavailable(notAmong(version));
  const folder = cacheFolder(root, version, recipeRevision(version));
  const binDir = join(folder, "bin");
  const because = instead ? ` (${instead})` : "";
  let source: Engine["source"] = "cache";
  const started = performance.now();
  await unavailableIfUntrusted(ownFolder(root));
  await fillOnce(
    folder,
    async (staging) => {
      source = await obtain(staging, { version, folder, because, say });
    },
    () => say(`engine: another process is getting Pulumi v${version}; waiting for it`),
  );
  if (source === "cache") await checkCached(folder);
  else say(`engine: ${source} in ${spoken((performance.now() - started) / 1000)}`);
  return { binDir, version, source };
}

const notAmong = (version: string): string =>
  `COMPUTE_ENDPOINT_ENGINE_VERSION is ${version}; it can be ${Object.keys(MODULES).join(", ")}, or unset.`;

interface Obtain {
  version: string;
  folder: string;
  because: string;
  say: (line: string) => void;
}

async function obtain(staging: string, { version, folder, because, say }: Obtain): Promise<"installed" | "built"> {
  // Printed only if the download takes a while. If it is blocked it fails at once, and the build prints its own line.
  const line = `engine: downloading Pulumi v${version} (a minute or two, once; cached in ${folder})${because}`;
  const announce = setTimeout(() => say(line), 1_500);
  const notInstalled = await install(staging, version).then(
    () => undefined,
    (error: Error) => error.message,
  );
  clearTimeout(announce);
  if (notInstalled === undefined) return "installed";

  const notBuildable = await whyNotBuildable();
  if (notBuildable) throw unavailable(because, notInstalled, notBuildable);
  await rm(join(staging, "bin"), { recursive: true, force: true }); // a download that broke off
  say(`engine: building Pulumi v${version} from Go modules (3 to 6 minutes, once; cached in ${folder})${because}`);
  try {
    await build(staging, version);
  } catch (error) {
    throw unavailable(because, notInstalled, (error as Error).message);
  }
  const built = await versionOf(join(staging, "bin"));
  if (built !== `v${version}`) {
    throw unavailable(because, notInstalled, `what was built says it is ${built ?? "nothing at all"}`);
  }
  return "built";
}

/**
 * The folder is complete when it appears. If its engine does not run, somebody removed files, such as a program that
 * cleans up.
 */
async function checkCached(folder: string): Promise<void> {
  await unavailableIfUntrusted(assertTrusted(folder));
  const usable = await versionOf(join(folder, "bin"));
  if (!usable)
    throw new EngineUnavailable(`The cached engine in ${folder} does not run. Delete that folder and try again.`);
}

const unavailableIfUntrusted = (check: Promise<void>): Promise<void> =>
  check.catch((error: Error) => {
    throw error instanceof UntrustedCache ? new EngineUnavailable(error.message) : error;
  });

const unavailable = (because: string, notInstalled: string, notBuilt: string) =>
  new EngineUnavailable(
    [
      `No Pulumi engine can be had here${because}.`,
      `- Pulumi's own installer: ${notInstalled}`,
      `- building it from Go modules: ${notBuilt}`,
      `Any of these helps: install Pulumi ${OLDEST_ENGINE} or newer (https://www.pulumi.com/docs/install/) and put it on PATH;`,
      "install Go 1.26 or newer and make its module downloads reachable; set COMPUTE_ENDPOINT_ENGINE_CACHE to a folder",
      "where another machine of the same kind has already put one.",
    ].join("\n"),
  );

const spoken = (seconds: number): string =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
