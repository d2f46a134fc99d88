/** One Ctrl-C in the middle of a step, by what the step is waiting for: what ends, what is kept, and what the next run does. */
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import type { LabOptions } from "../support/lab.js";
import { compute, ENDPOINTS, Lab, labWith, leavingOut, made, OPERATIONS, primary, replica, spoil } from "./support.js";

type Step = "create" | "update" | "delete";
const STEPS: Step[] = ["create", "update", "delete"];
const METHOD = { create: "POST", update: "PATCH", delete: "DELETE" } as const;
const EVER = 1000;

const before = primary({ size: 1 });
const after = primary({ size: 2 });

interface StageOptions extends LabOptions {
  /** Requests a minute. */
  rate?: number;
  /** Another stack's operation runs in the project, and does not end. */
  busy?: true;
}

/** The step on the compute "db" of a fresh lab, as the command that carries it out. */
async function stage(step: Step, options: StageOptions = {}) {
  const first = step === "create" ? new Lab(options) : await labWith("db", before, options);
  const { rate, busy, ...others } = options;
  const lab = rate === undefined ? first : new Lab({ ...others, beside: first, config: { requestsPerMinute: rate } });
  for (const [name, resource] of first.state) lab.state.set(name, resource);
  if (busy) {
    spoil(lab, ...never);
    await new Lab({ beside: lab, stack: "other" }).up("r", replica({ waitForReady: false }));
  }
  const computes = made(lab).length;
  const run = () => (step === "delete" ? lab.destroy("db") : lab.up("db", after));
  /** What the next command makes of it. */
  const again = async () => {
    lab.emulator.faults.clear();
    await lab.clock.advance(60_000);
    const next = new Lab({ ...others, beside: lab });
    for (const [name, resource] of lab.state) next.state.set(name, resource);
    if (step === "delete") {
      await next.destroy("db");
      expect(made(next)).toHaveLength(computes - 1);
      return;
    }
    await next.up("db", after);
    expect(made(next)).toHaveLength(step === "create" ? computes + 1 : computes);
    expect(compute(next, "db")).toMatchObject({ autoscaling_limit_max_cu: 2, current_state: "active" });
    expect(next.resource("db").outputs).not.toHaveProperty("unfinished");
  };
  return { lab, run, again };
}

/** Runs the command with a Ctrl-C in it. */
async function interrupted(lab: Lab, run: () => Promise<unknown>, atMs: number) {
  const begun = lab.clock.now();
  const command = run().then(
    () => undefined,
    (error: Error & { kind?: string; reasons?: string[] }) => error,
  );
  void lab.clock.sleep(atMs).then(() => lab.cancel());
  const error = await command;
  const passedMs = lab.clock.now() - begun - atMs;
  const later = lab.last.sent.filter(({ at }) => at > begun + atMs);
  return { error, passedMs, later, begunLater: later.filter(({ line }) => !line.startsWith("GET")) };
}

const never: FaultRule[] = ["start_compute", "apply_config", "suspend_compute"].map((action) => ({
  operation: { action, times: EVER, then: "never" },
}));
const refused = (status: number, headers = {}): FaultRule[] =>
  Object.values(METHOD).map((method) => ({ match: { method }, times: EVER, then: { status, headers } }));
const slow = (method: string, path: string, delayMs: number): FaultRule => ({
  match: { method, path },
  times: EVER,
  then: { delayMs },
});

describe("a step that waits", () => {
  const WAITS: [string, FaultRule[], StageOptions][] = [
    ["for an operation", never, {}],
    ["for a lock", refused(423), {}],
    ["for the work that holds a lock", [], { busy: true }],
    ["to try again", refused(503, { "retry-after": "120" }), {}],
    ["for a service that asks for a pause", refused(429, { "retry-after": "120" }), {}],
    ["for the rate", [], { rate: 1 }],
    ["for the answer to a look", [slow("GET", OPERATIONS, 20_000), ...never], {}],
  ];
  test.each(WAITS.flatMap(([what, rules, options]) => STEPS.map((step) => [step, what, rules, options] as const)))(
    "%s, %s: ends within a second, sends no change any more, and the next run finishes it",
    async (step, _what, rules, options) => {
      const { lab, run, again } = await stage(step, options);
      spoil(lab, ...rules);
      const old = structuredClone(lab.state.get("db"));
      const { error, passedMs, begunLater } = await interrupted(lab, run, 10_000);
      expect(error?.message).toMatch(/^interrupted/);
      expect(passedMs).toBeLessThan(1000);
      expect(begunLater).toEqual([]);
      const now = lab.state.get("db");
      const sent = lab.last.sent.some(({ line, status }) => line.startsWith(METHOD[step]) && Number(status) < 300);
      if (step === "delete" || !sent) {
        expect(now).toEqual(old);
        expect(error?.kind).toBe("cancelled");
      } else {
        const { id } = made(lab)[0]!;
        expect(now).toMatchObject({
          id,
          initErrors: [expect.stringMatching(/^interrupted.* is kept in the state/)],
        });
        expect(now!.outputs["unfinished"]).toEqual([expect.stringMatching(/./)]);
      }
      await again();
    },
  );

  test.each(["create", "update"] as const)("%s, for a compute whose operations are not told", async (step) => {
    const { lab, run } = await stage(step, { between: leavingOut("operations") });
    spoil(lab, ...never);
    const { error, passedMs, begunLater } = await interrupted(lab, run, 10_000);
    expect(error?.message).toMatch(/^interrupted.* is kept in the state/);
    expect(passedMs).toBeLessThan(1000);
    expect(begunLater).toEqual([]);
    expect(lab.resource("db").outputs["unfinished"]).toEqual(["unknown"]);
  });

  test("for its turn: it leaves the queue, and what has the turn is kept", async () => {
    const lab = new Lab();
    const args = { ...primary(), type: "read_only" };
    spoil(lab, ...never);
    const names = ["a", "b", "c", "d"];
    const { passedMs, begunLater } = await interrupted(
      lab,
      () => lab.upAll(Object.fromEntries(names.map((name) => [name, args]))),
      5000,
    );
    expect(passedMs).toBeLessThan(1000);
    expect(begunLater).toEqual([]);
    const errors = names.map((name) => lab.planned[name]!.error!.message);
    expect(errors.filter((one) => /goes on at the service.*is kept in the state/.test(one))).toHaveLength(1);
    expect(
      errors.filter((one) => /^interrupted before the turn .*No compute was made in project/.test(one)),
    ).toHaveLength(3);
    expect([lab.state.size, made(lab).length]).toEqual([1, 1]);
  });

  test("for the pause after a start that was none: the compute is kept", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    await lab.fails("db", after);
    spoil(lab, ...never);
    const { error, passedMs } = await interrupted(lab, () => lab.up("db", after), 5000);
    expect(passedMs).toBeLessThan(1000);
    expect(error).toMatchObject({ kind: "not-ready", message: expect.stringMatching(/^interrupted: start_compute/) });
    expect(lab.resource("db").outputs["unfinished"]).toHaveLength(1);
  });
});

describe("a change that is on its way", () => {
  const answered = (step: Step, then: Extract<FaultRule, { match: unknown }>["then"]): FaultRule => ({
    match: { method: METHOD[step] },
    times: EVER,
    then,
  });
  const unclear = { create: /Whether a compute was made is not known/, update: /is not known/, delete: /is not known/ };

  test.each(STEPS.flatMap((step) => ([1500, 2900] as const).map((ms) => [step, ms] as const)))(
    "%s: its answer after %d ms is awaited, and nothing else",
    async (step, delayMs) => {
      const { lab, run, again } = await stage(step, { emulator: { operationMs: 8000 } });
      spoil(lab, answered(step, { delayMs }));
      const { error, passedMs, begunLater, later } = await interrupted(lab, run, 100);
      expect(passedMs).toBeLessThan(delayMs + 500);
      expect([begunLater, later.length]).toEqual([[], 0]);
      expect(error!.message).toMatch(/^interrupted: .* on at the service/);
      expect(lab.state.has("db")).toBe(true);
      await again();
    },
  );

  test.each(STEPS)("%s: without an answer a look tells what it did, within five seconds", async (step) => {
    const { lab, run, again } = await stage(step, { emulator: { operationMs: 8000 } });
    spoil(lab, answered(step, { delayMs: 60_000 }));
    const { error, passedMs, begunLater, later } = await interrupted(lab, run, 100);
    expect(passedMs).toBeLessThan(5000);
    expect(begunLater).toEqual([]);
    expect(later[0]!.line).toContain(`GET ${ENDPOINTS}`);
    expect(error!.message).toMatch(/^interrupted: .* on at the service/);
    expect(lab.state.get("db")?.id).toMatch(/^ep-/);
    await again();
  });

  test.each(STEPS)("%s: where the look fails as well, it is in doubt, within five seconds", async (step) => {
    const { lab, run } = await stage(step);
    const old = structuredClone(lab.state.get("db"));
    spoil(lab, answered(step, { delayMs: 60_000 }));
    const command = interrupted(lab, run, 100);
    void lab.clock.sleep(90).then(() => spoil(lab, slow("GET", "/", 60_000)));
    const { error, passedMs, begunLater } = await command;
    expect(passedMs).toBeLessThan(5000);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(unclear[step]);
    if (step === "update") expect(lab.resource("db").outputs["unfinished"]).toEqual(["unknown"]);
    else expect(lab.state.get("db")).toEqual(old);
  });

  test.each(STEPS)("%s: one that is refused is not sent again", async (step) => {
    const { lab, run, again } = await stage(step);
    const old = structuredClone(lab.state.get("db"));
    spoil(lab, answered(step, { status: 423, delayMs: 1000 }));
    const { error, passedMs, begunLater } = await interrupted(lab, run, 100);
    expect(passedMs).toBeLessThan(1500);
    expect(begunLater).toEqual([]);
    expect(error).toMatchObject({
      kind: "cancelled",
      message: expect.stringMatching(/^interrupted: .*423.*; it was not sent again\. /),
    });
    expect(lab.state.get("db")).toEqual(old);
    await again();
  });

  test("a create that did nothing and is not found is in doubt: it may still be on its way", async () => {
    const { lab, run, again } = await stage("create");
    spoil(lab, answered("create", { cut: true, delayMs: 1000 }));
    const { error, begunLater } = await interrupted(lab, run, 100);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(unclear.create);
    await again();
  });

  test("a restart after a change: it is not sent, and the next run makes up for it", async () => {
    const lab = await labWith("db", primary({ size: 1, restartTriggers: ["a"] }), { emulator: { operationMs: 8000 } });
    const next = primary({ size: 1, name: "renamed", restartTriggers: ["b"] });
    spoil(lab, { match: { method: "PATCH" }, times: 1, then: { delayMs: 2000 } });
    const { error, begunLater } = await interrupted(lab, () => lab.up("db", next), 500);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(/^interrupted.*is kept in the state/);
    await lab.up("db", next);
    expect(lab.last.sent.filter(({ line }) => line.startsWith("POST")).map(({ line }) => line)).toEqual([
      `POST ${ENDPOINTS}/${lab.resource("db").id}/restart`,
    ]);
  });

  test("all that was asked is done with the answer: the step succeeds, and nothing more is read", async () => {
    const { lab, run } = await stage("create");
    spoil(lab, answered("create", { delayMs: 1000 }));
    const waitless = { ...after, waitForReady: false };
    const { error, later } = await interrupted(lab, () => lab.up("db", waitless), 100);
    expect(run).toBeDefined();
    expect([error, later, lab.last.warnings]).toEqual([undefined, [], []]);
    expect(lab.resource("db").initErrors).toEqual([]);
  });
});

describe("a refresh", () => {
  const refresh = async (options: { unfinished?: true }, ...rules: FaultRule[]) => {
    const lab = await labWith("db", before);
    if (options.unfinished) lab.resource("db").outputs["unfinished"] = ["op-1"];
    const old = structuredClone(lab.state.get("db"));
    spoil(lab, ...rules);
    const end = await interrupted(lab, () => lab.refresh(), 5000);
    expect(lab.state.get("db")).toEqual(old);
    return end;
  };
  test.each<[string, FaultRule[], { unfinished?: true }]>([
    ["for the list", [slow("GET", ENDPOINTS, 20_000)], {}],
    ["to ask for the list again", [{ match: { path: ENDPOINTS }, times: EVER, then: { status: 500 } }], {}],
    [
      "for a compute that the list lacks",
      [
        slow("GET", `${ENDPOINTS}/*`, 20_000),
        { match: { path: ENDPOINTS }, then: { status: 200, body: { endpoints: [] } } },
      ],
      {},
    ],
    ["for operations that were unfinished", [slow("GET", OPERATIONS, 20_000)], { unfinished: true }],
  ])("that waits %s fails within a second and leaves the state", async (_what, rules, options) => {
    const { error, passedMs } = await refresh(options, ...rules);
    expect(passedMs).toBeLessThan(1000);
    expect(error).toMatchObject({
      kind: "cancelled",
      message: expect.stringMatching(
        /^interrupted.*The state has compute ep-\S+ as before\. Run `pulumi refresh` again$/,
      ),
    });
  });
});
