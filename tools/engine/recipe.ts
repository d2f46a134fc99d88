/**
 * What the engine is made of. Everything that decides what ends up in the cache stands here or in `host/`, and the
 * revision is a hash of it, so a changed recipe gets a folder of its own and never meets an old build.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The engine that is installed or built where none is found. The tests' expectations were observed on it. */
export const ENGINE_VERSION = "3.274.1";

/** The oldest engine that will do: since this one a refresh asks for the live inputs (`read` returning `inputs`). */
export const OLDEST_USABLE = "3.216.0";

/** What must be on PATH or beside `pulumi` for a Node.js program with dynamic providers to run. */
export const COMPANIONS = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"] as const;

/**
 * The module that the build starts from. Only the two direct requirements are pinned: minimal version selection makes
 * the rest follow from them (`-mod=mod` writes it down while building), and the checksum database vouches for the
 * contents. So no list of a few hundred module names has to be kept in this repository.
 *
 * The replacement is Pulumi's own; replacements of a dependency do not carry over.
 */
export const GO_MOD = `module compute-endpoint-engine

go 1.26.6

require (
	github.com/pulumi/pulumi/pkg/v3 v${ENGINE_VERSION}
	github.com/pulumi/pulumi/sdk/v3 v${ENGINE_VERSION}
)

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
`;

const MAIN_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
const VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** Arguments of `go` that put the engine into `output`. */
export const goBuildArguments = (output: string): string[] => [
  "build",
  "-mod=mod",
  "-buildvcs=false",
  "-o",
  output,
  "-ldflags",
  `-s -w -X ${VERSION_VARIABLE}=v${ENGINE_VERSION}`,
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
 * the script that Pulumi ships, the shell stays the parent of node; whoever watches its parent should find the same here.
 */
export const DYNAMIC_PROVIDER_SCRIPT = `#!/bin/sh
script=$(node -e "console.log(require.resolve('@pulumi/pulumi/cmd/dynamic-provider'))") || exit 1
node "$script" "$@"
`;

/** Where the language host's source stands; `main.ts` is its entry. */
export const HOST_FOLDER = join(__dirname, "host");

/** Eight hex digits that change with anything that ends up in the cache. */
export function recipeRevision(): string {
  const hash = createHash("sha256");
  for (const part of [
    GO_MOD,
    goBuildArguments("pulumi").join(" "),
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
