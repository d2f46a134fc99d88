/** What the report keeps of errors of the real engine: enough to mend the program. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { inJson } from "../cli/report/support";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";

const AT = `projectId: "${SEED.projectId}", branchId: "${SEED.branches.dev}"`;

describeWithEngine("the report of a preview that failed", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  const failed = async () => {
    const { stdout } = await ws.pulumi(["preview", "--json"], { fails: true });
    const { stacks, exitCode } = await inJson(stdout);
    expect(exitCode).toBe(2);
    return stacks[0];
  };

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 20 });
    ws = await Workspace.create(engine, {
      program: {
        "index.js": `new (require("pulumi-compute-endpoint").Endpoint)("reader-3", { ${AT} }, { protect: true });`,
      },
      env: { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url },
    });
    await ws.setConfig({ "compute:pollSeconds": "0.2" });
    await ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  test(
    "a protected compute left the program: why it stays, and no deletion",
    async () => {
      await ws.setProgram({ "index.js": "" });
      const { errors, computes, verdict } = await failed();
      expect(errors).toEqual([expect.stringMatching(/reader-3" cannot be deleted because it is protected/)]);
      expect(computes).toMatchObject([{ name: "reader-3", impact: "none", what: "is protected" }]);
      expect(verdict).not.toMatch(/is deleted/);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a TypeScript error: the file, the line and what is wrong",
    async () => {
      await ws.setProgram({
        "Pulumi.yaml": "name: test\nruntime: nodejs\n",
        "index.ts": 'const size: number = "two";\nconst other: string = 2;\nexport const all = [size, other];\n',
        "package.json": JSON.stringify({ name: "test", private: true, main: "index.ts" }),
      });
      expect((await failed()).errors).toEqual([
        expect.stringMatching(
          /^TSError: .*Unable to compile TypeScript: index\.ts\(1,7\): error TS2322: .*index\.ts\(2,7\): error TS2322/,
        ),
      ]);
    },
    ENGINE_TEST_MS,
  );
});
