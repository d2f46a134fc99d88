/** The types that the package gives to programs: they compile for everyone, and bring along nothing that nobody asked for. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINE_TEST_MS } from "../support/engine";
import { type Installed, install } from "./installed";
import { ROOT } from "./snippets";

/** Installed beside the package, so that `npm ci` in the clone stays short. The oldest and the newest TypeScript are aliases. */
const TOOLS = ["oldest@npm:typescript@5.0.4", "newest@npm:typescript@7.0.2", "@arethetypeswrong/cli@0.18.5"];

const OURS = "node_modules/pulumi-compute-endpoint/";

let it: Installed;
let tools: string;
beforeAll(async () => {
  it = await install();
  tools = join(it.folder, "tools");
  await mkdir(tools);
  await writeFile(join(tools, "package.json"), JSON.stringify({ name: "tools", private: true }));
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, stderr } = await it.run("npm", "install", "--prefix", tools, ...TOOLS, ...quiet);
  expect([code, stderr]).toEqual([0, ""]);
}, ENGINE_TEST_MS);
afterAll(() => it?.remove());

const compilers = (): Record<string, string> => ({
  "5.0": join(tools, "node_modules/oldest/bin/tsc"),
  "the clone's": join(ROOT, "node_modules/typescript/bin/tsc"),
  newest: join(tools, "node_modules/newest/bin/tsc"),
});

const PROGRAM = `
import { Endpoint, type EndpointArgs, getEndpoint, listOperations, LookupError, Provider } from "pulumi-compute-endpoint";
import { computePolicies } from "pulumi-compute-endpoint/policy";
import { provider } from "pulumi-compute-endpoint/provider";
export const all: unknown[] = [computePolicies({ restart: "mandatory" }), provider.check];
export const more: unknown[] = [getEndpoint, listOperations, LookupError, Provider];
const args: EndpointArgs = { projectId: "p", branchId: "b", size: 1 };
export const length: unknown = new Endpoint("one", args).host.apply((host) => host.length);
`;
const EMULATOR = `
import { startEmulator } from "pulumi-compute-endpoint/emulator";
export const emulator: unknown = startEmulator({ operationMs: 1 });
`;
const WRONG = `
import type { EndpointArgs } from "pulumi-compute-endpoint";
export const args: EndpointArgs = { projectId: "p", branchId: "b", size: "large" };
`;
/** The weakest settings that @pulumi/pulumi itself compiles with. */
const SETTINGS = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2020", "--lib", "es2020"];

async function compile(compiler: string, module: string, resolution: string, files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) await it.write(name, text);
  const flags = ["--types", "node", "--module", module, "--moduleResolution", resolution, "--listFiles"];
  const tsc = compilers()[compiler]!;
  const { stdout } = await it.run(process.execPath, tsc, ...SETTINGS, ...flags, ...Object.keys(files));
  const lines = stdout.split("\n");
  return {
    errors: lines.filter((line) => line.includes("error TS")),
    files: lines.filter((line) => line.startsWith("/")).map((path) => relative(it.folder, path)),
  };
}

/** @pulumi/policy has an error of its own: `proxy` lacks two names that its `index.d.ts` exports. */
const isOfPolicy = (line: string) => line.includes("@pulumi/policy/index.d.ts");

describe("a program that checks every declaration, with the library of ES2020", () => {
  test.each([
    ["5.0", "nodenext", "nodenext", "ts"],
    ["5.0", "commonjs", "node10", "ts"],
    ["the clone's", "preserve", "bundler", "mts"],
    ["newest", "nodenext", "nodenext", "cts"],
  ])(
    "compiles with TypeScript %s, module %s, moduleResolution %s, in a file .%s",
    async (compiler, module, resolution, extension) => {
      // The emulator's types come from its schemas, and those of zod want a newer TypeScript.
      const emulator = compiler === "5.0" ? {} : { emulator: EMULATOR };
      const programs = { program: PROGRAM, ...emulator, wrong: WRONG };
      const named = Object.entries(programs).map(([name, text]) => [`${name}.${extension}`, text]);
      const { errors, files } = await compile(compiler, module, resolution, Object.fromEntries(named));
      expect(errors.filter((line) => !isOfPolicy(line))).toEqual([
        expect.stringMatching(/^wrong.*TS2322: Type 'string' is not assignable/),
      ]);
      if (compiler === "5.0") return;
      // Declarations that no program reads are not shipped.
      const shipped = it.tarball.files.map(({ path }) => path).filter((path) => path.endsWith(".d.ts"));
      const ours = files.filter((path) => path.startsWith(OURS)).map((path) => path.slice(OURS.length));
      expect(ours.sort()).toEqual(shipped.sort());
    },
    ENGINE_TEST_MS,
  );

  test(
    "reads no types of zod or undici, as long as it is no test with the emulator",
    async () => {
      const { files } = await compile("newest", "nodenext", "nodenext", { "program.ts": PROGRAM });
      expect(files.filter((path) => /node_modules\/(zod|undici)\//.test(path))).toEqual([]);
      expect(files).toContain(`${OURS}dist/sdk/lookups.d.ts`);
    },
    ENGINE_TEST_MS,
  );
});

describe("the packed file", () => {
  test("is what publint asks for", async () => {
    const { messages } = await publint({
      pkgDir: join(it.folder, OURS),
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  test("has types wherever @arethetypeswrong/cli looks for them", async () => {
    const attw = join(tools, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { code, stdout } = await it.run(process.execPath, attw, it.file, "--format", "ascii", "--no-color");
    expect(code, stdout).toBe(0);
    expect(stdout.match(/^"pulumi-compute-endpoint.*"$/gm)).toHaveLength(6);
  });
});
