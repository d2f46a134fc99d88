// Joins the modules of sdk/ and provider/ into two files, each module as a function that runs when it is first needed. Each command
// of Pulumi starts a program and, once or twice, the provider, and opening their files took longer than running them. A program
// loads only the first file. All of dist/ takes the modules from these files, so that none is there twice.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const FOLDERS = ["sdk", "provider"];
/** Other packages import only the index of these folders. */
const INDEX = "index.js";
/** The name of both files. The report knows the first by it (`cli/report/position.ts`). */
const JOINED = "modules.js";
/** As TypeScript writes the import of another module. */
export const IMPORT = /require\("(\.[^"]+)"\)/g;

/**
 * @param folder of the build
 * @param bundle writes a file that has the given text and all that the text requires, except for the external files
 */
export function joinModules(folder, bundle) {
  const all = modulesIn(folder);
  const modules = all.filter((path) => FOLDERS.some((name) => path.startsWith(join(folder, name) + sep)));
  const indexes = FOLDERS.map((name) => join(folder, name, INDEX)).map((path) => ({ path, ...inspectModule(path) }));
  const [sdk] = indexes;
  const isOfProgram = (path) => path.startsWith(join(folder, "sdk") + sep) || sdk.loaded.includes(path);
  const joined = [
    { file: join(folder, "sdk", JOINED), modules: modules.filter(isOfProgram) },
    { file: join(folder, "provider", JOINED), modules: modules.filter((path) => !isOfProgram(path)) },
  ];

  const needed = new Set(indexes.map(({ path }) => path));
  for (const path of all) {
    for (const [, specifier] of readFileSync(path, "utf8").matchAll(IMPORT)) {
      const module = join(dirname(path), specifier);
      if (modules.includes(module) && fileOf(module) !== fileOf(path)) needed.add(module);
    }
  }
  for (const { file, modules: inside } of joined) {
    const lines = inside.filter((path) => needed.has(path)).map((path) => `${keyOf(path)}: () => ${requireOf(path)},`);
    const others = all.filter((path) => !inside.includes(path));
    bundle(file, `module.exports = {\n${lines.join("\n")}\n};`, others);
  }
  for (const path of [...all.filter((path) => !modules.includes(path)), ...joined.map(({ file }) => file)]) {
    const text = readFileSync(path, "utf8").replaceAll(IMPORT, (written, specifier) => {
      const module = join(dirname(path), specifier);
      return modules.includes(module) ? fromJoined(path, module) : written;
    });
    writeFileSync(path, text);
  }
  for (const { path, exported } of indexes) {
    // When an ES module imports this CommonJS file, Node.js finds the names of its exports in the text. The line is never run.
    const names = `0 && (module.exports = { ${exported.join(", ")} });`;
    writeFileSync(path, `"use strict";\nmodule.exports = ${fromJoined(path, path)};\n${names}\n`);
  }

  function fileOf(module) {
    return joined.find(({ modules }) => modules.includes(module))?.file;
  }

  function keyOf(module) {
    return JSON.stringify(relative(folder, module).replaceAll(sep, "/").replace(/\.js$/, ""));
  }

  /** What the module at `path` writes for the exports of another. */
  function fromJoined(path, module) {
    const specifier = relative(dirname(path), fileOf(module)).replaceAll(sep, "/");
    return `${requireOf(specifier.startsWith(".") ? specifier : `./${specifier}`)}[${keyOf(module)}]()`;
  }
}

const requireOf = (path) => `require(${JSON.stringify(path)})`;

const modulesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".js"))
    .map((name) => join(folder, name))
    .sort();

/** The names that a module exports, and the files that are loaded with it. */
function inspectModule(path) {
  const script =
    "const exported = Object.keys(require(process.argv[1])); console.log(JSON.stringify({ exported, loaded: Object.keys(require.cache) }))";
  const { stdout } = spawnSync(process.execPath, ["-e", script, path], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(stdout);
}
