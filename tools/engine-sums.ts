/**
 * `npx tsx tools/engine-sums.ts`: writes the engine's go.sum anew, after go.mod got another version. Go checks each line with
 * its checksum database, so the script refuses to run without one.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { MAIN_PACKAGE, MODULE_FOLDER } from "./engine/recipe";
import { run } from "./engine/run";

const PLATFORMS = ["linux", "darwin"].flatMap((os) => ["amd64", "arm64"].map((cpu) => ({ GOOS: os, GOARCH: cpu })));
const CGO = ["0", "1"];

async function go(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const own = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=mod", ...env };
  const { code, stdout, stderr } = await run("go", args, { cwd: MODULE_FOLDER, env: own, limitMs: 600_000 });
  if (code !== 0) throw new Error(`go ${args.join(" ")}: ${stderr.trim()}`);
  return stdout;
}

async function main(): Promise<void> {
  const [database, ...exceptions] = (await go(["env", "GOSUMDB", "GONOSUMDB", "GOPRIVATE"])).trimEnd().split("\n");
  if (database === "off" || exceptions.some((text) => text !== "")) {
    throw new Error(
      "GOSUMDB is off, or GONOSUMDB or GOPRIVATE is set: nothing would vouch for the new checksums. Unset them",
    );
  }
  await rm(join(MODULE_FOLDER, "go.sum"), { force: true });
  for (const platform of PLATFORMS) {
    for (const CGO_ENABLED of CGO) await go(["list", "-deps", MAIN_PACKAGE], { ...platform, CGO_ENABLED });
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
