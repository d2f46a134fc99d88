/** The engine asks for eight things at once: what they share, and how they wait for each other. */
import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { hint, type Props } from "./shim";
import { KEY, PROJECT, rig } from "./support";

const replica = (index: number, more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: SEED.branches.main,
  type: "read_only",
  size: 1,
  __autoName: hint(`replica-${index}`),
  ...more,
});

describe("many computes in one process", () => {
  test("creates of one project wait for each other instead of running into the lock", async () => {
    const { shim, emulator, requests } = await rig({ operationMs: 120 });
    const made = await Promise.all(Array.from({ length: 6 }, (_, index) => shim.create(replica(index))));
    expect(new Set(made.map(({ id }) => id)).size).toBe(6);
    const lines = requests();
    const path = `/projects/${PROJECT}/endpoints`;
    expect(lines.filter((line) => line.endsWith(" 423"))).toEqual([]);
    expect(lines.filter((line) => line === `POST ${path} 201`)).toHaveLength(6);
    for (const { id } of made) {
      expect(emulator.world.endpoints[id]).toMatchObject({ current_state: "active" });
      expect(emulator.world.endpoints[id]).not.toHaveProperty("pending_state");
    }
  });

  test("somebody else's change is waited for, with no second refusal for the same wait", async () => {
    const { shim, emulator, requests } = await rig();
    emulator.faults.add({ operation: { action: "apply_config", then: "never" } });
    const primary = `${emulator.url}/projects/${PROJECT}/endpoints/${emulator.seed.primaryId}`;
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ endpoint: { autoscaling_limit_max_cu: 1 } });
    expect((await fetch(primary, { method: "PATCH", headers, body })).status).toBe(200);
    const made = Promise.all([shim.create(replica(1)), shim.create(replica(2))]);
    await expect.poll(() => emulator.requests.filter(({ status }) => status === 423)).toHaveLength(1);
    await expect
      .poll(() => emulator.requests.filter(({ path }) => path.includes("/operations")).length)
      .toBeGreaterThan(1);
    emulator.faults.clear();
    await made;
    expect(requests().filter((line) => line.endsWith(" 423"))).toHaveLength(1);
  });

  test("projects do not wait for each other", async () => {
    const { shim, emulator } = await rig();
    emulator.faults.add({ operation: { action: "start_compute", then: "never" } });
    const stuck = shim.create(replica(1)).catch((error: unknown) => error);
    await expect.poll(() => Object.keys(emulator.world.endpoints).length).toBe(2);
    const { projectId, branchId } = SEED.second;
    const other = { projectId, branchId, size: 1, __autoName: hint("other") };
    expect((await shim.create(other)).outputs).toMatchObject({ projectId });
    emulator.faults.clear();
    expect(await stuck).toMatchObject({ id: expect.stringMatching(/^ep-/) });
  });

  test("reads that come together share one list", async () => {
    const { shim, again, requests } = await rig({ operationMs: 50 });
    const made = [];
    for (let index = 0; index < 4; index++) made.push(await shim.create(replica(index)));
    requests();
    const next = await again();
    await Promise.all(made.map(({ id, outputs }) => next.read(id, outputs)));
    expect(requests()).toEqual([`GET /projects/${PROJECT}/endpoints 200`]);
  });
});
