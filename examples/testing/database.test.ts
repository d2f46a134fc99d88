import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { startEmulator } from "pulumi-compute-endpoint/emulator";
import { database } from "./database";

test("more compute for the database is one change in place", async (t) => {
  const emulator = await startEmulator({ operationMs: 50 });
  t.after(() => emulator.close());
  const { projectId, branches } = emulator.seed;
  const folder = await mkdtemp(join(tmpdir(), "testing-"));
  t.after(() => rm(folder, { recursive: true }));
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "test", projectName: "testing", program: () => database(projectId, branches.main, 4) },
    {
      workDir: folder,
      envVars: {
        COMPUTE_API_URL: emulator.url,
        COMPUTE_API_KEY: emulator.apiKey,
        PULUMI_BACKEND_URL: `file://${folder}`,
        PULUMI_CONFIG_PASSPHRASE: "not a secret",
      },
    },
  );
  const { outputs } = await stack.up();
  assert.equal(outputs["host"]?.value, emulator.world.endpoints[emulator.seed.primaryId]?.host);

  emulator.requests.length = 0;
  await stack.up({ program: () => database(projectId, branches.main, 8) });
  const changes = emulator.requests.filter(({ method }) => method !== "GET");
  assert.deepEqual(
    changes.map(({ method, body }) => [method, body]),
    [["PATCH", { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 8 } }]],
  );
  await stack.destroy();
});
