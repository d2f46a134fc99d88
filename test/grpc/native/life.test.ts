/** The plugin over gRPC: what a request gets as its answer, and what the service is asked. */
import { describe, expect, test } from "vitest";
import { autoNameOf } from "../../../provider/rules/name.js";
import { PROVIDER_TEXT } from "../../../sdk/literal.js";
import { NO_OUTPUTS } from "../../../sdk/outputs.js";
import { urnOf as urnOfDynamic } from "../shim";
import { BRANCH, folder } from "../support";
import { Plugin, startEngineLog, UNKNOWN, urnOf } from "./plugin";
import { BASE, made, rig } from "./rig";

describe("a compute's life", () => {
  test("the preview of a creation knows what the program says, asks nothing to be made, and calls the rest unknown", async () => {
    const it = await rig();
    const { inputs, failures } = await it.plugin.check({}, BASE);
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...BASE, __autoName: autoNameOf(urnOf("main")), restart: "no" });
    const { id, outputs } = await it.plugin.create(inputs, { preview: true });
    expect(id).toBe("");
    const limits = { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 };
    const known = { ...BASE, ...limits, restart: "no", managed: ["branchId", "projectId", "size"] };
    expect(outputs).toMatchObject(known);
    // The class calls unknown whatever the program does not say. A compute has `unfinished` only after a step that failed.
    const unknown = Object.keys(outputs).filter((name) => outputs[name] === UNKNOWN);
    const ofTheClass = Object.keys(NO_OUTPUTS).filter((name) => !(name in known) && name !== "unfinished");
    expect(unknown.sort()).toEqual(ofTheClass.sort());
    expect(it.changes()).toEqual([]);
    expect(it.said()).toEqual([]);
  });

  test("the preview of a creation in a project that is not known yet asks the service nothing, and warns of nothing", async () => {
    const it = await rig();
    const { inputs } = await it.plugin.check({}, { ...BASE, projectId: UNKNOWN, branchId: UNKNOWN });
    it.em.requests.splice(0);
    await it.plugin.create(inputs, { preview: true });
    expect(it.em.requests).toEqual([]);
    expect(it.said()).toEqual([]);
  });

  test("it is made, changed, read and deleted; the name is that of the class", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    expect(it.em.world.endpoints[id]!.name).toBe(autoNameOf(urnOfDynamic("main")));
    expect(outputs).toMatchObject({ ...BASE, type: "read_write", host: expect.stringContaining(id), adopted: false });
    expect(Object.keys(outputs)).not.toContain("__secret");
    expect(await it.plugin.diff(id, outputs, inputs, { oldInputs: inputs })).toMatchObject({
      changes: "none",
      details: {},
    });

    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    expect(next["__notice"]).toEqual({ impact: "restart", properties: ["size"] });
    const compared = await it.plugin.diff(id, outputs, next, { oldInputs: inputs });
    expect(compared).toMatchObject({ changes: "some", replaces: [], details: { size: "update", restart: "update" } });
    expect(compared.stables).toContain("host");
    const after = await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(it.changes()).toEqual(["PATCH 200"]);
    expect(after).toMatchObject({ size: 2, autoscalingLimitMinCu: 2, host: outputs["host"], restart: "no" });

    it.em.world.endpoints[id]!.autoscaling_limit_max_cu = 4;
    it.em.world.endpoints[id]!.autoscaling_limit_min_cu = 4;
    const read = await (await it.again()).read(id, after, next);
    expect(read).toMatchObject({ id, outputs: { size: 4 }, inputs: { size: 4, branchId: BRANCH } });

    // The run that made it spares it.
    await (await it.again()).delete(id, after);
    expect(it.em.world.endpoints[id]).toBeUndefined();
    expect(await (await it.again()).read(id, after, next)).toEqual({ id: "", outputs: {}, inputs: {} });
    expect(it.plugin.output.stderr).toBe("");
  });

  test("an update's preview keeps what stays, so that nothing that depends on the compute seems to change", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    const seen = await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    for (const name of [
      "host",
      "poolerHost",
      "proxyHost",
      "regionId",
      "createdAt",
      "name",
      "disabled",
      "settings",
      "adopted",
    ]) {
      expect([name, seen[name]]).toEqual([name, outputs[name]]);
    }
    expect(seen).toMatchObject({ size: 2, autoscalingLimitMinCu: 2, type: "read_write" });
    expect(Object.values(seen)).not.toContain(UNKNOWN);
    expect(it.changes()).toEqual([]);

    const unknown = (await it.plugin.check(inputs, { ...BASE, size: UNKNOWN })).inputs;
    const unsure = await it.plugin.update(id, outputs, unknown, { oldInputs: inputs, preview: true });
    expect(unsure).toMatchObject({ size: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN, host: outputs["host"] });
    const moved = (await it.plugin.check(inputs, { ...BASE, projectId: UNKNOWN })).inputs;
    const anew = await it.plugin.update(id, outputs, moved, { oldInputs: inputs, preview: true });
    for (const name of ["host", "name", "provisioner"]) expect([name, anew[name]]).toEqual([name, UNKNOWN]);
    const parts = (await it.plugin.check(inputs, { ...BASE, settings: { pgSettings: { work_mem: "64MB" } } })).inputs;
    expect(await it.plugin.update(id, outputs, parts, { oldInputs: inputs, preview: true })).toMatchObject({
      settings: UNKNOWN,
      host: outputs["host"],
    });
  });

  test("a replacement is shown by its kinds, and its second check says what becomes of the old compute", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const asked = { ...BASE, type: "read_only" };
    const first = (await it.plugin.check(inputs, asked)).inputs;
    expect(await it.plugin.diff(id, outputs, first, { oldInputs: inputs })).toMatchObject({
      changes: "some",
      replaces: ["type"],
      deleteBeforeReplace: true,
      stables: [],
    });
    const { inputs: second } = await it.plugin.check({}, asked);
    expect(second["restart"]).toMatch(/^yes: type .* replaces this compute; clients then need the new host/);
    expect(second["__notice"]).toMatchObject({ impact: "new-host", replaces: { id, fate: "perhaps-deleted" } });
    it.said();
    await it.plugin.create(second, { preview: true });
    expect(it.said()).toEqual([
      {
        urn: urnOf("main"),
        severity: "warning",
        message: expect.stringMatching(new RegExp(`^${id}: type .* replaces`)),
      },
    ]);
  });
});

test("a state of the class is taken over without a change", async () => {
  const it = await rig();
  const { id, inputs, outputs } = await made(it);
  const left = { __provider: PROVIDER_TEXT, customTimeouts: { create: "5m" } };
  const [olds, oldInputs] = [
    { ...outputs, ...left },
    { ...inputs, ...left },
  ];
  const next = (await it.plugin.check(oldInputs, BASE)).inputs;
  expect(next).toEqual(inputs);
  expect(await it.plugin.diff(id, olds, next, { oldInputs })).toMatchObject({ changes: "none" });
  const read = await (await it.again()).read(id, olds, oldInputs);
  expect(Object.keys(read.outputs)).not.toContain("__provider");
});

test("the process ends with its engine, and needs nothing of Pulumi's", async () => {
  const engine = await startEngineLog();
  const plugin = await Plugin.start(engine.address, await folder());
  expect(plugin.alive).toBe(true);
  await engine.kill();
  expect(await plugin.ended).toBe(1);
});
