/** What a preview foresees of a creation is what the create does. */
import { describe, expect, test } from "vitest";
import { adopted, byHand, Lab, labWith, type Props, primary, replica, SEED } from "./support.js";

const MAIN = SEED.branches.main;

async function foreseen(lab: Lab, args: Props, name = "db") {
  const { outlook } = await lab.preview(name, args);
  const { error } = await lab.attempt(name, args);
  // Whatever was foreseen, the create does it.
  expect(outlook?.kind === "fails").toBe(error !== undefined);
  return outlook;
}

describe("a creation stops", () => {
  test.each<[string, Props, string]>([
    ["the branch has its primary", primary({ branchId: MAIN }), `branch ${MAIN} has its primary already`],
    ["the adopted compute does not exist", primary({ adopt: "ep-nowhere" }), "has no compute ep-nowhere"],
    ["the adopted compute is of another type", replica({ adopt: SEED.primaryId }), "which is read_write"],
    ["the project does not exist", primary({ projectId: "no-such-project-1" }), "project no-such-project-1 does not"],
    ["the branch does not exist", primary({ branchId: "br-nowhere" }), "branch br-nowhere of project"],
    ["the region is another", primary({ regionId: "aws-eu-west-9" }), "regionId is aws-eu-west-9"],
    ["refuse does not let the adoption through", adopted({ size: 4, onRestart: "refuse" }), "restarts this compute"],
  ])("%s", async (_why, args, problem) => {
    expect(await foreseen(new Lab(), args)).toMatchObject({
      kind: "fails",
      foreseen: { problem: expect.stringContaining(problem) },
    });
  });

  test("an interrupted run has left its compute", async () => {
    const lab = await labWith("db", replica());
    lab.state.delete("db");
    expect(await foreseen(lab, replica())).toMatchObject({ kind: "fails", foreseen: { mayBeOwn: true } });
  });
});

describe("a creation does not stop", () => {
  test("a new compute", async () => {
    expect(await foreseen(new Lab(), primary())).toEqual({ kind: "makes" });
  });

  test("an adoption of exactly these values", async () => {
    expect(await foreseen(new Lab(), adopted({ size: 0.25 }))).toMatchObject({
      kind: "adopts",
      changes: [],
      assessment: { impact: "none" },
      activity: { state: "active" },
    });
  });

  test("an adoption of an idle compute with other values", async () => {
    const lab = new Lab();
    byHand(lab, SEED.primaryId, { current_state: "idle" });
    expect(await foreseen(lab, adopted({ size: 4 }))).toMatchObject({
      kind: "adopts",
      assessment: { impact: "restart" },
      activity: { state: "idle" },
    });
  });

  test("a replacement, whose old compute has the branch until then", async () => {
    const lab = await labWith("db", primary());
    const args = primary({ branchId: SEED.branches.dev, suspendTimeoutSeconds: 600 });
    const options = { replaceOnChanges: ["suspendTimeoutSeconds"] };
    const { op, outlook, announced } = await lab.preview("db", args, options);
    expect([op, outlook, announced?.replaces]).toEqual([
      "replace",
      { kind: "makes" },
      { id: lab.resource("db").id, projectId: SEED.projectId, fate: "deleted" },
    ]);
    await lab.up("db", args, options);
  });

  test("values that are not known yet say nothing", async () => {
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    for (const name of ["branchId", "adopt", "name", "type"]) {
      const { outlook } = await new Lab().preview("db", primary({ branchId: MAIN, [name]: unknown }));
      expect(outlook).toBeUndefined();
    }
  });
});
