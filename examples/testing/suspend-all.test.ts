import assert from "node:assert/strict";
import { test } from "node:test";
import { startEmulator } from "pulumi-compute-endpoint/emulator";
import { suspendAll } from "./suspend-all";

test("suspends what is active, and waits until it is done", async (t) => {
  const emulator = await startEmulator({ operationMs: 50 });
  t.after(() => emulator.close());
  const { projectId, primaryId } = emulator.seed;
  assert.deepEqual(await suspendAll(emulator.url, emulator.apiKey, projectId), [primaryId]);
  assert.equal(emulator.world.endpoints[primaryId]?.current_state, "idle");
  const [list, suspend] = emulator.requests.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(
    [list, suspend],
    [`GET /projects/${projectId}/endpoints`, `POST /projects/${projectId}/endpoints/${primaryId}/suspend`],
  );
});

test("stops with the reason where the service is at work itself", async (t) => {
  const emulator = await startEmulator();
  t.after(() => emulator.close());
  emulator.startOperation({ action: "check_availability", endpointId: emulator.seed.primaryId });
  await assert.rejects(suspendAll(emulator.url, emulator.apiKey, emulator.seed.projectId), /suspend: 423/);
});
