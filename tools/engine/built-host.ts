/**
 * Language hosts other than that for Node.js. Finds a host beside the engine or on PATH, where Pulumi is installed. Otherwise builds it
 * from Go modules, once, and caches it beside the engine.
 */
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { whyNotBuildable } from "./build";
import { cacheRoot, fillOnce } from "./cache";
import { foldersOn, isExecutable } from "./find";
import { goBuild } from "./go";
import type { Engine, EnsureOptions } from "./index";
import { EngineUnavailable } from "./index";
import { assertTrusted, ownFolder } from "./trusted";

export interface HostRecipe {
  /** In messages. */
  languages: string;
  /** In messages, such as "1 to 4 minutes". */
  takes: string;
  /** The name of the folder in the cache, before its revision. */
  cache: string;
  /** The Go module that is built, and its files. */
  module: string;
  files: readonly string[];
  /** The Go package of the host, and the variable in it that gets the version. */
  package: string;
  versionVariable: string;
  version: string;
  /** Where the binary goes, in the folder of the cache. */
  output: string;
  /** What is needed beside the binary. @param module the copy of the module */
  finish?(folder: string, module: string): Promise<void>;
  /** A text that changes whenever `finish` does something else: part of the cache's revision. */
  finished?: string;
}

const REPOSITORY = resolve(__dirname, "..", "..");

/**
 * The folder that has `host`, to be put on PATH behind that of the engine.
 * @throws EngineUnavailable if none can be had
 */
export async function ensureHost(
  host: string,
  recipe: HostRecipe,
  engine: Pick<Engine, "binDir">,
  { env = process.env, say = (line) => void process.stderr.write(`${line}\n`) }: EnsureOptions = {},
): Promise<string> {
  const root = cacheRoot(env);
  for (const folder of [engine.binDir, ...foldersOn(env["PATH"] ?? "", root)]) {
    if (await isExecutable(join(folder, host))) return folder;
  }
  const unavailable = (why: string): EngineUnavailable =>
    new EngineUnavailable(
      `No language host for ${recipe.languages} programs can be had here: ${why}. Install Pulumi, which brings ${host}; or install Go 1.26 or newer and make its module downloads reachable.`,
    );
  const folder = join(root, `${recipe.cache}-${await revisionOf(recipe)}`);
  await ownFolder(root);
  await fillOnce(
    folder,
    async (staging) => {
      const notBuildable = await whyNotBuildable();
      if (notBuildable) throw unavailable(notBuildable);
      say(`engine: building the host for ${recipe.languages} (${recipe.takes}, once; cached in ${folder})`);
      await build(staging, recipe).catch((error: Error) => {
        throw unavailable(error.message);
      });
    },
    () => say(`engine: another process is building the host for ${recipe.languages}; waiting for it`),
  );
  await assertTrusted(folder);
  return join(folder, "bin");
}

async function build(folder: string, recipe: HostRecipe): Promise<void> {
  const module = join(folder, "module");
  for (const one of ["bin", "module"]) await mkdir(join(folder, one));
  for (const name of recipe.files) await copyFile(join(recipe.module, name), join(module, name));
  const sums = relative(REPOSITORY, join(recipe.module, "go.sum"));
  await goBuild(module, buildArguments(recipe, join(folder, recipe.output)), process.env, sums);
  await recipe.finish?.(folder, module);
  await rm(module, { recursive: true });
}

const buildArguments = ({ versionVariable, version, package: name }: HostRecipe, output: string): string[] => [
  ...["build", "-mod=readonly", "-buildvcs=false", "-o", output],
  ...["-ldflags", `-s -w -X ${versionVariable}=v${version}`, name],
];

/** Changes with anything that ends up in the cache. */
async function revisionOf(recipe: HostRecipe): Promise<string> {
  const hash = createHash("sha256").update(buildArguments(recipe, "host").join(" "));
  for (const name of recipe.files) hash.update("\0").update(await readFile(join(recipe.module, name), "utf8"));
  if (recipe.finished) hash.update("\0").update(recipe.finished);
  return hash.digest("hex").slice(0, 8);
}
