/** `examples/testing`: the tests that people copy pass as they are, and fail when the code they test does something else. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { missingPackages } from "../support/example";

const ROOT = resolve(__dirname, "../..");
const EXAMPLE = join(ROOT, "examples/testing");
const manifest = JSON.parse(readFileSync(join(EXAMPLE, "package.json"), "utf8"));
const [node, ...flags] = manifest.scripts.test.split(" ") as string[];
const tests = flags.filter((one) => one.endsWith(".test.ts"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-testing-"));
  cpSync(EXAMPLE, join(folder, "testing"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  mkdirSync(join(folder, "home"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One of its test files by the runner of its `npm test`, and what that says at its end. */
async function runTest(file: string, path: string = process.env["PATH"] ?? "") {
  const args = flags.filter((one) => !tests.includes(one));
  const result = await run(process.execPath, [...args, file], {
    cwd: join(folder, "testing"),
    env: {
      ...process.env,
      PATH: path,
      HOME: folder,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      NODE_OPTIONS: "",
    },
    limitMs: ENGINE_TEST_MS,
  });
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(result.stdout)?.[1]);
  return { code: result.code, passed: count("pass"), failed: count("fail"), output: result.stdout + result.stderr };
}

function edit(file: string, from: string, to: string): void {
  const path = join(folder, "testing", file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

describe("examples/testing", () => {
  test("runs every test that is in it, with node's own runner, and its README names every file", () => {
    const files = readdirSync(EXAMPLE).filter((name) => name.endsWith(".ts"));
    expect(node).toBe("node");
    expect(files.filter((name) => name.endsWith(".test.ts"))).toEqual([...tests].sort());
    const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8");
    expect(files.filter((name) => !readme.includes(`(${name})`))).toEqual([]);
  });

  test("needs only what `npm ci` in the clone brings", () => {
    expect(missingPackages(EXAMPLE)).toEqual([]);
  });

  test(
    "passes without Pulumi",
    async () => {
      expect(await runTest("suspend-all.test.ts")).toMatchObject({ code: 0, passed: 2, failed: 0 });
    },
    ENGINE_TEST_MS,
  );

  test(
    "fails where the script does not wait, or asks for something else",
    async () => {
      edit(
        "suspend-all.ts",
        "for (const operation of operations) await finished",
        "for (const operation of []) finished",
      );
      expect(await runTest("suspend-all.test.ts")).toMatchObject({ code: 1, failed: 1 });
    },
    ENGINE_TEST_MS,
  );
});

describeWithEngine("examples/testing with Pulumi", (engine) => {
  const path = `${engine.binDir}${delimiter}${process.env["PATH"]}`;
  test(
    "passes, and fails where the program asks for something else",
    async () => {
      const good = await runTest("database.test.ts", path);
      expect(good, good.output).toMatchObject({ code: 0, passed: 1, failed: 0 });
      edit("database.ts", "autoscalingLimitMinCu: 1,", "autoscalingLimitMinCu: 2,");
      const changed = await runTest("database.test.ts", path);
      expect(changed.code).toBe(1);
      expect(changed.output).toContain("autoscaling_limit_min_cu: 2");
    },
    2 * ENGINE_TEST_MS,
  );
});
