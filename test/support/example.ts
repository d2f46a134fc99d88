import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { isUsable } from "../../tools/engine/version";

const ROOT = resolve(__dirname, "../..");

/** The packages that an example names, and that `npm ci` in the clone does not install in a fitting version. */
export function missingPackages(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const named = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies });
  return named.filter(([name, range]) => !isBrought(folder, name, range)).map(([name]) => name);
}

function isBrought(folder: string, name: string, range: string): boolean {
  const path = realpathSync(createRequire(join(folder, "index.js")).resolve(`${name}/package.json`));
  if (range.startsWith("file:")) return dirname(path) === resolve(folder, range.slice("file:".length));
  const { version } = JSON.parse(readFileSync(path, "utf8"));
  return path.startsWith(join(ROOT, "node_modules") + sep) && isUsable(version, range.replace("^", ""));
}
