import { describe, expect, test } from "vitest";
import { adopted, byHand, changes, compute, labWith, type Props, primary, SEED } from "./support.js";

type Fields = Parameters<typeof byHand>[2];
const pg = (pgSettings: Record<string, string>) => ({ settings: { pgSettings } });

describe("drift in what the program manages", () => {
  test.each<[string, Props, Fields, Props, object]>([
    [
      "a size",
      { size: 2 },
      { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 },
      { size: 4 },
      { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 },
    ],
    [
      "a fixed size made a range",
      { size: 2 },
      { autoscaling_limit_max_cu: 4 },
      { size: undefined, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
      { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 },
    ],
    [
      "one limit",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
      { autoscaling_limit_min_cu: 2 },
      { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
      { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 },
    ],
    [
      "a timeout",
      { suspendTimeoutSeconds: 600 },
      { suspend_timeout_seconds: 0 },
      { suspendTimeoutSeconds: 0 },
      { suspend_timeout_seconds: 600 },
    ],
    ["a name", { name: "orders" }, { name: "theirs" }, { name: "theirs" }, { name: "orders" }],
    ["disabled", { disabled: false }, { disabled: true }, { disabled: true }, { disabled: false }],
    [
      "the pooler",
      { poolerEnabled: false },
      { pooler_enabled: true },
      { poolerEnabled: true },
      { pooler_enabled: false },
    ],
    [
      "the branch, as after a restore",
      {},
      { branch_id: SEED.branches.preview },
      { branchId: SEED.branches.preview },
      { branch_id: SEED.branches.dev },
    ],
    [
      "one of the Postgres settings",
      pg({ a: "1" }),
      { settings: { pg_settings: { a: "2", b: "3" } } },
      pg({ a: "2" }),
      { settings: { pg_settings: { a: "1", b: "3" } } },
    ],
    [
      "a Postgres setting that is gone",
      pg({ a: "1", b: "2" }),
      { settings: { pg_settings: { a: "1" } } },
      pg({ a: "1" }),
      { settings: { pg_settings: { a: "1", b: "2" } } },
    ],
  ])("%s: refresh shows it, the next up sets it back", async (_rule, args, fields, drifted, sent) => {
    const lab = await labWith("db", primary(args));
    const before = structuredClone(lab.resource("db").inputs);
    byHand(lab, lab.resource("db").id, fields);
    await lab.refresh();
    const expected = Object.entries({ ...before, ...drifted }).filter(([, value]) => value !== undefined);
    expect(lab.resource("db").inputs).toEqual(Object.fromEntries(expected));
    const outcome = await lab.up("db", primary(args));
    expect(outcome.op).toBe("update");
    expect(changes(outcome).map(([, body]) => body)).toEqual([{ endpoint: sent }]);
    expect((await lab.up("db", primary(args))).sent).toEqual([]);
  });

  test("the notice speaks of what setting it back does", async () => {
    const lab = await labWith("db", primary({ size: 2 }));
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
    await lab.refresh();
    expect(await lab.preview("db", primary({ size: 2 }))).toMatchObject({
      marker: expect.stringMatching(/^yes: size 4 → 2/),
      notice: "restart",
    });
  });

  test("a change of onRestart or adopt alone is no change: after drift a preview shows it once, and it does nothing", async () => {
    const [before, after] = [{ onRestart: "warn", adopt: false }, { onRestart: "refuse" }];
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600, ...before }));
    const args = primary({ suspendTimeoutSeconds: 600, ...after });
    expect(await lab.up("db", args)).toMatchObject({ op: "same", sent: [] });
    byHand(lab, lab.resource("db").id, { suspend_timeout_seconds: 0 });
    await lab.refresh();
    expect(lab.resource("db").inputs).toMatchObject(before);
    const outcome = await lab.up("db", args);
    expect(outcome).toMatchObject({ op: "update", marker: "no", notice: "none" });
    expect(changes(outcome).map(([, body]) => body)).toEqual([{ endpoint: { suspend_timeout_seconds: 600 } }]);
    expect(lab.resource("db").outputs).toMatchObject(after);
    expect(lab.resource("db").outputs).not.toHaveProperty("adopt");
  });

  test("a program that follows the drift has nothing to do", async () => {
    const lab = await labWith("db", primary({ size: 2 }));
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
    await lab.refresh();
    expect(await lab.up("db", primary({ size: 4 }))).toMatchObject({ op: "same", sent: [] });
  });

  test("without a refresh it is not touched by a change of something else", async () => {
    const lab = await labWith("db", primary({ size: 2, suspendTimeoutSeconds: 60 }));
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
    const outcome = await lab.up("db", primary({ size: 2, suspendTimeoutSeconds: 120 }));
    expect(outcome.marker).toBe("no");
    expect(changes(outcome).map(([, body]) => body)).toEqual([{ endpoint: { suspend_timeout_seconds: 120 } }]);
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(4);
    // The read after the change has seen it, and leaves it to a refresh: then the notice tells what setting it back does.
    const after = primary({ size: 2, suspendTimeoutSeconds: 120 });
    expect(lab.resource("db").outputs["size"]).toBe(2);
    expect(await lab.up("db", after)).toMatchObject({ op: "same", sent: [] });
    await lab.refresh();
    expect(await lab.preview("db", after)).toMatchObject({
      op: "update",
      marker: expect.stringMatching(/^yes: size 4/),
    });
  });
});

describe("drift in what the program does not manage", () => {
  test.each<[string, Fields]>([
    ["a size", { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 }],
    ["a timeout", { suspend_timeout_seconds: 120 }],
    ["a name", { name: "theirs" }],
    ["disabled", { disabled: true }],
    ["settings", { settings: { pg_settings: { a: "1" }, preload_libraries: { use_defaults: true } } }],
  ])("%s: is in the outputs, changes no input, and is left alone", async (_rule, fields) => {
    const lab = await labWith("db", primary());
    const { inputs } = structuredClone(lab.resource("db"));
    byHand(lab, lab.resource("db").id, fields);
    await lab.refresh();
    expect(lab.resource("db").inputs).toEqual(inputs);
    expect(lab.resource("db").outputs).not.toMatchObject({ size: expect.anything() });
    expect(await lab.up("db", primary())).toMatchObject({ op: "same", sent: [] });
  });

  test("what was taken out of the program is not managed any more", async () => {
    const lab = await labWith("db", primary({ size: 2, suspendTimeoutSeconds: 60 }));
    await lab.up("db", primary({ suspendTimeoutSeconds: 60 }));
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
    await lab.refresh();
    expect(await lab.up("db", primary({ suspendTimeoutSeconds: 60 }))).toMatchObject({ op: "same", sent: [] });
    expect(lab.resource("db").outputs["autoscalingLimitMaxCu"]).toBe(4);
  });

  test("a setting that is added later and is there already is sent nothing", async () => {
    const lab = await labWith("db", adopted());
    const outcome = await lab.up("db", adopted({ size: 0.25 }));
    expect(outcome.marker).toMatch(/^maybe: size not set → 0.25/);
    expect([outcome.op, outcome.sent.map(({ line }) => line.split(" ")[0])]).toEqual(["update", ["GET"]]);
  });
});
