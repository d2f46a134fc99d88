import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { type Installed, install, start } from "./installed";
import { firstProgramOf, ROOT } from "./snippets";

/** About 140 kB of it are the plugin for other languages, with what it uses of gRPC. */
const LARGEST_BYTES = 700_000;

/** The emulator's page, which a browser loads. Its script is no module of the package's. */
const PAGE = ["console.css", "console.js", "icon.svg", "index.html"].map((name) => `dist/emulator/console/${name}`);
const isOfPage = (path: string) => path.startsWith("dist/emulator/console/");

let it: Installed;
beforeAll(async () => {
  it = await install();
}, ENGINE_TEST_MS);
afterAll(() => it?.remove());

const ours = () => join(it.folder, "node_modules/pulumi-compute-endpoint");

/** A line that two modules seldom share by chance. Those that load modules, and what the compiler adds to load them, are short or alike. */
const isTelling = (line: string) =>
  line.length > 90 && !/require\(|__(importStar|createBinding|setModule)|^ *\/?\*/.test(line);

describe("the tarball", () => {
  test("holds the build, the documents, and nothing else", () => {
    const { files, size, unpackedSize } = it.tarball;
    console.log(
      `tarball: ${files.length} files, ${(size / 1000).toFixed(0)} kB, unpacked ${(unpackedSize / 1000).toFixed(0)} kB`,
    );
    const paths = files
      .map(({ path }) => path)
      .filter((path) => !/^docs\/(README|(reports\/)?[a-z-]+)\.md$/.test(path));
    const documents = [
      ...["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "docs/bench/chart.svg", "package.json"],
      ...["PulumiPlugin.yaml", "main.js", "package.json", "pulumi-converter-compute", "pulumi-resource-compute"].map(
        (name) => `plugin/${name}`,
      ),
      "schema/report.schema.json",
    ];
    expect(paths.filter((path) => !path.startsWith("dist/")).sort()).toEqual(documents);
    expect(paths.filter(isOfPage).sort()).toEqual(PAGE);
    const built = paths.filter((path) => path.startsWith("dist/") && !isOfPage(path));
    expect(
      built.filter((path) => !/^dist\/(sdk|provider|emulator|policy|cli|native)\/.*(\.js|\.d\.ts)$/.test(path)),
    ).toEqual(["dist/yaml.js", "dist/zod.js"]);
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

  test("holds no module that nothing loads", async () => {
    const entries = [
      "sdk/index",
      "provider/index",
      "emulator/index",
      "policy/index",
      "cli/main",
      "native/main",
      "native/converter",
    ];
    const { metafile } = await build({
      entryPoints: [...entries.map((entry) => `dist/${entry}.js`), "plugin/main.js"].map((path) => join(ours(), path)),
      absWorkingDir: ours(),
      outdir: it.folder,
      bundle: true,
      packages: "external",
      platform: "node",
      metafile: true,
      write: false,
    });
    const shipped = it.tarball.files.map(({ path }) => path).filter((path) => path.endsWith(".js") && !isOfPage(path));
    expect(Object.keys(metafile.inputs).sort()).toEqual(shipped.sort());
  });

  test("holds no module twice, and nothing of other packages but zod, yaml, the page's preact and what the plugin uses of gRPC", async () => {
    const places = new Map<string, string[]>();
    for (const { path } of it.tarball.files.filter(({ path }) => path.endsWith(".js"))) {
      const text = await readFile(join(ours(), path), "utf8");
      if (path === "dist/zod.js") expect(text).toContain("MIT License");
      else if (path === "dist/yaml.js") expect(text).toContain("Copyright Eemeli Aro");
      else if (isOfPage(path)) expect(text).toContain("Copyright (c) 2015-present Jason Miller");
      else if (path === "dist/native/grpc.js") expect(text).toMatch(/^\/\* Parts of @grpc\/grpc-js[\s\S]*Google Inc/);
      else expect(text).not.toContain("node_modules/");
      for (const line of new Set(text.split("\n").filter(isTelling)))
        places.set(line, [...(places.get(line) ?? []), path]);
    }
    expect(places.size).toBeGreaterThan(1000);
    const common = new Map<string, number>();
    for (const paths of places.values()) {
      if (paths.length > 1) common.set(paths.join(" and "), (common.get(paths.join(" and ")) ?? 0) + 1);
    }
    expect([...common].filter(([, lines]) => lines > 4)).toEqual([]);
  });

  test("holds the emulator's page, which the installed emulator serves", async () => {
    const script = `require("pulumi-compute-endpoint/emulator").startEmulator().then(async (emulator) => {
      const answers = await Promise.all(["", "console/console.js", "console/console.css", "console/icon.svg"]
        .map((path) => fetch(emulator.origin + "/" + path)));
      console.log(answers.map(({ status }) => status).join(" "));
      await emulator.close();
    })`;
    expect((await it.run(process.execPath, "-e", script)).stdout).toBe("200 200 200 200\n");
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

  test.each([
    ["help", ["--no", "compute-endpoint", "help"], /^Usage: compute-endpoint <command>/],
    ["help of a command", ["--no", "compute-endpoint", "delete", "--help"], /^Usage: compute-endpoint delete /],
    ["help behind --", ["--no", "--", "compute-endpoint", "--help"], /^Usage: compute-endpoint <command>/],
    ["version", ["--no", "compute-endpoint", "version"], /^\d+\.\d+\.\d+\S*\n$/],
    ["version behind --", ["--no", "--", "compute-endpoint", "--version"], /^\d+\.\d+\.\d+\S*\n$/],
  ])("its command answers npx: %s", async (_what, args, text) => {
    const { code, stdout } = await it.run("npx", ...args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(text)]);
  });

  test.each(["dist/sdk/endpoint.js", "emulator/core", "provider/rules/impact"])("keeps %s to itself", async (path) => {
    const { code, stderr } = await it.run(process.execPath, "-e", `require("pulumi-compute-endpoint/${path}")`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("ERR_PACKAGE_PATH_NOT_EXPORTED")]);
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
