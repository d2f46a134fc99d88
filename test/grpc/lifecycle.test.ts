/** One compute from its creation to its end, in the words that the engine and the provider's process speak. */
import { describe, expect, test } from "vitest";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { hint, type Props, type Shim, urnOf } from "./shim";
import { BRANCH, KEY, PROJECT, rig } from "./support";

const inputs = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  __urn: urnOf("main"),
  ...more,
});

/** What the engine does for a new resource. */
async function make(shim: Shim, news: Props) {
  const checked = await shim.check({}, news);
  expect(checked.failures).toEqual([]);
  return { ...(await shim.create(checked.inputs)), inputs: checked.inputs };
}

describe("over gRPC", () => {
  test("a compute is made, changed, read and deleted; every answer carries the text of the provider", async () => {
    const { shim, again, emulator, requests } = await rig();
    const made = await make(shim, inputs());
    expect(made.id).toMatch(/^ep-/);
    expect(made.outputs).toMatchObject({
      __provider: PROVIDER_TEXT,
      projectId: PROJECT,
      branchId: BRANCH,
      size: 1,
      host: expect.stringContaining(made.id),
      restart: "no",
      adopted: false,
    });
    expect(made.inputs).toMatchObject({ __provider: PROVIDER_TEXT, __autoName: hint("main"), restart: "no" });
    expect(made.inputs).not.toHaveProperty("__urn");
    expect(emulator.world.endpoints[made.id]).toMatchObject({ name: hint("main"), autoscaling_limit_max_cu: 1 });
    requests();

    // Nothing differs: no request, and no change.
    const same = await shim.check(made.inputs, inputs());
    expect(await shim.diff(made.id, made.outputs, same.inputs)).toEqual({ changes: "none", replaces: [] });
    expect(requests()).toEqual([]);

    const news = await shim.check(made.inputs, inputs({ size: 2 }));
    expect(news.inputs["restart"]).toMatch(/^yes: size 1 → 2 restarts/);
    expect(await shim.diff(made.id, made.outputs, news.inputs)).toEqual({ changes: "unknown", replaces: [] });
    const changed = await shim.update(made.id, made.outputs, news.inputs);
    expect(changed).toMatchObject({ __provider: PROVIDER_TEXT, size: 2, host: made.outputs["host"], restart: "no" });
    expect(emulator.world.endpoints[made.id]).toMatchObject({
      autoscaling_limit_min_cu: 2,
      autoscaling_limit_max_cu: 2,
    });
    expect(requests().filter((line) => !line.startsWith("GET"))).toEqual([
      `PATCH /projects/${PROJECT}/endpoints/${made.id} 200`,
    ]);

    // Without inputs the engine keeps those it has; they come where something drifted.
    expect(await shim.read(made.id, changed)).toEqual({ id: made.id, outputs: changed, inputs: {} });
    emulator.world.endpoints[made.id]!.autoscaling_limit_max_cu = 4;
    const next = await again();
    const drifted = await next.read(made.id, changed);
    expect(drifted.outputs).toMatchObject({ autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 });
    expect(drifted.inputs).toEqual({
      projectId: PROJECT,
      branchId: BRANCH,
      autoscalingLimitMinCu: 2,
      autoscalingLimitMaxCu: 4,
      __autoName: hint("main"),
      __provider: PROVIDER_TEXT,
      restart: "no",
    });
  });

  test("a compute is deleted by the next process, and reading it says that it is gone", async () => {
    const { shim, again, emulator } = await rig();
    const made = await make(shim, inputs());
    const next = await again();
    await next.delete(made.id, made.outputs);
    expect(emulator.world.endpoints[made.id]).toBeUndefined();
    expect((await next.read(made.id, made.outputs)).id).toBe("");
    await next.delete(made.id, made.outputs);
  });

  test("a change of the type asks for a replacement, and the second check knows that it is one", async () => {
    const { shim, again } = await rig();
    const made = await make(shim, inputs());
    const next = await again();
    const news = inputs({ type: "read_only" });
    const first = await next.check(made.inputs, news);
    expect(first.inputs["restart"]).toMatch(/^yes: type read_write → read_only replaces .*new host/);
    expect(await next.diff(made.id, made.outputs, first.inputs)).toMatchObject({ replaces: ["type"] });
    const second = await next.check({}, news);
    // Only the diff in between tells check which compute is replaced.
    expect(second.inputs["restart"]).toBe(`${first.inputs["restart"]}; the old compute is deleted`);
    // A resource that is only created is none, also in the same process.
    const other = await next.check({}, inputs({ type: "read_only", __urn: urnOf("other") }));
    expect(other.inputs["restart"]).toBe("no");
  });

  test("a replacement that is refused fails in the check with the old inputs", async () => {
    const { shim } = await rig();
    const made = await make(shim, inputs());
    const { failures } = await shim.check(made.inputs, inputs({ type: "read_only", onRestart: "refuse" }));
    expect(failures).toEqual([{ property: "type", reason: expect.stringMatching(/read_write → read_only.*new host/) }]);
  });

  test("values that preview does not know yet pass, and come back as they were", async () => {
    const { shim, requests } = await rig();
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const news = inputs({ branchId: unknown, size: unknown, settings: { pgSettings: { work_mem: unknown } } });
    const { inputs: checked, failures } = await shim.check({}, news);
    expect(failures).toEqual([]);
    expect(checked).toMatchObject({
      branchId: unknown,
      size: unknown,
      settings: { pgSettings: { work_mem: unknown } },
    });
    expect(requests()).toEqual([]);
  });

  test("all failures of a check come at once, each at its property", async () => {
    const { shim } = await rig();
    const { failures } = await shim.check({}, inputs({ size: 3.5, name: "", colour: "red", branchId: null }));
    expect(failures.map(({ property }) => property).sort()).toEqual(["branchId", "colour", "name", "size"]);
  });

  test("the shim may ask at once after configure, before it has ended", async () => {
    const { again, config } = await rig();
    const shim = await again({ ...config, "compute:onRestart": "refuse" });
    // The first two load and configure the provider, both at the same time.
    const olds = inputs({ restart: "no" });
    const [one, two] = await Promise.all([
      shim.check(olds, inputs({ size: 2 })),
      shim.check(olds, inputs({ size: 4 })),
    ]);
    for (const { failures } of [one, two]) expect(failures).toMatchObject([{ property: "size" }]);
  });

  test("a whole life prints neither the key nor a word on stderr", async () => {
    const { shim, again } = await rig();
    const made = await make(shim, inputs());
    const news = await shim.check(made.inputs, inputs({ size: 2 }));
    const outputs = await shim.update(made.id, made.outputs, news.inputs);
    const next = await again();
    await next.read(made.id, outputs);
    await next.delete(made.id, outputs);
    for (const { said, output } of [shim, next]) expect(said + output.stderr).toBe("");
    expect(JSON.stringify([made, news, outputs])).not.toContain(KEY);
  });
});
