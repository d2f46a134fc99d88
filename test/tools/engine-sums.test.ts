/** The engine is built from modules with the checksums of our go.sum, whatever the caller's settings of Go are. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goBuild, problemOf } from "../../tools/engine/go";
import { LANGUAGES_MODULE } from "../../tools/engine/language-host";
import { PYTHON_PACKAGES, REQUIREMENTS } from "../../tools/engine/python";
import { ENGINE_VERSION, goBuildArguments, MODULES, moduleFolder } from "../../tools/engine/recipe";
import { YAML_MODULE } from "../../tools/engine/yaml-host";

const EXAMPLE = resolve(__dirname, "../../examples/go");
const readIn = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");

const read = (engine: string, name: string) => readIn(moduleFolder(engine), name);

describe.each(Object.keys(MODULES))("the module of engine %s", (engine) => {
  test("is of the version that we say", () => {
    const versions = read(engine, "go.mod").matchAll(/github\.com\/pulumi\/pulumi\/(?:pkg|sdk)\/v3 v(\S+)/g);
    expect([...versions].map(([, version]) => version)).toEqual([engine, engine]);
  });

  test("has a checksum in each line, of the engine itself too", () => {
    const sum = read(engine, "go.sum");
    expect(sum.split("\n").filter((line) => !/^\S+ v\S+ h1:[A-Za-z0-9+/]{43}=$/.test(line))).toEqual([""]);
    expect(sum).toContain(`github.com/pulumi/pulumi/pkg/v3 v${engine} h1:`);
    expect(sum).toContain("github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e h1:");
  });

  test("is built as it is", () => {
    const args = goBuildArguments("x", engine);
    expect(args).toContain("-mod=readonly");
    expect(args.join(" ")).toContain(`version.Version=v${engine} `);
  });
});

describe("the modules of the language hosts", () => {
  test.each([
    [YAML_MODULE, /pulumi-yaml (v\S+)/, "github.com/pulumi/pulumi-yaml"],
    [LANGUAGES_MODULE, /pulumi\/pkg\/v3 (v\S+)/, "github.com/pulumi/pulumi/pkg/v3"],
  ])("%s has a checksum in each line, of the host itself too", (folder, pattern, name) => {
    const [, version] = pattern.exec(readIn(folder, "go.mod"))!;
    const sum = readIn(folder, "go.sum");
    expect(sum.split("\n").filter((line) => !/^\S+ v\S+ h1:[A-Za-z0-9+/]{43}=$/.test(line))).toEqual([""]);
    expect(sum).toContain(`${name} ${version} h1:`);
  });

  test("that for Python and Go is of the engine's version", () => {
    const versions = readIn(LANGUAGES_MODULE, "go.mod").matchAll(/github\.com\/pulumi\/pulumi\/\w+\/v3 v(\S+)/g);
    expect([...versions].map(([, version]) => version)).toEqual([ENGINE_VERSION, ENGINE_VERSION]);
  });

  // Then Go finds most of the example compiled already. Otherwise its first build takes two minutes of a processor.
  test("that for Python and Go has the versions of examples/go", () => {
    const [host, example] = [LANGUAGES_MODULE, EXAMPLE].map((folder) => {
      const lines = readIn(folder, "go.mod").matchAll(/^(?:require )?\t?([\w./-]+\.[\w./-]+) (v\S+)/gm);
      return new Map([...lines].map(([, name, version]) => [name, version]));
    }) as [Map<string, string>, Map<string, string>];
    const other = [...example].filter(([name, version]) => host.has(name) && host.get(name) !== version);
    expect(other).toEqual([]);
    expect([...example.keys()].filter((name) => host.has(name)).length).toBeGreaterThan(50);
  });
});

test("each Python package has a version and checksums", () => {
  const packages = readFileSync(REQUIREMENTS, "utf8").trimEnd().replaceAll(" \\\n", "").split("\n");
  expect(packages.filter((line) => !/^[\w.-]+==[\w.]+(?: +--hash=sha256:[0-9a-f]{64})+$/.test(line))).toEqual([]);
  expect(packages.map((line) => line.split("==")[0])).toEqual(expect.arrayContaining(["pip", "pulumi", "setuptools"]));
  expect(packages.some((line) => line.startsWith(`${PYTHON_PACKAGES[0]} `))).toBe(true);
});

const [GO, GOFMT] = ["go", "gofmt"];
const hasGo = spawnSync(GO, ["version"]).status === 0;

describe.skipIf(!hasGo)("Go", { timeout: 60_000 }, () => {
  test.each([LANGUAGES_MODULE, EXAMPLE])("would format nothing in %s", (where) => {
    const { stdout, stderr } = spawnSync(GOFMT, ["-l", where], { encoding: "utf8" });
    expect(stdout + stderr).toBe("");
  });

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "engine-sums-"));
  });
  afterEach(() => {
    spawnSync(GO, ["clean", "-modcache"], { env: { ...process.env, GOMODCACHE: join(folder, "cache") } });
    rmSync(folder, { recursive: true, force: true });
  });

  /** A proxy in a folder, which has one module, and a module that requires it. */
  function required(sum: string): { module: string; env: NodeJS.ProcessEnv } {
    const [module, versions] = [join(folder, "module"), join(folder, "proxy/example.test/part/@v")];
    for (const each of [module, versions]) mkdirSync(each, { recursive: true });
    writeFileSync(join(versions, "list"), "v1.0.0\n");
    writeFileSync(join(versions, "v1.0.0.info"), '{"Version":"v1.0.0"}');
    writeFileSync(join(versions, "v1.0.0.mod"), "module example.test/part\n");
    writeFileSync(join(module, "go.mod"), "module example.test/whole\n\ngo 1.21\n\nrequire example.test/part v1.0.0\n");
    writeFileSync(join(module, "go.sum"), sum);
    const env = {
      ...process.env,
      GOMODCACHE: join(folder, "cache"),
      GOPROXY: pathToFileURL(join(folder, "proxy")).href,
      GOTOOLCHAIN: "local",
      // What would switch off every other check.
      GOSUMDB: "off",
      GOPRIVATE: "*",
      GONOSUMDB: "*",
      GONOPROXY: "none",
      GOFLAGS: "-mod=mod",
    };
    return { module, env };
  }

  const WRONG = `h1:${"A".repeat(43)}=`;

  test("builds nothing where a line of go.sum is wrong, and the message names the module", async () => {
    const { module, env } = required(`example.test/part v1.0.0 ${WRONG}\nexample.test/part v1.0.0/go.mod ${WRONG}\n`);
    await expect(goBuild(module, ["build", "-mod=readonly", "example.test/part"], env)).rejects.toThrow(
      /^module example\.test\/part@v1\.0\.0\/go\.mod does not match its checksum in tools\/engine\/module\/go\.sum \(downloaded: h1:\S+, expected: h1:A+=\), so nothing was built\. /,
    );
  });

  test("builds nothing where a line of go.sum is missing, though no database is asked", async () => {
    const { module, env } = required("");
    await expect(goBuild(module, ["build", "-mod=readonly", "example.test/part"], env)).rejects.toThrow(
      /^tools\/engine\/module\/go\.sum lacks the checksum of a module, so nothing was built \(.*example\.test\/part/,
    );
  });

  test("builds nothing of a GOPATH, which has no checksums, where modules are switched off", async () => {
    const { module, env } = required(`example.test/part v1.0.0 ${WRONG}\nexample.test/part v1.0.0/go.mod ${WRONG}\n`);
    const planted = join(folder, "gopath/src/example.test/part");
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, "main.go"), "package main\n\nfunc main() {}\n");
    const off = { ...env, GO111MODULE: "off", GOPATH: join(folder, "gopath") };
    await expect(goBuild(module, ["build", "-mod=readonly", "example.test/part"], off)).rejects.toThrow(
      /^module example\.test\/part@v1\.0\.0\/go\.mod does not match its checksum/,
    );
  });

  test("holds the engine's own modules to it", async (context) => {
    for (const [name, text] of [
      ["go.mod", read(ENGINE_VERSION, "go.mod")],
      ["go.sum", read(ENGINE_VERSION, "go.sum").replace(/(pulumi\/pkg\/v3 \S+\/go\.mod) h1:\S+/, `$1 ${WRONG}`)],
    ] as const)
      writeFileSync(join(folder, name), text);
    const env = { ...process.env, GOPROXY: "off", GOSUMDB: "off" };
    const error = await goBuild(folder, goBuildArguments(join(folder, "pulumi")), env).catch((one: Error) => one);
    if (/disabled by GOPROXY|module lookup disabled/.test(String(error))) return context.skip();
    expect((error as Error).message).toContain(
      `module github.com/pulumi/pulumi/pkg/v3@v${ENGINE_VERSION}/go.mod does not match`,
    );
  });
});

test("names the go.sum of the engine that was to be built", () => {
  const stderr = "x.go:1: missing go.sum entry for module providing package a\n";
  expect(problemOf(stderr, "tools/engine/module/newest/go.sum")).toMatch(
    /^tools\/engine\/module\/newest\/go\.sum lacks /,
  );
});

test("what Go says otherwise is its own words, without the downloads", () => {
  expect(problemOf("go: downloading a v1\nmain.go:1: x\n")).toBe("go build: main.go:1: x");
});
