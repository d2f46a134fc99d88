/** Runs `go build` in a module with our go.sum, and explains in our words a module that the checksums refuse. */
import { run } from "./run";

const LIMIT_MS = 45 * 60_000;

/**
 * @throws an error with what Go said. go.sum decides about each module, whatever the user's GOSUMDB, GOPRIVATE and GOFLAGS are.
 */
export async function goBuild(folder: string, args: readonly string[], env = process.env): Promise<void> {
  // These are about the user's own modules; without modules there are no checksums. An empty GOFLAGS would let those of
  // `go env -w` through.
  const own = { ...env, GO111MODULE: "on", GOWORK: "off", GOFLAGS: "-mod=readonly" };
  const compiled = await run("go", args, { cwd: folder, env: own, limitMs: LIMIT_MS });
  if (compiled.code !== 0) throw new Error(problemOf(compiled.stderr));
}

const MISMATCH = /verifying (\S+): checksum mismatch\s+downloaded: (\S+)\s+go\.sum: +(\S+)/;
const MISSING = /(?:missing go\.sum entry|updates to go\.(?:mod|sum) needed).*/;
const SUMS = "tools/engine/module/go.sum";

export function problemOf(stderr: string): string {
  const [, module, has, wanted] = MISMATCH.exec(stderr) ?? [];
  if (module) {
    return `the module ${module} is not the one that ${SUMS} names (it has ${has}, expected is ${wanted}), so nothing was built. Somebody changed it on the way: look at the module proxy (GOPROXY) and run \`go clean -modcache\`, or ${SUMS} is not the repository's`;
  }
  const missing = MISSING.exec(stderr)?.[0];
  if (missing) return `${SUMS} does not vouch for every module, so nothing was built (${missing})`;
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
