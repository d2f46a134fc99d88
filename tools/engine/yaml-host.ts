/**
 * Pulumi's language host for YAML programs: beside the engine or on PATH where Pulumi is installed, else built from its Go module, once,
 * and cached beside the engine. Node.js programs need nothing of this.
 */
import { createHash } from "node:crypto";
import { access, constants, copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { delimiter, join, relative, resolve } from "node:path";
import { whyNotBuildable } from "./build";
import { cacheRoot, fillOnce } from "./cache";
import { goBuild } from "./go";
import type { Engine, EnsureOptions } from "./index";
import { EngineUnavailable } from "./index";
import { MODULE_FILES, MODULE_FOLDER } from "./recipe";
import { assertTrusted, ownFolder } from "./trusted";

/** As `go.mod` has it. */
const VERSION = "1.25.0";
export const YAML_MODULE = join(MODULE_FOLDER, "yaml");
export const YAML_PACKAGE = "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml";
const HOST = "pulumi-language-yaml";
const REPOSITORY = resolve(__dirname, "..", "..");

const argumentsFor = (output: string): string[] => [
  "build",
  "-mod=readonly",
  "-buildvcs=false",
  "-o",
  output,
  "-ldflags",
  `-s -w -X github.com/pulumi/pulumi-yaml/pkg/version.Version=v${VERSION}`,
  YAML_PACKAGE,
];

/**
 * The folder of the host, to be put on PATH behind that of the engine.
 * @throws EngineUnavailable where none can be had
 */
export async function ensureYamlHost(
  engine: Pick<Engine, "binDir">,
  { env = process.env, say = (line) => void process.stderr.write(`${line}\n`) }: EnsureOptions = {},
): Promise<string> {
  for (const folder of [engine.binDir, ...(env["PATH"] ?? "").split(delimiter)]) {
    if (folder !== "" && (await isExecutable(join(folder, HOST)))) return folder;
  }
  const root = cacheRoot(env);
  const folder = join(root, `yaml-host-${VERSION}-${await revision()}`);
  await ownFolder(root);
  await fillOnce(
    folder,
    async (staging) => {
      const notBuildable = await whyNotBuildable();
      if (notBuildable) throw unavailable(notBuildable);
      say(`engine: building Pulumi's host for YAML v${VERSION} (1 to 4 minutes, once; cached in ${folder})`);
      await build(staging).catch((error: Error) => {
        throw unavailable(error.message);
      });
    },
    () => say("engine: another process is building Pulumi's host for YAML; waiting for it"),
  );
  await assertTrusted(folder);
  return join(folder, "bin");
}

async function build(folder: string): Promise<void> {
  const module = join(folder, "module");
  for (const one of ["bin", "module"]) await mkdir(join(folder, one));
  for (const name of MODULE_FILES) await copyFile(join(YAML_MODULE, name), join(module, name));
  const sums = relative(REPOSITORY, join(YAML_MODULE, "go.sum"));
  await goBuild(module, argumentsFor(join(folder, "bin", HOST)), process.env, sums);
  await rm(module, { recursive: true });
}

/** Changes with anything that ends up in the cache. */
async function revision(): Promise<string> {
  const hash = createHash("sha256").update(argumentsFor(HOST).join(" "));
  for (const name of MODULE_FILES) hash.update("\0").update(await readFile(join(YAML_MODULE, name), "utf8"));
  return hash.digest("hex").slice(0, 8);
}

const unavailable = (why: string): EngineUnavailable =>
  new EngineUnavailable(
    `No language host for YAML programs can be had here: ${why}. Install Pulumi, which brings ${HOST}; or install Go 1.26 or newer and make its module downloads reachable.`,
  );

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
