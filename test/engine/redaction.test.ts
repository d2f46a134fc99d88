/**
 * Keys and connection passwords in everything that commands print or write, at the most verbose level too, and when they
 * fail. What Pulumi's own SDK writes into its log there is held to exactly what docs/configuration.md says of it.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, startEmulator } from "../../emulator/index.js";
import type { Run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { addBranch, files, MAIN } from "./support";

const ENVIRONMENT = "napi_of_the_environment_1f7d";
const CONFIG = "napi_of_the_secret_config_5e2a";
const TEXT = "napi_of_the_program_text_9c4b";
const LOUD = ["-v=9", "--logtostderr"];

/** Three accounts, and an application that gets a connection string; all keys reach the same service. */
const program = (size: number) => `
const { Provider, getConnectionUriOutput } = require("pulumi-compute-endpoint");
const apiUrl = process.env.COMPUTE_API_URL;
const config = new Provider("config", { apiKey: new pulumi.Config("app").requireSecret("key"), apiUrl });
const text = new Provider("text", { apiKey: "${TEXT}", apiUrl });
const names = { environment: undefined, config, text };
for (const [name, provider] of Object.entries(names)) {
  new Endpoint(name, { projectId, branchId: "br-" + name, size: ${size} }, { provider });
  exports[name] = getConnectionUriOutput({ projectId, branchId, databaseName: "neondb", roleName: "neondb_owner" }, { provider });
}
new Dependant("application", { on: exports.environment });`;

/** Pulumi's own SDK tells its log, and at this level only there, what a program registers. */
const OF_THE_SDK =
  /"msg":"(eventSink::Debug\(<\{%reset%\}>)?RegisterResource RPC finished: resource:(text|application)\[/;

describeWithEngine("keys and passwords", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  let password: string;
  const loud: Run[] = [];
  const plain: Run[] = [];
  let state: string;

  beforeAll(async () => {
    const keys = [ENVIRONMENT, CONFIG, TEXT].map((key) => ({ key }));
    em = await startEmulator({ operationMs: 50, keys });
    for (const name of ["environment", "config", "text"]) addBranch(em, `br-${name}`);
    const role = Object.values(em.world.branches[MAIN]!.roles)[0]! as { password: string };
    password = role.password;
    const env = { COMPUTE_API_KEY: ENVIRONMENT, COMPUTE_API_URL: em.url };
    ws = await Workspace.create(engine, { program: files(program(1)), env });
    await ws.setConfig({}, { "app:key": CONFIG });
    const run = async (command: string, fails: boolean, verbose = true) => {
      const sure = command === "preview" ? [] : ["--yes", "--skip-preview"];
      const result = await ws.pulumi([command, ...sure, ...(verbose ? LOUD : [])], { fails });
      (verbose ? loud : plain).push(result);
    };
    await run("preview", false);
    await run("up", false);
    await run("refresh", false);
    // An operation fails; a service repeats what it was asked for in its answer, as some do.
    await ws.setProgram(files(program(2)));
    em.faults.add({ operation: { action: "apply_config", then: "error", times: 3 } });
    await run("up", true);
    state = JSON.stringify(await ws.export());
    const message = `not allowed: postgresql://neondb_owner:${password}@ep-x.example.com/neondb`;
    const refuse = () => em.faults.add({ match: {}, times: 500, then: { status: 401, body: { code: "", message } } });
    refuse();
    await run("refresh", true);
    await run("destroy", true);
    em.faults.clear();
    await run("up", false, false);
    await run("preview", false, false);
    await run("destroy", false);
  }, 2 * ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  const linesWith = (secret: string, runs: Run[]) =>
    runs.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.split("\n")).filter((line) => line.includes(secret));

  test("the commands did their work, at the most verbose level", () => {
    expect(loud.map(({ code }) => code === 0)).toEqual([true, true, true, false, false, false, true]);
    for (const { stderr } of loud) expect(stderr).toMatch(/"level":"INFO"/);
    expect(Object.values(em.world.endpoints)).toHaveLength(1);
  });

  test.each([
    ["of the environment", () => ENVIRONMENT],
    ["of the stack's secret config, given to a Provider", () => CONFIG],
  ])("the key %s is in nothing that was printed", (_where, secret) => {
    expect(linesWith(secret(), [...loud, ...plain])).toEqual([]);
  });

  describe.each([
    ["a key in the program's text", () => TEXT],
    ["a password of a connection string that a resource takes", () => password],
  ])("%s", (_what, secret) => {
    test("is in nothing that commands print by themselves", () => {
      expect(linesWith(secret(), plain)).toEqual([]);
      for (const { stdout } of loud) expect(stdout).not.toContain(secret());
    });

    test("is in the log of -v=9 where Pulumi's SDK tells what was registered, and nowhere else", () => {
      const lines = linesWith(secret(), loud);
      expect(lines.filter((line) => !OF_THE_SDK.test(line))).toEqual([]);
      expect(lines.length).toBeGreaterThan(0); // else docs/configuration.md says too much
    });
  });

  test("no key and no password stand in the state, in the stack's file, or in any file that the engine keeps", async () => {
    const paths = await filesIn(join(ws.folder, "state"));
    expect(paths.length).toBeGreaterThan(3);
    const texts = await Promise.all(
      [...paths, join(ws.programFolder, "Pulumi.dev.yaml")].map((path) => readFile(path, "utf8")),
    );
    for (const text of [state, ...texts]) {
      for (const secret of [ENVIRONMENT, CONFIG, TEXT, password]) expect(text).not.toContain(secret);
    }
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}
