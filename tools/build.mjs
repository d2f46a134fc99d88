// Compiles into a folder of its own, which then takes the place of dist/: whatever runs meanwhile (an engine, a test) finds the
// old build or the new one, never half of one, and a build never ships a file whose source is gone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { IMPORT, joinModules } from "./join-modules.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const FOLDERS = ["sdk", "provider", "emulator", "policy", "cli", "native"];
/** Folders whose entry is run, and imported by nobody. */
const PROGRAMS = ["cli", "native"];
const MAINS = FOLDERS.map((folder) => join(folder, PROGRAMS.includes(folder) ? "main" : "index"));
const ENTRIES = [...MAINS, "native/converter"];
const CONFIG = [
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
  ...["tools/build.mjs", "tools/join-modules.mjs"],
];
const dist = join(ROOT, "dist");
/** The emulator's page, which runs in a browser: a folder of the sources, and of dist/. */
const CONSOLE = "emulator/console";
/** Holds the hash of what dist/ was made from. It is not packed. */
const STAMP = ".sources";
/** As TypeScript writes the import. */
const ZOD = 'require("zod/mini")';
/** The import of a command that writes YAML. */
const YAML = 'import("yaml")';

const hash = hashOfSources();
// npm runs `prepare` twice when it installs from git, and once more before `npm test` and `npm run demo`.
if (!process.argv.includes("--if-changed") || stampOf(dist) !== hash) build();
linkToItself();

function build() {
  const tsc = compiler();
  const made = mkdtempSync(join(ROOT, ".build-"));
  const fresh = join(made, "dist");
  try {
    const args = [tsc, "-p", "tsconfig.build.json", "--outDir", fresh];
    const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
    if (status !== 0) process.exit(status ?? 1);
    bundleZod(fresh);
    bundleYaml(fresh);
    bundleGrpc(fresh);
    joinModules(fresh, (path, contents, external) => bundle(fresh, path, contents, external));
    removeUnreached(fresh, ".js", IMPORT);
    removeUnreached(fresh, ".d.ts", /(?:from|import\() ?"(\.[^"]+)"/g);
    buildConsole(join(fresh, CONSOLE));
    // npm does this when it installs the package. In the clone only this script can.
    chmodSync(join(fresh, "cli/main.js"), 0o755);
    writeFileSync(join(fresh, STAMP), hash);
    replaceDist(fresh, join(made, "old"));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * What the package uses of zod, in one file: opening many files takes longer than running them. Everything in dist/ loads this file, so
 * that there is one zod. Of its two forms, zod/mini loads and builds schemas in less than half the time.
 */
function bundleZod(folder) {
  const zod = require("zod/mini");
  const files = filesIn(folder, ".js").map((path) => ({ path, text: readFileSync(path, "utf8") }));
  const users = files.filter(({ text }) => text.includes(ZOD));
  const used = users.flatMap(({ text }) => [...text.matchAll(/\bz\.(\w+)/g)].map(([, name]) => name));
  // Words such as `enum` are names of zod's, but can't be names of variables.
  const names = [...new Set(used)]
    .filter((name) => name in zod && name !== "locales")
    .map((name) => ({ name, variable: `zod_${name}` }));
  const list = (format) => names.map(format).join(", ");
  const contents = [
    `import { ${list(({ name, variable }) => `${name} as ${variable}`)} } from "zod/mini";`,
    'import en from "zod/v4/locales/en.js";',
    `export { ${list(({ name, variable }) => `${variable} as ${name}`)} };`,
    // zod has fifty languages.
    "export const locales = { en };",
  ].join("\n");
  bundlePackage(folder, "zod", contents);
  for (const { path, text } of users) {
    writeFileSync(path, text.replaceAll(ZOD, `require("${specifier(folder, path, "zod")}")`));
  }
}

/**
 * What the package uses of yaml, in one file that only `approve` and a report beside its program load. As a dependency it would be
 * installed by all who use the provider.
 */
function bundleYaml(folder) {
  const yaml = require("yaml");
  const files = filesIn(join(folder, "cli"), ".js").map((path) => ({ path, text: readFileSync(path, "utf8") }));
  const used = files.flatMap(({ text }) => [...text.matchAll(/\byaml\.(\w+)/g)].map(([, name]) => name));
  const names = [...new Set(used)].filter((name) => name in yaml);
  // The modules for browsers can be bundled in part. They do the same.
  const modules = join(dirname(require.resolve("yaml/package.json")), "browser/dist/index.js");
  bundlePackage(folder, "yaml", `export { ${names.join(", ")} } from ${JSON.stringify(modules)};`);
  for (const { path, text } of files.filter(({ text }) => text.includes(YAML))) {
    const chunk = `require("${specifier(folder, path, "yaml")}")`;
    writeFileSync(path, text.replaceAll(YAML, `Promise.resolve().then(() => ${chunk})`));
  }
}

/** The page as a browser loads it. It has Preact in it, so nobody who installs the package installs Preact. */
function buildConsole(folder) {
  const { buildSync } = require("esbuild");
  const sources = join(ROOT, CONSOLE);
  buildSync({
    entryPoints: ["main.tsx", "console.css"].map((name) => join(sources, name)),
    entryNames: "console",
    outdir: folder,
    bundle: true,
    minify: true,
    charset: "utf8",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    banner: { js: `/* With preact.\n\n${licenseOf("preact")}*/` },
    logLevel: "warning",
  });
  for (const name of ["index.html", "icon.svg"]) copyFileSync(join(sources, name), join(folder, name));
}

/**
 * What the plugin uses of gRPC and of Pulumi's messages, in one file that only the plugin loads. The rest of the plugin is shared
 * with the class.
 */
function bundleGrpc(folder) {
  const { buildSync } = require("esbuild");
  const entry = join(folder, "native/grpc.js");
  const options = {
    entryPoints: [entry],
    outfile: entry,
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    // It is loaded only by parts of gRPC that this package does not use.
    external: ["@grpc/proto-loader"],
    logLevel: "warning",
  };
  const { metafile } = buildSync({ ...options, write: false, metafile: true });
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  buildSync({
    ...options,
    allowOverwrite: true,
    legalComments: "none",
    banner: { js: licensesOf([...packages].sort()) },
  });
}

/** Each license once, under the names of the packages that have it. */
function licensesOf(packages) {
  const names = new Map();
  for (const name of packages) {
    const at = join(ROOT, "node_modules", name);
    const file = readdirSync(at).find((one) => /^licen[cs]e/i.test(one) && !/asserts/i.test(one));
    const text = file ? readFileSync(join(at, file), "utf8") : `License: ${require(`${name}/package.json`).license}\n`;
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  const parts = [...names].map(([text, all]) => `Parts of ${all.join(", ")}.\n\n${text}`);
  return `/* ${parts.join("\n\n").replaceAll("*/", "* /")}*/`;
}

/** The specifier with which the module at `path` requires the bundle. */
function specifier(folder, path, name) {
  return relative(dirname(path), join(folder, `${name}.js`));
}

/** Writes NAME.js, with the license of the package that is in it. */
function bundlePackage(folder, name, contents) {
  bundle(folder, join(folder, `${name}.js`), contents, [], `/* Parts of ${name}.\n\n${licenseOf(name)}*/`);
}

function bundle(folder, path, contents, external = [], banner = "") {
  const { buildSync } = require("esbuild");
  buildSync({
    stdin: { contents, resolveDir: ROOT },
    outfile: path,
    absWorkingDir: folder,
    bundle: true,
    platform: "node",
    target: "node20",
    external: ["@pulumi/*", "undici", "undici/*", ...external],
    banner: { js: banner },
    logLevel: "warning",
  });
}

function licenseOf(name) {
  return readFileSync(join(dirname(require.resolve(`${name}/package.json`)), "LICENSE"), "utf8");
}

function compiler() {
  try {
    return require.resolve("typescript/bin/tsc");
  } catch {
    process.stderr.write("The build needs the development dependencies: run `npm ci` here first.\n");
    process.exit(1);
  }
}

/**
 * Removes the files that no entry of the package loads or imports: empty `.js` files of modules that contain only
 * types, and declarations that no user's compiler reads. Nobody imports the command and the plugin, so their declarations
 * are not needed either.
 */
function removeUnreached(folder, extension, imports) {
  const reached = new Set(ENTRIES.map((entry) => join(folder, entry + extension)));
  if (extension === ".d.ts")
    for (const one of [...PROGRAMS.map((program) => `${program}/main`), "native/converter"])
      reached.delete(join(folder, one + extension));
  for (const path of reached) {
    for (const [, specifier] of readFileSync(path, "utf8").matchAll(imports)) {
      reached.add(join(dirname(path), specifier.replace(/\.js$/, extension)));
    }
  }
  for (const path of filesIn(folder, extension)) if (!reached.has(path)) rmSync(path);
}

function replaceDist(fresh, old) {
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

/** Examples and tests require the package by its name, as users do. */
function linkToItself() {
  const link = join(ROOT, "node_modules/pulumi-compute-endpoint");
  if (existsSync(link) || !existsSync(dirname(link))) return;
  symlinkSync("..", link, "junction");
}

function hashOfSources() {
  const sources = [
    ...FOLDERS.flatMap((folder) => filesIn(join(ROOT, folder), ".ts")),
    ...filesIn(join(ROOT, CONSOLE), /\.(tsx|css|html|svg)$/),
  ].map((path) => relative(ROOT, path));
  const all = createHash("sha256");
  for (const path of [...CONFIG, ...sources.sort()]) {
    if (existsSync(join(ROOT, path)))
      all
        .update(`${path}\0`)
        .update(readFileSync(join(ROOT, path)))
        .update("\0");
  }
  return all.digest("hex");
}

function stampOf(folder) {
  const path = join(folder, STAMP);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** @param extension or a pattern of names */
function filesIn(folder, extension) {
  const fits = (name) => (extension instanceof RegExp ? extension.test(name) : name.endsWith(extension));
  return readdirSync(folder, { recursive: true })
    .filter(fits)
    .map((name) => join(folder, name));
}
