import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import type { Between } from "../support/lab/network.js";
import {
  adopted,
  compute,
  count,
  ENDPOINTS,
  ignoring,
  Lab,
  labWith,
  leavingOut,
  made,
  primary,
  replica,
  SEED,
  settle,
  spoil,
} from "./support.js";

type Then = Extract<FaultRule, { match: unknown }>["then"];

/** Every way in which it stays open whether a request did its work. */
const LOSSES: [string, Then][] = [
  ["the connection is cut", { cut: true }],
  ["a 500", { status: 500 }],
  ["a 502 page of a proxy", { status: 502, body: "<html><title>Bad gateway</title></html>" }],
  ["a 504", { status: 504 }],
  ["a 524 page of a proxy", { status: 524, body: "<html></html>" }],
  ["a 408", { status: 408 }],
  ["a success that can't be read", { status: 200, body: "<html>login</html>" }],
  ["nothing in time", { delayMs: 45_000, cut: true }],
];
const WORK: [string, boolean][] = [
  ["after the work", true],
  ["before the work", false],
];
const MATRIX = LOSSES.flatMap(([loss, then]) => WORK.map(([when, work]) => [loss, when, { ...then, work }] as const));

describe("the answer of a POST is lost", () => {
  test.each(MATRIX)("%s, %s: there is exactly one compute, and it is the state's", async (_loss, _when, then) => {
    for (const args of [primary({ size: 2, suspendTimeoutSeconds: 300 }), replica(), replica({ name: "reports" })]) {
      const lab = new Lab();
      spoil(lab, { match: { method: "POST" }, then });
      const outcome = await lab.up("db", args);
      expect(made(lab).map((one) => one.id)).toEqual([lab.resource("db").id]);
      expect(count(outcome, "POST")).toBe(then.work ? 1 : 2);
      expect(compute(lab, "db").current_state).toBe("active");
      expect(lab.resource("db").outputs).toMatchObject({ adopted: false, host: compute(lab, "db").host });
      expect((await lab.up("db", args)).sent).toEqual([]);
    }
  });

  test("three times, with and without the work: still one", async () => {
    const lab = new Lab();
    for (const work of [false, false, true]) spoil(lab, { match: { method: "POST" }, then: { status: 502, work } });
    const outcome = await lab.up("db", replica());
    expect([count(outcome, "POST"), made(lab).length]).toEqual([3, 1]);
  });

  test("with the list failing for a while afterwards", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, then: { cut: true, work: true } });
    // The first list is the look before; the rule counts from the second on.
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, then: { headers: {} } });
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 4, then: { status: 503 } });
    await lab.up("db", replica());
    expect(made(lab)).toHaveLength(1);
  });

  test("beside creates on other branches that are under way: each has its own, also with one name for all", async () => {
    for (const names of [{}, { name: "reports" }]) {
      for (const work of [true, false]) {
        const lab = new Lab({ emulator: { lock: "branch" } });
        for (let count = 0; count < 3; count++) spoil(lab, { match: { method: "POST" }, then: { cut: true, work } });
        const all = [SEED.branches.main, SEED.branches.dev, SEED.branches.preview];
        const done = await lab.upAll(
          Object.fromEntries(all.map((branchId) => [branchId, replica({ branchId, ...names })])),
        );
        expect(Object.values(done).flatMap(({ error }) => error ?? [])).toEqual([]);
        expect(all.map((branch) => [branch, compute(lab, branch).branch_id])).toEqual(all.map((one) => [one, one]));
        expect(made(lab)).toHaveLength(3);
      }
    }
  });

  test("beside one of its name on another branch, whose answer is still on its way", async () => {
    let lost = false;
    const between: Between = async (request, go) => {
      const branch = request.method === "POST" && JSON.parse(request.body ?? "{}").endpoint.branch_id;
      if (branch === SEED.branches.dev && !lost) {
        lost = true;
        throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      }
      const answer = await go(request);
      if (branch === SEED.branches.preview) await lab.clock.sleep(8000);
      return answer;
    };
    const lab: Lab = new Lab({ between, emulator: { lock: "branch" } });
    const on = (branchId: string) => replica({ branchId, name: "reports" });
    const done = await lab.upAll({ b: on(SEED.branches.preview), a: on(SEED.branches.dev) });
    expect(Object.values(done).flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(made(lab)).toHaveLength(2);
  });

  test("with a name that the service leaves out of its answers", async () => {
    const lab = new Lab({ between: leavingOut("name") });
    spoil(lab, { match: { method: "POST" }, then: { cut: true, work: true } });
    await lab.up("db", replica());
    expect(made(lab)).toHaveLength(1);
    expect(lab.resource("db").outputs["name"]).toBe(lab.autoName("db"));
  });

  test("with a setting that the service silently did not apply: not a second one", async () => {
    const lab = new Lab({ between: ignoring("suspend_timeout_seconds") });
    spoil(lab, { match: { method: "POST" }, then: { cut: true, work: true } });
    const outcome = await lab.up("db", replica({ suspendTimeoutSeconds: 600 }));
    expect([count(outcome, "POST"), made(lab).length]).toEqual([1, 1]);
    expect(outcome.warnings.join()).toContain("did not apply suspendTimeoutSeconds");
  });

  test("several new computes could be it: an error lists them, nothing is in the state", async () => {
    const lab = new Lab({ config: { autoName: false } });
    const other = new Lab({ beside: lab, stack: "other", config: { autoName: false } });
    spoil(lab, { match: { method: "POST" }, then: { cut: true, work: true, delayMs: 5000 } });
    const [mine] = await Promise.all([
      lab.attempt("db", replica()),
      lab.clock.sleep(1000).then(() => other.attempt("db", replica())),
    ]);
    for (const one of made(lab)) expect(mine.error?.message).toContain(one.id);
    expect([made(lab).length, lab.state.size]).toEqual([2, 0]);
  });

  test("computes of other resources of this process are never taken for it", async () => {
    const lab = new Lab({ config: { autoName: false } });
    spoil(lab, { match: { method: "POST" }, then: { headers: {} } });
    spoil(lab, { match: { method: "POST" }, times: 2, then: { cut: true, work: false } });
    const done = await lab.upAll({ a: replica(), b: replica(), c: replica() });
    expect(Object.values(done).map((one) => one.error)).toEqual([undefined, undefined, undefined]);
    expect(new Set([...lab.state.values()].map((one) => one.id)).size).toBe(3);
    expect(made(lab)).toHaveLength(3);
  });

  test("the time is up at that moment: the compute is looked for all the same, and kept", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, then: { cut: true, work: true, delayMs: 20_000 } });
    const outcome = await lab.attempt("db", replica({ customTimeouts: { create: "15s" } }));
    expect(made(lab).map((one) => one.id)).toEqual([lab.state.get("db")?.id]);
    await lab.up("db", replica({ customTimeouts: { create: "15s" } }));
    expect(made(lab)).toHaveLength(1);
    expect(count(outcome, "POST")).toBe(1);
  });

  test("for ever: it ends with the deadline, and was not sent in a hot loop", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, times: 100_000, then: { status: 500 } });
    const outcome = await lab.fails("db", replica());
    expect(outcome.error.message).toMatch(/500.*; tried \d+ times in \d+ min/);
    expect(lab.clock.now()).toBeLessThan(620_000);
    expect(count(outcome, "POST")).toBeLessThan(150);
    expect(outcome.said.length).toBeGreaterThan(2);
  });

  test("a late 409 on the second try is the first one's work", async () => {
    let lists = 0;
    const lab = new Lab({
      // The second list, which looks for the compute, is answered by a server that has not heard of it yet.
      between: async (request, go) => {
        const answer = await go(request);
        const late = request.method === "GET" && request.url.endsWith("/endpoints") && ++lists === 2;
        return late ? { ...answer, text: '{"endpoints":[]}' } : answer;
      },
    });
    spoil(lab, { match: { method: "POST" }, then: { status: 504, work: true } });
    await lab.up("db", primary());
    expect(made(lab).map((one) => one.id)).toEqual([lab.resource("db").id]);
  });

  test("an adoption's PATCH: no second change", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "PATCH" }, then: { cut: true, work: true } });
    const outcome = await lab.up("db", adopted({ size: 2 }));
    expect(count(outcome, "PATCH")).toBe(1);
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
  });
});

describe("the answer of a PATCH is lost", () => {
  test.each(MATRIX)("%s, %s: the change is there, and waited for", async (_loss, _when, then) => {
    const lab = await labWith("db", primary({ size: 1 }), { emulator: { operationMs: 4000 } });
    spoil(lab, { match: { method: "PATCH" }, then });
    const outcome = await lab.up("db", primary({ size: 2 }));
    expect(compute(lab, "db")).toMatchObject({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
    expect(count(outcome, "PATCH")).toBe(then.work ? 1 : 2);
    expect(compute(lab, "db").pending_state).toBeUndefined();
    expect((await lab.up("db", primary({ size: 2 }))).sent).toEqual([]);
  });

  test("for ever: it ends with the deadline, and was not sent in a hot loop", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { match: { method: "PATCH" }, times: 100_000, then: { status: 500 } });
    const outcome = await lab.fails("db", primary({ size: 2, customTimeouts: { update: "2m" } }));
    expect(outcome.error.message).toContain("500");
    expect(count(outcome, "PATCH")).toBeLessThan(40);
  });

  test.each([
    ["is stopped, and refresh is named", false],
    ["after a refresh takes the compute back", true],
  ])("and nobody can tell what became of it: a program that takes it back %s", async (_what, refreshes) => {
    const lab = await labWith("db", primary({ size: 1 }));
    spoil(lab, { match: { method: "PATCH" }, then: { cut: true, work: true } });
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 10_000, then: { status: 500 } });
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toContain("is not known");
    expect(lab.resource("db").inputs["size"]).toBe(1);
    lab.emulator.faults.clear();
    await settle(lab);
    if (!refreshes) {
      const { error: stop, sent } = await lab.fails("db", primary({ size: 1 }));
      expect(stop.message).toContain("pulumi up --refresh");
      return expect(sent).toEqual([]);
    }
    await lab.refresh();
    await lab.up("db", primary({ size: 1 }));
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(1);
    expect(lab.resource("db").outputs["unfinished"]).toBeUndefined();
  });
});

describe("the answer of a DELETE is lost", () => {
  test.each(MATRIX)("%s, %s: the compute is gone, and what stops it is over", async (_loss, _when, then) => {
    const lab = await labWith("db", primary(), { emulator: { operationMs: 4000 } });
    spoil(lab, { match: { method: "DELETE" }, then });
    await lab.destroy("db");
    expect([made(lab).length, lab.state.size]).toEqual([0, 0]);
    const { operations } = lab.emulator.world;
    expect(operations.filter((one) => one.status === "running" || one.status === "scheduling")).toEqual([]);
  });

  test("for ever: it ends with the deadline, and was not sent in a hot loop", async () => {
    const lab = await labWith("db", primary({ customTimeouts: { delete: "2m" } }));
    spoil(lab, { match: { method: "DELETE" }, times: 100_000, then: { status: 500 } });
    const before = lab.clock.now();
    await expect(lab.destroy("db")).rejects.toThrow("500");
    const { requests } = lab.emulator;
    expect(requests.filter((one) => one.method === "DELETE").length).toBeLessThan(40);
    expect(lab.clock.now() - before).toBeLessThan(140_000);
    expect(lab.state.size).toBe(1);
  });
});

describe("the answer is lost, and the work fails before anybody looks", () => {
  test.each(["failed", "error", "cancelled"] as const)("a start that ends as %s fails the create", async (then) => {
    const lab = new Lab({ emulator: { operationMs: 0 } });
    spoil(
      lab,
      { match: { method: "POST" }, then: { cut: true, work: true } },
      { operation: { action: "start_compute", then } },
    );
    const { error } = await lab.fails("db", primary());
    expect(error.message).toContain("start_compute");
    expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
  });

  test.each(["failed", "error", "cancelled"] as const)("a change that ends as %s fails the update", async (then) => {
    const lab = await labWith("db", primary({ size: 1 }), { emulator: { operationMs: 0 } });
    spoil(
      lab,
      { match: { method: "PATCH" }, then: { cut: true, work: true } },
      { operation: { action: "apply_config", then } },
    );
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toContain("apply_config");
    expect(lab.resource("db")).toMatchObject({ inputs: { size: 1 }, outputs: { size: 2 } });
    await lab.up("db", primary({ size: 2 }));
  });
});
