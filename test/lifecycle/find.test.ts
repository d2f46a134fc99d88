import { describe, expect, test } from "vitest";
import {
  adopted,
  byHand,
  changes,
  compute,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  made,
  primary,
  replica,
  SEED,
  spoil,
} from "./support.js";

describe("what a create finds before it posts", () => {
  test("a primary that exists stops it, with its id and the ways out", async () => {
    const lab = new Lab();
    const outcome = await lab.fails("db", { ...adopted(), adopt: undefined });
    expect(changes(outcome)).toEqual([]);
    expect(outcome.error.message).toContain(SEED.primaryId);
    for (const way of ["adopt: true", 'type: "read_only"', "another branch"]) {
      expect(outcome.error.message).toContain(way);
    }
    expect(lab.state.size).toBe(0);
  });

  test("what an interrupted run left is never taken over: it stops, naming id, adopt and aliases", async () => {
    const lab = new Lab();
    // The same resource in the same stack, but the run was killed before its state was written.
    await new Lab({ beside: lab }).up("reader", replica({ suspendTimeoutSeconds: 300 }));
    const [left] = made(lab);
    const outcome = await lab.fails("reader", replica({ suspendTimeoutSeconds: 300 }));
    expect(changes(outcome)).toEqual([]);
    expect(outcome.error.message).toContain(`adopt: "${left!.id}"`);
    expect(outcome.error.message).toContain("aliases");
    expect(lab.state.size).toBe(0);
    expect(made(lab)).toHaveLength(1);
  });

  test("a rename, which creates before it deletes, does not take over the compute that is about to go", async () => {
    const lab = await labWith("old", replica());
    const { id } = lab.resource("old");
    // Without an alias Pulumi creates "new" first, then deletes "old".
    await lab.up("new", replica());
    expect(lab.resource("new").id).not.toBe(id);
    await lab.destroy("old");
    expect(made(lab).map((one) => one.id)).toEqual([lab.resource("new").id]);
  });

  test("adopt by id takes over what an interrupted run left", async () => {
    const lab = new Lab();
    await new Lab({ beside: lab }).up("reader", replica());
    const [left] = made(lab);
    await lab.up("reader", replica({ adopt: left!.id }));
    expect(lab.resource("reader").id).toBe(left!.id);
    expect(lab.resource("reader").outputs["adopted"]).toBe(true);
  });

  test("a namesake of the same type on the branch stops it; elsewhere, or of another type, it does not", async () => {
    const lab = new Lab();
    await new Lab({ beside: lab }).up("a", replica({ name: "reports" }));
    const stopped = await lab.fails("b", replica({ name: "reports" }));
    expect(stopped.error.message).toContain(made(lab)[0]!.id);
    await lab.up("c", replica({ name: "reports", branchId: SEED.branches.dev }));
    await lab.up("d", primary({ name: "reports" }));
    expect(made(lab)).toHaveLength(3);
  });

  test("two resources of one program may have one name", async () => {
    const lab = new Lab();
    const done = await lab.upAll({ a: replica({ name: "reports" }), b: replica({ name: "reports" }) });
    expect([done["a"]!.error, done["b"]!.error]).toEqual([undefined, undefined]);
    expect(made(lab)).toHaveLength(2);
  });

  test("six creates of one project send seven lists: each look is one with the read-back before it", async () => {
    const lab = new Lab();
    const names = ["a", "b", "c", "d", "e", "f"];
    const done = await lab.upAll(Object.fromEntries(names.map((name) => [name, replica()])));
    const { sent } = done["a"]!;
    expect(count({ sent }, `GET ${ENDPOINTS}`)).toBe(7);
    expect(count({ sent }, "POST")).toBe(6);
    expect(new Set(names.map((name) => lab.resource(name).id)).size).toBe(6);
    expect(names.map((name) => compute(lab, name).name)).toEqual(names.map((name) => lab.autoName(name)));
  });

  test("a create that waited long for its turn sees what happened meanwhile", async () => {
    const lab = new Lab({ emulator: { operationMs: 20_000 } });
    const [done] = await Promise.all([
      lab.upAll({ a: replica(), b: replica(), db: adopted({ size: 4 }) }),
      lab.clock
        .sleep(15_000)
        .then(() => byHand(lab, SEED.primaryId, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 })),
    ]);
    expect(done["db"]!.error).toBeUndefined();
    expect([count(done["db"]!, "PATCH"), done["db"]!.warnings]).toEqual([0, []]);
  });

  test("a list that fails fails the create before anything is sent", async () => {
    const lab = new Lab();
    spoil(lab, { match: { method: "GET" }, times: 1000, then: { status: 403 } });
    const outcome = await lab.fails("db", primary());
    expect(count(outcome, "POST")).toBe(0);
  });

  test("a primary that somebody makes between the list and the POST is no second one", async () => {
    const lab = new Lab();
    const other = new Lab({ beside: lab, stack: "other" });
    const [mine, theirs] = await Promise.all([lab.attempt("db", primary()), other.attempt("db", primary())]);
    const failed = [mine, theirs].filter((one) => one.error);
    expect(failed).toHaveLength(1);
    expect(failed[0]!.error!.message).toContain("adopt: true");
    expect(made(lab)).toHaveLength(1);
  });

  test("a primary without a name in the answer is still seen", async () => {
    const lab = new Lab();
    byHand(lab, SEED.primaryId, { name: undefined });
    await expect(lab.up("db", { ...adopted(), adopt: undefined })).rejects.toThrow(SEED.primaryId);
  });
});
