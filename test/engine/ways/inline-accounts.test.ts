/**
 * Accounts of inline programs: the workspace's `envVars` reach the engine, and with it the computes, but not the program.
 * Three services hold the same ids, so a request that goes to the wrong one is answered, and seen here.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { run } from "../../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS } from "../../support/engine";
import { type Account, startAccount } from "../account";
import { requests } from "../support";
import { ROOT } from "./trees";

const SCRIPT = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { Endpoint, Provider, getEndpointOutput } = require("pulumi-compute-endpoint");
const { command, envVars, config, instance, size, asks } = JSON.parse(process.env.CASE);
const projectId = "${SEED.projectId}", id = "${SEED.primaryId}";
const program = async () => {
  const opts = instance ? { provider: new Provider("own", instance) } : {};
  new Endpoint("primary", { projectId, branchId: "${SEED.branches.main}", adopt: true, size }, opts);
  return asks ? { cu: getEndpointOutput({ projectId, id }, opts).autoscalingLimitMinCu } : {};
};
(async () => {
  const projectSettings = { name: "inline", runtime: "nodejs", main: __dirname };
  const stack = await LocalWorkspace.createOrSelectStack({ stackName: "dev", projectName: "inline", program }, { projectSettings, envVars });
  await stack.removeAllConfig(["compute:apiKey", "compute:apiUrl"]);
  await stack.setAllConfig({ "compute:pollSeconds": { value: "0.2" }, ...config });
  let printed = "";
  try {
    const { outputs } = await stack[command]({ onOutput: (text) => { printed += text; } });
    return { printed, cu: outputs?.cu?.value };
  } catch (error) {
    return { printed: printed + error.message, failed: true };
  }
})().then((value) => console.log(JSON.stringify(value)));`;

interface Case {
  command?: "up" | "preview";
  size: number;
  asks?: boolean;
  envVars?: Record<string, string>;
  config?: Record<string, { value: string; secret?: boolean }>;
  instance?: { apiKey: string; apiUrl: string };
  /** What the program's own process has. */
  env?: Record<string, string>;
}

describeWithEngine("an inline program", (engine) => {
  let folder: string;
  /** The computes' account, that of the process, and one more. */
  let [computes, own, other]: Account[] = [];
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "compute-endpoint-inline-")));
    for (const name of ["state", "home", "program"]) await mkdir(join(folder, name));
    await symlink(join(ROOT, "node_modules"), join(folder, "program/node_modules"));
    await writeFile(join(folder, "program/run.js"), SCRIPT);
    [computes, own, other] = await Promise.all(
      ["computes", "own", "other"].map((name) => startAccount(`key-${name}-1`)),
    );
  });
  afterAll(async () => {
    await Promise.all([computes, own, other].map((one) => one?.em.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const variablesOf = (account: Account) => ({ COMPUTE_API_KEY: account.key.key, COMPUTE_API_URL: account.url });
  const configOf = (account: Account) => ({
    "compute:apiKey": { value: account.key.key, secret: true },
    "compute:apiUrl": { value: account.url },
  });

  async function runProgram({ env = {}, ...options }: Case) {
    const mine = Object.entries(process.env).filter(([name]) => !/^(PULUMI|COMPUTE|NEON)_/.test(name));
    const { stdout, stderr } = await run(process.execPath, ["run.js"], {
      cwd: join(folder, "program"),
      env: {
        ...Object.fromEntries(mine),
        PATH: `${engine.binDir}${delimiter}${process.env["PATH"]}`,
        PULUMI_BACKEND_URL: `file://${folder}/state`,
        PULUMI_HOME: join(folder, "home"),
        PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        CASE: JSON.stringify({ command: "preview", ...options }),
        ...env,
      },
      limitMs: ENGINE_TEST_MS,
    });
    const last = stdout.trim().split("\n").at(-1) ?? "";
    if (!last.startsWith("{")) throw new Error(`${stdout}\n${stderr}`);
    const { printed, failed = false, cu } = JSON.parse(last) as { printed: string; failed?: boolean; cu?: number };
    const asked = [computes, own, other].map((account) => requests(account!.em).length);
    const line = /error: (?!update failed|preview failed)(.*)/.exec(printed)?.[1];
    return {
      failed,
      cu,
      asked,
      error: line,
      warning: /ep-\S+: .* restarts this compute.*/.exec(printed)?.[0],
      printed,
    };
  }

  test(
    "changes the computes of its workspace's account, and warns without what is true right now",
    async () => {
      const env = variablesOf(own!);
      const envVars = variablesOf(computes!);
      const up = await runProgram({ command: "up", size: 1, envVars, env });
      expect(up).toMatchObject({ failed: false, asked: [expect.any(Number), 0, 0] });
      expect(computes!.em.world.endpoints[SEED.primaryId]).toMatchObject({ autoscaling_limit_max_cu: 1 });
      const { failed, warning, asked } = await runProgram({ size: 2, envVars, env });
      expect([failed, warning, asked]).toEqual([false, expect.not.stringContaining("It is active"), [0, 0, 0]]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "asks nobody where only the environment has a key, and says where to give it",
    async () => {
      for (const env of [{}, variablesOf(own!)]) {
        const { failed, error, asked } = await runProgram({
          size: 1,
          asks: true,
          envVars: variablesOf(computes!),
          env,
        });
        expect([failed, asked]).toEqual([true, [0, 0, 0]]);
        expect(error).toMatch(/can't see the envVars of its workspace.*compute:apiKey.*new Provider\(/);
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "sends the secret key of the stack's config to no host that stands beside it",
    async () => {
      const config = { ...configOf(computes!), "compute:apiUrl": { value: "https://keys.example.com/api/v2" } };
      for (const asks of [false, true]) {
        const { failed, error, asked } = await runProgram({ size: 2, asks, config });
        expect([failed, asked]).toEqual([true, [0, 0, 0]]);
        expect(error).toContain("compute:apiUrl in the stack's config is not used beside compute:apiKey");
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "asks with the key of the stack's config, and with that of an instance",
    async () => {
      const byConfig = await runProgram({ size: 2, asks: true, config: configOf(computes!) });
      expect(byConfig).toMatchObject({ failed: false, warning: expect.stringContaining("It is active") });
      expect(byConfig.asked).toEqual([2, 0, 0]);
      const instance = { apiKey: computes!.key.key, apiUrl: computes!.url };
      const env = variablesOf(own!);
      const byInstance = await runProgram({ size: 2, asks: true, instance, envVars: variablesOf(other!), env });
      expect(byInstance).toMatchObject({ failed: false, warning: expect.stringContaining("It is active") });
      expect(byInstance.asked).toEqual([2, 0, 0]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "asks nobody where the environment has another account than the stack's config",
    async () => {
      const config = configOf(computes!);
      const visible = await runProgram({ size: 2, asks: true, config, env: variablesOf(own!) });
      // What the workspace adds is seen on Linux only.
      const hidden = { size: 2, asks: true, config, envVars: variablesOf(other!) };
      const runs = [visible, ...(process.platform === "linux" ? [await runProgram(hidden)] : [])];
      for (const { failed, error, asked } of runs) {
        expect([failed, asked]).toEqual([true, [0, 0, 0]]);
        expect(error).toContain("names one account, and COMPUTE_API_KEY and COMPUTE_API_URL (environment) another");
      }
    },
    ENGINE_TEST_MS,
  );
});
