/** examples/yaml, and what the page about other languages says in YAML. */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index";
import { describeWithLanguage, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { playExample, yamlProgramsOfPage } from "./languages/examples";
import { ref, YAML } from "./languages/yaml";

playExample(YAML);

const read = (...path: string[]) => readFileSync(join(resolve(__dirname, "../.."), ...path), "utf8");

const [PROGRAM = "", LOOK_UP = ""] = yamlProgramsOfPage();

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
        .replace("      version: 0.1.0\n", `      provider: ${ref("eu")}\n      version: 0.1.0\n`)
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

  test(
    "has a program whose plugin no line of the stack's file can choose",
    async () => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.writeHead(404).end();
      });
      const port = await new Promise<number>((settle) =>
        server.listen(0, "127.0.0.1", () => settle((server.address() as AddressInfo).port)),
      );
      try {
        // Pulumi's default. Workspaces of tests turn it off.
        const env = { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false" };
        const another = { name: "evil", version: "9.9.9", pluginDownloadURL: `http://127.0.0.1:${port}/x` };
        await ws.setConfig(
          Object.fromEntries(Object.entries(another).map(([key, value]) => [`compute:${key}`, value])),
        );
        const program = `${PROGRAM.replace("outputs:\n", `outputs:\n  state: ${ref("live.currentState")}\n`)}${LOOK_UP}`;
        await ws.setProgram({ "Pulumi.yaml": program });
        await ws.preview({ env });
        expect(asked).toEqual([]);
        // Without the versions it is Pulumi that asks for the other plugin.
        await ws.setProgram({ "Pulumi.yaml": program.replace(/ +options:(\n +| \{ )version: 0.1.0.*\n/g, "") });
        await ws.preview({ env, fails: true });
        expect(asked.join()).toContain("evil");
      } finally {
        server.close();
        // With plugins to be had, Pulumi keeps the schema beside the plugin's folder, which is this clone.
        await rm(join(resolve(__dirname, "../.."), "schema-compute.json"), { force: true });
      }
    },
    ENGINE_TEST_MS,
  );
});

test("YAML on pages and in examples gives this package's version with each resource and call", () => {
  const { version } = JSON.parse(read("package.json"));
  const texts = [read("examples", "yaml", "Pulumi.yaml"), ...yamlProgramsOfPage()];
  const given = texts.map((text) => [
    text.match(/type: compute:|function: compute:/g)?.length,
    text.match(new RegExp(`version: ${version}\\b`, "g"))?.length,
  ]);
  expect(given).toEqual([
    [3, 3],
    [1, 1],
    [1, 1],
  ]);
});
