import { describe, expect, test } from "vitest";
import type { Between } from "../support/lab.js";
import {
  adopted,
  compute,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  made,
  type Props,
  primary,
  replica,
  SEED,
} from "./support.js";

const SECOND = { projectId: SEED.second.projectId, branchId: SEED.second.branchId };
const names = (n: number) => Array.from({ length: n }, (_, index) => `r${index}`);
const all = (some: string[], args: (index: number) => Props) =>
  Object.fromEntries(some.map((name, index) => [name, args(index)]));
const errors = (done: Record<string, { error?: Error }>) => Object.values(done).flatMap(({ error }) => error ?? []);

describe("several computes in one project", () => {
  test("are made one after the other, and none meets the lock of another", async () => {
    const lab = new Lab({ emulator: { operationMs: 3000 } });
    const done = await lab.upAll(all(names(5), () => replica()));
    expect(errors(done)).toEqual([]);
    const { sent } = done["r0"]!;
    expect(sent.filter(({ status }) => status === 423)).toEqual([]);
    expect(count({ sent }, "POST")).toBe(5);
    expect(made(lab).map((one) => one.current_state)).toEqual(Array(5).fill("active"));
  });

  test("a step ends only when its operations are over, each in its turn", async () => {
    const lab = new Lab({ emulator: { operationMs: 3000 } });
    const done = await lab.upAll(all(names(3), () => replica()));
    const posts = done["r0"]!.sent.filter(({ line }) => line.startsWith("POST")).map(({ at }) => at);
    for (const [index, at] of posts.slice(1).entries()) expect(at - posts[index]!).toBeGreaterThanOrEqual(3000);
  });

  test("update, create and delete in one run all come to their end", async () => {
    const lab = new Lab({ emulator: { operationMs: 2000 } });
    await lab.upAll({ a: primary({ size: 1 }), b: replica(), c: replica() });
    const done = await lab.upAll({ a: primary({ size: 2 }), b: replica({ size: 4 }), d: replica() });
    await lab.destroy("c");
    expect(errors(done)).toEqual([]);
    expect(made(lab)).toHaveLength(3);
  });

  test("one that fails does not keep the next ones from their turn", async () => {
    const lab = new Lab();
    lab.emulator.faults.add({ match: { method: "POST" }, then: { status: 400 } });
    const done = await lab.upAll(all(names(3), () => replica()));
    expect(errors(done)).toHaveLength(1);
    expect(made(lab)).toHaveLength(2);
  });
});

describe("the lock of a project is found out", () => {
  const N = 20;
  const OPERATION_MS = 3000;
  /** A branch each. */
  function many(lock: "project" | "branch", between?: Between) {
    const operationMs = { default: OPERATION_MS, check_availability: 12 };
    const lab: Lab = new Lab({ emulator: { operationMs, lock }, between });
    const { branches } = lab.emulator.world;
    const one = Object.values(branches).find(({ id }) => id === SEED.branches.preview)!;
    for (let index = 0; index < N; index++) branches[`br-${index}`] = { ...one, id: `br-${index}`, name: `b${index}` };
    return { lab, program: all(names(N), (index) => ({ ...primary(), branchId: `br-${index}` })) };
  }
  const met423 = (sent: { status?: unknown }[]) => sent.filter(({ status }) => status === 423).length;
  const looks = (sent: { line: string }[]) => sent.filter(({ line }) => line.includes("/operations")).length;

  test("where it locks by branch, all branches are worked on at once: no refusal, and few requests", async () => {
    const { lab, program } = many("branch");
    const done = await lab.upAll(program);
    expect(errors(done)).toEqual([]);
    const { sent } = done["r0"]!;
    expect([count({ sent }, "POST"), met423(sent)]).toEqual([N, 0]);
    // A list for each window (2, 2, 4, 8, 16), the looks of all together (nine at the first), and a list for all that ended with one look.
    expect(sent.length).toBeLessThanOrEqual(N + 28);
    // Three times eight, as many as the engine has at once.
    expect(lab.clock.now()).toBeLessThan(3.5 * OPERATION_MS);
    const gone = await lab.destroy();
    expect(met423(gone.sent)).toBe(0);
  });

  test("where it locks as a whole, one refusal tells, and each next look comes when the work should be over", async () => {
    const { lab, program } = many("project");
    const done = await lab.upAll(program);
    expect(errors(done)).toEqual([]);
    const { sent } = done["r0"]!;
    expect([count({ sent }, "POST"), met423(sent)]).toEqual([N + 1, 1]);
    expect(lab.clock.now()).toBeLessThan(1.15 * N * OPERATION_MS);
    expect(looks(sent)).toBeLessThanOrEqual(2.2 * N);
  });

  test.each(["branch", "project"] as const)(
    "also by those that are taken over by their branch (lock: %s)",
    async (lock) => {
      const took = await Promise.all(
        ["by id", "by branch"].map(async (how) => {
          const { lab, program } = many(lock);
          await lab.upAll(program);
          const ids = Object.keys(program).map((name) => lab.resource(name).id);
          lab.state.clear();
          const taking = all(names(N), (index) => ({
            ...program[`r${index}`],
            size: 2,
            adopt: how === "by id" ? ids[index] : true,
          }));
          const began = lab.clock.now();
          expect(errors(await lab.upAll(taking))).toEqual([]);
          return lab.clock.now() - began;
        }),
      );
      expect(took[1]).toBeLessThan(1.3 * took[0]!);
    },
  );

  test("a branch's own work that ended before anybody looked is no sign of a lock on the whole", async () => {
    let posts = 0;
    const { lab, program } = many("branch", async (request, go) => {
      if (request.method === "POST" && ++posts === 2) {
        const { endpoint } = JSON.parse(request.body!) as { endpoint: { branch_id: string } };
        const body = JSON.stringify({ branchId: endpoint.branch_id, action: "check_availability" });
        const headers = { authorization: `Bearer ${lab.emulator.apiKey}` };
        await lab.emulator.handle({ method: "POST", path: "/_emulator/operations", headers, body });
      }
      return go(request);
    });
    const done = await lab.upAll(program);
    expect(errors(done)).toEqual([]);
    expect(met423(done["r0"]!.sent)).toBe(1);
    expect(lab.clock.now()).toBeLessThan(8 * OPERATION_MS);
  });

  test("changes of computes on one branch come one after the other", async () => {
    const { lab } = many("branch");
    const done = await lab.upAll(all(names(4), () => replica()));
    expect(errors(done)).toEqual([]);
    expect(met423(done["r0"]!.sent)).toBe(0);
    expect(lab.clock.now()).toBeGreaterThan(4 * OPERATION_MS);
  });
});

describe("computes of different projects", () => {
  test("never wait for each other", async () => {
    const lab = new Lab({ emulator: { operationMs: 30_000 } });
    const done = await lab.upAll({ a: primary(), b: SECOND });
    expect(errors(done)).toEqual([]);
    const posts = done["a"]!.sent.filter(({ line }) => line.startsWith("POST"));
    expect(Math.abs(posts[0]!.at - posts[1]!.at)).toBeLessThan(100);
    expect(lab.clock.now()).toBeLessThan(40_000);
  });

  test("a lock in one does not hold up the other", async () => {
    const lab = new Lab();
    lab.emulator.faults.add({
      match: { method: "POST", path: `/projects/${SECOND.projectId}/` },
      times: 1000,
      then: { status: 423 },
    });
    const done = await lab.upAll({ a: primary(), b: SECOND });
    expect([done["a"]!.error, done["b"]!.error?.message]).toEqual([undefined, expect.stringContaining("423")]);
  });
});

describe("two stacks on one project", () => {
  test("both finish, with nothing but 423 between them", async () => {
    const lab = new Lab({ emulator: { operationMs: 4000 } });
    const other = new Lab({ beside: lab, stack: "other" });
    const [mine, theirs] = await Promise.all([
      lab.upAll(all(names(3), () => replica())),
      other.upAll({ db: primary(), ...all(names(2), () => replica()) }),
    ]);
    expect([...errors(mine), ...errors(theirs)]).toEqual([]);
    const statuses = [...mine["r0"]!.sent, ...theirs["db"]!.sent].map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 201, 423]));
    expect(made(lab)).toHaveLength(6);
  });

  test("changes and deletes too", async () => {
    const lab = await labWith("a", replica({ size: 1 }), { emulator: { operationMs: 4000 } });
    const other = new Lab({ beside: lab, stack: "other" });
    await other.up("b", replica());
    await Promise.all([lab.up("a", replica({ size: 2 })), other.destroy("b")]);
    expect(compute(lab, "a").autoscaling_limit_max_cu).toBe(2);
    expect(made(lab)).toHaveLength(1);
  });

  test("an outage in the middle makes no second compute in either", async () => {
    const lab = new Lab({ emulator: { operationMs: 2000 } });
    const other = new Lab({ beside: lab, stack: "other" });
    for (const work of [true, false, true]) {
      lab.emulator.faults.add({ match: { method: "POST", path: ENDPOINTS }, then: { cut: true, work } });
    }
    const [mine, theirs] = await Promise.all([
      lab.upAll(all(names(3), () => replica())),
      other.upAll(all(names(3), () => replica())),
    ]);
    expect([...errors(mine), ...errors(theirs)]).toEqual([]);
    const owned = [...lab.state.values(), ...other.state.values()].map(({ id }) => id);
    expect(new Set(owned).size).toBe(6);
    expect(
      made(lab)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(owned.sort());
  });

  test("one adopts what the other lets go", async () => {
    const lab = await labWith("db", adopted());
    const other = new Lab({ beside: lab, stack: "other" });
    await lab.destroy("db");
    await other.up("db", adopted({ size: 2 }));
    expect(compute(other, "db").id).toBe(SEED.primaryId);
  });
});
