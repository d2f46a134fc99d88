import { describe, expect, test } from "vitest";
import { digestOfChange } from "../../provider/rules/approval.js";
import { impactOf } from "../../provider/rules/impact.js";
import { desiredSettings, type SettingsInput } from "../../provider/rules/settings.js";
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
  type Props,
  primary,
  replica,
  SEED,
  spoil,
} from "./support.js";

const PRIMARY = `${ENDPOINTS}/${SEED.primaryId}`;

describe("adopting a compute", () => {
  test("takes over the primary of the branch without changing it", async () => {
    const lab = new Lab();
    const before = structuredClone(lab.emulator.world.endpoints[SEED.primaryId]);
    const outcome = await lab.up("db", adopted());
    expect(changes(outcome)).toEqual([]);
    expect(lab.resource("db")).toMatchObject({ id: SEED.primaryId, outputs: { adopted: true, host: before!.host } });
    expect(lab.emulator.world.endpoints[SEED.primaryId]).toEqual(before);
  });

  test("never renames it after the resource", async () => {
    const lab = await labWith("db", adopted({ suspendTimeoutSeconds: 600 }));
    expect(compute(lab, "db").name).toBeUndefined();
    expect(changes(await lab.up("db", adopted({ suspendTimeoutSeconds: 300 })))).toEqual([
      [`PATCH ${PRIMARY}`, { endpoint: { suspend_timeout_seconds: 300 } }],
    ]);
  });

  test("changes what the program asks for, in one PATCH", async () => {
    const lab = new Lab();
    const outcome = await lab.up("db", adopted({ name: "main", size: 2, suspendTimeoutSeconds: 0 }));
    expect(changes(outcome)).toEqual([
      [`PATCH ${PRIMARY}`, { endpoint: { name: "main", autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 } }],
    ]);
    expect(compute(lab, "db")).toMatchObject({ name: "main", autoscaling_limit_max_cu: 2, current_state: "active" });
  });

  test.each<[string, Props, Props, RegExp[]]>([
    [
      "an active one",
      {},
      { size: 2 },
      [/: size 0\.25 → 2 restarts this compute\. It is active.*: open connections drop\.$/],
    ],
    [
      "an idle one",
      { current_state: "idle" },
      { size: 2 },
      [/: size 0\.25 → 2 takes effect at the next start\. It is idle now: nothing drops\.$/],
    ],
    ["one that nothing restarts", {}, { size: 0.25, suspendTimeoutSeconds: 600 }, []],
    ["one that may restart in silence", {}, { size: 2, onRestart: "allow" }, []],
  ])("says in `up` what it does to the compute: %s", async (_which, now, args, warnings) => {
    const lab = new Lab();
    byHand(lab, SEED.primaryId, now);
    const { warnings: said } = await lab.up("db", adopted(args));
    expect(said).toEqual(warnings.map((text) => expect.stringMatching(text)));
    for (const line of said) expect(line).toContain(`takes over ${SEED.primaryId}`);
  });

  test("creates where the branch has no primary", async () => {
    const lab = new Lab();
    const outcome = await lab.up("db", primary({ adopt: true }));
    expect(changes(outcome)).toEqual([
      [
        `POST ${ENDPOINTS}`,
        { endpoint: { branch_id: SEED.branches.dev, type: "read_write", name: lab.autoName("db") } },
      ],
    ]);
    expect(lab.resource("db").outputs["adopted"]).toBe(false);
  });

  test("by its id, while another resource means it by its branch, gives it to one of them", async () => {
    const lab = new Lab();
    // Two branches, so the two have their turns at the same time.
    const byId = { ...primary(), branchId: SEED.branches.dev, adopt: SEED.primaryId, size: 1 };
    const done = await lab.upAll({ byId, byBranch: adopted({ size: 2 }) });
    const failed = Object.values(done).flatMap(({ error }) => (error ? [error.message] : []));
    expect(failed).toEqual([expect.stringMatching(/another resource of this same run has created or taken over/)]);
    expect([...lab.state.values()].map(({ id }) => id)).toEqual([SEED.primaryId]);
  });

  test.each([true, SEED.primaryId])(
    "refuses a second resource that means the same compute: adopt %j",
    async (adopt) => {
      const lab = new Lab();
      const { db, twin } = await lab.upAll({ db: adopted({ size: 2 }), twin: adopted({ adopt, size: 4 }) });
      expect(db!.error).toBeUndefined();
      expect(twin!.error?.message).toMatch(/resources db and twin both ask for the primary of branch/);
      expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
    },
  );

  test("is only read by create: taking it away, or adding it, sends nothing", async () => {
    const lab = await labWith("db", adopted());
    expect((await lab.up("db", adopted({ adopt: undefined }))).sent).toEqual([]);
    expect((await lab.up("db", adopted())).sent).toEqual([]);
  });

  test("takes over a replica by its id, and moves it to the program's branch", async () => {
    const lab = new Lab();
    await new Lab({ beside: lab, stack: "other" }).up("r", replica({ name: "reports" }));
    const [theirs] = made(lab);
    const outcome = await lab.up("r", replica({ adopt: theirs!.id, branchId: SEED.branches.dev }));
    expect(outcome.marker).toContain("maybe: takes over the compute that adopt names and sets branchId; ");
    expect(changes(outcome)).toEqual([
      [`PATCH ${ENDPOINTS}/${theirs!.id}`, { endpoint: { branch_id: SEED.branches.dev } }],
    ]);
  });

  test("onto a branch that has its primary already fails, and says so", async () => {
    const lab = new Lab();
    const theirs = await new Lab({ beside: lab, stack: "other" }).up("db", primary({ name: "theirs" }));
    expect(theirs.error).toBeUndefined();
    const [made1] = made(lab);
    const outcome = await lab.fails("db", adopted({ adopt: made1!.id, branchId: SEED.branches.main }));
    expect(outcome.error.message).toMatch(/can't move to branch br-\S+, which has its primary compute already.* 409 /);
    expect(lab.state.size).toBe(0);
  });

  test.each([
    ["an id that the project does not have", "ep-not-there-12345678", /has no such compute.*It has: ep-amber-field/],
    ["a compute of another type", SEED.primaryId, /is a read_write compute/],
  ])("fails for %s, and changes nothing", async (_rule, adopt, message) => {
    const lab = new Lab();
    const outcome = await lab.fails("r", replica({ adopt, size: 4 }));
    expect(outcome.error.message).toMatch(message);
    expect(changes(outcome)).toEqual([]);
    expect(lab.state.size).toBe(0);
  });

  test.each([
    ["a resize", { size: 4 }, /size 0.25 → 4/],
    ["stopping it", { disabled: true }, /disabled false → true/],
  ])("under refuse, %s fails before anything is changed", async (_rule, args, message) => {
    for (const way of ["property", "config"]) {
      const lab = new Lab(way === "config" ? { config: { onRestart: "refuse" } } : {});
      const outcome = await lab.fails(
        "db",
        adopted({ ...args, ...(way === "property" ? { onRestart: "refuse" } : {}) }),
      );
      expect(outcome.error.message).toMatch(message);
      expect(changes(outcome)).toEqual([]);
      expect(lab.state.size).toBe(0);
    }
  });

  test("under refuse, in the place of a compute that an approval lets go: the old one is not lost for nothing", async () => {
    const lab = await labWith("db", replica({ size: 1 }));
    const next = adopted({ size: 1 });
    const [old, wish] = [
      desiredSettings(lab.resource("db").inputs as SettingsInput),
      desiredSettings(next as SettingsInput),
    ];
    const digest = digestOfChange(lab.urn("db"), impactOf(old, wish), old, wish, new Set(), { next })!;
    const approvals = { digests: new Set([digest]), ended: new Map<string, string>(), entries: [] };
    const approved = new Lab({ beside: lab, config: { onRestart: "refuse", approvals } });
    approved.state.set("db", lab.resource("db"));
    const outcome = await approved.up("db", next);
    expect(outcome.op).toBe("replace");
    expect(compute(approved, "db")).toMatchObject({ type: "read_write", autoscaling_limit_max_cu: 1 });
  });

  test("under refuse, what does not restart is changed", async () => {
    const lab = new Lab();
    const outcome = await lab.up("db", adopted({ size: 0.25, suspendTimeoutSeconds: 600, onRestart: "refuse" }));
    expect(count(outcome, "PATCH")).toBe(1);
  });

  test("the preview says what it may do, since live settings can't be seen there", async () => {
    const lab = new Lab();
    const marker = async (args: Props) => (await lab.preview("db", adopted(args))).marker;
    expect(await marker({})).toBe("no");
    expect(await marker({ suspendTimeoutSeconds: 60, name: "x", disabled: false })).toBe("no");
    expect(await marker({ size: 2 })).toMatch(/^maybe: takes over the branch.s primary, if there is one, and sets .*2/);
    expect(await marker({ disabled: true })).toMatch(/^maybe: .*disabled true/);
    expect(await marker({ adopt: false, size: 2 })).toBe("no");
  });

  test("waits for what the compute is doing already", async () => {
    const lab = new Lab({ emulator: { operationMs: 8000 } });
    // Somebody else's create goes on when ours takes the compute over.
    const other = new Lab({ beside: lab, stack: "other" });
    await other.up("db", primary({ waitForReady: false, name: "theirs" }));
    expect(made(lab)[0]!.current_state).toBe("init");
    await lab.up("db", primary({ adopt: true }));
    expect(compute(lab, "db").current_state).toBe("active");
  });

  test("finds it adopted already after a failure that kept it", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    await lab.fails("db", adopted({ size: 2 }));
    expect(lab.resource("db")).toMatchObject({ id: SEED.primaryId, outputs: { adopted: true } });
    await lab.up("db", adopted({ size: 2 }));
    expect(lab.resource("db").outputs["unfinished"]).toBeUndefined();
    await lab.destroy("db");
    expect(lab.emulator.world.endpoints[SEED.primaryId]).toBeDefined();
  });

  test("a primary that a restore moved away from the branch is not the branch's primary", async () => {
    const lab = new Lab();
    byHand(lab, SEED.primaryId, { branch_id: SEED.branches.preview });
    await lab.up("db", adopted());
    expect(lab.resource("db").id).not.toBe(SEED.primaryId);
  });
});

describe("a compute with a generated name", () => {
  const stranger = async (lab: Lab, args: Props = primary()) => {
    await new Lab({ beside: lab, stack: "other" }).up("theirs", args);
    return made(lab)[0]!;
  };

  test.each([true, "by id"])("of another resource is not taken over: adopt %j", async (adopt) => {
    const lab = new Lab();
    const { id, name } = await stranger(lab);
    const outcome = await lab.fails("db", primary({ adopt: adopt === true ? true : id, size: 4 }));
    expect(outcome.error.message).toContain(`adopt names ${id}, which has the name ${name}`);
    expect(outcome.error.message).toMatch(/the resource option aliases.*`pulumi state delete`.*set name: "/);
    expect([changes(outcome), lab.state.size]).toEqual([[], 0]);
  });

  test("is taken over where the program sets a name: the same one changes nothing", async () => {
    const lab = new Lab();
    const { id, name } = await stranger(lab);
    const outcome = await lab.up("db", primary({ adopt: true, name }));
    expect([changes(outcome), lab.resource("db").id]).toEqual([[], id]);
  });

  test("of this resource, left by an interrupted run, is taken over as the error says", async () => {
    const lab = new Lab();
    await new Lab({ beside: lab }).up("db", replica());
    const left = await lab.fails("db", replica());
    const [, id] = /adopt: "(ep-[^"]+)" takes it over/.exec(left.error.message)!;
    await lab.up("db", replica({ adopt: id, onDelete: "delete" }));
    expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
  });

  test("of a primary of this resource, left by an interrupted run, is taken over by adopt: true as well", async () => {
    const lab = new Lab();
    await new Lab({ beside: lab }).up("db", primary());
    await lab.up("db", primary({ adopt: true }));
    expect(lab.resource("db").outputs["adopted"]).toBe(true);
  });

  test("of a resource that an alias renamed is still its own", async () => {
    const lab = await labWith("old", primary());
    lab.state.set("new", lab.resource("old"));
    lab.state.delete("old");
    await lab.up("new", primary({ onDelete: "release" }));
    const { id } = lab.resource("new");
    const again = new Lab({ beside: lab });
    const { __autoName } = lab.resource("new").inputs;
    expect(__autoName).toBe(lab.autoName("old"));
    again.state.set("new", { ...lab.resource("new"), pendingReplacement: true });
    await again.up("new", primary({ adopt: true }));
    expect(again.resource("new").id).toBe(id);
  });

  test("is offered with its ways out where the program makes a second primary", async () => {
    const lab = new Lab();
    const { id, name } = await stranger(lab);
    const outcome = await lab.fails("db", primary());
    expect(outcome.error.message).toContain(`already has its primary compute, ${id}`);
    expect(outcome.error.message).toContain(`adopt: true with name: "${name}"`);
    await lab.up("db", primary({ adopt: true, name }));
    expect(lab.resource("db").id).toBe(id);
  });

  test.each(["reports", "20240101", "-1a2b3c4d", "reports-1A2B3C4D", "reports-1a2b3c4"])(
    "is not what %j is: a person chose it",
    async (name) => {
      const lab = new Lab();
      const { id } = await stranger(lab, primary({ name }));
      await lab.up("db", primary({ adopt: true }));
      expect(lab.resource("db").id).toBe(id);
    },
  );
});
