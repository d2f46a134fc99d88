import { describe, expect, test } from "vitest";
import {
  adopted,
  byHand,
  changes,
  compute,
  count,
  ENDPOINTS,
  ignoring,
  Lab,
  labWith,
  leavingOut,
  type Props,
  primary,
  SEED,
  spoil,
} from "./support.js";

const TIMEOUT = ignoring("suspend_timeout_seconds");

describe("a setting that the service accepts and does not take", () => {
  test("is named in a warning, and the outputs do not claim it", async () => {
    const lab = new Lab({ between: TIMEOUT });
    const outcome = await lab.up("db", primary({ suspendTimeoutSeconds: 600 }));
    expect(outcome.warnings).toEqual([expect.stringMatching(/suspendTimeoutSeconds.*asked for 600.*has 0/)]);
    expect(lab.resource("db").outputs["suspendTimeoutSeconds"]).toBe(0);
  });

  test("is not asked for again by the next up, which says so in a line", async () => {
    const args = primary({ suspendTimeoutSeconds: 600, size: 1 });
    const lab = await labWith("db", args, { between: TIMEOUT });
    for (let run = 0; run < 3; run++) {
      const outcome = await lab.up("db", args);
      expect(outcome).toMatchObject({ op: "same", marker: "no", sent: [], warnings: [] });
      expect(outcome.said).toEqual([expect.stringMatching(/did not apply suspendTimeoutSeconds.*compute:askAgain/)]);
    }
  });

  test("is not asked for by a change of something else", async () => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600, name: "a" }), { between: TIMEOUT });
    const outcome = await lab.up("db", primary({ suspendTimeoutSeconds: 600, name: "b" }));
    expect(changes(outcome).map(([, body]) => body)).toEqual([{ endpoint: { name: "b" } }]);
    expect(lab.resource("db")).toMatchObject({
      inputs: { suspendTimeoutSeconds: 600 },
      outputs: { suspendTimeoutSeconds: 0, notTaken: ["suspendTimeoutSeconds"] },
    });
    expect((await lab.up("db", primary({ suspendTimeoutSeconds: 600, name: "b" }))).op).toBe("same");
  });

  test("is asked for when the program asks for another value", async () => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600 }), { between: TIMEOUT });
    const outcome = await lab.up("db", primary({ suspendTimeoutSeconds: 900 }));
    expect([count(outcome, "PATCH"), outcome.warnings.length]).toEqual([1, 1]);
    expect((await lab.up("db", primary({ suspendTimeoutSeconds: 900 }))).op).toBe("same");
  });

  test.each([
    ["at once", async () => {}],
    ["after a refresh", (lab: Lab) => lab.refresh()],
  ])("compute:askAgain asks again, %s, and is the end of it once the service takes it", async (_when, between) => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600 }), { between: TIMEOUT });
    const better = new Lab({ beside: lab, config: { askAgain: true } });
    better.state.set("db", lab.resource("db"));
    await between(better);
    const outcome = await better.up("db", primary({ suspendTimeoutSeconds: 600 }));
    expect([count(outcome, "PATCH"), outcome.warnings]).toEqual([1, []]);
    expect((await better.up("db", primary({ suspendTimeoutSeconds: 600 }))).op).toBe("same");
    expect(better.resource("db").outputs["notTaken"]).toBeUndefined();
  });

  test("is the end of it once somebody sets it by hand and a refresh sees it", async () => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600 }), { between: TIMEOUT });
    byHand(lab, lab.resource("db").id, { suspend_timeout_seconds: 600 });
    await lab.refresh();
    expect(await lab.up("db", primary({ suspendTimeoutSeconds: 600 }))).toMatchObject({ op: "same", sent: [] });
  });

  test("stays recorded through a refresh, also where something else has drifted", async () => {
    const args = primary({ suspendTimeoutSeconds: 600, name: "a" });
    const lab = await labWith("db", args, { between: TIMEOUT });
    await lab.refresh();
    expect(await lab.up("db", args)).toMatchObject({ op: "same", sent: [] });
    byHand(lab, lab.resource("db").id, { name: "theirs" });
    await lab.refresh();
    expect(lab.resource("db").inputs).toMatchObject({ suspendTimeoutSeconds: 600, name: "theirs" });
    expect(changes(await lab.up("db", args)).map(([, body]) => body)).toEqual([{ endpoint: { name: "a" } }]);
  });

  test("is drift once the service has another value than then", async () => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600 }), { between: TIMEOUT });
    byHand(lab, lab.resource("db").id, { suspend_timeout_seconds: 120 });
    await lab.refresh();
    expect(lab.resource("db")).toMatchObject({
      inputs: { suspendTimeoutSeconds: 120 },
      outputs: { suspendTimeoutSeconds: 120 },
    });
    expect(lab.resource("db").outputs["notTaken"]).toBeUndefined();
  });

  test("is no longer asked for when the program gives it up", async () => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 600 }), { between: TIMEOUT });
    const outcome = await lab.up("db", primary());
    expect([outcome.op, changes(outcome), outcome.warnings]).toEqual(["update", [], []]);
    expect((await lab.up("db", primary())).op).toBe("same");
  });

  test("a size that the plan does not give: no notice, since it is not asked for, and one when it is asked again", async () => {
    const lab = new Lab({ between: ignoring("autoscaling_limit_max_cu") });
    const args = primary({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 });
    const made = await lab.up("db", args);
    expect(made.warnings.join()).toContain("autoscalingLimitMaxCu");
    expect(await lab.preview("db", args)).toMatchObject({ op: "same", marker: "no", notice: "none" });
    const again = new Lab({ beside: lab, config: { askAgain: true } });
    again.state.set("db", lab.resource("db"));
    expect(await again.preview("db", args)).toMatchObject({ op: "update", marker: expect.stringMatching(/^maybe: /) });
    expect(changes(await again.up("db", args))).toHaveLength(1);
  });

  test.each([
    ["both limits", ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"], "size 0.25 → 2"],
    ["the lower limit", ["autoscaling_limit_min_cu"], "autoscalingLimitMinCu 0.25 → 2"],
  ])("a size that is asked for again is no way past refuse: %s", async (_which, fields, change) => {
    const between = fields
      .map(ignoring)
      .reduce((one, other) => (request, go) => one(request, (rest) => other(rest, go)));
    const lab = new Lab({ between });
    const args = primary({ size: 2 });
    await lab.up("db", args);
    const again = new Lab({ beside: lab, config: { askAgain: true, onRestart: "refuse" } });
    again.state.set("db", lab.resource("db"));
    await expect(again.up("db", args)).rejects.toThrow(
      `restarts or stops it: ${change} restarts this compute if it is active; open connections drop then. The preview could not know that, and onRestart is "refuse"`,
    );
    expect(changes(again.last)).toEqual([]);
    // The way on that the error names: the next preview refuses, with a digest to approve.
    await again.refresh();
    const { failures } = await again.preview("db", args);
    expect(failures.at(-1)?.reason).toMatch(/To approve exactly this change/);
  });

  test("a Postgres setting that the compute does not have: the outputs lack it, and asking again has a notice", async () => {
    const lab = new Lab({ between: ignoring("settings") });
    const args = primary({ settings: { pgSettings: { work_mem: "64MB" } } });
    await lab.up("db", args);
    expect(lab.resource("db").outputs).toMatchObject({ settings: {}, notTaken: ["settings.pgSettings.work_mem"] });
    const again = new Lab({ beside: lab, config: { askAgain: true } });
    again.state.set("db", lab.resource("db"));
    expect(await again.preview("db", args)).toMatchObject({ op: "update", notice: "may-restart" });
  });

  test.each<[string, string]>([
    ["64MB", "65536kB"],
    ["1GB", "1048576kB"],
    ["1min", "60s"],
    ["true", "on"],
    ["0.50", "0.5"],
  ])("a Postgres setting %s that the service spells %s is taken", async (asked, spelled) => {
    const args = primary({ settings: { pgSettings: { work_mem: asked } } });
    const lab = await labWith("db", args);
    byHand(lab, lab.resource("db").id, { settings: { pg_settings: { work_mem: spelled } } });
    await lab.refresh();
    expect(lab.resource("db").inputs).toMatchObject({ settings: { pgSettings: { work_mem: asked } } });
    expect(await lab.up("db", args)).toMatchObject({ op: "same", sent: [] });
    const again = await lab.up("db", primary({ settings: { pgSettings: { work_mem: spelled } } }));
    expect([again.op, changes(again)]).toEqual(["same", []]);
  });

  test("a setting of an application may be any text: another spelling is another value", async () => {
    const lab = await labWith("db", primary({ settings: { pgSettings: { "app.version": "1.0" } } }));
    expect(changes(await lab.up("db", primary({ settings: { pgSettings: { "app.version": "1" } } })))).toHaveLength(1);
  });
});

describe("a read after a change that fails", () => {
  test.each([
    ["a create", primary(), primary(), "POST"],
    ["an update", primary({ size: 1 }), primary({ size: 2 }), "PATCH"],
  ])("%s is a success with a warning; the state has what the change answered", async (_rule, before, after, method) => {
    const lab = method === "POST" ? new Lab() : await labWith("db", before);
    spoil(lab, {
      match: { method: "GET", path: ENDPOINTS },
      times: method === "POST" ? 1 : 100_000,
      then: method === "POST" ? { headers: {} } : { status: 403 },
    });
    if (method === "POST")
      spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 100_000, then: { status: 403 } });
    const outcome = await lab.up("db", after);
    expect(outcome.warnings).toEqual([expect.stringContaining("reading it afterwards failed")]);
    expect(lab.resource("db").outputs).toMatchObject({
      host: compute(lab, "db").host,
      branchId: compute(lab, "db").branch_id,
    });
    if (method === "PATCH") expect(lab.resource("db").outputs["size"]).toBe(2);
    lab.emulator.faults.clear();
    expect((await lab.up("db", after)).sent).toEqual([]);
    await lab.refresh();
    expect((await lab.up("db", after)).sent).toEqual([]);
  });
});

describe("a service that says less in its answers", () => {
  const ARGS: Props = {
    autoscalingLimitMinCu: 1,
    autoscalingLimitMaxCu: 4,
    suspendTimeoutSeconds: 300,
    name: "orders",
    disabled: false,
    poolerEnabled: true,
    settings: { pgSettings: { a: "1" } },
  };
  test.each([
    "name",
    "suspend_timeout_seconds",
    "disabled",
    "pooler_enabled",
    "settings",
    "branch_id",
    "project_id",
    "type",
    "region_id",
    "proxy_host",
    "pooler_mode",
    "created_at",
    "current_state",
  ])("without %s: what was asked counts as known, and a change sends only itself", async (field) => {
    const lab = await labWith("db", primary(ARGS), { between: leavingOut(field) });
    expect((await lab.up("db", primary(ARGS))).sent).toEqual([]);
    await lab.refresh();
    expect((await lab.up("db", primary(ARGS))).sent).toEqual([]);
    const outcome = await lab.up("db", primary({ ...ARGS, autoscalingLimitMaxCu: 8 }));
    expect(changes(outcome).map(([, body]) => body)).toEqual([
      { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 8 } },
    ]);
    expect(outcome.warnings).toEqual([]);
    await lab.destroy();
  });

  test.each<[string, Props, Props]>([
    ["suspend_timeout_seconds", { suspendTimeoutSeconds: 60 }, { suspendTimeoutSeconds: 120 }],
    ["name", { name: "a" }, { name: "b" }],
    ["disabled", { disabled: true }, { disabled: false }],
    ["settings", { settings: { pgSettings: { a: "1" } } }, { settings: { pgSettings: { a: "2" } } }],
    ["branch_id", {}, { branchId: SEED.branches.preview }],
  ])("without %s: a change of just that is sent once", async (field, before, after) => {
    const lab = await labWith("db", primary(before), { between: leavingOut(field) });
    expect(changes(await lab.up("db", primary(after)))).toHaveLength(1);
    expect((await lab.up("db", primary(after))).sent).toEqual([]);
    const next = await lab.up("db", primary({ ...after, size: 1 }));
    expect(changes(next).map(([, body]) => body)).toEqual([
      { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 } },
    ]);
  });

  test("without operations in any answer, the compute itself tells when a step has ended", async () => {
    const lab = await labWith("db", primary({ size: 1 }), { between: leavingOut("operations") });
    expect(compute(lab, "db")).toMatchObject({ current_state: "active" });
    await lab.up("db", primary({ size: 2 }));
    expect(compute(lab, "db").pending_state).toBeUndefined();
    await lab.destroy();
    expect(lab.state.size).toBe(0);
    expect(lab.clock.now()).toBeLessThan(30_000);
  });

  test("without settings, changing one of them keeps those the program sets", async () => {
    const lab = await labWith("db", primary({ settings: { pgSettings: { a: "1", b: "2" } } }), {
      between: leavingOut("settings"),
    });
    await lab.up("db", primary({ settings: { pgSettings: { a: "9", b: "2" } } }));
    expect(compute(lab, "db").settings).toEqual({ pg_settings: { a: "9", b: "2" } });
  });

  test("an adopted compute without a name in the answer can be given one, once", async () => {
    const lab = await labWith("db", adopted({ name: "main" }), { between: leavingOut("name") });
    expect(compute(lab, "db").name).toBe("main");
    expect((await lab.up("db", adopted({ name: "main" }))).sent).toEqual([]);
  });
});
