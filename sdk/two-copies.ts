// Two copies of Pulumi's SDK in one process: a linked folder, or two versions in a workspace. Under `pulumi up` each copy has
// its own connection to the engine. Inline programs of the Automation API share the one of the copy that runs them, which
// takes no messages of another copy, says so to nobody, and waits for ever.

import { dirname } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { failure } from "./failure.js";

/** Connections that took a message of ours. */
const fitting = new WeakSet<object>();

/** Fails with the paths of the copies, before anything waits. */
export function refuseTwoCopies(): void {
  const monitor = pulumi.runtime.getMonitor() as object | undefined;
  if (monitor === undefined || fitting.has(monitor)) return;
  if (!takesOurs(monitor)) {
    throw failure(
      `this program has two copies of @pulumi/pulumi, of which an inline program can use one only: ${copies().join(" and ")}. Make it one: \`npm ls @pulumi/pulumi\` shows who brings which version, \`npm dedupe\` may join them, and a folder that is linked (npm link, file:) brings its own: install a package of it instead`,
    );
  }
  fitting.add(monitor);
}

/** Whether a message of our copy fits, which is an instance of our copy's class. */
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
