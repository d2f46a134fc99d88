// Compiles into a folder of its own, which then takes the place of dist/: what runs meanwhile (an engine, a test) finds the
// old build or the new one, never half of one, and a build never ships a file whose source is gone.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const dist = join(ROOT, "dist");
const made = mkdtempSync(join(ROOT, ".build-"));
const [fresh, old] = [join(made, "dist"), join(made, "old")];

try {
  const { status } = spawnSync(process.execPath, [TSC, "-p", "tsconfig.build.json", "--outDir", fresh], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (status === 0) {
    bundle();
    // As npm does when it installs the package: in the clone nobody else would.
    chmodSync(join(fresh, "cli/main.js"), 0o755);
    put();
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}

/**
 * The provider with all its modules, and what it uses of zod, in one file: every command of Pulumi starts the provider anew,
 * some twice, and a hundred and more small files take half of the provider's time in a small refresh.
 */
function bundle() {
  const license = readFileSync(
    createRequire(import.meta.url)
      .resolve("zod/package.json")
      .replace("package.json", "LICENSE"),
  );
  buildSync({
    entryPoints: [join(ROOT, "provider/index.ts")],
    outfile: join(fresh, "provider/index.js"),
    bundle: true,
    platform: "node",
    target: "node20",
    external: ["undici"],
    banner: { js: `/* Parts of zod are in this file.\n\n${license}*/` },
    logLevel: "warning",
  });
}

function put() {
  for (let tries = 0; ; tries++) {
    try {
      renameSync(dist, old);
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    try {
      return renameSync(fresh, dist);
    } catch (error) {
      // Another build was a moment faster.
      if (tries > 5) throw error;
      rmSync(old, { recursive: true, force: true });
    }
  }
}
