import { createRequire } from "node:module";
import { join } from "node:path";
import { failure } from "./failure.js";

const PROVIDER = "pulumi-compute-endpoint/provider";

/** Pulumi starts a program in its folder: it is asked for while the program is loaded, before it can go elsewhere. */
const STARTED_IN = process.cwd();

/** Folders from which it was found: a program with many computes looks once. */
const reached = new Set<string>();

/**
 * Fails with the way out where the engine would not find this package. A program may get it by a package of components;
 * the engine loads the provider from the program's folder, which then need not see it (with pnpm it never does).
 *
 * Looks only where Pulumi itself runs the program: an inline program of the Automation API has another folder, and a unit
 * test has no engine.
 */
export function refuseUnreachable(main: string | undefined = require.main?.filename, folder = STARTED_IN): void {
  if (reached.has(folder)) return;
  if (!main || !/[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run[\\/]/.test(main)) return;
  try {
    createRequire(join(folder, "index.js")).resolve(PROVIDER);
    reached.add(folder);
  } catch (error) {
    if ((error as { code?: string }).code !== "MODULE_NOT_FOUND") return;
    throw failure(
      `pulumi-compute-endpoint can't be found from the program's folder ${folder}, where Pulumi's engine looks for it: add it to the dependencies in that folder's package.json, also where only another package uses it`,
    );
  }
}
