/** The programs of the pages run, and what the pages show of a preview is what Pulumi prints. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, startEmulator } from "../../emulator/index.js";
import { firstProgramOf, programsOf, ROOT, snippetsOf } from "../package/snippets";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { GUIDES } from "./pages";

const javascript = (text: string): string =>
  ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS, esModuleInterop: true } }).outputText;

const programOf = (page: string): string => javascript(programsOf(page)[0]!.text);

/** Each page with a program, and the test that runs it. */
const RUN_BY: Record<string, string> = {
  "README.md": "here, and as TypeScript in test/package/tarball.test.ts",
  "docs/configuration.md": "here",
  "docs/lookups.md": "here",
  "docs/report.md": "here",
  "docs/emulator.md": "here",
  "docs/from-terraform.md": "test/engine/taking-over.test.ts",
  "docs/from-terraform-bridge.md": "test/engine/taking-over.test.ts",
};

test("each page with a program has a test that runs it", () => {
  const programs = GUIDES.flatMap((page) => programsOf(page).map(() => page));
  expect(programs.sort()).toEqual(Object.keys(RUN_BY).sort());
});

test("the program of the page on the emulator runs", () => {
  const script = `${programOf("docs/emulator.md")}\nexports.test().then(() => console.log("ended"));`;
  expect(execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" })).toBe("ended\n");
});

describeWithEngine("what the pages show", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  let printed = "";

  /** One line as printed, without what differs from run to run and without Pulumi's columns. */
  const plain = (line: string) =>
    line
      .replace(/last used [^:]*? ago/, "last used N s ago")
      .replace(/(\[\w+ at )\S+(Z\])/, "$1TIME$2")
      .replace(/ +/g, " ")
      .trim();
  /** Lines of the blocks without a language, which are what Pulumi prints. */
  const shown = (page: string) =>
    snippetsOf(page)
      .filter(({ language }) => language === "")
      .flatMap(({ text }) => text.split("\n"))
      .map(plain)
      .filter((line) => line !== "");

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50, apiKey: "key-of-the-pages" });
    const env = { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url };
    const program = javascript(firstProgramOf("README.md"));
    ws = await Workspace.create(engine, { project: "shop", program, env });
    await ws.up({ args: ["--skip-preview"] });
    // The notice of the adoption would stand on the left side of the next change.
    await ws.edit("index.js", (text) => text.replace("adopt: true,", "adopt: true, suspendTimeoutSeconds: 300,"));
    await ws.up({ args: ["--skip-preview"] });
    await ws.edit("index.js", (text) => text.replace("autoscalingLimitMaxCu: 2", "autoscalingLimitMaxCu: 4"));
    for (const args of [[], ["--diff"]]) printed += (await ws.preview({ args })).stdout;
    await ws.setConfig({ "compute:onRestart": "refuse" });
    const refused = await ws.preview({ fails: true });
    printed += refused.stdout + refused.stderr;
    await ws.setConfig({ "compute:onRestart": "warn" });
  }, 2 * ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  describe("of a preview", () => {
    test.each(["README.md", "docs/previews.md"])("%s is what Pulumi prints", (page) => {
      const lines = new Set(printed.split("\n").map(plain));
      // Only a terminal gets the table: what it says of the compute stands in a line of its own here.
      const table = /^(?:Type|pulumi:pulumi:Stack|~ └─) /;
      const missing = shown(page).filter((line) => !table.test(line) && !lines.has(line));
      expect(missing).toEqual([]);
      expect(shown(page).length).toBeGreaterThan(3);
    });

    test("the README's table has the row of the compute", () => {
      const [, type, name, plan, diff] = /^~ └─ (\S+) (\S+) (\w+) (\[diff: [^\]]+\]); 1 warning$/m.exec(
        shown("README.md").join("\n"),
      )!;
      expect(printed).toContain(` ~  ${type} ${name} ${plan} ${diff}`);
    });
  });

  test(
    "runs: a policy pack, another account, look-ups",
    async () => {
      const pack = join(ws.folder, "pack");
      await mkdir(join(pack, "node_modules/@pulumi"), { recursive: true });
      for (const name of ["@pulumi/policy", "@pulumi/pulumi"]) {
        await symlink(join(ROOT, "node_modules", name), join(pack, "node_modules", name));
      }
      await symlink(ROOT, join(pack, "node_modules/pulumi-compute-endpoint"));
      const files = {
        "PulumiPolicy.yaml": "version: 1.0.0\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
        "package.json": '{ "name": "pack", "version": "1.0.0", "main": "index.js" }',
        "index.js": programOf("docs/report.md"),
      };
      for (const [name, text] of Object.entries(files)) await writeFile(join(pack, name), text);
      expect((await ws.preview({ args: ["--policy-pack", pack] })).stdout).toContain("computes");

      await ws.setProgram(programOf("docs/lookups.md"));
      expect((await ws.preview()).stdout).toContain("[secret]");

      await ws.setProgram(programOf("docs/configuration.md"));
      await ws.setConfig({}, { "shop:euKey": em.apiKey });
      const { stdout } = await ws.preview({ env: { COMPUTE_API_KEY: undefined, COMPUTE_API_URL: undefined } });
      expect(stdout).toMatch(/pulumi:providers:pulumi-nodejs eu create/);
    },
    ENGINE_TEST_MS,
  );
});
