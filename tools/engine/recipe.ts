/**
 * What the engine is made of. Everything that decides what ends up in the cache stands here or in `host/`, and the
 * revision is a hash of it, so a changed recipe gets a folder of its own and never meets an old build.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The engine that is installed or built where none is found. The tests' expectations were observed on it. */
export const ENGINE_VERSION = "3.274.1";

/**
 * The oldest engine that will do. Older ones, seen down to 3.178, show the restart in the diff and in the report, but run no
 * hooks: no warning appears at the resource. The oldest SDK is another version: the peer dependency in package.json.
 */
export const OLDEST_ENGINE = "3.203.0";

/** The newest engine that was tried. */
export const NEWEST_ENGINE = "3.276.0";

/** The engines on which `.ci/run` tests, each with the folder of its Go module below `MODULE_FOLDER`. */
export const MODULES: Readonly<Record<string, string>> = {
  [OLDEST_ENGINE]: "oldest",
  [ENGINE_VERSION]: ".",
  [NEWEST_ENGINE]: "newest",
};

/** What must be on PATH or beside `pulumi` for a Node.js program with dynamic providers to run. */
export const COMPANIONS = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"] as const;

/**
 * The modules that the builds start from: `go.mod` pins the two direct requirements, and minimal version selection makes
 * the rest follow from them; `go.sum` has the checksum of each module that the build uses, on Linux and macOS. So what is
 * built is the same everywhere, also where the checksum database is switched off or out of reach.
 * `npx tsx tools/engine-sums.ts` writes each `go.sum` anew, for another version.
 *
 * The replacement in `go.mod` is copied from Pulumi's: Go ignores the replacements of a dependency.
 */
export const MODULE_FOLDER = join(__dirname, "module");
export const MODULE_FILES = ["go.mod", "go.sum"] as const;

export const MAIN_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
export const VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

export const moduleFolder = (version: string): string => join(MODULE_FOLDER, MODULES[version]!);

/** Arguments of `go` that put the engine into `output`. */
export const goBuildArguments = (output: string, version = ENGINE_VERSION): string[] => [
  "build",
  "-mod=readonly",
  "-buildvcs=false",
  "-o",
  output,
  "-ldflags",
  `-s -w -X ${VERSION_VARIABLE}=v${version}`,
  MAIN_PACKAGE,
];

/**
 * The engine starts the language host by this name. Node.js is whatever PATH has when the program runs, as with the
 * host that Pulumi ships.
 */
export const LANGUAGE_HOST_SCRIPT = `#!/bin/sh
exec node "$(dirname "$0")/../host/main.js" "$@"
`;

/**
 * The engine starts dynamic providers by this name, in the program's folder: the program's own SDK serves them. As in
 * the script that Pulumi ships, the shell stays the parent of node: a provider that watches its parent must find the
 * same here.
 */
export const DYNAMIC_PROVIDER_SCRIPT = `#!/bin/sh
script=$(node -e "console.log(require.resolve('@pulumi/pulumi/cmd/dynamic-provider'))") || exit 1
node "$script" "$@"
`;

/** Where the language host's source stands; `main.ts` is its entry. */
export const HOST_FOLDER = join(__dirname, "host");

/** Eight hex digits that change with anything that ends up in the cache. */
export function recipeRevision(version = ENGINE_VERSION): string {
  const hash = createHash("sha256");
  for (const part of [
    ...MODULE_FILES.map((name) => readFileSync(join(moduleFolder(version), name), "utf8")),
    goBuildArguments("pulumi", version).join(" "),
    LANGUAGE_HOST_SCRIPT,
    DYNAMIC_PROVIDER_SCRIPT,
    ...readdirSync(HOST_FOLDER)
      .sort()
      .map((name) => readFileSync(join(HOST_FOLDER, name), "utf8")),
  ]) {
    hash.update(part).update("\0");
  }
  return hash.digest("hex").slice(0, 8);
}
