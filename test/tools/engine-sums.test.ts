/** The engine is built from modules with the checksums of our go.sum, whatever the caller's settings of Go are. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goBuild, problemOf } from "../../tools/engine/go";
import { ENGINE_VERSION, goBuildArguments, MODULE_FOLDER } from "../../tools/engine/recipe";

const SUM = readFileSync(join(MODULE_FOLDER, "go.sum"), "utf8");
const MOD = readFileSync(join(MODULE_FOLDER, "go.mod"), "utf8");

describe("the module", () => {
  test("is of the version that we say", () => {
    expect(
      [...MOD.matchAll(/github\.com\/pulumi\/pulumi\/(?:pkg|sdk)\/v3 v(\S+)/g)].map(([, version]) => version),
    ).toEqual([ENGINE_VERSION, ENGINE_VERSION]);
  });

  test("has a checksum in each line, of the engine itself too", () => {
    expect(SUM.split("\n").filter((line) => !/^\S+ v\S+ h1:[A-Za-z0-9+/]{43}=$/.test(line))).toEqual([""]);
    expect(SUM).toContain(`github.com/pulumi/pulumi/pkg/v3 v${ENGINE_VERSION} h1:`);
    expect(SUM).toContain("github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e h1:");
  });

  test("is built as it is", () => expect(goBuildArguments("x")).toContain("-mod=readonly"));
});

const GO = "go";
const hasGo = spawnSync(GO, ["version"]).status === 0;

describe.skipIf(!hasGo)("Go", { timeout: 60_000 }, () => {
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
      /^the module example\.test\/part@v1\.0\.0\/go\.mod is not the one that tools\/engine\/module\/go\.sum names \(it has h1:\S+, expected is h1:A+=\), so nothing was built\. /,
    );
  });

  test("builds nothing where a line of go.sum is missing, though no database is asked", async () => {
    const { module, env } = required("");
    await expect(goBuild(module, ["build", "-mod=readonly", "example.test/part"], env)).rejects.toThrow(
      /^tools\/engine\/module\/go\.sum does not vouch for every module, so nothing was built \(.*example\.test\/part/,
    );
  });

  test("builds nothing of a GOPATH, which has no checksums, where modules are switched off", async () => {
    const { module, env } = required(`example.test/part v1.0.0 ${WRONG}\nexample.test/part v1.0.0/go.mod ${WRONG}\n`);
    const planted = join(folder, "gopath/src/example.test/part");
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, "main.go"), "package main\n\nfunc main() {}\n");
    const off = { ...env, GO111MODULE: "off", GOPATH: join(folder, "gopath") };
    await expect(goBuild(module, ["build", "-mod=readonly", "example.test/part"], off)).rejects.toThrow(
      /^the module example\.test\/part@v1\.0\.0\/go\.mod is not the one/,
    );
  });

  test("holds the engine's own modules to it", async (context) => {
    for (const [name, text] of [
      ["go.mod", MOD],
      ["go.sum", SUM.replace(/(pulumi\/pkg\/v3 \S+\/go\.mod) h1:\S+/, `$1 ${WRONG}`)],
    ] as const)
      writeFileSync(join(folder, name), text);
    const env = { ...process.env, GOPROXY: "off", GOSUMDB: "off" };
    const error = await goBuild(folder, goBuildArguments(join(folder, "pulumi")), env).catch((one: Error) => one);
    if (/disabled by GOPROXY|module lookup disabled/.test(String(error))) return context.skip();
    expect((error as Error).message).toContain(
      `the module github.com/pulumi/pulumi/pkg/v3@v${ENGINE_VERSION}/go.mod is not`,
    );
  });
});

test("what Go says otherwise is its own words, without the downloads", () => {
  expect(problemOf("go: downloading a v1\nmain.go:1: x\n")).toBe("go build: main.go:1: x");
});
