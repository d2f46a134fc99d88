/** The package as users install it: packed by npm, then put by npm or pnpm into a tree of its own, not linked. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Run, run } from "../../../tools/engine/run";
import { ENGINE_TEST_MS } from "../../support/engine";

export const ROOT = resolve(__dirname, "../../..");

/** Pinned like everything else that the tests run on. */
const PNPM = "pnpm@10.34.9";
const BUN = "bun@1.4.5";

const versionOf = async (name: string): Promise<string> =>
  JSON.parse(await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8")).version;

/** What the caller's `npm test` hands down speaks of the clone, not of the folder. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|COMPUTE|NEON|npm_(package|lifecycle|command|config_local))_?/.test(name),
  ),
);

async function must(cwd: string, command: string, ...args: string[]): Promise<Run> {
  const result = await run(command, args, { cwd, env, limitMs: ENGINE_TEST_MS });
  if (result.code !== 0) throw new Error(`${command} ${args.join(" ")}\n${result.stdout}${result.stderr}`);
  return result;
}

const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

/** Packs the clone's build; gives the file's name, which is the same in every run. */
export async function pack(folder: string): Promise<string> {
  await must(ROOT, "npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
  return join(
    folder,
    `pulumi-compute-endpoint-${JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")).version}.tgz`,
  );
}

/** What a program's package.json names, in the versions that the clone is tested with. */
export async function dependencies(tarball: string, ...names: string[]): Promise<Record<string, string>> {
  const others = await Promise.all(names.map(async (name) => [name, await versionOf(name)] as const));
  return { "pulumi-compute-endpoint": `file:${tarball}`, ...Object.fromEntries(others) };
}

/** The program's folder anew: nothing of the last layout stays. */
export async function clean(...folders: string[]): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

export async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

export const npmInstall = (folder: string) => must(folder, "npm", "install", ...QUIET);

/** The default layout of pnpm: links into a folder of its own, and nothing that package.json does not name. */
export async function pnpmInstall(folder: string, tools: string): Promise<void> {
  const store = join(tools, "store");
  // A lockfile is wanted in CI, and there is none: this is a new folder.
  const args = ["install", "--store-dir", store, "--ignore-scripts", "--no-frozen-lockfile", "--reporter=append-only"];
  await must(folder, process.execPath, join(tools, "node_modules/pnpm/bin/pnpm.cjs"), ...args);
}

/** pnpm and Bun, in a folder beside the program. Gives the folder. */
export async function installTools(folder: string): Promise<string> {
  await write(folder, { "package.json": JSON.stringify({ name: "tools", private: true }) });
  await must(folder, "npm", "install", PNPM, BUN, ...QUIET);
  return folder;
}
