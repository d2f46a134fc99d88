import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { type Installed, install, start } from "./installed";
import { firstProgramOf, ROOT } from "./snippets";

const LARGEST_BYTES = 500_000;

let it: Installed;
beforeAll(async () => {
  it = await install();
}, ENGINE_TEST_MS);
afterAll(() => it?.remove());

const ours = () => join(it.folder, "node_modules/pulumi-compute-endpoint");

describe("the tarball", () => {
  test("holds the build, the documents, and nothing else", () => {
    const { files, size, unpackedSize } = it.tarball;
    console.log(
      `tarball: ${files.length} files, ${(size / 1000).toFixed(0)} kB, unpacked ${(unpackedSize / 1000).toFixed(0)} kB`,
    );
    const paths = files.map(({ path }) => path).filter((path) => !/^docs\/(reports\/)?[a-z-]+\.md$/.test(path));
    const documents = [
      ...["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "docs/bench/chart.svg", "package.json"],
      "schema/report.schema.json",
    ];
    expect(paths.filter((path) => !path.startsWith("dist/")).sort()).toEqual(documents);
    const built = paths.filter((path) => path.startsWith("dist/"));
    expect(built.filter((path) => !/^dist\/(sdk|provider|emulator|policy|cli)\/.*(\.js|\.d\.ts)$/.test(path))).toEqual(
      [],
    );
    expect(size).toBeLessThan(LARGEST_BYTES);
  });

  test("holds every page that the README links to", async () => {
    const paths = new Set(it.tarball.files.map(({ path }) => path));
    const readme = await readFile(join(ours(), "README.md"), "utf8");
    const pages = [...readme.matchAll(/\]\((docs\/[^)#]+)/g)].map(([, path]) => path!);
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.filter((path) => !paths.has(path))).toEqual([]);
  });

  test("holds no path of the machine that built it", async () => {
    const { stdout } = await it.run("grep", "-rlE", `${ROOT}|\\.\\./(tools|test)/`, ours());
    expect(stdout).toBe("");
  });

  test("is what publint asks for", async () => {
    const { messages } = await publint({ pkgDir: ours(), strict: true });
    expect(messages).toEqual([]);
  });

  test("brings undici and zod, and nothing else", async () => {
    const { packages } = JSON.parse(await readFile(join(it.folder, "package-lock.json"), "utf8")) as {
      packages: object;
    };
    const installed = Object.keys(packages).filter((path) => path !== "");
    expect(installed).toEqual(["pulumi-compute-endpoint", "undici", "zod"].map((name) => `node_modules/${name}`));
  });
});

describe("an installed package", () => {
  test.each([
    ["require", "-e", `console.log(typeof require("pulumi-compute-endpoint").Endpoint)`, "function"],
    [
      "import",
      "--input-type=module",
      `import { Endpoint } from "pulumi-compute-endpoint"; console.log(typeof Endpoint)`,
      "function",
    ],
    ["./provider", "-e", `console.log(typeof require("pulumi-compute-endpoint/provider").provider.create)`, "function"],
    ["./emulator", "-e", `console.log(typeof require("pulumi-compute-endpoint/emulator").startEmulator)`, "function"],
    ["./policy", "-e", `console.log(require("pulumi-compute-endpoint/policy").computePolicies().length)`, "4"],
    [
      "./report.schema.json",
      "-e",
      `console.log(require("pulumi-compute-endpoint/report.schema.json").properties.formatVersion.const)`,
      "1",
    ],
    [
      "./package.json",
      "-e",
      `console.log(require("pulumi-compute-endpoint/package.json").name)`,
      "pulumi-compute-endpoint",
    ],
  ])("can be reached by %s", async (_way, flag, script, answer) => {
    const args = flag === "-e" ? ["-e", script] : [flag, "-e", script];
    expect(await it.run(process.execPath, ...args)).toEqual({ code: 0, stdout: `${answer}\n`, stderr: "" });
  });

  test.each(["dist/sdk/endpoint.js", "emulator/core", "provider/rules/restart"])("keeps %s to itself", async (path) => {
    const { code, stderr } = await it.run(process.execPath, "-e", `require("pulumi-compute-endpoint/${path}")`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("ERR_PACKAGE_PATH_NOT_EXPORTED")]);
  });

  test.each([
    ["nodenext", "nodenext", "program.mts"],
    ["nodenext", "nodenext", "program.cts"],
    ["node16", "node16", "program.ts"],
    ["commonjs", "node10", "program.ts"],
    ["preserve", "bundler", "program.ts"],
  ])("has types for module %s, moduleResolution %s, in %s", async (module, moduleResolution, file) => {
    const compile = async (program: string) => {
      await it.write(file, program);
      const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
      const flags = ["--noEmit", "--strict", "--target", "es2022", "--types", "node", "--skipLibCheck"];
      return it.run(process.execPath, tsc, ...flags, "--module", module, "--moduleResolution", moduleResolution, file);
    };
    const program = (size: string) => `import { Endpoint, type EndpointArgs } from "pulumi-compute-endpoint";
import { startEmulator } from "pulumi-compute-endpoint/emulator";
import { computePolicies } from "pulumi-compute-endpoint/policy";
export const more: unknown[] = [startEmulator({ operationMs: 1 }), computePolicies({ restart: "mandatory" })];
const args: EndpointArgs = { projectId: "p", branchId: "b", size: ${size} };
export const length: unknown = new Endpoint("one", args).host.apply((host) => host.length);\n`;
    expect(await compile(program("1"))).toMatchObject({ code: 0, stdout: "" });
    expect(await compile(program('"large"'))).toMatchObject({ code: 2, stdout: expect.stringContaining("TS2322") });
  });
});

describeWithEngine("the README's first program, with the installed package and the installed emulator", (engine) => {
  let ws: Workspace;
  let emulator: ReturnType<typeof start>;
  const KEY = "napi_of_the_tarball_test";

  beforeAll(async () => {
    emulator = start(
      it.folder,
      "npx",
      "--no",
      "compute-endpoint",
      "emulator",
      "--api-key",
      KEY,
      "--operation-ms",
      "100",
    );
    const [, url] = await emulator.printed(/export COMPUTE_API_URL=(\S+)/);
    ws = await Workspace.create(engine, {
      project: "fresh",
      program: firstProgramOf("README.md"),
      typescript: true,
      env: { COMPUTE_API_KEY: KEY, COMPUTE_API_URL: url },
    });
    const modules = join(ws.programFolder, "node_modules");
    await rm(join(modules, "pulumi-compute-endpoint"));
    for (const name of ["pulumi-compute-endpoint", "undici", "zod"]) {
      await cp(join(it.folder, "node_modules", name), join(modules, name), { recursive: true });
    }
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await emulator?.stop();
  });

  test(
    "comes up, does nothing the second time, and goes away again",
    async () => {
      await ws.up({ args: ["--skip-preview"] });
      expect(await ws.outputs()).toEqual({
        host: expect.stringContaining(SEED.primaryId),
        replicaHost: expect.stringMatching(/^ep-/),
      });
      expect((await ws.resource("primary")).inputs).toMatchObject({ __provider: PROVIDER_TEXT });
      await ws.preview({ args: ["--expect-no-changes"] });
      await ws.destroy();
      expect((await ws.export()).deployment.resources ?? []).toEqual([]);
      expect(await ws.leftBehind()).toEqual([]);
      expect(emulator.output.stderr).toBe("");
      expect(await readFile(join(ws.programFolder, "index.ts"), "utf8")).toContain("pulumi-compute-endpoint");
    },
    ENGINE_TEST_MS,
  );
});
