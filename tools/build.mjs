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
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const FOLDERS = ["sdk", "provider", "emulator", "policy", "cli", "native"];
/** Folders whose entry is run, and imported by nobody. */
const PROGRAMS = ["cli", "native"];
const MAINS = FOLDERS.map((folder) => join(folder, PROGRAMS.includes(folder) ? "main" : "index"));
const ENTRIES = [...MAINS, "native/converter"];
const CONFIG = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "tools/build.mjs"];
const dist = join(ROOT, "dist");
/** The emulator's page, which runs in a browser: a folder of the sources, and of dist/. */
const CONSOLE = "emulator/console";
/** Holds the hash of what dist/ was made from. It is not packed. */
const STAMP = ".sources";
/** As TypeScript writes the import of another module. */
const IMPORT = /require\("(\.[^"]+)"\)/g;
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
    joinModules(fresh);
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
 * What the package uses of zod, in one file, for the same reason as in `joinModules`. Everything in dist/ loads this file, so that
 * there is one zod. Of its two forms, zod/mini loads and builds schemas in less than half the time.
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
 * What the package uses of yaml, in one file that only the writing of approvals loads. As a dependency it would be installed by all
 * who use the provider.
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
 * What the plugin uses of gRPC and of Pulumi's messages, in one file that only the plugin loads. The rest of the plugin is shared with the
 * dynamic form of the provider.
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

/**
 * Two files hold the modules of sdk/ and provider/, each module as a function that runs when it is first needed. Each command of
 * Pulumi starts a program and, once or twice, the provider, and opening their files took longer than running them. A program
 * loads only the first file. All of dist/ takes the modules from these files, so that none is there twice.
 */
function joinModules(folder) {
  const all = ["sdk", "provider"].flatMap((name) => filesIn(join(folder, name), ".js"));
  const program = new Set(all.filter((path) => path.startsWith(join(folder, "sdk") + sep)));
  for (const path of loadedBy(join(folder, "sdk/index.js"))) if (all.includes(path)) program.add(path);
  const tables = [
    { table: join(folder, "program.js"), modules: program },
    { table: join(folder, "provider.js"), modules: new Set(all.filter((path) => !program.has(path))) },
  ];
  const indexes = MAINS.map((main) => join(folder, `${main}.js`)).filter((path) => all.includes(path));
  const exported = indexes.map((path) => Object.keys(require(path)));
  const needed = new Set(indexes);
  for (const path of filesIn(folder, ".js")) {
    for (const [, specifier] of readFileSync(path, "utf8").matchAll(IMPORT)) {
      const module = join(dirname(path), specifier);
      const from = tables.find(({ modules }) => modules.has(module));
      if (from && !from.modules.has(path)) needed.add(module);
    }
  }
  for (const { table, modules } of tables) {
    const rows = [...modules].filter((path) => needed.has(path)).sort();
    const others = all.filter((path) => !modules.has(path));
    const lines = rows.map((path) => `${nameOf(path)}: () => require(${JSON.stringify(path)}),`);
    bundle(folder, table, `module.exports = {\n${lines.join("\n")}\n};`, [...others, join(folder, "zod.js")]);
  }
  for (const path of filesIn(folder, ".js").filter((path) => !all.includes(path))) {
    const text = readFileSync(path, "utf8").replaceAll(IMPORT, (written, specifier) => {
      const module = join(dirname(path), specifier);
      return all.includes(module) ? fromTable(path, module) : written;
    });
    writeFileSync(path, text);
  }
  for (const [at, path] of indexes.entries()) {
    // Node.js reads the names from the text when a module of the other kind imports them. The line is never run.
    const names = `0 && (module.exports = { ${exported[at].join(", ")} });`;
    writeFileSync(path, `"use strict";\nmodule.exports = ${fromTable(path, path)};\n${names}\n`);
  }

  function nameOf(module) {
    return JSON.stringify(relative(folder, module).replaceAll(sep, "/").replace(/\.js$/, ""));
  }

  function fromTable(path, module) {
    const { table } = tables.find(({ modules }) => modules.has(module));
    const to = relative(dirname(path), table).replaceAll(sep, "/");
    return `require("${to.startsWith(".") ? to : `./${to}`}")[${nameOf(module)}]()`;
  }
}

/** The files that a program loads with this one. */
function loadedBy(path) {
  const script = "require(process.argv[1]); console.log(JSON.stringify(Object.keys(require.cache)))";
  const { stdout } = spawnSync(process.execPath, ["-e", script, path], { encoding: "utf8" });
  return JSON.parse(stdout);
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

/** Of the bundle, for the module at `path`. */
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
