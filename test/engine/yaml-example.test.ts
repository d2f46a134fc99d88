/** examples/yaml as it is, through its whole life. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index";
import { describeWithLanguage, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { ref } from "./languages/yaml";

const FOLDER = resolve(__dirname, "../../examples/yaml");
const A_HOST = expect.stringMatching(/^ep-[a-z]+-[a-z]+-[a-z0-9]+\.us-east-2\.aws\.neon\.tech$/);

test("examples/yaml needs the package alone, and has a README with the commands", () => {
  const { dependencies, ...rest } = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
  expect(dependencies).toEqual({ "pulumi-compute-endpoint": "file:../.." });
  expect(Object.keys(rest)).toEqual(["name", "private"]);
  const text = readFileSync(join(FOLDER, "README.md"), "utf8");
  for (const command of ["npm install", "pulumi preview", "pulumi destroy"]) expect(text).toContain(command);
});

/** The YAML blocks of docs/languages.md. */
const [PROGRAM = "", LOOK_UP = ""] = [
  ...readFileSync(resolve(__dirname, "../../docs/languages.md"), "utf8").matchAll(/```yaml\n([\s\S]*?)```/g),
].map(([, text]) => text);

describeWithLanguage("yaml", "the page on other languages", (engine, { hosts }) => {
  let emulator: RunningEmulator;
  let ws: Workspace;
  beforeAll(async () => {
    emulator = await startEmulator({ operationMs: 50 });
    const env = { COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey };
    ws = await Workspace.create(engine, { program: { "Pulumi.yaml": PROGRAM }, hosts, env });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await emulator?.close();
  });

  test(
    "has a program that runs as it stands, and a look-up",
    async () => {
      await ws.up();
      expect(await ws.outputs()).toEqual({ host: `${SEED.primaryId}.us-east-2.aws.neon.tech` });
      const outputs = `outputs:\n  state: ${ref("live.currentState")}\n`;
      await ws.setProgram({ "Pulumi.yaml": `${PROGRAM.replace("outputs:\n", outputs)}${LOOK_UP}` });
      await ws.up();
      expect(await ws.outputs()).toMatchObject({ state: expect.stringMatching(/^(active|idle)$/) });
    },
    ENGINE_TEST_MS,
  );

  test(
    "says of an explicit provider that it has its own account, and nothing of the stack's config",
    async () => {
      const provider = [
        "  eu:",
        "    type: pulumi:providers:compute",
        `    properties: { apiKey: { "fn::secret": "${emulator.apiKey}" }, apiUrl: "${emulator.url}" }`,
        "",
      ].join("\n");
      const program = PROGRAM.replace("resources:\n", `resources:\n${provider}`)
        .replace("      adopt: true\n", "      type: read_only\n")
        .replace("outputs:\n", `    options: { provider: ${JSON.stringify(ref("eu"))} }\noutputs:\n`)
        .replaceAll("primary", "reader");
      const env = { COMPUTE_API_KEY: "another-key" };
      await ws.setProgram({ "Pulumi.yaml": program });
      await ws.setConfig({ "compute:onRestart": "refuse" });
      await ws.up({ env, args: ["--target", "**::reader", "--target", "**::eu"] });
      await ws.edit("Pulumi.yaml", (text) => text.replace("MaxCu: 4", "MaxCu: 2"));
      const { stdout } = await ws.preview({ env, args: ["--target", "**::reader"] });
      expect(stdout).toContain("autoscalingLimitMaxCu 4 → 2 restarts this compute");
      const state = JSON.stringify(await ws.export());
      expect(state).not.toContain(emulator.apiKey);
    },
    ENGINE_TEST_MS,
  );
});

describeWithLanguage("yaml", "examples/yaml", (engine, { hosts }) => {
  let emulator: RunningEmulator;
  let ws: Workspace;
  beforeAll(async () => {
    emulator = await startEmulator({ operationMs: 50 });
    const env = { COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey };
    ws = await Workspace.create(engine, { from: FOLDER, hosts, env });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await emulator?.close();
  });

  test(
    "takes over the primary, makes the replicas, and changes nothing the second time",
    async () => {
      await ws.up();
      const primary = `${SEED.primaryId}.us-east-2.aws.neon.tech`;
      expect(await ws.outputs()).toEqual({
        host: primary,
        readHosts: [A_HOST, A_HOST],
        appEnv: {
          DATABASE_HOST: primary.replace(".", "-pooler."),
          DATABASE_READ_HOSTS: expect.stringMatching(/^ep-[^,]+,ep-[^,]+$/),
        },
      });
      emulator.requests.length = 0;
      await ws.up({ args: ["--expect-no-changes"] });
      expect(emulator.requests).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "announces another limit as a restart of the primary, and of nothing else",
    async () => {
      await ws.edit("Pulumi.yaml", (text) => text.replace("autoscalingLimitMaxCu: 4", "autoscalingLimitMaxCu: 8"));
      const { document } = await ws.previewJson();
      const touched = (document.steps ?? []).filter(({ op }) => op !== "same");
      expect(touched.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`)).toEqual(["update primary"]);
      const words = `${SEED.primaryId}: autoscalingLimitMaxCu 4 → 8 restarts this compute`;
      expect(document.diagnostics?.filter(({ urn }) => urn?.endsWith("::primary"))).toEqual([
        expect.objectContaining({ severity: "warning", message: expect.stringContaining(words) }),
      ]);
      const before = await ws.outputs();
      await ws.up({ args: ["--skip-preview"] });
      expect(await ws.outputs()).toEqual(before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy deletes the replicas, lets go of the primary, and leaves no process",
    async () => {
      await ws.destroy();
      const left = Object.values(emulator.world.endpoints).filter(({ project_id }) => project_id === SEED.projectId);
      expect(left.map(({ id }) => id)).toEqual([SEED.primaryId]);
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
