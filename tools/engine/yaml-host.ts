/** Pulumi's language host for YAML programs, which can be had as a Go module. Node.js programs need nothing of this. */
import { join } from "node:path";
import type { HostRecipe } from "./built-host";
import { MODULE_FILES, MODULE_FOLDER } from "./recipe";

/** As `go.mod` has it. */
const VERSION = "1.25.0";
export const YAML_MODULE = join(MODULE_FOLDER, "yaml");
export const YAML_PACKAGE = "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml";
export const YAML_HOST = "pulumi-language-yaml";

export const YAML_RECIPE: HostRecipe = {
  languages: "YAML",
  takes: "1 to 4 minutes",
  cache: `yaml-host-${VERSION}`,
  module: YAML_MODULE,
  files: MODULE_FILES,
  output: join("bin", YAML_HOST),
  package: YAML_PACKAGE,
  versionVariable: "github.com/pulumi/pulumi-yaml/pkg/version.Version",
  version: VERSION,
};
