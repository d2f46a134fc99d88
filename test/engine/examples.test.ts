/** The programs that people copy, each through its whole life, as they are: TypeScript, type-checked by Pulumi itself. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index";
import { describeWithEngine, ENGINE_TEST_MS, type PreviewStep, Workspace } from "../support/engine";
import { missingPackages } from "../support/example";

const ROOT = resolve(__dirname, "..", "..");
const folderOf = (name: string) => join(ROOT, "examples", name);
const json = (...path: string[]) => JSON.parse(readFileSync(join(ROOT, ...path), "utf8"));

const HOST = `${SEED.primaryId}.us-east-2.aws.neon.tech`;
const POOLER_HOST = `${SEED.primaryId}-pooler.us-east-2.aws.neon.tech`;
const A_HOST = expect.stringMatching(/^ep-[a-z]+-[a-z]+-[a-z0-9]+\.us-east-2\.aws\.neon\.tech$/);

interface Example {
  name: string;
  /** What `pulumi stack output` gives. */
  outputs: Record<string, unknown>;
  /** How many computes it has made, beside the primary that was there. */
  makes: number;
}

const EXAMPLES: Example[] = [
  {
    name: "basic",
    outputs: {
      host: HOST,
      poolerHost: POOLER_HOST,
      capacity: expect.objectContaining({ vcpu: 4, memoryGb: 16, pooledClients: 10_000 }),
    },
    makes: 0,
  },
  {
    name: "replicas",
    outputs: {
      host: HOST,
      readHosts: [A_HOST, A_HOST],
      appEnv: { DATABASE_HOST: POOLER_HOST, DATABASE_READ_HOSTS: expect.stringMatching(/^ep-[^,]+,ep-[^,]+$/) },
    },
    makes: 2,
  },
];

/** They have a test of theirs: secrets, a script around a program, pipelines, a policy pack, tests of a user's own, and other languages. */
const ELSEWHERE = ["app", "automation", "gitops", "go", "kubernetes-operator", "policy", "python", "testing", "yaml"];

describe("every example", () => {
  test("has its test here", () => {
    const folders = readdirSync(join(ROOT, "examples"), { withFileTypes: true }).filter((each) => each.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...EXAMPLES.map(({ name }) => name), ...ELSEWHERE].sort());
  });

  test.each(EXAMPLES)("$name needs only what `npm ci` in the clone brings, and one copy of it", ({ name }) => {
    const { dependencies, devDependencies } = json("examples", name, "package.json");
    expect(dependencies).toEqual({
      "@pulumi/pulumi": json("package.json").peerDependencies["@pulumi/pulumi"],
      "pulumi-compute-endpoint": "file:../..",
    });
    expect(Object.keys(devDependencies)).toEqual(["@types/node", "ts-node", "typescript"]);
    expect(missingPackages(folderOf(name))).toEqual([]);
  });

  test.each(EXAMPLES)("$name has a README with the commands", ({ name }) => {
    const text = readFileSync(join(folderOf(name), "README.md"), "utf8");
    expect(text).toMatch(/pulumi preview/);
    expect(text).toMatch(/pulumi destroy/);
  });
});

const opOf = (steps: PreviewStep[] = []) =>
  Object.fromEntries(steps.map(({ urn, op }) => [urn.split("::").at(-1), op]));

for (const { name, outputs, makes } of EXAMPLES) {
  describeWithEngine(`examples/${name}`, (engine) => {
    let emulator: RunningEmulator;
    let ws: Workspace;

    beforeAll(async () => {
      emulator = await startEmulator({ operationMs: 50 });
      ws = await Workspace.create(engine, {
        from: folderOf(name),
        env: { COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey },
      });
    }, ENGINE_TEST_MS);
    afterAll(async () => {
      await ws?.close();
      await emulator?.close();
    });

    const computes = () =>
      Object.values(emulator.world.endpoints).filter(({ project_id }) => project_id === SEED.projectId);
    const primary = () => emulator.world.endpoints[SEED.primaryId]!;

    test(
      "up takes over the primary, and makes what is not there",
      async () => {
        await ws.up();
        expect(await ws.outputs()).toEqual(outputs);
        expect(primary()).toMatchObject({ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 });
        const others = computes().filter(({ id }) => id !== SEED.primaryId);
        expect(others.map(({ type }) => type)).toEqual(Array(makes).fill("read_only"));
      },
      ENGINE_TEST_MS,
    );

    test(
      "a second up changes nothing and asks the service nothing",
      async () => {
        emulator.requests.length = 0;
        await ws.up({ args: ["--expect-no-changes"] });
        expect(emulator.requests).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "another limit is announced as a restart of the primary, and of nothing else",
      async () => {
        await ws.edit("index.ts", (text) => text.replace("autoscalingLimitMaxCu: 4", "autoscalingLimitMaxCu: 8"));
        const { document } = await ws.previewJson();
        const { primary: ofPrimary, ...ofOthers } = opOf(document.steps);
        expect(ofPrimary).toBe("update");
        expect(Object.values(ofOthers).filter((op) => op !== "same")).toEqual([]);
        expect(document.diagnostics).toEqual([
          expect.objectContaining({
            urn: expect.stringMatching(/::primary$/),
            severity: "warning",
            message: expect.stringContaining(`${SEED.primaryId}: autoscalingLimitMaxCu 4 → 8 restarts this compute`),
          }),
        ]);
        // What the warning says of the moment; nothing else is asked.
        expect(emulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
          `GET /projects/${SEED.projectId}/endpoints`,
        ]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "up makes the change, and the hosts stay",
      async () => {
        const before = await ws.outputs();
        await ws.up({ args: ["--skip-preview"] });
        expect(primary()).toMatchObject({ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 8 });
        const { capacity: _, ...hosts } = before;
        expect(await ws.outputs()).toMatchObject(hosts);
      },
      ENGINE_TEST_MS,
    );

    test(
      "destroy deletes what it made, and lets go of the primary",
      async () => {
        await ws.destroy();
        expect((await ws.export()).deployment.resources ?? []).toEqual([]);
        expect(computes().map(({ id }) => id)).toEqual([SEED.primaryId]);
        expect(primary()).toMatchObject({ autoscaling_limit_max_cu: 8 });
        expect(await ws.leftBehind()).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
}
