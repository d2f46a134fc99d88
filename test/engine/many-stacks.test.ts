/** What docs/scale.md says of many stacks, on the real engine: the operator's objects as their program gets them, and Pulumi's own words. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { startEmulator } from "../../emulator/index";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { addBranch, files, PROJECT } from "./support";

const ROOT = resolve(__dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Stack {
  metadata: { name: string };
  spec: { config: Record<string, string> };
}
const STACKS = parseAllDocuments(read("examples/kubernetes-operator/stacks.yaml")).map((one) => one.toJS() as Stack);

describeWithEngine("many stacks", (engine) => {
  test.each(STACKS.map(({ metadata, spec }) => [metadata.name, spec.config] as const))(
    "the operator's %s has what its program needs, is guarded, and works in its own project alone",
    async (_name, config) => {
      const emulator = await startEmulator({ operationMs: 50 });
      const env = { COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey };
      const ws = await Workspace.create(engine, { from: join(ROOT, "examples/basic"), env });
      const project = config["compute-basic:projectId"];
      const hosts = () => Object.values(emulator.world.endpoints).filter((one) => one.project_id === project);
      try {
        await ws.setConfig(config);
        // A primary of another size is not taken over by a guarded stack, but by one that only warns.
        if (hosts().length > 0) {
          const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
          expect(stdout).toContain('onRestart is "refuse", so this compute was not changed');
          expect(emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
          await ws.setConfig({ "compute:onRestart": "warn" });
          await ws.up({ args: ["--skip-preview"] });
          await ws.setConfig(config);
        }
        await ws.up({ args: ["--skip-preview"] });
        expect(hosts().map(({ host }) => host)).toEqual([(await ws.outputs())["host"]]);
        expect(emulator.requests.filter(({ path }) => !path.startsWith(`/projects/${project}/`))).toEqual([]);
        expect(await ws.leftBehind()).toEqual([]);
      } finally {
        await ws.close();
        await emulator.close();
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "two on one project take turns, and a short time limit holds beside a stack with much to do",
    async () => {
      const emulator = await startEmulator({ operationMs: { default: 1500, suspend_compute: 10 } });
      const env = { COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey };
      const program = (stack: string, creates: number, options: string) =>
        files(`
for (let index = 0; index < ${creates}; index++) {
  new Endpoint("${stack}" + index, { projectId, branchId: "br-${stack}-" + index }, ${options});
}`);
      const programs = {
        large: program("large", 10, "{}"),
        small: program("small", 4, '{ customTimeouts: { create: "20s" } }'),
      };
      for (const [stack, creates] of [
        ["large", 10],
        ["small", 4],
      ] as const) {
        for (let index = 0; index < creates; index++) addBranch(emulator, `br-${stack}-${index}`);
      }
      const stacks = await Promise.all(
        Object.values(programs).map((one) => Workspace.create(engine, { program: one, env })),
      );
      try {
        await Promise.all(stacks.map((ws) => ws.up({ args: ["--skip-preview"] })));
        const creates = emulator.requests
          .filter(({ method, path }) => method === "POST" && path === `/projects/${PROJECT}/endpoints`)
          .map(({ status, body }) => ({ status, isSmall: JSON.stringify(body).includes("br-small") }));
        // While the small one waits and works, the large one gets two turns between two of its own at most, and three at first.
        const from = creates.findIndex(({ isSmall }) => isSmall);
        const served = creates.slice(from).filter(({ status }) => status === 201);
        const order = served.map(({ isSmall }) => (isSmall ? "s" : "l")).join("");
        expect(order.replaceAll("l", "")).toBe("ssss");
        const between = order
          .slice(0, order.lastIndexOf("s"))
          .split("s")
          .map(({ length }) => length);
        expect(Math.max(...between), order).toBeLessThanOrEqual(6);
        expect(
          between.slice(1).filter((turns) => turns > 2),
          order,
        ).toEqual([]);
      } finally {
        for (const ws of stacks) await ws.close();
        await emulator.close();
      }
    },
    ENGINE_TEST_MS,
  );

  test("the command for Pulumi Deployments is one that Pulumi knows", async () => {
    const command = /^pulumi deployment run (?:.*\\\n)*.*$/m.exec(read("docs/scale.md"))?.[0] ?? "";
    const used: string[] = command.match(/--[a-z-]+/g) ?? [];
    const { stdout } = await run(join(engine.binDir, "pulumi"), ["deployment", "run", "--help"], {
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
      limitMs: ENGINE_TEST_MS,
    });
    const known: string[] = stdout.match(/--[a-z-]+/g) ?? [];
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});
