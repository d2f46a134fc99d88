import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { actions, type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT, statuses } from "../support.js";

const BRANCHES = `${PROJECT}/branches`;
const { main, dev, preview } = SEED.branches;
const LATE = "2026-05-04T08:59:30Z";
const fromItself = { source_branch_id: main, source_timestamp: LATE, preserve_under_name: "before" };

type Emulated = ReturnType<typeof emulator>;
const restore = ({ call }: Emulated, id: string, body: Body) => call("POST", `${BRANCHES}/${id}/restore`, body);
const branchNamed = async ({ call }: Emulated, name: string): Promise<Body> =>
  (await call("GET", BRANCHES)).body.branches.find((one: Body) => one.name === name);

describe("a restore to a new branch", () => {
  test("moves the compute: its branch changes, its id and host stay", async () => {
    const emulated = emulator();
    const before = await emulated.endpoint();
    const reply = await restore(emulated, main, fromItself);
    expect(reply.status).toBe(200);
    const { id } = reply.body.branch;
    expect(id).not.toBe(main);
    expect(actions(reply)).toEqual([
      ["create_branch", "running"],
      ["suspend_compute", "scheduling"],
      ["start_compute", "scheduling"],
    ]);
    emulated.settle();
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished", "finished"]);
    const after = await emulated.endpoint();
    expect(after).toMatchObject({ id: before.id, host: before.host, branch_id: id, current_state: "active" });
    expect(after.started_at).not.toBe(before.started_at);
  });

  test("takes the old one's name and place; the old one keeps its children under the other name", async () => {
    const emulated = emulator();
    const { branch } = (await restore(emulated, main, fromItself)).body;
    expect(branch).toMatchObject({ name: "main", default: true, current_state: "init", parent_id: main });
    expect(await branchNamed(emulated, "before")).toMatchObject({ id: main, default: false });
    expect(await branchNamed(emulated, "dev")).toMatchObject({ parent_id: main });
    emulated.time.advance(OPERATION_MS);
    expect(await branchNamed(emulated, "main")).toMatchObject({ id: branch.id, current_state: "ready" });
  });

  test("without another name for the old one leaves none of it", async () => {
    const emulated = emulator();
    const { branch } = (await restore(emulated, dev, { source_branch_id: preview })).body;
    expect((await emulated.call("GET", `${BRANCHES}/${dev}`)).status).toBe(404);
    expect(branch).toMatchObject({ name: "dev", parent_id: preview });
  });

  test("has what the source has, and not what the old one had", async () => {
    const emulated = emulator();
    await emulated.call("POST", `${BRANCHES}/${preview}/roles`, { role: { name: "theirs" } });
    await emulated.call("POST", `${BRANCHES}/${dev}/roles`, { role: { name: "mine" } });
    const { branch } = (await restore(emulated, dev, { source_branch_id: preview })).body;
    const { roles } = (await emulated.call("GET", `${BRANCHES}/${branch.id}/roles`)).body;
    expect(roles.map((one: Body) => one.name)).toEqual(["neondb_owner", "theirs"]);
  });

  test("lets an idle compute sleep", async () => {
    const emulated = emulator();
    await emulated.call("POST", `${PRIMARY}/suspend`);
    emulated.settle();
    const reply = await restore(emulated, main, fromItself);
    expect(actions(reply)).toEqual([["create_branch", "running"]]);
    expect(await emulated.endpoint()).toMatchObject({
      current_state: "idle",
      branch_id: reply.body.branch.id,
      updated_at: `${new Date(emulated.time.now()).toISOString().slice(0, 19)}Z`,
    });
  });
});

describe("a restore in place", () => {
  test("keeps the branch and its computes; what it was is a new branch with its children", async () => {
    const emulated = emulator({ restoredBranch: "same" });
    const reply = await restore(emulated, main, fromItself);
    expect(reply.body.branch).toMatchObject({ id: main, name: "main", default: true, current_state: "resetting" });
    const old = await branchNamed(emulated, "before");
    expect(old).toMatchObject({ current_state: "ready", default: false });
    expect(old).not.toHaveProperty("parent_id");
    expect(await branchNamed(emulated, "dev")).toMatchObject({ parent_id: old.id });
    emulated.settle();
    expect(await branchNamed(emulated, "main")).toMatchObject({ id: main, current_state: "ready", parent_id: old.id });
    expect(await emulated.endpoint()).toMatchObject({ branch_id: main, current_state: "active" });
  });

  test("has what the source has", async () => {
    const emulated = emulator({ restoredBranch: "same" });
    await emulated.call("POST", `${BRANCHES}/${preview}/roles`, { role: { name: "theirs" } });
    await restore(emulated, dev, { source_branch_id: preview });
    const { roles } = (await emulated.call("GET", `${BRANCHES}/${dev}/roles`)).body;
    expect(roles.map((one: Body) => one.name)).toEqual(["neondb_owner", "theirs"]);
    expect((await emulated.call("GET", BRANCHES)).body.branches).toHaveLength(3);
  });
});

describe.each(["new", "same"] as const)("a restore (%s branch)", (restoredBranch) => {
  test.each<[string, string, Body, number]>([
    ["from itself without a point in time", main, { source_branch_id: main, preserve_under_name: "x" }, 400],
    ["from itself without a name for the old", main, { source_branch_id: main, source_lsn: "0/1" }, 400],
    ["of a branch with children without that name", main, { source_branch_id: dev }, 400],
    ["to a name that is taken", main, { ...fromItself, preserve_under_name: "dev" }, 409],
    ["from a branch that is not there", main, { source_branch_id: "br-none" }, 404],
    ["of a branch that is not there", "br-none", fromItself, 404],
    ["without a source", main, {}, 400],
  ])("%s is refused, and changes nothing", async (_what, id, body, status) => {
    const emulated = emulator({ restoredBranch });
    const before = structuredClone(emulated.running.world);
    expect((await restore(emulated, id, body)).status).toBe(status);
    expect(emulated.running.world).toEqual(before);
  });

  test("waits for what runs, and for a source that is ready", async () => {
    const emulated = emulator({ restoredBranch });
    const { id } = (await emulated.call("POST", BRANCHES)).body.branch;
    expect((await restore(emulated, dev, { source_branch_id: id })).status).toBe(422);
    expect((await restore(emulated, dev, { source_branch_id: preview })).status).toBe(423);
    emulated.settle();
    expect((await restore(emulated, dev, { source_branch_id: id })).status).toBe(200);
  });

  test("takes every compute of the branch along", async () => {
    const emulated = emulator({ restoredBranch });
    await emulated.call("POST", ENDPOINTS, { endpoint: { branch_id: main, type: "read_only" } });
    emulated.settle();
    const reply = await restore(emulated, main, fromItself);
    expect(actions(reply)).toHaveLength(5);
    const { endpoints } = (await emulated.call("GET", `${BRANCHES}/${reply.body.branch.id}/endpoints`)).body;
    expect(endpoints).toHaveLength(2);
  });

  test("tells when it was, of the restored branch alone", async () => {
    const emulated = emulator({ restoredBranch });
    await restore(emulated, main, fromItself);
    const at = `${new Date(emulated.time.now()).toISOString().slice(0, 19)}Z`;
    expect(await branchNamed(emulated, "main")).toMatchObject({ last_reset_at: at });
    for (const name of ["before", "dev"]) expect(await branchNamed(emulated, name)).not.toHaveProperty("last_reset_at");
  });
});
