/** A state that the first version wrote, in the hands of today's: no diff, no request that changes anything, no old code. */
import { readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED } from "../../emulator/index.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { installTarball, PROGRAM, restore, startService, stateOf } from "../support/first-version";
import { changes, requests } from "./support";

const REPOSITORY = resolve(__dirname, "../..");
const isEndpoint = ({ type }: { type: string }) => type === "pulumi-nodejs:dynamic/compute:Endpoint";
const SKIP = ["--skip-preview"];

describeWithEngine("a stack of the first version", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  const ours = async () => ((await ws.export()).deployment.resources ?? []).filter(isEndpoint);
  const ids = async () => (await ours()).map(({ id }) => id).sort();
  /** Without what the service changes by itself: a compute that nobody uses is suspended. */
  const theirs = () =>
    Object.values(em.world.endpoints).map(
      ({ current_state, started_at, suspended_at, updated_at, compute_release_version, ...settled }) => settled,
    );

  beforeAll(async () => {
    em = await startService();
    await restore(em);
    ws = await Workspace.create(engine, {
      program: { "index.js": PROGRAM },
      packages: ["undici", "zod"],
      env: { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url },
    });
    await ws.setConfig({}, { "app:memory": "64MB" });
    const file = join(ws.folder, "state.json");
    await writeFile(file, await stateOf(em));
    await ws.pulumi(["stack", "import", "--file", file], { fails: false });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  test(
    "is at rest with the first version itself",
    async () => {
      await installTarball(ws);
      await ws.preview({ args: ["--expect-no-changes"] });
      expect(requests(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is at rest with today's: refresh, preview and up find nothing to do, and load nothing of the old code",
    async () => {
      const installed = join(ws.programFolder, "node_modules", "pulumi-compute-endpoint");
      await rm(installed, { recursive: true });
      await symlink(REPOSITORY, installed);
      // Where Node.js would find it if anything asked for the old place: it fails as soon as it is loaded.
      const old = await installTarball(ws, true);
      const files = (await readdir(old, { recursive: true })).filter((name) => name.endsWith(".js"));
      expect(files.length).toBeGreaterThan(30);
      for (const name of files) {
        const path = join(old, name);
        await writeFile(path, `throw new Error("old code was loaded");\n${await readFile(path, "utf8")}`);
      }

      const service = structuredClone(theirs());
      expect((await ws.refresh({ args: SKIP })).stdout).toMatch(/Resources:\n {4}5 unchanged/);
      const preview = await ws.preview({ args: ["--expect-no-changes"] });
      expect(preview.stdout).not.toMatch(/warning/);
      await ws.up({ args: [...SKIP, "--expect-no-changes"] });
      expect(changes(em)).toEqual([]);
      expect(theirs()).toEqual(service);
      for (const { inputs, outputs } of await ours()) {
        expect([inputs?.["__provider"], outputs?.["__provider"]]).toEqual([PROVIDER_TEXT, PROVIDER_TEXT]);
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "is changed by today's on the same computes",
    async () => {
      const before = await ids();
      const primary = await ws.resource("primary");
      await ws.edit("index.js", (text) => text.replace("autoscalingLimitMaxCu: 2", "autoscalingLimitMaxCu: 4"));
      await ws.up({ args: SKIP });
      expect(changes(em).map(({ line }) => line)).toEqual([
        `PATCH /projects/${SEED.projectId}/endpoints/${primary.id}`,
      ]);
      expect(await ids()).toEqual(before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is destroyed by today's, without its program: what it made goes, what it took over stays",
    async () => {
      await writeFile(join(ws.programFolder, "index.js"), 'throw new Error("the program ran");');
      await ws.destroy({ args: SKIP });
      expect(Object.keys(em.world.endpoints)).toEqual([SEED.primaryId]);
      expect((await ws.export()).deployment.resources ?? []).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
