/** Imports flow one way. This test reads them; the linter says the same while one types. `-u` writes biome.json anew. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { LAYERS, layerOf, lintOverrides, mayImport } from "./layers.js";

const ROOT = resolve(__dirname, "../..");

const files = ["sdk", "provider", "emulator", "policy", "cli", "native"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);

/** Static, dynamic and `require`. */
function importsOf(path: string, withTypes = true): string[] {
  const whole = readFileSync(join(ROOT, path), "utf8");
  const text = withTypes ? whole : whole.replaceAll(/^(?:import|export) type [^;]*;/gm, "");
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

const targetOf = (path: string, specifier: string): string =>
  relative(ROOT, resolve(ROOT, dirname(path), specifier))
    .replaceAll("\\", "/")
    .replace(/\.js$/, ".ts");

/** Files that import themselves through others. Imports of types are gone when the code runs, so they do not count. */
function circles(paths: readonly string[]): string[] {
  const imports = new Map(
    paths.map((path) => [
      path,
      importsOf(path, false)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => targetOf(path, specifier)),
    ]),
  );
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (imports.get(from) ?? []).some(
      (next) => next === to || (!seen.has(next) && Boolean(seen.add(next)) && reaches(next, to, seen)),
    );
  return paths.filter((path) => reaches(path, path));
}

function problemsOf(path: string): string[] {
  const layer = layerOf(path);
  if (!layer) return [`${path} is in no layer: say in this test what it may import`];
  const { packages } = LAYERS[layer]!;
  return importsOf(path).flatMap((specifier) => {
    if (!specifier.startsWith(".")) {
      const fits = packages.some((name) =>
        name.endsWith(":") ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
      );
      return fits ? [] : [`${path} imports ${specifier}`];
    }
    const target = targetOf(path, specifier);
    return mayImport(layer, layerOf(target)) ? [] : [`${path} imports ${target}`];
  });
}

describe("imports flow one way", () => {
  test("every file imports only from below", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(problemsOf)).toEqual([]);
  });

  test("no file of the provider and the program's side imports itself through others", () => {
    expect(circles(files.filter((path) => /^(provider|sdk)\//.test(path)))).toEqual([]);
  });

  test("relative imports of what is shipped end in .js", () => {
    const bare = files.flatMap((path) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith(".") && !specifier.endsWith(".js"))
        .map((specifier) => `${path} imports ${specifier}`),
    );
    expect(bare).toEqual([]);
  });

  test("a program that loads the package loads neither zod nor undici, and of the provider only rules, how a text is shown and how a process is read", () => {
    const { after } = modulesRun("./sdk/index.ts", "");
    expect(after).toContain("provider/rules/impact.ts");
    expect(after.filter((path) => /^node_modules\/(zod|undici)\//.test(path))).toEqual([]);
    expect(
      after.filter(
        (path) => isOurs(path) && !/^(sdk|provider\/rules)\/|^provider\/(visible-text|proc)\.ts$/.test(path),
      ),
    ).toEqual([]);
  });

  test("so the built package loads only the program's file", () => {
    const script = 'require("./dist/sdk/index.js"); console.log(JSON.stringify(Object.keys(require.cache)))';
    const loaded = JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" }));
    const paths = namesOf(loaded).filter((path) => path.startsWith("dist/"));
    expect(paths.sort()).toEqual(["dist/sdk/index.js", "dist/sdk/modules.js"]);
  });
});

test("a provider that only checks and compares, as in a preview, runs nothing of what sends requests", () => {
  const { after } = modulesRun(
    "./provider/index.ts",
    `const inputs = { projectId: "quiet-meadow-1", branchId: "br-a", size: 1 };
    await module.provider.configure({ config: { get: () => undefined } });
    await module.provider.check({}, inputs);
    await module.provider.diff("ep-a", inputs, inputs);`,
  );
  expect(after).toContain("provider/endpoint/diff.ts");
  expect(after.filter((path) => /^node_modules\/undici\/|^provider\/(api|wire)\//.test(path))).toEqual([]);
});

test("the provider loads of undici only what sends a request, when one is sent", () => {
  const { before, after, answer } = modulesRun(
    "./provider/index.ts",
    `const service = require("node:http").createServer((_, answer) => answer.end('{ "endpoints": [{ "id": "ep-a" }] }'));
    await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
    const config = { "compute:apiUrl": "http://127.0.0.1:" + service.address().port, "compute:apiKey": "k" };
    await module.provider.configure({ config: { get: (name) => config[name] } });
    const answer = await module.provider.read("ep-a", { projectId: "quiet-meadow-1", managed: [] });
    service.close().closeAllConnections();
    return answer;`,
  );
  expect(before).toContain("provider/index.ts");
  expect(before.filter((path) => path.includes("/undici/"))).toEqual([]);
  expect(answer).toMatchObject({ id: "ep-a" });
  expect(after).toContain("node_modules/undici/lib/dispatcher/agent.js");
  expect(after).not.toContain("node_modules/undici/index.js");
});

/**
 * The modules that a process has run: of the sources, because the build has all of them in two files, and runs each when it is
 * first needed.
 * @param work the body of an async function, which has the module as `module`
 */
function modulesRun(path: string, work: string): { before: string[]; after: string[]; answer?: unknown } {
  const script = `
    const module = require(${JSON.stringify(path)});
    const before = Object.keys(require.cache);
    (async () => { ${work} })().then((answer) =>
      console.log(JSON.stringify({ before, after: Object.keys(require.cache), answer })));`;
  const args = ["--require", require.resolve("tsx/cjs"), "-e", `{${script}}`];
  const { before, after, answer } = JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" }));
  return { before: namesOf(before), after: namesOf(after), answer };
}

const isOurs = (path: string) => !path.startsWith("node_modules/");
const namesOf = (paths: string[]) => paths.map((path) => relative(ROOT, path).replaceAll("\\", "/"));

describe("the linter says the same", () => {
  test("as the table of layers", async () => {
    const { overrides, ...rest } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
    const isLayer = ({ linter }: { linter: { rules: { style?: object } } }) => "style" in linter.rules;
    const isFile = (layer: string) => existsSync(join(ROOT, `${layer}.ts`));
    const others = overrides.filter((one: Parameters<typeof isLayer>[0]) => !isLayer(one));
    const config = JSON.stringify({ ...rest, overrides: [...others, ...lintOverrides(isFile)] });
    const args = [require.resolve("@biomejs/biome/bin/biome"), "format", "--stdin-file-path=biome.json"];
    const written = execFileSync(process.execPath, args, { cwd: ROOT, input: config, encoding: "utf8" });
    await expect(written).toMatchFileSnapshot(join(ROOT, "biome.json"));
  });

  const CASES: [path: string, specifier: string, allowed: boolean][] = [
    ["sdk/a.ts", "../provider/rules/size.js", true],
    ["sdk/b.ts", "../provider/index.js", false],
    ["sdk/c.ts", "zod", false],
    ["sdk/d.ts", "../provider/lookup/index.js", true],
    ["provider/lookup/a.ts", "../operations/context.js", true],
    ["provider/lookup/b.ts", "../api/client.js", false],
    ["provider/index.ts", "./endpoint/create.js", true],
    ["provider/shim.ts", "../sdk/index.js", false],
    ["provider/config.ts", "@pulumi/pulumi", false],
    ["provider/endpoint/a.ts", "../errors.js", true],
    ["provider/endpoint/b.ts", "../api/client.js", false],
    ["provider/operations/a.ts", "../api/client.js", true],
    ["provider/operations/b.ts", "../endpoint/shared-state.js", false],
    ["provider/api/a.ts", "../wire/problem.js", true],
    ["provider/api/b.ts", "../operations/context.js", false],
    ["provider/wire/a.ts", "../errors.js", false],
    ["provider/rules/a.ts", "./size.js", true],
    ["provider/rules/b.ts", "../errors.js", false],
    ["provider/errors.ts", "./config.js", false],
    ["emulator/model/a.ts", "../../provider/wire/endpoint.js", true],
    ["emulator/handlers/a.ts", "../model/world.js", true],
    ["emulator/model/b.ts", "../handlers/endpoints.js", false],
    ["emulator/handlers/b.ts", "../../provider/rules/size.js", false],
    ["emulator/console/a.tsx", "../model/change-types.js", true],
    ["emulator/console/b.tsx", "../handlers/control.js", false],
    ["emulator/console/c.tsx", "zod", false],
    ["emulator/handlers/c.ts", "preact", false],
  ];

  test("of an import up or across", async () => {
    const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-lint-"));
    try {
      const { vcs: _, $schema: __, ...config } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
      await writeFile(join(folder, "biome.json"), JSON.stringify(config));
      for (const [path, specifier] of CASES) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), `import { it } from "${specifier}";\nconsole.log(it);\n`);
      }
      const refused = refusedBy(folder);
      for (const [path, specifier, allowed] of CASES) {
        expect(!refused.includes(path), `${path} imports ${specifier}`).toBe(allowed);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  function refusedBy(folder: string): string[] {
    const biome = require.resolve("@biomejs/biome/bin/biome");
    const args = [biome, "lint", "--reporter=json", "--max-diagnostics=200", "."];
    let text: string;
    try {
      text = execFileSync(process.execPath, args, {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch (error) {
      text = (error as { stdout: string }).stdout;
    }
    const { diagnostics } = JSON.parse(text) as { diagnostics: { category: string; location: { path: unknown } }[] };
    return diagnostics
      .filter(({ category }) => category === "lint/style/noRestrictedImports")
      .map(({ location: { path } }) => (typeof path === "string" ? path : (path as { file: string }).file));
  }
});
