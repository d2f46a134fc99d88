/**
 * `npx tsx tools/engine-sums.ts`: writes the go.sum of each engine, and of the language hosts, anew. Run it after a change of a version in a go.mod. Go
 * checks each line with its checksum database, so the script refuses to run if that database is off.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { LANGUAGES_MODULE } from "./engine/language-host";
import { MAIN_PACKAGE, MODULE_FOLDER, MODULES } from "./engine/recipe";
import { run } from "./engine/run";
import { YAML_MODULE, YAML_PACKAGE } from "./engine/yaml-host";

const PLATFORMS = ["linux", "darwin"].flatMap((os) => ["amd64", "arm64"].map((cpu) => ({ GOOS: os, GOARCH: cpu })));
const CGO = ["0", "1"];

async function go(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const own = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=mod", ...env };
  const { code, stdout, stderr } = await run("go", args, { cwd, env: own, limitMs: 600_000 });
  if (code !== 0) throw new Error(`go ${args.join(" ")}: ${stderr.trim()}`);
  return stdout;
}

async function main(): Promise<void> {
  const [database, ...exceptions] = (await go(MODULE_FOLDER, ["env", "GOSUMDB", "GONOSUMDB", "GOPRIVATE"]))
    .trimEnd()
    .split("\n");
  if (database === "off" || exceptions.some((text) => text !== "")) {
    throw new Error(
      "GOSUMDB is off, or GONOSUMDB or GOPRIVATE is set: nobody would check the new checksums. Unset them",
    );
  }
  const engines = Object.values(MODULES).map((name) => [join(MODULE_FOLDER, name), MAIN_PACKAGE] as const);
  for (const [folder, main] of [...engines, [YAML_MODULE, YAML_PACKAGE] as const, [LANGUAGES_MODULE, "."] as const]) {
    await rm(join(folder, "go.sum"), { force: true });
    for (const platform of PLATFORMS) {
      for (const CGO_ENABLED of CGO) await go(folder, ["list", "-deps", main], { ...platform, CGO_ENABLED });
    }
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
