/**
 * The packages of Pulumi's SDK for Python, in a folder of the cache from which pip installs them without the network.
 * `python/requirements.txt` lists them with checksums.
 */
import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import { cacheRoot, fillOnce } from "./cache";
import type { EnsureOptions } from "./index";
import { EngineUnavailable } from "./index";
import { run } from "./run";
import { assertTrusted, ownFolder } from "./trusted";

/** Pulumi's SDK, and what its language host installs into each new virtual environment. */
export const PYTHON_PACKAGES = ["pulumi==3.272.0", "pip", "setuptools", "wheel"] as const;
/** `npx tsx tools/python-sums.ts` writes it. */
export const REQUIREMENTS = join(__dirname, "python", "requirements.txt");

/** Prints what the packages depend on: Python's version, the system and the processor. It fails where Python is too old or has no `venv`. */
const ABOUT = `
import ensurepip, platform, sys, venv
assert sys.version_info >= (3, 10), "it is older than 3.10"
print(f"{sys.version_info[0]}.{sys.version_info[1]}-{platform.system()}-{platform.machine()}".lower())`;
const LIMIT_MS = 600_000;

/**
 * Variables with which pip finds the packages.
 * @throws EngineUnavailable if there is no Python, or no package can be had
 */
export async function ensurePythonPackages({
  env = process.env,
  say = (line) => void process.stderr.write(`${line}\n`),
}: EnsureOptions = {}): Promise<NodeJS.ProcessEnv> {
  const about = await run("python3", ["-c", ABOUT], { env, limitMs: 20_000 }).catch((error: Error) => error);
  if (about instanceof Error || about.code !== 0) {
    const why = about instanceof Error ? about.message : about.stderr.trim().split("\n").at(-1);
    throw unavailable(`python3 can't be used (${why})`);
  }
  const root = cacheRoot(env);
  const revision = createHash("sha256")
    .update(await readFile(REQUIREMENTS))
    .digest("hex")
    .slice(0, 8);
  const folder = join(root, `python-${about.stdout.trim()}-${revision}`);
  await ownFolder(root);
  await fillOnce(
    folder,
    async (staging) => {
      say(`engine: downloading Pulumi's SDK for Python (half a minute, once; cached in ${folder})`);
      await download(staging, env).catch((error: Error) => {
        throw unavailable(error.message);
      });
    },
    () => say("engine: another process is downloading Pulumi's SDK for Python; waiting for it"),
  );
  await assertTrusted(folder);
  return {
    PIP_CONFIG_FILE: devNull,
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_FIND_LINKS: folder,
    PIP_NO_COMPILE: "1", // Python compiles what it imports
    PIP_NO_INDEX: "1",
  };
}

/** With a pip of its own: Debian's Python has none outside of virtual environments. */
async function download(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const venv = join(folder, "venv");
  const exactly = ["--quiet", "--require-hashes", "--only-binary=:all:", "--requirement", REQUIREMENTS];
  for (const [command, args] of [
    ["python3", ["-m", "venv", venv]],
    [join(venv, "bin", "python"), ["-m", "pip", "download", ...exactly, "--dest", folder]],
  ] as const) {
    const { code, stdout, stderr } = await run(command, args, { env, limitMs: LIMIT_MS });
    if (code !== 0) throw new Error(`${command} ${args.slice(0, 3).join(" ")}: ${stderr.trim() || stdout.trim()}`);
  }
  await rm(venv, { recursive: true });
}

const unavailable = (why: string): EngineUnavailable =>
  new EngineUnavailable(
    `Pulumi's SDK for Python can't be had here: ${why}. Install Python 3.10 or newer with venv and pip (Debian: python3-venv), and let pip reach its index.`,
  );
