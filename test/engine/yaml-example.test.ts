/** examples/yaml, and what the page about other languages says in YAML. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index";
import { describeWithLanguage, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { blocksOfPage, playExample } from "./languages/examples";
import { ref, YAML } from "./languages/yaml";

playExample(YAML);

const [PROGRAM = "", LOOK_UP = ""] = blocksOfPage("yaml");

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
