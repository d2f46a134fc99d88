import { describe, expect, test } from "vitest";
import {
  adopted,
  changes,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  lines,
  made,
  primary,
  replica,
  SEED,
  spoil,
} from "./support.js";

describe("replacing", () => {
  test("a change of type deletes first, then makes a new one with a new host", async () => {
    const lab = await labWith("db", primary({ size: 2 }));
    const { id, outputs } = lab.resource("db");
    const outcome = await lab.up("db", { ...primary({ size: 2 }), type: "read_only" });
    expect(outcome).toMatchObject({ op: "replace", diff: { replaces: ["type"], deleteBeforeReplace: true } });
    expect(outcome.marker).toMatch(/^yes: type .*read_only.*new host/);
    expect(changes(outcome).map(([line]) => line)).toEqual([`DELETE ${ENDPOINTS}/${id}`, `POST ${ENDPOINTS}`]);
    expect(lab.resource("db").outputs["host"]).not.toBe(outputs["host"]);
    expect(made(lab)).toHaveLength(1);
  });

  test("a change of project moves to the other one", async () => {
    const lab = await labWith("db", primary());
    const outcome = await lab.up("db", { projectId: SEED.second.projectId, branchId: SEED.second.branchId });
    expect([outcome.op, outcome.diff?.replaces]).toEqual(["replace", ["projectId"]]);
    expect(made(lab)).toEqual([]);
    expect(lab.resource("db").outputs["projectId"]).toBe(SEED.second.projectId);
  });

  test("the region that is asserted may change with the project, and only with it", async () => {
    const lab = await labWith("db", primary({ regionId: SEED.regionId }));
    const second = { projectId: SEED.second.projectId, branchId: SEED.second.branchId };
    const outcome = await lab.preview("db", { ...second, regionId: "aws-eu-central-1" });
    expect(outcome.op).toBe("replace");
    expect((await lab.preview("db", primary({ regionId: "aws-eu-central-1" }))).op).toBe("refused");
  });

  test("an explicit type that was the default is no replacement", async () => {
    const lab = await labWith("db", primary());
    expect((await lab.up("db", primary({ type: "read_write" }))).op).toBe("update");
    expect((await lab.up("db", primary())).op).toBe("update");
  });

  test("an adopted compute is let go, and a new one is made beside it", async () => {
    const lab = await labWith("db", adopted());
    const outcome = await lab.up("db", replica());
    expect(count(outcome, "DELETE")).toBe(0);
    expect(lab.emulator.world.endpoints[SEED.primaryId]).toBeDefined();
    expect(lab.resource("db")).toMatchObject({ outputs: { type: "read_only", adopted: false } });
  });

  test("the delete fails: nothing is made, and the state still has the old one", async () => {
    const lab = await labWith("db", primary());
    const { id } = lab.resource("db");
    spoil(lab, { match: { method: "DELETE" }, then: { status: 422 } });
    const outcome = await lab.fails("db", replica());
    expect([count(outcome, "POST"), lab.resource("db").id]).toEqual([0, id]);
    await lab.up("db", replica());
    expect(made(lab).map(({ type }) => type)).toEqual(["read_only"]);
  });

  test("the create fails: the next up makes it, and deletes nothing twice", async () => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "POST" }, then: { status: 400 } });
    await lab.fails("db", replica());
    expect(made(lab)).toEqual([]);
    const outcome = await lab.up("db", replica());
    expect([outcome.op, count(outcome, "DELETE"), count(outcome, "POST")]).toEqual(["replace", 0, 1]);
    expect(lab.resource("db").pendingReplacement).toBeUndefined();
  });

  test("the create fails, and the program goes back: the old type is made again", async () => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "POST" }, then: { status: 400 } });
    await lab.fails("db", replica());
    await lab.up("db", primary());
    expect(made(lab).map(({ type }) => type)).toEqual(["read_write"]);
  });

  test("a replacement that does not come up is kept under its new id, and finished later", async () => {
    const lab = await labWith("db", primary());
    const old = lab.resource("db").id;
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    await lab.fails("db", replica({ customTimeouts: { create: "30s" } }));
    expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
    expect(lab.resource("db").id).not.toBe(old);
    lab.emulator.faults.clear();
    const outcome = await lab.up("db", replica({ customTimeouts: { create: "30s" } }));
    expect([outcome.op, changes(outcome)]).toEqual(["update", []]);
  });

  test("refuse fails before anything is deleted, and says which property", async () => {
    const lab = await labWith("db", primary());
    const outcome = await lab.fails("db", { ...primary({ onRestart: "refuse" }), type: "read_only" });
    expect([outcome.op, outcome.sent]).toEqual(["refused", []]);
    expect(outcome.failures).toEqual([
      { property: "type", reason: expect.stringMatching(/read_only.*new host.*onRestart: "warn"/) },
    ]);
    expect(made(lab)).toHaveLength(1);
  });

  test("a replica becomes the primary of a branch that has none", async () => {
    const lab = await labWith("db", replica({ branchId: SEED.branches.dev }));
    await lab.up("db", primary());
    expect(made(lab).map(({ type, branch_id }) => [type, branch_id])).toEqual([["read_write", SEED.branches.dev]]);
  });

  test("two replacements in one run keep their markers and computes apart", async () => {
    const lab = new Lab();
    await lab.upAll({ a: primary(), b: replica({ branchId: SEED.branches.preview }) });
    const done = await lab.upAll({ a: replica(), b: { ...primary(), branchId: SEED.branches.preview } });
    expect(done["a"]!.marker).toContain("read_only");
    expect(done["b"]!.marker).toMatch(/type read_only → read_write/);
    const taken = done["a"]!.sent.filter(({ status }) => status !== 423);
    expect(lines({ sent: taken }).filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
    expect(made(lab)).toHaveLength(2);
  });
});

describe("the old compute is still there when the new one is made", () => {
  test("because it was let go: it is nobody's leftover", async () => {
    const lab = await labWith("db", replica({ onDelete: "release" }));
    const { id } = lab.resource("db");
    await lab.up("db", primary({ onDelete: "release" }));
    expect(made(lab).map((one) => [one.id, one.name])).toEqual([
      [id, lab.hint("db")],
      [lab.resource("db").id, lab.hint("db")],
    ]);
  });

  test("a second resource may have the name of a first one, also in a later run", async () => {
    const lab = await labWith("a", replica({ name: "reports" }));
    const done = await lab.upAll({ a: replica({ name: "reports" }), b: replica({ name: "reports" }) });
    expect([done["a"]!.op, done["b"]!.error, made(lab).length]).toEqual(["same", undefined, 2]);
  });

  test("but what no run of this stack knows of stops it as ever", async () => {
    const lab = await labWith("a", replica({ name: "reports" }));
    await new Lab({ beside: lab }).up("b", replica());
    const done = await lab.upAll({ a: replica({ name: "reports" }), b: replica() });
    expect(done["b"]!.error?.message).toContain("an interrupted run may have left it");
  });
});
