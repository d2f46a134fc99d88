import { describe, expect, test } from "vitest";
import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { adopted, byHand, changes, Lab, made, type Props, primary, replica, SEED } from "./support.js";

const { dev, preview, main } = SEED.branches;
const on = (branchId: string, more: Props = {}): Props => primary({ branchId, ...more });
const THIRD = "br-third";

/** A lab in which these are up, with a third branch; operations take a while. */
async function labOf(program: Record<string, Props>, operationMs = 3000): Promise<Lab> {
  const lab = new Lab({ emulator: { operationMs } });
  lab.emulator.world.branches[THIRD] = {
    ...structuredClone(lab.emulator.world.branches[dev]!),
    id: THIRD,
    name: THIRD,
  };
  const done = await lab.upAll(program);
  for (const { error } of Object.values(done)) if (error) throw error;
  return lab;
}

/** Where each resource's compute is. */
const places = (lab: Lab) =>
  Object.fromEntries(
    [...lab.state].map(([name, { id }]) => [name, lab.emulator.world.endpoints[id]?.branch_id ?? "gone"]),
  );

const errorsOf = (done: Record<string, { error?: Error }>) =>
  Object.fromEntries(Object.entries(done).flatMap(([name, { error }]) => (error ? [[name, error.message]] : [])));

test.each([
  ["a primary", primary],
  ["a replica", replica],
])(
  "%s that moves to a branch that does not exist: the error names the branch and the property",
  async (_what, kind) => {
    const lab = await labOf({ x: kind({ branchId: dev }) });
    const { error } = await lab.attempt("x", kind({ branchId: "br-nowhere" }));
    expect(error!.message).toMatch(
      /^branch br-nowhere of project \S+ does not exist, or this key can't see it, so compute ep-\S+ was not changed\. Check branchId and the key \(PATCH .*404.*\)$/,
    );
    expect(places(lab)).toEqual({ x: dev });
    await lab.up("x", kind({ branchId: THIRD }));
  },
);

describe("a primary on a branch that another one frees in the same run", () => {
  test.each<[string, Props, Props]>([
    ["which moves to another branch", on(preview), on(THIRD)],
    ["which becomes a replica", on(preview), replica({ branchId: preview })],
    [
      "which moves to another project",
      on(preview),
      { projectId: SEED.second.projectId, branchId: SEED.second.branchId },
    ],
  ])("%s, and is compared first: it leaves, then the other one comes", async (_what, before, after) => {
    for (const [comes, op] of [
      [{ y: on(dev) }, "update"],
      [{}, "create"],
    ] as const) {
      const lab = await labOf({ x: before, ...comes });
      const done = await lab.upAll({ x: after, y: on(preview) });
      expect([errorsOf(done), done["y"]!.op]).toEqual([{}, op]);
      expect(places(lab)["y"]).toBe(preview);
      const [x, y] = ["x", "y"].map((name) => lab.last.steps.find((step) => step.name === name)!);
      expect(y!.turns[0]!.from).toBeGreaterThanOrEqual(x!.turns[0]!.to!);
      expect(lab.last.sent.filter(({ status }) => status === 409)).toEqual([]);
    }
  });

  test.each<[string, Record<string, Props>]>([
    ["moves", { y: on(dev) }],
    ["is made", {}],
  ])("which is compared later, while the other one %s: it waits", async (_what, comes) => {
    const lab = await labOf({ ...comes, x: on(preview) });
    const done = await lab.upAll({ y: on(preview), x: on(THIRD) });
    expect([errorsOf(done), places(lab)]).toEqual([{}, { y: preview, x: THIRD }]);
    expect(lab.last.sent.filter(({ status }) => status === 409)).toEqual([]);
  });
});

describe("steps in another order than the resources were compared, as on a busy machine", () => {
  test.each<[string, Record<string, Props>]>([
    ["moves", { y: on(dev) }],
    ["is made", {}],
  ])("one that %s waits for the one that leaves, whichever step comes first", async (_what, comes) => {
    for (const order of [
      ["x", "y"],
      ["y", "x"],
    ]) {
      const lab = await labOf({ ...comes, x: on(preview) });
      const done = await lab.upAll({ x: on(THIRD), y: on(preview) }, "keep", {}, { order });
      expect([errorsOf(done), places(lab)]).toEqual([{}, { x: THIRD, y: preview }]);
      expect(lab.last.sent.filter(({ status }) => status === 409)).toEqual([]);
    }
  });

  test("where only one step runs at a time, and the wrong one comes first, it gives up after a while", async () => {
    const lab = await labOf({ y: on(dev), x: on(preview) });
    const done = await lab.upAll({ x: on(THIRD), y: on(preview) }, "keep", {}, { order: ["y", "x"], parallel: 1 });
    expect(Object.keys(errorsOf(done))).toEqual(["y"]);
    expect(done["y"]!.error?.message).toMatch(
      /has its primary compute already.*It is the compute of resource x.*dependsOn: \[x\] here/,
    );
    expect(errorsOf(await lab.upAll({ x: on(THIRD), y: on(preview) }))).toEqual({});
  });

  test("one that leaves and fails lets the other one fail too, and says why", async () => {
    const lab = await labOf({ y: on(dev), x: on(preview) });
    lab.emulator.world.branches[THIRD]!.name = "third";
    delete lab.emulator.world.branches[THIRD];
    const done = await lab.upAll({ x: on(THIRD), y: on(preview) });
    expect(Object.keys(errorsOf(done)).sort()).toEqual(["x", "y"]);
  });
});

describe("primaries that change places", () => {
  test.each<[string, string[], string[]]>([
    ["two", [dev, preview], [preview, dev]],
    ["three", [dev, preview, THIRD], [preview, THIRD, dev]],
    ["three, the other way round", [dev, preview, THIRD], [THIRD, dev, preview]],
  ])("%s: the preview fails, whatever their order, and says that no order works", async (_what, old, next) => {
    const names = ["a", "b", "c"].slice(0, old.length);
    const lab = await labOf(Object.fromEntries(names.map((name, index) => [name, on(old[index]!)])));
    const orders = names.length === 2 ? [names, [...names].reverse()] : [names, ["c", "b", "a"], ["b", "a", "c"]];
    const said: string[] = [];
    for (const order of orders) {
      const done = await lab.upAll(Object.fromEntries(order.map((name) => [name, on(next[names.indexOf(name)]!)])));
      const errors = Object.values(errorsOf(done));
      expect(errors.some((text) => text.includes("swap their branches"))).toBe(true);
      said.push(...errors);
    }
    expect(said.join("\n")).toMatch(
      /none of them can move first.*old name, or the resource option aliases; otherwise move one of them/,
    );
  });

  test("by way of a third branch it works, in two runs", async () => {
    const lab = await labOf({ a: on(dev), b: on(preview) });
    expect(errorsOf(await lab.upAll({ a: on(THIRD), b: on(dev) }))).toEqual({});
    expect(errorsOf(await lab.upAll({ a: on(preview), b: on(dev) }))).toEqual({});
    expect(places(lab)).toEqual({ a: preview, b: dev });
  });
});

describe("two primaries on one branch", () => {
  test.each<[string, Record<string, Props>, Record<string, Props>]>([
    ["one moves to the other", { a: on(dev), b: on(preview) }, { a: on(dev), b: on(dev) }],
    ["the other way round", { a: on(dev), b: on(preview) }, { a: on(preview), b: on(preview) }],
    ["a second one is made", { a: on(dev) }, { a: on(dev), b: on(dev) }],
    ["and stands before the first", { a: on(dev) }, { b: on(dev), a: on(dev) }],
    [
      "the old one stays on the service when it is replaced",
      { a: on(dev, { onDelete: "release" }) },
      { a: { ...replica(), onDelete: "release" }, b: on(dev) },
    ],
  ])("%s: the preview fails, and says whose it is", async (_what, before, after) => {
    const lab = await labOf(before);
    const done = await lab.upAll(after);
    expect(Object.values(errorsOf(done)).join()).toMatch(
      /of resource [ab] is that primary, and stays there: a branch has only one/,
    );
    expect(lab.last.sent.filter(({ line, status }) => line.startsWith("POST") && status === 409)).toEqual([]);
  });
});

describe("nothing is said", () => {
  test.each<[string, Record<string, Props>, Record<string, Props>]>([
    ["of replicas", { a: replica(), b: replica({ branchId: dev }) }, { a: replica({ branchId: dev }), b: replica() }],
    ["of a resource that takes over what is there", { a: on(dev) }, { a: on(dev), b: adopted() }],
    ["of a branch that is not known yet", { a: on(dev) }, { a: on(dev), b: on(UNKNOWN_VALUE) }],
    ["where the one that is there may leave", { a: on(dev) }, { a: on(UNKNOWN_VALUE), b: on(dev) }],
    [
      "of equal branches in two projects",
      { a: on(dev) },
      { a: on(dev), b: on(dev, { projectId: SEED.second.projectId }) },
    ],
  ])("%s", async (_what, before, after) => {
    const lab = await labOf(before);
    expect(await lab.refusals(after)).toEqual({});
  });

  test("of two resources that have one compute", async () => {
    const lab = await labOf({ a: adopted() });
    lab.state.set("b", lab.resource("a"));
    expect(await lab.refusals({ a: adopted(), b: adopted() })).toEqual({});
  });

  test("of a compute that somebody moved by hand, once a refresh knows", async () => {
    const lab = await labOf({ a: on(dev) });
    byHand(lab, lab.resource("a").id, { branch_id: preview });
    await lab.refresh();
    expect(await lab.refusals({ a: on(dev), b: on(preview) })).toEqual({});
    expect(await lab.refusals({ b: on(preview), a: on(dev) })).toEqual({});
    expect(made(lab)).toHaveLength(1);
  });

  test("and a change without a move sends what it always did", async () => {
    const lab = await labOf({ a: on(dev, { size: 1 }), b: on(preview) });
    const done = await lab.upAll({ a: on(dev, { size: 2 }), b: on(preview) });
    expect([errorsOf(done), changes(done["a"]!).length, main]).toEqual([{}, 1, main]);
  });
});

describe("one compute for two resources: the preview fails", () => {
  const byId = (id: string, more: Props = {}): Props => primary({ branchId: main, adopt: id, ...more });
  const twoOf = (one: Props, other: Props): Record<string, Props>[] => [
    { a: one, b: other },
    { b: other, a: one },
  ];
  const { primaryId } = SEED;

  test.each<[string, Record<string, Props>[]]>([
    ["both adopt the branch's primary", twoOf(adopted(), adopted({ size: 2 }))],
    ["one adopts it by its branch, one by its id", twoOf(adopted(), byId(primaryId))],
    ["both adopt it by its id", twoOf(byId(primaryId), byId(primaryId, { size: 2 }))],
    ["one adopts it, one is to be made there", twoOf(adopted(), on(main))],
    ["both adopt one replica", twoOf(replica({ adopt: "ep-reader-1" }), replica({ adopt: "ep-reader-1" }))],
  ])("%s", async (_what, programs) => {
    for (const program of programs) {
      expect(Object.values(await new Lab().refusals(program))).toEqual([
        expect.stringMatching(/resources [ab] and [ab] (both ask for the primary|would both have compute)/),
      ]);
    }
  });

  test.each<[string, (id: string) => Props]>([
    ["by its branch", () => adopted()],
    ["by its id", (id) => byId(id)],
    ["by its id, from another branch", (id) => primary({ branchId: dev, adopt: id })],
    ["by its id, as a replica", (id) => replica({ adopt: id })],
  ])("another resource keeps the compute that one adopts %s", async (_how, args) => {
    const lab = await labOf({ keeper: adopted() });
    const { id } = lab.resource("keeper");
    for (const order of [
      ["keeper", "taker"],
      ["taker", "keeper"],
    ]) {
      const program: Record<string, Props> = { keeper: adopted({ size: 1 }), taker: args(id) };
      const refusals = await lab.refusals(Object.fromEntries(order.map((name) => [name, program[name]!])));
      expect(Object.values(refusals)).toEqual([expect.stringMatching(/keeper.*(alias|another branch)/s)]);
    }
  });

  test.each<[string, Record<string, Props>]>([
    ["the other one leaves the program", { taker: adopted() }],
    ["the other one moves away", { keeper: on(preview), taker: on(main) }],
    ["the branches differ", { keeper: adopted(), taker: primary({ branchId: dev, adopt: true }) }],
    ["the branch is not known yet", { keeper: adopted(), taker: primary({ branchId: UNKNOWN_VALUE, adopt: true }) }],
    ["what it adopts is not known yet", { keeper: adopted(), taker: primary({ branchId: dev, adopt: UNKNOWN_VALUE }) }],
  ])("but not where %s", async (_what, program) => {
    const lab = await labOf({ keeper: adopted() });
    expect(await lab.refusals(program)).toEqual({});
  });
});
