/** `examples/app`, as people copy it: the connection string gets to the application, and to nobody's eyes. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { missingPackages } from "../support/example";
import { requests } from "./support";

const ROOT = resolve(__dirname, "../..");
const FOLDER = join(ROOT, "examples/app");
const json = (...path: string[]) => JSON.parse(readFileSync(join(ROOT, ...path), "utf8"));

const uri = (suffix: string) =>
  expect.stringMatching(
    new RegExp(
      `^postgresql://neondb_owner:[^@:]{8,}@${SEED.primaryId}${suffix}\\.us-east-2\\.aws\\.neon\\.tech/neondb\\?sslmode=require$`,
    ),
  );

describe("examples/app", () => {
  test("needs only what `npm ci` in the clone brings, and one copy of it", () => {
    const { dependencies, devDependencies } = json("examples/app/package.json");
    expect(dependencies).toEqual(json("examples/basic/package.json").dependencies);
    expect(devDependencies).toEqual(json("examples/basic/package.json").devDependencies);
    expect(missingPackages(FOLDER)).toEqual([]);
  });

  test("has a README with the commands", () => {
    const text = readFileSync(join(FOLDER, "README.md"), "utf8");
    for (const command of ["pulumi up", "pulumi preview", "pulumi destroy"]) expect(text).toContain(command);
  });
});

describeWithEngine("examples/app on the engine", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  let said = "";

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
    ws = await Workspace.create(engine, {
      from: FOLDER,
      env: { COMPUTE_API_URL: em.url, COMPUTE_API_KEY: em.apiKey },
    });
    const run = ws.pulumi.bind(ws);
    ws.pulumi = (args, options) =>
      run(args, {
        ...options,
        onOutput: (chunk) => {
          said += chunk;
        },
      });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  const password = () => em.world.branches[SEED.branches.main]!.roles[0]!.password;

  test(
    "the first preview does not know the string yet, and up hands it on",
    async () => {
      await ws.preview({ args: ["--diff"] });
      // The one look of a preview that adopts: is the branch's primary there, and does it have these values?
      expect(requests(em)).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
      await ws.up({ args: ["--skip-preview"] });
      expect(said).toMatch(/appEnv *: (\[secret\]|\{\n *DATABASE_URL *: \[secret\])/);
      const { appEnv } = JSON.parse((await ws.pulumi(["stack", "output", "--json"])).stdout);
      expect(appEnv).toBe("[secret]");
    },
    ENGINE_TEST_MS,
  );

  test("it is the one of the pooler, and a direct one, once somebody asks to see secrets", async () => {
    const before = said;
    expect(await ws.outputs()).toEqual({ appEnv: { DATABASE_URL: uri("-pooler"), DIRECT_URL: uri("") } });
    said = before;
  });

  test(
    "a resize is announced, and the application stays as it is",
    async () => {
      await ws.edit("index.ts", (text) => text.replace("autoscalingLimitMaxCu: 4", "autoscalingLimitMaxCu: 8"));
      const { document } = await ws.previewJson();
      const ops = (document.steps ?? []).map(({ urn, op }) => [urn.split("::").at(-1), op]);
      expect(ops.filter(([, op]) => op !== "same")).toEqual([["primary", "update"]]);
      expect((await ws.previewDiff()).stdout).not.toContain("appEnv");
    },
    ENGINE_TEST_MS,
  );

  test("the password stands nowhere in the state, and in nothing that was printed", async () => {
    const state = JSON.stringify(await ws.export());
    expect(state).toContain('"appEnv"');
    expect(password().length).toBeGreaterThan(7);
    for (const text of [state, said]) expect(text).not.toContain(password());
  });

  test(
    "destroy lets go of the primary",
    async () => {
      await ws.destroy({ args: ["--skip-preview"] });
      expect(Object.keys(em.world.endpoints)).toContain(SEED.primaryId);
    },
    ENGINE_TEST_MS,
  );
});
