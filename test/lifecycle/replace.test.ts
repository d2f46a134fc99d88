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
  type Props,
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
      { property: "type", reason: expect.stringMatching(/read_only.*new host[\s\S]*onRestart: "warn"/) },
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
      [id, lab.autoName("db")],
      [lab.resource("db").id, lab.autoName("db")],
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

describe("a primary that stays on the service when its resource is replaced", () => {
  const OPTION = { __mayReplace: true };
  const RETAINED = { __retain: true };
  /** The engine replaces where an option asks for it, whatever diff says. */
  const replaced = { replaces: true } as const;

  test.each<[string, Props, Props, RegExp]>([
    [
      "retained",
      primary(RETAINED),
      { size: 2 },
      /stays on the service \(the option retainOnDelete\).*remove retainOnDelete in a `pulumi up` of its own/,
    ],
    [
      "released",
      primary({ onDelete: "release" }),
      { size: 2 },
      /\(onDelete: "release"\).*set onDelete: "delete" in a `pulumi up` of its own/,
    ],
    [
      "adopted",
      adopted(),
      { suspendTimeoutSeconds: 60, adopt: undefined },
      /\(it was adopted\).*adopt: true keeps this compute and its host/,
    ],
    [
      "retained, and the program no longer says so",
      primary(RETAINED),
      { size: 2, __retain: undefined },
      /retainOnDelete/,
    ],
    [
      "to be deleted, but only from this run on",
      primary({ onDelete: "release" }),
      { size: 2, onDelete: "delete" },
      /of its own before this change/,
    ],
    [
      "made first by an option",
      primary(),
      { size: 2, __createFirst: true },
      /deleteBeforeReplace: false creates the new one first.*remove deleteBeforeReplace: false/,
    ],
    ["to be replaced by another one", adopted(), { adopt: "ep-other-1", size: 2 }, /stays on the service/],
  ])("%s: the preview fails and names the ways out", async (_what, args, change, message) => {
    const lab = await labWith("db", args);
    const { id } = lab.resource("db");
    const outcome = await lab.preview("db", { ...args, ...OPTION, ...change }, replaced);
    expect(outcome.op).toBe("refused");
    expect(outcome.error?.message).toMatch(message);
    expect(outcome.error?.message).toContain(`replaces compute ${id}`);
  });

  test.each<[string, Props, Props]>([
    ["to another branch", adopted(), { branchId: SEED.branches.preview, adopt: undefined }],
    ["by a replica", adopted(), { type: "read_only", adopt: undefined }],
    [
      "in another project",
      adopted(),
      { projectId: SEED.second.projectId, branchId: SEED.second.branchId, adopt: undefined },
    ],
    ["where it is deleted", primary(), { size: 2 }],
    [
      "where retainOnDelete comes in this very run, which the engine does not heed yet",
      primary(),
      { size: 2, ...RETAINED },
    ],
    ["where it was adopted and is deleted", adopted({ onDelete: "delete" }), { size: 2, adopt: undefined }],
  ])("%s there is no such problem: it has a new host", async (_what, args, change) => {
    const lab = await labWith("db", args);
    const { id } = lab.resource("db");
    const outcome = await lab.up("db", { ...args, ...OPTION, ...change }, replaced);
    expect([outcome.op, outcome.marker]).toEqual(["replace", expect.stringMatching(/^yes: .*new host/)]);
    expect(lab.resource("db").id).not.toBe(id);
  });

  test.each<[string, Props, string]>([
    ["nothing that is felt", { suspendTimeoutSeconds: 60 }, "no"],
    ["a size", { size: 2 }, "yes: size"],
  ])(
    "with adopt: true it is taken over again, and %s changes: no new host is promised",
    async (_what, change, marker) => {
      const lab = await labWith("db", adopted({ size: 1 }));
      const outcome = await lab.up("db", { ...adopted({ size: 1 }), ...OPTION, ...change }, replaced);
      expect([outcome.op, outcome.marker]).toEqual(["replace", expect.stringMatching(`^${marker}`)]);
      expect(outcome.marker).not.toMatch(/another id|new host/);
      expect(outcome.warnings.join()).toContain(
        `compute ${SEED.primaryId} stays on the service: it is released and taken over again`,
      );
      expect([count(outcome, "PATCH"), count(outcome, "POST"), count(outcome, "DELETE")]).toEqual([1, 0, 0]);
      expect(lab.resource("db")).toMatchObject({ id: SEED.primaryId, outputs: { adopted: true } });
    },
  );

  describe("a state that an earlier failure left in the middle of it", () => {
    /** Released, and not made anew. */
    async function stuck(args: Props, more: Props = {}): Promise<Lab> {
      const lab = await labWith("db", { ...args, ...more });
      lab.state.set("db", { ...lab.resource("db"), pendingReplacement: true });
      return lab;
    }
    const RELEASED = { onDelete: "release" };

    test.each<[string, Props]>([
      ["adopted", adopted()],
      ["retained", primary(RETAINED)],
      ["released", primary(RELEASED)],
      ["retained by a rule of the program that nobody sees", primary()],
      ["named", primary({ ...RELEASED, name: "main" })],
    ])("%s: where the change is taken back, the next up takes the compute over again", async (_what, args) => {
      const lab = await labWith("db", args);
      // Taking `adopt` out is no change.
      await lab.up("db", { ...args, adopt: undefined });
      lab.state.set("db", { ...lab.resource("db"), pendingReplacement: true });
      const { id, outputs } = lab.resource("db");
      const outcome = await lab.up("db", { ...args, adopt: undefined });
      expect([outcome.op, changes(outcome)]).toEqual(["replace", []]);
      expect(lab.resource("db")).toMatchObject({ id, outputs: { adopted: outputs["adopted"], host: outputs["host"] } });
      expect(lab.resource("db").pendingReplacement).toBeUndefined();
      expect((await lab.up("db", { ...args, adopt: undefined })).op).toBe("same");
    });

    test("a change without the option is made in place, on the way", async () => {
      const lab = await stuck(primary(), RELEASED);
      const { id } = lab.resource("db");
      const outcome = await lab.up("db", primary({ ...RELEASED, size: 2 }));
      expect(outcome.marker).toMatch(/^maybe: size/);
      expect([lab.resource("db").id, count(outcome, "PATCH")]).toEqual([id, 1]);
    });

    test("adopt: true works as well, also where the change is still there", async () => {
      const lab = await stuck(primary(), RELEASED);
      const { id } = lab.resource("db");
      await lab.up("db", primary({ ...RELEASED, ...OPTION, adopt: true, suspendTimeoutSeconds: 60 }));
      expect(lab.resource("db")).toMatchObject({ id, outputs: { adopted: false } });
    });

    test('onDelete: "delete" works as well, and counts from the next change on', async () => {
      const lab = await stuck(primary(RELEASED));
      const { id } = lab.resource("db");
      await lab.up("db", primary({ ...OPTION, onDelete: "delete" }));
      expect(lab.resource("db").id).toBe(id);
      await lab.up("db", primary({ ...OPTION, onDelete: "delete", size: 2 }), replaced);
      expect([made(lab).length, lab.resource("db").id === id]).toEqual([1, false]);
    });

    test("the option retainOnDelete is known after a refresh as well", async () => {
      const lab = await labWith("db", primary(RETAINED));
      await lab.refresh();
      const outcome = await lab.preview("db", primary({ ...RETAINED, ...OPTION, size: 2 }), replaced);
      expect(outcome.op).toBe("refused");
    });

    test("a compute that is gone by now is made anew", async () => {
      const lab = await stuck(primary(), RELEASED);
      const { id } = lab.resource("db");
      delete lab.emulator.world.endpoints[id];
      await lab.up("db", primary(RELEASED));
      expect(lab.resource("db").id).not.toBe(id);
    });

    test("another resource does not get it so", async () => {
      const lab = await stuck(primary(), RELEASED);
      const done = await lab.upAll({ db: primary({ ...RELEASED, branchId: SEED.branches.preview }), other: primary() });
      expect(done["other"]!.error?.message).toMatch(/of resource db is that primary, and stays there/);
    });
  });

  test("a compute that this run deletes is not taken over again, whatever the list says", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    const { id } = lab.resource("db");
    const outcome = await lab.up("db", primary({ size: 1, ...OPTION }), replaced);
    expect([outcome.op, count(outcome, "DELETE"), count(outcome, "POST")]).toEqual(["replace", 1, 1]);
    expect(lab.resource("db").id).not.toBe(id);
  });
});
