/** Imports flow one way. Here the statements are read; `biome.json` says the same while one types. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const ROOT = resolve(__dirname, "../..");

interface Rule {
  /** Layers it may import from, beside itself. */
  ours: string[];
  /** Packages, and `node:` for Node's own. */
  packages: string[];
}

/** From the top down. A file belongs to the longest name that fits it. */
const LAYERS: Record<string, Rule> = {
  // Of its own package, the version.
  cli: { ours: ["sdk", "emulator", "provider"], packages: ["node:", "pulumi-compute-endpoint/package.json"] },
  // The look-ups only as types, or when one is asked: what is loaded at once is counted below.
  sdk: { ours: ["provider/rules", "provider/lookup"], packages: ["@pulumi/pulumi", "node:"] },
  emulator: { ours: ["provider/wire"], packages: ["zod", "node:"] },
  // Loaded into policy packs: of `@pulumi/policy` it has types only.
  policy: { ours: ["provider/rules"], packages: ["@pulumi/policy"] },
  // The adapter to Pulumi, and what stands beside it.
  "provider/index": {
    ours: [
      "provider/config",
      "provider/endpoint",
      "provider/operations",
      "provider/errors",
      "provider/secret-redactor",
      "provider/lifeline",
      "provider/shim",
      "provider/cancellation",
      "provider/clock",
      "provider/peers",
    ],
    packages: [],
  },
  "provider/endpoint": {
    ours: [
      "provider/operations",
      "provider/wire",
      "provider/rules",
      "provider/errors",
      "provider/clock",
      "provider/config",
    ],
    packages: ["zod", "node:"],
  },
  // Questions without a resource; in words that the resource has as well.
  "provider/lookup": {
    ours: [
      "provider/endpoint",
      "provider/operations",
      "provider/wire",
      "provider/rules",
      "provider/errors",
      "provider/clock",
      "provider/config",
      "provider/secret-redactor",
    ],
    packages: [],
  },
  "provider/operations": {
    ours: ["provider/api", "provider/wire", "provider/errors", "provider/clock", "provider/cancellation"],
    packages: [],
  },
  "provider/api": {
    ours: ["provider/wire", "provider/errors", "provider/clock", "provider/cancellation", "provider/secret-forms"],
    packages: ["undici", "zod", "node:"],
  },
  "provider/wire": { ours: [], packages: ["zod"] },
  "provider/config": { ours: ["provider/errors", "provider/rules", "provider/secret-forms"], packages: [] },
  // Pure: the program's process runs these rules as well.
  "provider/rules": { ours: [], packages: ["node:crypto"] },
  "provider/errors": { ours: [], packages: [] },
  "provider/cancellation": { ours: ["provider/errors", "provider/clock"], packages: [] },
  "provider/clock": { ours: [], packages: ["node:"] },
  "provider/secret-redactor": { ours: ["provider/secret-forms"], packages: [] },
  "provider/secret-forms": { ours: ["provider/text-views"], packages: [] },
  "provider/text-views": { ours: [], packages: [] },
  "provider/peers": { ours: ["provider/lifeline"], packages: ["node:"] },
  "provider/lifeline": { ours: [], packages: ["node:"] },
  // Pulumi's own modules it finds where they are loaded.
  "provider/shim": { ours: [], packages: ["node:"] },
};

const layerOf = (path: string): string | undefined =>
  Object.keys(LAYERS)
    .filter((name) => path === name || path === `${name}.ts` || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];

const files = ["sdk", "provider", "emulator", "policy", "cli"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name)),
);

/** Static, dynamic and `require`. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

function problemsOf(path: string): string[] {
  const layer = layerOf(path);
  if (!layer) return [`${path} is in no layer: say in this test what it may import`];
  const rule = LAYERS[layer]!;
  return importsOf(path).flatMap((specifier) => {
    if (!specifier.startsWith(".")) {
      const fits = rule.packages.some((name) =>
        name.endsWith(":") ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
      );
      return fits ? [] : [`${path} imports ${specifier}`];
    }
    const target = relative(ROOT, resolve(ROOT, dirname(path), specifier)).replace(/\.js$/, ".ts");
    const other = layerOf(target);
    const fits = other === layer || rule.ours.some((name) => other === name || other?.startsWith(`${name}/`));
    return fits ? [] : [`${path} imports ${target}`];
  });
}

describe("imports flow one way", () => {
  test("every file imports only from below", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(problemsOf)).toEqual([]);
  });

  test("relative imports of what is shipped end in .js", () => {
    const bare = files.flatMap((path) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith(".") && !specifier.endsWith(".js"))
        .map((specifier) => `${path} imports ${specifier}`),
    );
    expect(bare).toEqual([]);
  });

  test("a program that loads the package loads neither zod nor undici, and of the provider only rules", () => {
    const script = 'require("./dist/sdk/index.js"); console.log(JSON.stringify(Object.keys(require.cache)))';
    const loaded = JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" }));
    const paths = (loaded as string[]).map((path) => relative(ROOT, path).replaceAll("\\", "/"));
    expect(paths).toContain("dist/provider/rules/restart.js");
    expect(paths.filter((path) => /node_modules\/(zod|undici)\//.test(path))).toEqual([]);
    expect(paths.filter((path) => /^dist\/(?!sdk\/|provider\/rules\/)/.test(path))).toEqual([]);
  });
});

test("a provider that only checks and compares, as in a preview, loads nothing of what sends requests", () => {
  // From the sources, where each module is loaded by itself: the build has them in one file.
  const script = `
    const { provider } = require("./provider/index.ts");
    const inputs = { projectId: "quiet-meadow-1", branchId: "br-a", size: 1 };
    provider.configure({ config: { get: () => undefined } })
      .then(() => provider.check({}, inputs))
      .then(() => provider.diff("ep-a", inputs, inputs))
      .then(() => console.log(JSON.stringify(Object.keys(require.cache))));`;
  const node = ["-r", require.resolve("tsx/cjs"), "-e", script];
  const loaded = execFileSync(process.execPath, node, { cwd: ROOT, encoding: "utf8" });
  const paths = (JSON.parse(loaded) as string[]).map((path) => relative(ROOT, path).replaceAll("\\", "/"));
  expect(paths).toContain("provider/endpoint/diff.ts");
  expect(paths.filter((path) => /^node_modules\/undici\/|^provider\/(api|wire)\//.test(path))).toEqual([]);
});

test("the build of the provider is one file, and loads of undici only what sends a request, when one is sent", () => {
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
  expect(ours(before)).toEqual(["dist/provider/index.js"]);
  expect(answer.id).toBe("ep-a");
  expect(ours(after)).toContain("node_modules/undici/lib/dispatcher/agent.js");
  expect(ours(after)).not.toContain("node_modules/undici/index.js");
});

describe("the linter says the same", () => {
  const CASES: [path: string, specifier: string, allowed: boolean][] = [
    ["sdk/a.ts", "../provider/rules/size.js", true],
    ["sdk/b.ts", "../provider/index.js", false],
    ["sdk/c.ts", "zod", false],
    ["sdk/d.ts", "../provider/lookup/index.js", true],
    ["provider/lookup/a.ts", "../operations/context.js", true],
    ["provider/lookup/b.ts", "../api/client.js", false],
    ["provider/a.ts", "./endpoint/create.js", true],
    ["provider/b.ts", "../sdk/index.js", false],
    ["provider/c.ts", "@pulumi/pulumi", false],
    ["provider/endpoint/a.ts", "../errors.js", true],
    ["provider/endpoint/b.ts", "../api/client.js", false],
    ["provider/operations/a.ts", "../api/client.js", true],
    ["provider/operations/b.ts", "../endpoint/step.js", false],
    ["provider/api/a.ts", "../wire/problem.js", true],
    ["provider/api/b.ts", "../operations/context.js", false],
    ["provider/wire/a.ts", "../errors.js", false],
    ["provider/rules/a.ts", "./size.js", true],
    ["provider/rules/b.ts", "../errors.js", false],
    ["provider/errors.ts", "./config.js", false],
    ["emulator/a.ts", "../provider/wire/endpoint.js", true],
    ["emulator/handlers/b.ts", "../../provider/rules/size.js", false],
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
