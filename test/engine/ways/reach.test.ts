/** Where the engine finds the package: from the program's folder, whoever uses it there. */
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../../support/engine";

/** A package of components, which brings ours along: the program knows only the components. */
const COMPUTES = `
const { Endpoint } = require("pulumi-compute-endpoint");
exports.primary = (name) => new Endpoint(name, ${JSON.stringify({
  projectId: SEED.projectId,
  branchId: SEED.branches.main,
  adopt: true,
})});`;
const PROGRAM = `exports.host = require("computes").primary("primary").host;`;
const OURS = "node_modules/pulumi-compute-endpoint";

describeWithEngine("the engine looks for the package", (engine) => {
  let em: RunningEmulator;
  const open: Workspace[] = [];
  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
  });
  afterAll(async () => {
    await Promise.all(open.map((ws) => ws.close()));
    await em?.close();
  });

  /** The program's files by name; the package is moved from beside the program to `place`. */
  async function start(files: Record<string, string>, place: string): Promise<Workspace> {
    const env = { COMPUTE_API_URL: em.url, COMPUTE_API_KEY: em.apiKey };
    const ws = await Workspace.create(engine, { env, program: files });
    open.push(ws);
    await mkdir(join(ws.programFolder, place, "node_modules"), { recursive: true });
    await rename(join(ws.programFolder, OURS), join(ws.programFolder, place, OURS));
    return ws;
  }

  test(
    "in the folder that Pulumi.yaml names as main",
    async () => {
      const ws = await start(
        {
          "Pulumi.yaml": "name: test\nmain: infra/\nruntime:\n  name: nodejs\n  options: { typescript: false }\n",
          "infra/package.json": `{ "name": "infra", "private": true, "main": "index.js" }`,
          "infra/index.js": PROGRAM,
          "infra/node_modules/computes/index.js": COMPUTES,
        },
        "infra",
      );
      await ws.up({ args: ["--skip-preview"] });
      await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
      expect(await ws.outputs()).toEqual({ host: em.world.endpoints[SEED.primaryId]?.host });
    },
    ENGINE_TEST_MS,
  );

  test(
    "and the program says so where only another package has it, as with pnpm",
    async () => {
      const ws = await start(
        { "index.js": PROGRAM, "node_modules/computes/index.js": COMPUTES },
        "node_modules/computes",
      );
      const { stdout } = await ws.preview({ fails: true });
      expect(stdout).toContain(
        `pulumi-compute-endpoint can't be found from the program's folder ${ws.programFolder}, where Pulumi's engine looks for it: add it to the dependencies in that folder's package.json`,
      );
      expect(stdout).not.toMatch(/Cannot find module|\n\s+at /);
    },
    ENGINE_TEST_MS,
  );
});
