/**
 * The readers of a branch restart one after the other: each is up again before the next goes down. Measured on the service's own
 * record of operations.
 */
import { describe, expect, test } from "vitest";
import { mostDownAtOnce } from "../support/down-times.js";
import type { LabOptions, Outcome } from "../support/lab.js";
import { compute, Lab, type Props, replica, SEED, settle } from "./support.js";

const NAMES = ["r1", "r2", "r3", "r4"];
const all = (args: Props, names = NAMES) => Object.fromEntries(names.map((name) => [name, replica(args)]));
const errors = (done: Record<string, Outcome>) =>
  Object.fromEntries(Object.entries(done).flatMap(([name, { error }]) => (error ? [[name, error.message]] : [])));
const sizes = (lab: Lab, names = NAMES) => names.map((name) => compute(lab, name).autoscaling_limit_max_cu);
const ids = (lab: Lab, names = NAMES) => names.map((name) => compute(lab, name).id);

/** A lab with readers of size 1 on one branch, and the operations so far forgotten. */
async function pool(options: LabOptions = {}, program = all({ size: 1, restartTriggers: ["a"] })): Promise<Lab> {
  const lab = new Lab({ ...options, emulator: { operationMs: 3000, ...options.emulator } });
  expect(errors(await lab.upAll(program))).toEqual({});
  await settle(lab);
  lab.emulator.world.operations.length = 0;
  return lab;
}

const most = (lab: Lab, names = NAMES) => mostDownAtOnce(lab.emulator.world, ids(lab, names));

describe.each(["project", "branch"] as const)("on a service that locks by %s", (lock) => {
  test.each<[string, Props]>([
    ["another size", { size: 2, restartTriggers: ["a"] }],
    ["restartTriggers", { size: 1, restartTriggers: ["b"] }],
    ["a Postgres setting", { size: 1, restartTriggers: ["a"], settings: { pgSettings: { max_connections: "50" } } }],
    ["both at once", { size: 2, restartTriggers: ["b"] }],
    ["without waiting", { size: 2, restartTriggers: ["a"], waitForReady: false }],
  ])("all change, %s: never is more than one down", async (_what, args) => {
    const lab = await pool({ emulator: { lock } });
    expect(errors(await lab.upAll(all(args)))).toEqual({});
    await settle(lab);
    expect(most(lab)).toBe(1);
  });

  test("the service works on one of them when the run begins", async () => {
    const lab = await pool({ emulator: { lock } });
    lab.emulator.startOperation({ endpointId: compute(lab, "r3").id, action: "check_availability" });
    expect(errors(await lab.upAll(all({ size: 2, restartTriggers: ["a"] })))).toEqual({});
    expect([sizes(lab), most(lab)]).toEqual([[2, 2, 2, 2], 1]);
  });

  test("the second meets 423 for a while", async () => {
    const lab = await pool({ emulator: { lock } });
    const path = `/projects/${SEED.projectId}/endpoints/${compute(lab, "r2").id}`;
    lab.emulator.faults.add({ match: { method: "PATCH", path }, times: 5, then: { status: 423 } });
    expect(errors(await lab.upAll(all({ size: 2, restartTriggers: ["a"] })))).toEqual({});
    expect([sizes(lab), most(lab)]).toEqual([[2, 2, 2, 2], 1]);
  });

  test("two stacks with readers of one branch: the service's lock keeps them apart", async () => {
    const lab = await pool({ emulator: { lock } });
    const other = new Lab({ beside: lab, stack: "other" });
    await other.upAll(all({ size: 1 }));
    await settle(lab);
    lab.emulator.world.operations.length = 0;
    const done = await Promise.all([
      lab.upAll(all({ size: 2, restartTriggers: ["a"] })),
      other.upAll(all({ size: 2 })),
    ]);
    expect(done.map(errors)).toEqual([{}, {}]);
    expect(mostDownAtOnce(lab.emulator.world, [...ids(lab), ...ids(other)])).toBe(1);
  });
});

describe("when the second does not come up again", () => {
  const BIGGER = { size: 2, restartTriggers: ["a"], customTimeouts: { update: "60s" } };

  /** A pool in which the change of r2 ends so. */
  async function spoiled(then: "error" | "cancelled" | "never", program?: Record<string, Props>): Promise<Lab> {
    let isSpoiled = false;
    const lab: Lab = await pool(
      {
        between: async (request, go) => {
          const isIt = !isSpoiled && request.method === "PATCH" && request.url.endsWith(compute(lab, "r2").id);
          if (isIt) lab.emulator.faults.add({ operation: { action: "apply_config", then } });
          const answer = await go(request);
          if (isIt) isSpoiled = answer.status === 200;
          if (isIt && !isSpoiled) lab.emulator.faults.clear();
          return answer;
        },
      },
      program,
    );
    return lab;
  }

  test.each([
    ["its operation fails", "error"],
    ["its operation is cancelled", "cancelled"],
    ["it is too slow", "never"],
  ] as const)("%s: the third and the fourth stay up, and the next run changes them", async (_how, then) => {
    const lab = await spoiled(then);
    const failed = errors(await lab.upAll(all(BIGGER)));
    expect(Object.keys(failed)).toEqual(["r2", "r3", "r4"]);
    const [, second] = ids(lab);
    for (const name of ["r3", "r4"]) {
      expect(failed[name]).toMatch(
        new RegExp(`^compute ${compute(lab, name).id} was not changed: .* compute ${second}, `),
      );
      expect(failed[name]).toContain("The state was left as it was. Run `pulumi up` again");
    }
    expect(lab.last.sent.filter(({ line }) => line.startsWith("PATCH"))).toHaveLength(2);
    expect([sizes(lab, ["r1", "r3", "r4"]), most(lab)]).toEqual([[2, 1, 1], 1]);

    lab.emulator.faults.clear();
    lab.emulator.world.operations.length = 0;
    expect(errors(await lab.upAll(all(BIGGER)))).toEqual({});
    expect([sizes(lab), most(lab)]).toEqual([[2, 2, 2, 2], 1]);
  });

  test("a change that drops no connections goes on, and so do other branches and idle computes", async () => {
    const rest = (size: number, more: Props = {}) => ({
      named: replica({ size: 1, suspendTimeoutSeconds: 300, ...more }),
      idle: replica({ size }),
      elsewhere: replica({ size, branchId: SEED.branches.dev }),
    });
    const lab = await spoiled("error", { r1: replica({ size: 1 }), r2: replica({ size: 1 }), ...rest(1) });
    Object.assign(compute(lab, "idle"), { current_state: "idle" });
    const program = { r1: replica({ size: 2 }), r2: replica({ size: 2 }), ...rest(2, { suspendTimeoutSeconds: 600 }) };
    const failed = errors(await lab.upAll(program, "keep", {}, { order: ["r1", "r2", "named", "idle", "elsewhere"] }));
    expect(Object.keys(failed)).toEqual(["r2"]);
  });

  test("a change that the service refuses has changed nothing, and the others go on", async () => {
    const lab = await pool();
    const path = `/projects/${SEED.projectId}/endpoints/${compute(lab, "r2").id}`;
    lab.emulator.faults.add({ match: { method: "PATCH", path }, then: { status: 422 } });
    expect(Object.keys(errors(await lab.upAll(all(BIGGER))))).toEqual(["r2"]);
    expect([sizes(lab), most(lab)]).toEqual([[2, 1, 2, 2], 1]);
  });
});

test("branches do not wait for each other, once the service has shown that it locks by branch", async () => {
  const branches = Object.values(SEED.branches);
  const names = branches.flatMap((_, at) => NAMES.map((name) => `b${at}-${name}`));
  const program = (size: number) =>
    Object.fromEntries(
      names.map((name, index) => [name, replica({ size, branchId: branches[Math.floor(index / NAMES.length)]! })]),
    );
  const lab = await pool({ emulator: { lock: "branch" } }, program(1));
  expect(errors(await lab.upAll(program(2), "keep", {}, { parallel: 200 }))).toEqual({});
  expect(most(lab, names)).toBeGreaterThan(1);
  for (const at of branches.keys()) {
    expect(
      most(
        lab,
        NAMES.map((name) => `b${at}-${name}`),
      ),
    ).toBe(1);
  }
});
