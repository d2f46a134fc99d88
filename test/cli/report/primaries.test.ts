/** A branch has one primary at most: what the report says where a change asks for a second one. */
import { describe, expect, test } from "vitest";
import { BASE, inJson, oneCompute, outputsOf, type Parsed, preview, step, UNKNOWN } from "./support";

const FREE = { ...BASE, branchId: "br-free" };
/** Why `up` will fail. */
const failureOf = async (...steps: unknown[]): Promise<string> => {
  const { stacks, exitCode } = await inJson(preview(steps as Parameters<typeof preview>[0]));
  const found = stacks[0].computes.flatMap(({ upFails }: Parsed) => upFails?.why ?? []);
  if ((exitCode === 2) !== found.length > 0) throw new Error(`exit code ${exitCode} with ${found.length} failures`);
  return found.join("\n");
};

describe("a primary that stays on the service is replaced", () => {
  const old = { ...BASE, adopt: true };
  const adopted = { ...outputsOf(old), adopted: true };
  const replaced = (next: object, more: object = { outputs: adopted }) =>
    step({ op: "replace", old, next: { ...old, restart: "no", ...next }, ...more });

  test.each<[string, object, object, string, string]>([
    ["without a change that is felt", { suspendTimeoutSeconds: 60 }, {}, "none", "is taken over again"],
    [
      "with another size",
      { size: 2, restart: "yes: size 1 → 2; x", __notice: { impact: "restart", properties: ["size"] } },
      {},
      "restart",
      "restarts",
    ],
    [
      "by retainOnDelete",
      { suspendTimeoutSeconds: 60 },
      { outputs: outputsOf(old), oldMore: { retainOnDelete: true } },
      "none",
      "is taken over again",
    ],
  ])("%s: no new host", async (_what, next, more, impact, what) => {
    const found = await oneCompute(preview([replaced(next, { outputs: adopted, ...more })]));
    expect(found).toMatchObject({ op: "replace", impact, what });
    expect(found).not.toHaveProperty("oldHost");
    expect(found.notes.join()).toContain("released and taken over again: it keeps its host");
  });

  test.each<[string, object, object]>([
    ["to another branch", { branchId: "br-other" }, {}],
    ["in another project", { projectId: "other-project-1" }, {}],
    ["by a replica", { type: "read_only" }, {}],
    ["to a branch that is not known yet", { branchId: UNKNOWN }, {}],
    ["and is deleted", {}, { outputs: outputsOf(old) }],
  ])("%s: a new host", async (_what, next, more) => {
    const found = await oneCompute(preview([replaced(next, { outputs: adopted, ...more })]));
    expect(found).toMatchObject({ impact: "new-host", what: "new host", oldHost: expect.any(String) });
  });

  test("a preview that promises a new host all the same is told to fail", async () => {
    const restart =
      "yes: a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released";
    const found = await oneCompute(preview([replaced({ restart })]));
    expect(found).toMatchObject({ impact: "new-host" });
    expect(found.upFails.why).toMatch(/^the old compute stays.*adopt: true keeps it/);
  });
});

describe("a primary comes to a branch whose primary leaves the program", () => {
  const leaves = (more: object = {}) => step({ op: "delete", name: "old", old: BASE, ...more });
  const moves = step({ op: "update", name: "new", id: "ep-new-1", old: FREE, next: { ...BASE, restart: "no" } });

  test.each([
    ["by a move", moves],
    ["by a creation", step({ op: "create", name: "new", next: { ...BASE, restart: "no" } })],
    [
      "by a replacement",
      step({ op: "replace", name: "new", id: "ep-new-1", old: { ...FREE, projectId: "p-1" }, next: BASE }),
    ],
  ])("%s: it will fail, for Pulumi deletes last", async (_what, one) => {
    expect(await failureOf(one, leaves())).toMatch(
      new RegExp(
        `^branch ${BASE.branchId} has its primary, the compute of old.*Remove old in a separate .pulumi up. first`,
      ),
    );
    expect(await failureOf(leaves(), one)).toContain("has its primary");
  });

  test("where that stays on the service: so it will, whatever the order", async () => {
    const outputs = { ...outputsOf(BASE), onDelete: "release" };
    expect(await failureOf(moves, leaves({ outputs }))).toMatch(
      /stays on the service\. Choose another branch, or .*adopt: true/,
    );
  });

  test.each<[string, unknown, unknown]>([
    ["it is taken over", step({ op: "create", name: "new", next: { ...BASE, adopt: true, restart: "no" } }), leaves()],
    [
      "a replica leaves",
      moves,
      leaves({ old: { ...BASE, type: "read_only" }, outputs: outputsOf({ ...BASE, type: "read_only" }) }),
    ],
    ["a replica comes", step({ op: "create", name: "new", next: { ...BASE, type: "read_only" } }), leaves()],
    ["it leaves another branch", moves, leaves({ old: FREE })],
    ["it leaves another project", moves, leaves({ old: { ...BASE, projectId: "p-1" } })],
    [
      "the branch is not known yet",
      step({ op: "create", name: "new", next: { ...BASE, branchId: UNKNOWN } }),
      leaves(),
    ],
    [
      "the branch is the same as before",
      step({ op: "update", name: "new", id: "ep-new-1", old: BASE, next: { ...BASE, size: 2 } }),
      leaves(),
    ],
  ])("not where %s", async (_what, one, other) => {
    expect(await failureOf(one, other)).toBe("");
  });
});
