/** The plugin over gRPC: secret values come and go wrapped, and stand in no text. */
import { describe, expect, test } from "vitest";
import { secret } from "./plugin";
import { BASE, failure, made, rig } from "./rig";

describe("secret values", () => {
  test("come and go wrapped, and stand in no text", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, size: secret(1) });
    expect(inputs["size"]).toEqual(secret(1));
    expect(outputs["size"]).toEqual(secret(1));
    expect(outputs).not.toHaveProperty("autoscalingLimitMaxCu");
    const { outputs: foreseen } = await it.plugin.create(inputs, { preview: true });
    expect(foreseen["size"]).toEqual(secret(1));
    expect(foreseen).not.toHaveProperty("autoscalingLimitMaxCu");
    const { inputs: next } = await it.plugin.check(inputs, { ...BASE, size: secret(7) });
    expect(next["restart"]).toMatch(/^yes: size/);
    expect(JSON.stringify([next["restart"], next["__notice"]])).not.toMatch(/\b[17]\b/);
    const seen = await it.plugin.update(id, outputs, next, { oldInputs: inputs, preview: true });
    expect(seen["size"]).toEqual(secret(7));
    expect(seen).not.toHaveProperty("autoscalingLimitMinCu");
    const after = await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(after["size"]).toEqual(secret(7));
    for (const { message } of it.said()) {
      // When it was used, and when it was seen, are made of digits too.
      expect(message.replace(/last used [^)]*|\[active at [^\]]*/g, "")).not.toMatch(/\b7\b/);
    }
    expect(await it.plugin.diff(id, after, next, { oldInputs: next })).toMatchObject({ changes: "none" });
  });

  test("a part that is secret makes the whole property one", async () => {
    const it = await rig();
    const settings = { pgSettings: { "app.token": secret("hush"), work_mem: "64MB" } };
    const { inputs, outputs } = await made(it, { ...BASE, settings });
    const open = { pgSettings: { "app.token": "hush", work_mem: "64MB" } };
    expect(inputs["settings"]).toEqual(secret(open));
    expect(outputs["settings"]).toMatchObject(secret(expect.objectContaining(open) as never));
  });

  test("stand in no line about a step that will fail", async () => {
    const it = await rig();
    const { inputs } = await it.plugin.check({}, { ...BASE, projectId: secret("hush-hush-12345678") });
    await it.plugin.create(inputs, { preview: true });
    const [line, ...more] = it.said();
    expect(more).toEqual([]);
    expect(line!.message).toMatch(/project \[secret\].*`up` will fail/);
  });

  test("one that the program takes out stays secret in the state", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, name: secret("hush-hush") });
    const next = (await it.plugin.check(inputs, BASE)).inputs;
    const after = await it.plugin.update(id, outputs, next, { oldInputs: inputs });
    expect(after["name"]).toEqual(secret("hush-hush"));
  });

  test("one that the program takes out stays secret after an update that fails, too", async () => {
    const it = await rig();
    const { id, inputs, outputs } = await made(it, { ...BASE, name: secret("hush-hush") });
    const next = (await it.plugin.check(inputs, { ...BASE, size: 2 })).inputs;
    it.em.faults.add({ operation: { action: "apply_config", then: "never" } });
    const { kept } = await failure(it.plugin.update(id, outputs, next, { oldInputs: inputs, timeout: 1 }));
    expect(kept?.properties["name"]).toEqual(secret("hush-hush"));
  });
});
