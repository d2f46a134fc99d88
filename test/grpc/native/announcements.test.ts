/** The plugin over gRPC: what is said at the resource, and what is refused. */
import { describe, expect, test } from "vitest";
import { digestOfChange } from "../../../provider/rules/approval.js";
import { impactOf } from "../../../provider/rules/impact.js";
import { desiredSettings, type SettingsInput } from "../../../provider/rules/settings.js";
import { type Props, urnOf as urnOfDynamic } from "../shim";
import { urnOf } from "./plugin";
import { BASE, made, rig } from "./rig";

describe("what is said at the resource", () => {
  test("a check and a diff say nothing: a refresh asks for diffs too", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, disabled: true })).inputs;
    await it.plugin.diff(id, outputs, next, { oldInputs: inputs });
    expect(it.said()).toEqual([]);
  });

  test("an update's preview warns with what is true of the compute now, and the update itself without a look", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, disabled: true })).inputs;
    await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    const [line, ...more] = it.said();
    expect(more).toEqual([]);
    expect(line).toMatchObject({ urn: urnOf("main"), severity: "warning" });
    expect(line!.message).toMatch(/disabled false → true stops this compute.*It is active.*\[active at /);
    await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(it.said()).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/open connections drop then/) },
    ]);
  });

  test.each<[string, Props, Props]>([
    ["onRestart: allow", { onRestart: "allow" }, {}],
    ["a change that drops nothing", {}, { size: 1, name: "reporting" }],
  ])("%s is silent", async (_what, always, change) => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, ...always });
    const next = (await it.plugin.check(inputs, { ...BASE, ...always, size: 2, ...change })).inputs;
    await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    expect(it.said()).toEqual([]);
  });

  test("a refused key, and a branch that does not exist, make `up` fail; a service that fails is told once", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it);
    const preview = async (args: Props) => {
      const next = (await it.plugin.check(inputs, { ...BASE, ...args })).inputs;
      const again = await it.again(it.args);
      await again.update(id, outputs, next, { oldInputs: inputs, preview: true });
      await again.update(id, outputs, next, { oldInputs: inputs, preview: true });
      return it.said().map(({ urn, message }) => [urn, message.replace(/ \[.*$/, "")]);
    };
    const twice = (message: RegExp) => Array(2).fill([urnOf("main"), expect.stringMatching(message)]);
    expect(await preview({ branchId: "br-nowhere" })).toEqual(
      twice(/But branch br-nowhere of project \S+ does not exist.*: `up` will fail\. Check branchId and the key\.$/),
    );
    it.em.faults.add({ match: {}, times: 1, then: { status: 401 } });
    expect(await preview({ size: 2 })).toEqual(
      twice(/But the service refuses the key \(401\): `up` will fail\. Check \S+ .*$/),
    );
    it.em.faults.add({ match: {}, times: 1, then: { status: 500 } });
    expect(await preview({ size: 2 })).toEqual([
      ["", expect.stringMatching(/^this preview could not look at the service/)],
      ...twice(/open connections drop then\.$/),
    ]);
  });

  test("with liveNotices: false the service is not asked", async () => {
    const it = await rig({}, { liveNotices: "false" });
    const { id, inputs, outputs } = await made(it);
    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    expect(it.said()).toMatchObject([
      { message: expect.stringMatching(/if it is active; open connections drop then\.$/) },
    ]);
    expect(it.em.requests).toEqual([]);
  });
});

describe("refuse and approvals", () => {
  test("a check refuses, with the digest that the class has; approved, the change passes", async () => {
    const it = await rig({}, { onRestart: "refuse" });
    const { inputs } = await made(it);
    const asked = { ...BASE, size: 2 };
    const { failures } = await it.plugin.check(inputs, asked);
    expect(failures).toMatchObject([["size", expect.stringContaining('onRestart is "refuse"')]]);
    const [old, next] = [desiredSettings(BASE), desiredSettings(asked as SettingsInput)];
    const digest = digestOfChange(urnOfDynamic("main"), impactOf(old, next), old, next)!;
    expect(failures[0]![1]).toContain(digest);
    const approved = await it.again({ ...it.args, onRestart: "refuse", approve: JSON.stringify([digest]) });
    expect((await approved.check(inputs, asked)).failures).toEqual([]);
  });

  test("a variable of the environment softens no check of which nobody knows that it is a preview", async () => {
    const it = await rig({}, { onRestart: "refuse" }, { COMPUTE_ON_RESTART: "warn" });
    const { inputs } = await made(it);
    expect((await it.plugin.check(inputs, { ...BASE, size: 2 })).failures).toHaveLength(1);
  });
});
