/**
 * The language host for Python and Go programs. Pulumi's own are not served as Go modules, so this is one of ours, in `module/languages`:
 * around Pulumi's own generators of SDKs and code, its handling of Python's packages, and its script that runs a Python program.
 */
import { chmod, copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostRecipe } from "./built-host";
import { goModuleFolder } from "./go";
import { ENGINE_VERSION, MODULE_FILES, MODULE_FOLDER, VERSION_VARIABLE } from "./recipe";

export const LANGUAGES_MODULE = join(MODULE_FOLDER, "languages");
const NAMES = ["python", "go"] as const;
/** Pulumi's script that runs a Python program, in the module of its SDK. */
const EXECUTOR = "pulumi-language-python-exec";
const SDK = "github.com/pulumi/pulumi/sdk/v3";

/** The engine starts the host by its language. A file, not a link: the cache has no links. */
const script = (name: string) => `#!/bin/sh\nexec "$(dirname "$0")/language-host" ${name} "$@"\n`;

export const LANGUAGES_RECIPE: HostRecipe = {
  languages: "Python and Go",
  takes: "1 to 4 minutes",
  cache: `language-host-${ENGINE_VERSION}`,
  module: LANGUAGES_MODULE,
  files: [...MODULE_FILES, "main.go", "generate.go", "python.go", "golang.go"],
  output: join("bin", "language-host"),
  package: ".",
  versionVariable: VERSION_VARIABLE,
  version: ENGINE_VERSION,
  async finish(folder, module) {
    const bin = join(folder, "bin");
    await copyFile(join(await goModuleFolder(module, SDK), "python/cmd", EXECUTOR), join(bin, EXECUTOR));
    for (const name of NAMES) {
      const path = join(bin, `pulumi-language-${name}`);
      await writeFile(path, script(name));
      await chmod(path, 0o755);
    }
  },
  finished: NAMES.map(script).join("\0") + EXECUTOR,
};
