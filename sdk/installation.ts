// Checks the installation: not two copies of Pulumi's SDK in one process, and this package in the program's folder.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { failure } from "./failure.js";
import { oncePerRun } from "./pulumi-run.js";

/**
 * Fails if a process has two copies of Pulumi's SDK, for example by a linked folder or by two versions in a workspace. The
 * error has their paths. Under `pulumi up` each copy has its own connection to the engine. But in an inline program of the
 * Automation API, both copies use one connection. It drops the messages of the second copy without an error, so the program
 * would wait for ever.
 */
export const refuseTwoCopies = oncePerRun((monitor) => {
  if (monitor !== undefined && !takesOurs(monitor)) {
    throw failure(
      `this program has two copies of @pulumi/pulumi, but an inline program can use only one: ${copies().join(" and ")}. Keep one: \`npm ls @pulumi/pulumi\` shows who brings which version, \`npm dedupe\` may join them, and a linked folder (npm link, file:) brings its own copy: install the file that \`npm pack\` makes of it instead`,
    );
  }
});

/** Whether the connection takes a message of our copy. It takes only instances of its own copy's class. */
function takesOurs(monitor: object): boolean {
  const { registerResource } = monitor as { registerResource?: { requestSerialize?: (message: unknown) => unknown } };
  // Neither mocks nor unknown kinds of connections have it.
  if (typeof registerResource?.requestSerialize !== "function") return true;
  let message: unknown;
  try {
    const proto = require("@pulumi/pulumi/proto/resource_pb") as { RegisterResourceRequest: new () => unknown };
    message = new proto.RegisterResourceRequest();
  } catch {
    return true;
  }
  try {
    registerResource.requestSerialize(message);
    return true;
  } catch {
    return false;
  }
}

/** The folders of all copies that are loaded. */
function copies(): string[] {
  const state = /[\\/]runtime[\\/]state\.js$/;
  const names = Object.keys(require.cache).filter((path) => state.test(path) && isPulumi(path));
  return names.map((path) => dirname(dirname(path)));
}

function isPulumi(path: string): boolean {
  try {
    return (require(`${dirname(dirname(path))}/package.json`) as { name?: string }).name === "@pulumi/pulumi";
  } catch {
    return false;
  }
}

const PROVIDER = "pulumi-compute-endpoint/provider";

/** The program's folder: Pulumi starts a program there. Read while this module is loaded, as the program may leave the folder. */
const STARTED_IN = process.cwd();

/** Folders from which the provider was found: a program with many computes looks once. */
const reached = new Set<string>();

/**
 * Throws with advice if the engine would not find this package in the program's folder. A program that uses only a package of
 * components need not have this package there (with pnpm it never has).
 *
 * Looks only where Pulumi itself runs the program: an inline program of the Automation API has another folder, and a unit test
 * has no engine.
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
      `pulumi-compute-endpoint can't be found from the program's folder ${folder}, where Pulumi's engine looks for it: add it to the dependencies in that folder's package.json, even if only another package uses it`,
    );
  }
}
