/**
 * The SDK's own installer, in a process of its own: it has no time limit and starts a shell and a download, and this
 * way all of it can be ended. Where its download is out of reach it fails at once or after a connection's time limit.
 */
import { dirname } from "node:path";
import { ENGINE_VERSION } from "./recipe";
import { run } from "./run";

/** A slow line takes about two minutes for the archive of some 150 MB. */
const LIMIT_MS = 180_000;

const SCRIPT = `
const { PulumiCommand } = require(process.argv[1]);
PulumiCommand.install({ root: process.argv[2], version: process.argv[3] }).then(
  () => process.exit(0),
  (error) => { process.stderr.write(String(error.message)); process.exit(1); },
);`;

/** Puts an engine into `<folder>/bin`. Throws with one line that says why not. */
export async function install(folder: string): Promise<void> {
  const automation = require.resolve("@pulumi/pulumi/automation");
  const result = await run(process.execPath, ["-e", SCRIPT, automation, folder, ENGINE_VERSION], {
    cwd: dirname(automation),
    limitMs: LIMIT_MS,
  });
  if (result.code !== 0) throw new Error(result.stderr.trim().split("\n")[0] || `exit code ${result.code}`);
}
