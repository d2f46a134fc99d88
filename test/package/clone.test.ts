/** A fresh clone gives a whole package: npm runs `prepare` when it packs, publishes, and installs from git. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../tools/engine/run";
import { ENGINE_TEST_MS } from "../support/engine";
import { ROOT } from "./snippets";

let clone: string;
const npm = (...args: string[]) => run("npm", args, { cwd: clone, limitMs: ENGINE_TEST_MS });
const filesIn = (folder: string) => (readdirSync(folder, { recursive: true }) as string[]).sort();

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "compute-endpoint-clone-"));
  const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const path of tracked.trim().split("\n")) {
    if (/^(test|examples|docs)\//.test(path) || !existsSync(join(ROOT, path))) continue;
    mkdirSync(join(clone, dirname(path)), { recursive: true });
    cpSync(join(ROOT, path), join(clone, path));
  }
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

describe("a fresh clone", () => {
  test("packs nothing where nothing is installed, and says what to do", async () => {
    const { code, stdout, stderr } = await npm("pack", "--foreground-scripts");
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining("run `npm ci` here first")]);
    expect(readdirSync(clone).filter((name) => name.endsWith(".tgz"))).toEqual([]);
  });

  test(
    "is built by `prepare`, once, and again when a source has changed",
    async () => {
      symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
      const main = join(clone, "dist/sdk/index.js");
      const builds = async () => {
        expect((await npm("run", "prepare")).code).toBe(0);
        return statSync(main).mtimeMs;
      };
      const first = await builds();
      expect(filesIn(join(clone, "dist"))).toEqual(filesIn(join(ROOT, "dist")));
      expect(await builds()).toBe(first);
      // A source that can't be compiled shows that it is compiled.
      writeFileSync(join(clone, "sdk/literal.ts"), "export const = ;\n");
      expect((await npm("run", "prepare")).code).not.toBe(0);
      expect(statSync(main).mtimeMs).toBe(first);
    },
    2 * ENGINE_TEST_MS,
  );
});

test("what is published says nothing of the clone's own folders", () => {
  const { workspaces, scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(workspaces).toBeUndefined();
  // These run on users' machines.
  for (const name of ["preinstall", "install", "postinstall"]) expect(scripts).not.toHaveProperty(name);
});

describe("the settings of editors and version managers", () => {
  test(".nvmrc names a Node.js that the package runs on", () => {
    const [wanted] = readFileSync(join(ROOT, ".nvmrc"), "utf8").trim().split(".");
    const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(engines.node).toMatch(new RegExp(`^>=${wanted}\\.`));
  });

  test(".editorconfig says what the formatter does", () => {
    const text = readFileSync(join(ROOT, ".editorconfig"), "utf8");
    const { formatter } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
    const { indentStyle, indentWidth, lineWidth } = formatter;
    for (const line of [
      `indent_style = ${indentStyle}`,
      `indent_size = ${indentWidth}`,
      `max_line_length = ${lineWidth}`,
    ]) {
      expect(text).toContain(`\n${line}\n`);
    }
  });
});
