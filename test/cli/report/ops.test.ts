/** The op decides first, then the worst of the notice and of what the rules say; diagnostics decide nothing. */
import { describe, expect, test } from "vitest";
import { BASE, inJson, oneCompute, type Parsed, preview, resize, type StepOptions, step, urnOf } from "./support";

const old = { ...BASE, restart: "no" };
const updated = (next: object, more: StepOptions = {}) =>
  step({ old, next: { ...BASE, restart: "no", ...next }, ...more });

describe("what a step does", () => {
  test.each<[what: string, step: object, impact: string, says: string]>([
    ["create", step({ op: "create", next: { ...BASE, restart: "no" } }), "none", "new compute"],
    [
      "create that adopts",
      step({
        op: "create",
        next: { ...BASE, adopt: true, restart: "maybe: adopts the branch's primary and sets size 1; …" },
      }),
      "may-restart",
      "adopts a compute",
    ],
    ["update that restarts", resize(), "restart", "restarts"],
    ["update that stops", updated({ disabled: true, restart: "yes: disabled false → true; …" }), "stop", "stops"],
    [
      "update that may restart",
      updated({ settings: { pgSettings: { work_mem: "4MB" } } }),
      "may-restart",
      "may restart",
    ],
    ["update without an effect", updated({ name: "b" }), "none", "changes in place"],
    ["replace", step({ op: "replace", old, next: { ...BASE, projectId: "p", restart: "no" } }), "new-host", "new host"],
    [
      "replace with an old marker alone",
      step({ op: "replace", old, next: { ...BASE, restart: "no" } }),
      "new-host",
      "new host",
    ],
    ["import", step({ op: "import", next: old }), "none", "is imported: nothing changes on the service"],
    ["delete", step({ op: "delete", old }), "delete", "is deleted"],
    [
      "delete of one to be released",
      step({ op: "delete", old: { ...old, onDelete: "release" } }),
      "none",
      "is released: it stays on the service",
    ],
    [
      "delete of an adopted one",
      step({ op: "delete", old, outputs: { adopted: true } }),
      "none",
      "is released: it stays on the service",
    ],
    [
      "delete of an adopted one that is to go",
      step({ op: "delete", old: { ...old, onDelete: "delete" }, outputs: { adopted: true } }),
      "delete",
      "is deleted",
    ],
    [
      "delete with retainOnDelete",
      step({ op: "delete", old, oldMore: { retainOnDelete: true } }),
      "none",
      "is released: it stays on the service",
    ],
    ["discard", step({ op: "discard", old, oldMore: { external: true } }), "none", "is no longer looked up"],
    ["half of a replacement alone", step({ op: "delete-replaced", old }), "new-host", "new host"],
    [
      "the other half alone",
      step({ op: "create-replacement", next: { ...BASE, restart: "no" } }),
      "new-host",
      "new host",
    ],
  ])("%s", async (_what, one, impact, says) => {
    expect(await oneCompute(preview([one]))).toMatchObject({ impact, what: says, name: "primary" });
  });

  test.each(["same", "read", "refresh"])("%s is left out", async (op) => {
    const { stacks, exitCode } = await inJson(preview([step({ op, old, next: BASE })]));
    expect([stacks[0].computes, exitCode]).toEqual([[], 0]);
  });

  test.each(["diff", "teleport"])("a step %s is named, and makes the report incomplete", async (op) => {
    const { stacks, exitCode } = await inJson(preview([step({ op, old, next: BASE })]));
    expect(stacks[0].computes).toMatchObject([{ op, what: "unknown step", impact: "may-restart" }]);
    expect(stacks[0].incomplete).toEqual([`it has a step ${op}, which this version of the report does not know`]);
    expect(exitCode).toBe(2);
  });

  test("other resources, also other dynamic ones, are not ours", async () => {
    const type = "pulumi-nodejs:dynamic/other:Endpoint";
    const others = [
      step({ op: "delete", old, type }),
      step({ op: "replace", old, next: BASE, type: "aws:rds/instance:Instance" }),
    ];
    expect((await inJson(preview(others))).stacks[0].computes).toEqual([]);
  });

  test("one inside a component is", async () => {
    const urn = "urn:pulumi:prod::shop::my:app:Db$pulumi-nodejs:dynamic/compute:Endpoint::a::b";
    expect(await oneCompute(preview([resize({ urn })]))).toMatchObject({ name: "a::b", urn });
  });
});

describe("at most one finding for a compute", () => {
  test("the halves of a replacement do not count beside it", async () => {
    const next = { ...BASE, projectId: "p", restart: "no" };
    const halves = [
      step({ op: "delete-replaced", old }),
      step({ op: "replace", old, next }),
      step({ op: "create-replacement", next }),
    ];
    expect(await oneCompute(preview(halves))).toMatchObject({ op: "replace", impact: "new-host" });
  });

  test("one of them does not either", async () => {
    const next = { ...BASE, projectId: "p", restart: "no" };
    const steps = [step({ op: "create-replacement", next }), step({ op: "replace", old, next })];
    expect(await oneCompute(preview(steps))).toMatchObject({ op: "replace" });
  });

  test("both halves without it make it up, with old host and reason", async () => {
    const halves = [
      step({ op: "create-replacement", next: { ...BASE, projectId: "p" } }),
      step({ op: "delete-replaced", old }),
    ];
    const found = await oneCompute(preview(halves));
    expect(found).toMatchObject({
      impact: "new-host",
      oldHost: expect.stringMatching(/^ep-/),
      changes: [{ property: "projectId" }],
    });
  });

  test("refresh, then update: the update", async () => {
    expect(await oneCompute(preview([step({ op: "refresh", old, next: BASE }), resize()]))).toMatchObject({
      op: "update",
    });
  });

  test("of two steps the worst", async () => {
    expect(await oneCompute(preview([resize(), updated({ name: "b" })]))).toMatchObject({ impact: "restart" });
  });

  test("two computes of one resource are two: one waits for its deletion since an interrupted replacement", async () => {
    const { stacks } = await inJson(preview([resize({ id: "ep-new" }), step({ op: "delete", old, id: "ep-old" })]));
    expect(stacks[0].computes.map(({ id, impact }: Parsed) => [id, impact])).toEqual([
      ["ep-old", "delete"],
      ["ep-new", "restart"],
    ]);
  });

  test("after an alias the new URN counts", async () => {
    const found = await oneCompute(preview([resize({ name: "after", oldMore: { urn: urnOf("before") } })]));
    expect(found.urn).toBe(urnOf("after"));
  });
});

describe("the worst of the notice, of the old inputs and of the old outputs counts", () => {
  test.each<[what: string, step: object, impact: string, note: RegExp | undefined]>([
    ["all say the same", resize(), "restart", undefined],
    ["the notice says no, the inputs differ: an older provider", updated({ size: 4 }), "restart", /different versions/],
    [
      "the notice says yes, no value differs: a newer provider",
      updated({ restart: "yes: magic 1 → 2; it restarts" }),
      "restart",
      /different versions/,
    ],
    ["the notice says maybe", updated({ restart: "maybe: magic 1 → 2; it may" }), "may-restart", /different versions/],
    [
      "only the outputs differ: a failed update, or drift",
      updated({ name: "b" }, { outputs: { branchId: "br-elsewhere" } }),
      "restart",
      /differs from the last inputs/,
    ],
    [
      "the outputs say worse",
      resize({ old: {}, next: { disabled: false }, outputs: { type: "read_only" } }),
      "new-host",
      /differs from the last inputs/,
    ],
    ["no outputs", resize({ oldMore: { outputs: undefined } }), "restart", undefined],
    ["no inputs", resize({ oldMore: { inputs: undefined } }), "restart", undefined],
    ["no old values at all", resize({ oldMore: { inputs: null, outputs: [] } }), "restart", undefined],
    [
      "1 and 1.0, size and both limits: the same",
      updated({ size: undefined, autoscalingLimitMinCu: 1.0, autoscalingLimitMaxCu: 1 }),
      "none",
      undefined,
    ],
  ])("%s", async (_what, one, impact, note) => {
    const found = await oneCompute(preview([one]));
    expect(found.impact).toBe(impact);
    expect(found.notes).toEqual(note ? [expect.stringMatching(note)] : []);
  });

  test("the notice of the last change, still in the old inputs, is not reported", async () => {
    const { impact } = await oneCompute(
      preview([step({ old: { ...BASE, restart: "yes: size 8 → 1; …" }, next: { ...BASE, name: "b", restart: "no" } })]),
    );
    expect(impact).toBe("none");
  });

  test.each([undefined, null, "", "perhaps", 7, "yes", "[secret]"])(
    "without a notice (%j) it is not said that nothing restarts",
    async (restart) => {
      const found = await oneCompute(preview([step({ old, next: { ...BASE, name: "b", restart } })]));
      expect(found).toMatchObject({ impact: "may-restart", notes: [expect.stringContaining("notice is missing")] });
      const adopting = await oneCompute(preview([step({ op: "create", next: { ...BASE, adopt: "ep-a", restart } })]));
      expect(adopting.impact).toBe("may-restart");
    },
  );

  test("a warning of the engine's or the program's decides nothing", async () => {
    const diagnostics = [
      { severity: "warning", urn: urnOf("primary"), message: "warning: this change restarts compute ep-x" },
    ];
    expect((await oneCompute(preview([updated({ name: "b" })], { diagnostics }))).impact).toBe("none");
  });

  test.each([
    ["reasons of a failed update", { oldMore: { initErrors: ["it did not become ready"] } }, "none"],
    ["operations that were left", { outputs: { unfinished: ["op-1"] } }, "may-restart"],
  ])("%s: it finishes the interrupted change", async (_what, more, impact) => {
    const found = await oneCompute(preview([updated({}, more)]));
    expect(found).toMatchObject({ impact, notes: [expect.stringContaining("interrupted")] });
  });

  test("detailedDiff and the reasons are for display only", async () => {
    const found = await oneCompute(
      preview([updated({ name: "b" }, { more: { diffReasons: ["size"], replaceReasons: ["size"] } })]),
    );
    expect(found).toMatchObject({ impact: "none", others: ["size"] });
  });
});
