/** Runs `go build` in a module with our go.sum. If a checksum does not match, the error says which module and what to do. */
import { run } from "./run";

const LIMIT_MS = 45 * 60_000;

/**
 * Checks each module by go.sum, even if the user's GOSUMDB, GOPRIVATE or GOFLAGS would switch that off.
 * @param sums the go.sum that the error names: `folder` may hold a copy of it
 * @throws an error with Go's message
 */
export async function goBuild(folder: string, args: readonly string[], env = process.env, sums = SUMS): Promise<void> {
  await go(folder, args, env, sums);
}

/** Where Go has put the files of a module that `folder` requires. */
export async function goModuleFolder(folder: string, module: string, env = process.env): Promise<string> {
  return (await go(folder, ["list", "-m", "-f", "{{.Dir}}", module], env, SUMS)).trim();
}

async function go(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv, sums: string): Promise<string> {
  // The user may have set these for modules of their own. Without modules there are no checksums. If GOFLAGS was empty,
  // Go would take the flags of `go env -w`.
  const own = { ...env, GO111MODULE: "on", GOWORK: "off", GOFLAGS: "-mod=readonly" };
  const { code, stdout, stderr } = await run("go", args, { cwd, env: own, limitMs: LIMIT_MS });
  if (code !== 0) throw new Error(problemOf(stderr, sums));
  return stdout;
}

const MISMATCH = /verifying (\S+): checksum mismatch\s+downloaded: (\S+)\s+go\.sum: +(\S+)/;
const MISSING = /(?:missing go\.sum entry|updates to go\.(?:mod|sum) needed).*/;
const SUMS = "tools/engine/module/go.sum";

export function problemOf(stderr: string, sums = SUMS): string {
  const [, module, has, wanted] = MISMATCH.exec(stderr) ?? [];
  if (module) {
    return `module ${module} does not match its checksum in ${sums} (downloaded: ${has}, expected: ${wanted}), so nothing was built. Somebody may have changed the module: check the module proxy (GOPROXY), then run \`go clean -modcache\`. Or ${sums} was changed: restore it with git`;
  }
  const missing = MISSING.exec(stderr)?.[0];
  if (missing) return `${sums} lacks the checksum of a module, so nothing was built (${missing})`;
  return `go build: ${lastLines(stderr)}`;
}

/** Go says what is wrong at the end, after its lines about downloads. */
const lastLines = (text: string): string =>
  text
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("go: downloading"))
    .slice(-6)
    .join("\n");
