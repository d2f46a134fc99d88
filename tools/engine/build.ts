/** Builds the engine from Go modules, and our language host and the dynamic provider's start script beside it. */
import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { join, relative, resolve } from "node:path";
import * as esbuild from "esbuild";
import { goBuild } from "./go";
import {
  DYNAMIC_PROVIDER_SCRIPT,
  goBuildArguments,
  HOST_FOLDER,
  LANGUAGE_HOST_SCRIPT,
  MODULE_FILES,
  moduleFolder,
} from "./recipe";
import { run } from "./run";

const REPOSITORY = resolve(__dirname, "..", "..");

/** Why nothing can be built here; undefined if it can. */
export async function whyNotBuildable(): Promise<string | undefined> {
  if (platform() === "win32") return "building it works on Linux and macOS only";
  const result = await run("go", ["version"], { limitMs: 20_000 }).catch(() => undefined);
  return result?.code === 0 ? undefined : "there is no Go to build it with";
}

/** Puts an engine into `<folder>/bin`. Throws with what Go said. */
export async function build(folder: string, version: string): Promise<void> {
  const bin = join(folder, "bin");
  const module = join(folder, "module");
  await mkdir(bin);
  await mkdir(module);
  for (const name of MODULE_FILES) await copyFile(join(moduleFolder(version), name), join(module, name));
  const sums = relative(REPOSITORY, join(moduleFolder(version), "go.sum"));
  await goBuild(module, goBuildArguments(join(bin, "pulumi"), version), process.env, sums);
  await rm(module, { recursive: true });

  await bundleHost(join(folder, "host", "main.js"));
  await script(join(bin, "pulumi-language-nodejs"), LANGUAGE_HOST_SCRIPT);
  await script(join(bin, "pulumi-resource-pulumi-nodejs"), DYNAMIC_PROVIDER_SCRIPT);
}

/** One file with everything in it: the cache outlives the clone, and one file starts faster than a thousand. */
async function bundleHost(output: string): Promise<void> {
  await esbuild.build({
    entryPoints: [join(HOST_FOLDER, "main.ts")],
    outfile: output,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    logLevel: "error",
  });
}

/** A file, not a link: the engine warns about plugins on PATH that are not where it expects them. */
async function script(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}
