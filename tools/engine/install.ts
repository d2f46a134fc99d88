/**
 * Runs the installer of the SDK in a process of its own. It has no time limit, and starts a shell and a download. As a
 * process, all of it can be ended. If the download is out of reach, it fails at once or after the time limit of a
 * connection.
 */
import { dirname } from "node:path";
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
export async function install(folder: string, version: string): Promise<void> {
  const automation = require.resolve("@pulumi/pulumi/automation");
  const result = await run(process.execPath, ["-e", SCRIPT, automation, folder, version], {
    cwd: dirname(automation),
    limitMs: LIMIT_MS,
  });
  if (result.code !== 0) throw new Error(result.stderr.trim().split("\n")[0] || `exit code ${result.code}`);
}
