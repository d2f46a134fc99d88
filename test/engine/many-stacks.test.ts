/** What docs/scale.md says of many stacks, on the real engine: the operator's objects as their program gets them, and Pulumi's own words. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { SEED, startEmulator } from "../../emulator/index";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";

const ROOT = resolve(__dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Stack {
  metadata: { name: string };
  spec: { config: Record<string, string> };
}
const STACKS = parseAllDocuments(read("examples/kubernetes-operator/stacks.yaml")).map((one) => one.toJS() as Stack);

describeWithEngine("many stacks", (engine) => {
  test(
    "each of the operator's objects has what its program needs, and works in its own project alone",
    async () => {
      const emulator = await startEmulator({ operationMs: 50 });
      const hosts: unknown[] = [];
      for (const { spec } of STACKS) {
        const env = { COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey };
        const ws = await Workspace.create(engine, { from: join(ROOT, "examples/basic"), env });
        emulator.requests.length = 0;
        try {
          // Its primary is of another size: as a guarded stack it is not taken over, by one that only warns it is.
          await ws.setConfig(spec.config);
          const refused = await ws.up({ args: ["--skip-preview"], fails: true });
          expect(refused.stdout).toContain('onRestart is "refuse", so nothing was changed');
          expect(emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
          await ws.setConfig({ "compute:onRestart": "warn" });
          await ws.up({ args: ["--skip-preview"] });
          await ws.setConfig(spec.config);
          await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
          hosts.push((await ws.outputs())["host"]);
        } finally {
          await ws.close();
        }
        const project = spec.config["compute-basic:projectId"];
        expect(emulator.requests.length).toBeGreaterThan(0);
        expect(emulator.requests.filter(({ path }) => !path.startsWith(`/projects/${project}/`))).toEqual([]);
      }
      await emulator.close();
      expect(hosts).toEqual([SEED.projectId, SEED.second.projectId].map((id) => hostOf(emulator.world, id)));
    },
    ENGINE_TEST_MS,
  );

  test("the command for Pulumi Deployments is one that Pulumi knows", async () => {
    const [command = ""] = /^pulumi deployment run (?:.*\\\n)*.*$/m.exec(read("docs/scale.md")) ?? [];
    const used = command.match(/--[a-z-]+/g) ?? [];
    const { stdout } = await run(join(engine.binDir, "pulumi"), ["deployment", "run", "--help"], {
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
      limitMs: ENGINE_TEST_MS,
    });
    const known = stdout.match(/--[a-z-]+/g) ?? [];
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});

const hostOf = (world: { endpoints: Record<string, { project_id: string; host: string }> }, project: string) =>
  Object.values(world.endpoints).find(({ project_id }) => project_id === project)?.host;
