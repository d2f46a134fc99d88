import { describe, expect, test } from "vitest";
import {
  adopted,
  byHand,
  compute,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  made,
  OPERATIONS,
  primary,
  replica,
  SEED,
  spoil,
} from "./support.js";

const minutes = (ms: number) => ms / 60_000;

describe("how long a step may take", () => {
  test.each([
    ["create", {}, 10],
    ["create", { create: "90s" }, 1.5],
    ["create", { create: "1h30m" }, 90],
    ["create", { update: "1m" }, 10],
    ["update", {}, 10],
    ["update", { update: "45m" }, 45],
    ["update", { create: "1m" }, 10],
    ["delete", {}, 10],
    ["delete", { delete: "2m" }, 2],
  ])("%s with customTimeouts %j ends after %d minutes", async (step, customTimeouts, expected) => {
    const args = (size: number) => primary({ size, customTimeouts });
    const lab = step === "create" ? new Lab() : await labWith("db", args(1));
    for (const action of ["start_compute", "apply_config"]) spoil(lab, { operation: { action, then: "never" } });
    // A delete that can't begin: something in the project never ends.
    if (step === "delete") await new Lab({ beside: lab, stack: "other" }).up("r", replica({ waitForReady: false }));
    const begun = lab.clock.now();
    const work =
      step === "create" ? lab.up("db", args(1)) : step === "update" ? lab.up("db", args(2)) : lab.destroy("db");
    const error = await work.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeDefined();
    const passed = minutes(lab.clock.now() - begun);
    expect(passed).toBeGreaterThan(expected * 0.98);
    expect(passed).toBeLessThan(expected + 0.3);
    // Nothing was lost on the way.
    expect(lab.resource("db").id).toMatch(/^ep-/);
  });

  test("begins when its turn comes: the last of many is not late because of the others", async () => {
    const lab = new Lab({ emulator: { operationMs: 50_000 } });
    const args = replica({ customTimeouts: { create: "1m" } });
    const done = await lab.upAll({ a: args, b: args, c: args, d: args });
    expect(Object.values(done).map((one) => one.error)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("few looks: a start of a second takes at most four, one of a minute less than fifty", async () => {
    for (const [operationMs, most] of [
      [1000, 4],
      [60_000, 49],
    ] as const) {
      const lab = new Lab({ emulator: { operationMs } });
      const outcome = await lab.up("db", primary());
      expect(count(outcome, `GET ${OPERATIONS}`)).toBeLessThanOrEqual(most);
    }
  });

  test("compute:pollSeconds sets a fixed step", async () => {
    const lab = new Lab({ emulator: { operationMs: 12_000 }, config: { pollSeconds: 5 } });
    const outcome = await lab.up("db", primary());
    expect(count(outcome, `GET ${OPERATIONS}`)).toBe(3);
  });
});

describe("a project that refuses work", () => {
  test("while somebody else's operation runs: waits for it, then does its own", async () => {
    for (const step of ["POST", "PATCH", "DELETE"]) {
      const lab = step === "POST" ? new Lab() : await labWith("db", primary({ size: 1 }));
      const other = new Lab({ beside: lab, stack: "other" });
      await slowly(lab, 47_000, () => other.up("r", replica({ waitForReady: false })));
      const begun = lab.clock.now();
      const run = step === "DELETE" ? await lab.destroy("db") : await lab.up("db", primary({ size: 2 }));
      expect(lab.clock.now() - begun).toBeLessThan(60_000);
      expect(count(run, step)).toBeLessThan(6);
      expect(run.sent.some(({ status }) => status === 423)).toBe(true);
    }
  });

  test("though nothing runs that can be seen: tries again with pauses until it is accepted", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, times: 12, then: { status: 423 } });
    const outcome = await lab.up("db", primary());
    expect(count(outcome, "POST")).toBe(13);
    expect(made(lab)).toHaveLength(1);
    expect(outcome.said.join("\n")).toContain("423");
  });

  test("to a look at its operations, as in maintenance: the look is taken again, and does not wait for itself", async () => {
    for (const path of [OPERATIONS, ENDPOINTS]) {
      const lab = await labWith("db", primary({ size: 1 }), { emulator: { operationMs: 3000 } });
      spoil(lab, { match: { method: "GET", path }, times: 4, then: { status: 423 } });
      await lab.up("db", primary({ size: 2 }));
      expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
    }
  });

  test("for ever: ends with the deadline, without a hot loop, with nothing in the state", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, times: 100_000, then: { status: 423 } });
    const outcome = await lab.fails("db", primary());
    expect(outcome.error.message).toContain("423");
    expect(minutes(lab.clock.now())).toBeLessThan(10.3);
    expect(count(outcome, "POST")).toBeLessThan(200);
    expect(lab.state.size).toBe(0);
  });

  test("because of work that never ends: the error names that work", async () => {
    const lab = new Lab();
    lab.emulator.faults.add({ operation: { action: "apply_config", then: "never" } });
    const [theirs] = Object.keys(lab.emulator.world.endpoints);
    const other = new Lab({ beside: lab, stack: "other" });
    await other.up("db", adopted({ size: 2, waitForReady: false }));
    const outcome = await lab.fails("r", replica());
    expect(outcome.error.message).toMatch(new RegExp(`423.*; the project was busy with apply_config of ${theirs}\\. `));
  });

  test("also in the middle of an adoption", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "PATCH" }, times: 3, then: { status: 423 } });
    await lab.up("db", adopted({ size: 2 }));
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
  });

  test("because its own compute falls asleep at that moment", async () => {
    const lab = await labWith("db", primary({ size: 1, suspendTimeoutSeconds: 60 }));
    byHand(lab, lab.resource("db").id, {
      last_active: new Date(lab.clock.wall() - 59_800).toISOString(),
      started_at: new Date(lab.clock.wall() - 59_800).toISOString(),
    });
    await lab.clock.advance(250);
    expect(compute(lab, "db").pending_state).toBe("idle");
    await lab.up("db", primary({ size: 2, suspendTimeoutSeconds: 60 }));
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
  });
});

describe("a service that asks for patience", () => {
  const STATUSES = [429, 503];
  test.each(STATUSES)("%i to a POST, a PATCH and a DELETE: the same request again, and once done", async (status) => {
    const lab = new Lab();
    for (const method of ["POST", "PATCH", "DELETE"]) spoil(lab, { match: { method }, times: 3, then: { status } });
    expect(count(await lab.up("db", primary({ size: 1 })), "POST")).toBe(4);
    expect(count(await lab.up("db", primary({ size: 2 })), "PATCH")).toBe(4);
    expect(count(await lab.destroy("db"), "DELETE")).toBe(4);
    expect(made(lab)).toEqual([]);
  });

  test.each([
    ["in seconds", () => "30", 30_000],
    ["as a date", (lab: Lab) => new Date(lab.clock.wall() + 45_000).toUTCString(), 44_000],
    ["of nothing, which is no hot loop", () => "0", 500],
  ])("Retry-After %s is a floor", async (_rule, header, floorMs) => {
    for (const status of [423, 429, 503]) {
      const lab = new Lab();
      spoil(lab, { match: { method: "POST" }, then: { status, headers: { "retry-after": header(lab) } } });
      const { sent } = await lab.up("db", primary());
      const [first, second] = sent.filter(({ line }) => line.startsWith("POST"));
      expect(second!.at - first!.at).toBeGreaterThanOrEqual(floorMs);
      expect(second!.at - first!.at).toBeLessThan(floorMs + 12_000);
    }
  });

  test("Retry-After beyond the deadline ends the step at once, with the service's answer", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "POST" }, then: { status: 429, headers: { "retry-after": "3600" } } });
    const { error } = await lab.fails("db", primary());
    expect(error.message).toContain("429");
    expect(lab.clock.now()).toBeLessThan(1000);
  });

  test("looks that fail while an operation runs do not fail the step", async () => {
    for (const then of [
      { status: 500 },
      { status: 429 },
      { status: 404 },
      { status: 502, body: "<html></html>" },
      { cut: true },
    ] as const) {
      const lab = new Lab({ emulator: { operationMs: 3000 } });
      spoil(lab, { match: { method: "GET", path: OPERATIONS }, times: 3, then });
      await lab.up("db", primary());
      expect(compute(lab, "db").current_state).toBe("active");
    }
  });

  test("a branch that is not ready yet is waited for; any other 422 is final", async () => {
    const lab = new Lab({ emulator: { operationMs: 20_000 } });
    const { project, branch } = await newBranch(lab);
    await lab.up("db", { projectId: project, branchId: branch });
    expect(lab.clock.now()).toBeGreaterThan(20_000);
    const full = new Lab();
    const body = { code: "BRANCHES_LIMIT_EXCEEDED", message: "limit reached" };
    spoil(full, { match: { method: "POST" }, times: 50, then: { status: 422, body } });
    const outcome = await full.fails("db", primary());
    expect([count(outcome, "POST"), outcome.error.message]).toEqual([1, expect.stringContaining("limit reached")]);
  });

  test("a service that can't be reached for a while is waited for", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 5, then: { cut: true } });
    await lab.up("db", primary());
    expect(made(lab)).toHaveLength(1);
  });

  test("HTML everywhere is one clear error, and not ten minutes", async () => {
    const lab = new Lab();
    spoil(lab, { match: {}, times: 1000, then: { status: 200, body: "<html><title>Sign in</title></html>" } });
    const { error } = await lab.fails("db", primary());
    expect(error.message).toContain("Sign in");
    expect(lab.clock.now()).toBeLessThan(30_000);
  });
});

/** Runs work whose operations take longer than the others'. */
async function slowly(lab: Lab, ms: number, work: () => Promise<unknown>): Promise<void> {
  await work();
  for (const row of lab.emulator.world.operations) if (row.status === "running") row.plan.duration_ms = ms;
}

async function newBranch(lab: Lab): Promise<{ project: string; branch: string }> {
  const answer = await lab.emulator.handle({
    method: "POST",
    path: `/api/v2/projects/${SEED.projectId}/branches`,
    headers: { authorization: `Bearer ${lab.emulator.apiKey}` },
    body: JSON.stringify({ branch: { name: "fresh" } }),
  });
  if ("cut" in answer) throw new Error("cut");
  return { project: SEED.projectId, branch: (JSON.parse(answer.body) as { branch: { id: string } }).branch.id };
}
