/**
 * Runs before all tests: tests of the build need `dist/`, which a fresh clone lacks. If `dist/` is older than the
 * sources, it only prints a line, so that a single test file starts at once. Without the line, nobody would notice that
 * a test runs old code.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(__dirname, "../..");
const SOURCES = ["sdk", "provider", "emulator", "policy", "cli", "native"];

export default function setup(): void {
  const built = join(ROOT, "dist/sdk/index.js");
  if (!existsSync(built)) {
    process.stderr.write("dist/ is missing: npm run build\n");
    execFileSync(process.execPath, [join(ROOT, "tools/build.mjs")], { cwd: ROOT, stdio: "inherit" });
    return;
  }
  const newer = newerSource(statSync(built).mtimeMs);
  if (newer) process.stderr.write(`dist/ is older than ${newer}: tests of the build need \`npm run build\`\n`);
}

/** A source that was written after that time. */
function newerSource(afterMs: number): string | undefined {
  return SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  ).find((name) => /\.(tsx?|css|html|svg)$/.test(name) && statSync(join(ROOT, name)).mtimeMs > afterMs);
}
