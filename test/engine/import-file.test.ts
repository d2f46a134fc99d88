/** Computes that exist are taken over by `pulumi import --file` and the printed program: no change, no request. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { addBranch, changes, nameOf, PROJECT, requests } from "./support";

const CLI = resolve(__dirname, "../../dist/cli/main.js");
const FILE = "computes.json";

describeWithEngine("import-file", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  let printed: { code: number | null; stdout: string; stderr: string };

  function command(...args: string[]): Promise<typeof printed> {
    const child = spawn(process.execPath, [CLI, ...args], { cwd: ws.programFolder, env: ws.env });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) child[name].on("data", (chunk) => (output[name] += chunk));
    return new Promise((done) => child.on("close", (code) => done({ code, ...output })));
  }

  /** A compute made by hand, at rest. */
  function make(id: string, fields: Partial<RunningEmulator["world"]["endpoints"][string]>): void {
    const like = em.world.endpoints[SEED.primaryId]!;
    const host = like.host.replace(SEED.primaryId, id);
    em.world.endpoints[id] = { ...structuredClone(like), id, host, type: "read_only", ...fields };
  }

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50, apiKey: "key-of-this-story" });
    const size = (min: number, max = min) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });
    Object.assign(em.world.endpoints[SEED.primaryId]!, { ...size(1, 4), suspend_timeout_seconds: 600 });
    make("ep-reports-11111111", {
      ...size(2),
      name: "Reports (nightly)",
      settings: {
        pg_settings: { work_mem: "64MB", "plan.hint": ['"quoted" $', "{text} \\ `x`"].join("") },
        preload_libraries: { use_defaults: true, enabled_libraries: ["pg_cron", "timescaledb"] },
      },
    });
    make("ep-calm-aaaaaaaa", { name: "twin", disabled: true, current_state: "idle" });
    make("ep-wild-bbbbbbbb", { name: "twin", pooler_enabled: true, suspend_timeout_seconds: -1 });
    make("ep-large-22222222", { ...size(20), suspend_timeout_seconds: 300, name: "class" });
    addBranch(em, "br-other");
    make("ep-other-33333333", { type: "read_write", branch_id: "br-other", current_state: "idle" });
    ws = await Workspace.create(engine, {
      typescript: true,
      env: { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url },
    });
    printed = await command("import-file", PROJECT, "--out", FILE, "--name-prefix", "shop-");
    em.requests.length = 0;
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  test("prints the program, and says what comes next", () => {
    expect(printed.code).toBe(0);
    expect(printed.stdout).toContain('import { Endpoint } from "pulumi-compute-endpoint";');
    expect(printed.stderr).toContain(`pulumi import --file ${FILE} --protect=false --generate-code=false`);
    // Above 16 CU a compute never suspends: a program can't say that it does.
    expect(printed.stderr).toContain("note: ep-large-22222222: suspendTimeoutSeconds is left out");
  });

  test("names are readable and unique", async () => {
    const { resources } = JSON.parse(await readFile(join(ws.programFolder, FILE), "utf8"));
    expect(resources.map(({ name, id }: { name: string; id: string }) => [id, name])).toEqual([
      [SEED.primaryId, "shop-primary-amber-field-a5x7w3rt"],
      ["ep-other-33333333", "shop-primary-other-33333333"],
      ["ep-large-22222222", "shop-class"],
      ["ep-reports-11111111", "shop-Reports-nightly"],
      ["ep-calm-aaaaaaaa", "shop-twin-calm-aaaaaaaa"],
      ["ep-wild-bbbbbbbb", "shop-twin-wild-bbbbbbbb"],
    ]);
  });

  test(
    "`pulumi import` takes them over without a request, and the next preview shows no change",
    async () => {
      await ws.setProgram(printed.stdout);
      const before = structuredClone(em.world.endpoints);
      await ws.pulumi(["import", "--file", FILE, "--protect=false", "--generate-code=false", "--yes"], {
        fails: false,
      });
      expect(requests(em)).toEqual([]);
      const shown = await ws.preview({ args: ["--expect-no-changes"] });
      expect(shown.stdout + shown.stderr).not.toMatch(/warning|error/i);
      expect((await ws.up({ args: ["--skip-preview"] })).stdout).toMatch(/Resources:\n {4}7 unchanged/);
      expect(requests(em)).toEqual([]);
      expect(em.world.endpoints).toEqual(before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a refresh finds nothing, then only what drifts in what the program manages, and the next up puts it right",
    async () => {
      expect((await ws.refresh({ args: ["--skip-preview"] })).stdout).toMatch(/Resources:\n {4}7 unchanged/);
      const { settings } = em.world.endpoints["ep-reports-11111111"]!;
      settings.pg_settings = { ...settings.pg_settings, work_mem: "1MB" };
      em.world.endpoints["ep-large-22222222"]!.suspend_timeout_seconds = 900;
      await ws.refresh({ args: ["--skip-preview"] });
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line)).toEqual([`PATCH /projects/${PROJECT}/endpoints/ep-reports-11111111`]);
      expect(settings).not.toBe(em.world.endpoints["ep-reports-11111111"]!.settings);
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy leaves them all on the service",
    async () => {
      const state = (await ws.export()).deployment.resources ?? [];
      const ours = state.filter(({ type }) => type.endsWith(":Endpoint"));
      expect(ours.map(({ outputs }) => outputs?.["adopted"])).toEqual(ours.map(() => true));
      expect(ours.map(({ urn }) => nameOf(urn))).toContain("shop-class");
      await ws.destroy({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(Object.keys(em.world.endpoints)).toHaveLength(6);
    },
    ENGINE_TEST_MS,
  );
});
