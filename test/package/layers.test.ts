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
    const script = 'require("./dist/sdk/index.js"); console.log(JSON.stringify(Object.keys(require.cache)))';
    const loaded = JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" }));
    const paths = (loaded as string[]).map((path) => relative(ROOT, path).replaceAll("\\", "/"));
    expect(paths).toContain("dist/provider/rules/impact.js");
    expect(paths.filter((path) => /node_modules\/(zod|undici)\//.test(path))).toEqual([]);
    expect(
      paths.filter((path) => /^dist\/(?!sdk\/|provider\/rules\/|provider\/(?:visible-text|proc)\.js$)/.test(path)),
    ).toEqual([]);
  });
});

test("a provider that only checks and compares, as in a preview, loads nothing of what sends requests", () => {
  const script = `
    const { provider } = require("./dist/provider/index.js");
    const inputs = { projectId: "quiet-meadow-1", branchId: "br-a", size: 1 };
    provider.configure({ config: { get: () => undefined } })
      .then(() => provider.check({}, inputs))
      .then(() => provider.diff("ep-a", inputs, inputs))
      .then(() => console.log(JSON.stringify(Object.keys(require.cache))));`;
  const loaded = execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" });
  const paths = (JSON.parse(loaded) as string[]).map((path) => relative(ROOT, path).replaceAll("\\", "/"));
  expect(paths).toContain("dist/provider/endpoint/diff.js");
  expect(paths.filter((path) => /^node_modules\/undici\/|^dist\/provider\/(api|wire)\//.test(path))).toEqual([]);
});

test("the provider loads of undici only what sends a request, when one is sent", () => {
  const script = `
    const files = () => Object.keys(require.cache);
    const { provider } = require("./dist/provider/index.js");
    const before = files();
    const service = require("node:http").createServer((_, answer) => answer.end('{ "endpoints": [{ "id": "ep-a" }] }'));
    service.listen(0, "127.0.0.1", async () => {
      const url = "http://127.0.0.1:" + service.address().port;
      const config = { "compute:apiUrl": url, "compute:apiKey": "k" };
      await provider.configure({ config: { get: (name) => config[name] } });
      const answer = await provider.read("ep-a", { projectId: "quiet-meadow-1", managed: [] });
      console.log(JSON.stringify({ answer, before, after: files() }));
      service.close().closeAllConnections();
    });`;
  const said = execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" });
  const { answer, before, after } = JSON.parse(said) as { answer: { id: string }; before: string[]; after: string[] };
  const ours = (paths: string[]) => paths.map((path) => relative(ROOT, path).replaceAll("\\", "/"));
  expect(ours(before)).toContain("dist/provider/index.js");
  expect(ours(before).filter((path) => path.includes("/undici/"))).toEqual([]);
  expect(answer.id).toBe("ep-a");
  expect(ours(after)).toContain("node_modules/undici/lib/dispatcher/agent.js");
  expect(ours(after)).not.toContain("node_modules/undici/index.js");
});

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
