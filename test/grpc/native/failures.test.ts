/** The plugin over gRPC: steps that fail, and a cancel. */
import { describe, expect, test } from "vitest";
import { KEY, PROJECT } from "../support";
import { secret } from "./plugin";
import { BASE, failure, rig } from "./rig";

describe("a step that fails", () => {
  test("after the compute exists keeps id, properties and reasons, and the next update finishes it", async () => {
    const it = await rig();
    it.em.faults.add({ operation: { action: "start_compute", then: "never" } });
    const { inputs } = await it.plugin.check({}, { ...BASE, size: secret(1) });
    const { kept } = await failure(it.plugin.create(inputs, { timeout: 1 }));
    expect(kept).toMatchObject({
      id: expect.stringMatching(/^ep-/),
      properties: { projectId: PROJECT, size: secret(1) },
      reasons: [expect.stringContaining("start_compute")],
    });
    expect(kept!.properties["unfinished"]).toHaveLength(1);
    expect(kept!.properties).not.toHaveProperty("__secret");
    it.em.faults.clear();
    const next = await it.again();
    const after = await next.update(kept!.id, kept!.properties, inputs, { oldInputs: inputs });
    expect(after).not.toHaveProperty("unfinished");
    expect(it.em.world.endpoints[kept!.id]).toMatchObject({ current_state: "active" });
  });

  test("a cancel ends the waiting, with the id", async () => {
    const it = await rig();
    it.em.faults.add({ operation: { action: "start_compute", then: "never" } });
    const { inputs } = await it.plugin.check({}, BASE);
    const call = failure(it.plugin.create(inputs));
    await expect.poll(() => it.em.requests.some(({ path }) => path.includes("/operations/"))).toBe(true);
    await it.plugin.cancel();
    const { kept, message } = await call;
    expect(kept?.id).toMatch(/^ep-/);
    expect(message).toMatch(/^interrupted: start_compute of ep-/);
  });

  test("shows no key", async () => {
    const it = await rig();
    it.em.faults.add({ match: {}, times: 100, then: { status: 400, body: { message: `no: ${KEY}` } } });
    const { inputs } = await it.plugin.check({}, BASE);
    const { message } = await failure(it.plugin.create(inputs));
    expect(message).toContain("the service answered 400");
    expect(message).not.toContain(KEY);
  });
});
