import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { actions, type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT, statuses } from "../support.js";

const BRANCHES = `${PROJECT}/branches`;
const { main, dev } = SEED.branches;

describe("a new branch", () => {
  test("without computes takes one operation, and has the parent's role and database", async () => {
    const emulated = emulator();
    const reply = await emulated.call("POST", BRANCHES, { branch: { name: "feature" }, endpoints: [] });
    expect(actions(reply)).toEqual([["create_branch", "running"]]);
    expect(reply.body.branch).toMatchObject({
      name: "feature",
      parent_id: main,
      default: false,
      current_state: "init",
    });
    expect(reply.body.endpoints).toEqual([]);
    const path = `${BRANCHES}/${reply.body.branch.id}`;
    expect((await emulated.call("GET", `${path}/roles`)).body.roles).toMatchObject([{ name: "neondb_owner" }]);
    expect((await emulated.call("GET", `${path}/databases`)).body.databases).toMatchObject([{ name: "neondb" }]);
    emulated.settle();
    expect((await emulated.call("GET", path)).body.branch).toMatchObject({ current_state: "ready" });
  });

  test("with computes starts them behind it, side by side", async () => {
    const emulated = emulator();
    const body = {
      branch: { parent_id: dev },
      endpoints: [{ type: "read_write" }, { type: "read_only" }],
      annotation_value: {},
    };
    const reply = await emulated.call("POST", BRANCHES, body);
    expect(actions(reply).map(([, status]) => status)).toEqual(["running", "scheduling", "scheduling"]);
    emulated.time.advance(OPERATION_MS);
    expect(await statuses(emulated, reply)).toEqual(["finished", "running", "running"]);
    emulated.time.advance(OPERATION_MS);
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished", "finished"]);
  });

  test("takes no compute before it is ready: 422, and then it does", async () => {
    const emulated = emulator();
    const { id } = (await emulated.call("POST", BRANCHES)).body.branch;
    const create = () => emulated.call("POST", ENDPOINTS, { endpoint: { branch_id: id, type: "read_write" } });
    const early = await create();
    expect([early.status, early.body.message]).toEqual([422, "branch not ready yet"]);
    expect((await emulated.call("PATCH", PRIMARY, { endpoint: { branch_id: id } })).status).toBe(422);
    emulated.settle();
    expect((await create()).status).toBe(201);
  });

  test("says what it was made from, whether or not the request did, in every answer", async () => {
    const { call, settle } = emulator();
    const made = (await call("POST", BRANCHES)).body.branch;
    expect(made).toMatchObject({ init_source: "parent-data", parent_id: main });
    settle();
    const asked = (await call("POST", BRANCHES, { branch: { init_source: "parent-data" } })).body.branch;
    expect(asked.init_source).toBe("parent-data");
    settle();
    for (const one of (await call("GET", BRANCHES)).body.branches) expect(one.init_source).toBe("parent-data");
    const change = { branch: { name: "renamed" } };
    const renamed = (await call("PATCH", `${BRANCHES}/${made.id}`, change)).body.branch;
    expect(renamed).toMatchObject({ init_source: "parent-data", name: "renamed" });
    const project = (await call("POST", "/projects", { project: {} })).body;
    expect(project.branch.init_source).toBe("parent-data");
    const restore = { source_branch_id: main, preserve_under_name: "before" };
    const restored = (await call("POST", `${BRANCHES}/${made.id}/restore`, restore)).body.branch;
    expect(restored.init_source).toBe("parent-data");
    const refused = await call("POST", BRANCHES, { branch: { init_source: "nothing" } });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining("init_source (invalid value"),
    ]);
  });

  test("of the schema alone is a root branch with the roles and databases of the other, and can be deleted", async () => {
    const { call, settle } = emulator();
    const wish = { branch: { init_source: "schema-only", parent_id: dev, name: "empty" } };
    const reply = await call("POST", BRANCHES, wish);
    const { branch } = reply.body;
    expect(branch).toMatchObject({ init_source: "schema-only", name: "empty", default: false });
    expect(branch).not.toHaveProperty("parent_id");
    expect(reply.body).toMatchObject({ roles: [{ name: "neondb_owner" }], databases: [{ name: "neondb" }] });
    settle();
    // It is no child of the other.
    expect((await call("DELETE", `${BRANCHES}/${dev}`)).status).toBe(200);
    settle();
    expect((await call("DELETE", `${BRANCHES}/${branch.id}`)).status).toBe(200);
  });

  test.each([{ parent_lsn: "0/1A2B3C" }, { parent_timestamp: "2026-01-01T00:00:00Z" }])(
    "from the past shows %j as it was asked for",
    async (point) => {
      const { call } = emulator();
      const { branch } = (await call("POST", BRANCHES, { branch: point })).body;
      expect(branch).toMatchObject(point);
      expect((await call("GET", `${BRANCHES}/${branch.id}`)).body.branch).toMatchObject(point);
      expect((await call("GET", `${BRANCHES}/${dev}`)).body.branch).not.toHaveProperty(Object.keys(point)[0]!);
    },
  );

  test("that fails never becomes ready", async () => {
    const emulated = emulator();
    emulated.running.faults.add({ operation: { action: "create_branch", then: "error" } });
    const { id } = (await emulated.call("POST", BRANCHES)).body.branch;
    emulated.settle();
    const { branch } = (await emulated.call("GET", `${BRANCHES}/${id}`)).body;
    expect(branch.current_state).toBe("init");
    expect(branch).not.toHaveProperty("pending_state");
  });

  test("can't have a name that is taken", async () => {
    const { call } = emulator();
    expect((await call("POST", BRANCHES, { branch: { name: "dev" } })).status).toBe(409);
    expect((await call("PATCH", `${BRANCHES}/${dev}`, { branch: { name: "preview" } })).status).toBe(409);
    expect((await call("PATCH", `${BRANCHES}/${dev}`, { branch: { name: "dev" } })).status).toBe(200);
  });
});

describe("branches", () => {
  test("are listed with an object of annotations and exactly one default", async () => {
    const { branches, annotations } = (await emulator().call("GET", `${BRANCHES}?limit=100`)).body;
    expect(branches.filter((one: Body) => one.default).map((one: Body) => one.id)).toEqual([main]);
    expect(annotations).toEqual({});
  });

  test("are renamed and protected, which is a change", async () => {
    const emulated = emulator();
    const change = { name: "renamed", protected: true };
    await emulated.call("PATCH", `${BRANCHES}/${dev}`, { branch: change });
    const { branch } = (await emulated.call("GET", `${BRANCHES}/${dev}`)).body;
    expect(branch).toMatchObject({ ...change, updated_at: "2026-05-04T09:00:00Z", created_at: "2026-05-04T08:59:00Z" });
  });

  test("have a date on which they expire, in UTC, or none any more", async () => {
    const { call } = emulator();
    const set = async (expires_at: string | null) =>
      (await call("PATCH", `${BRANCHES}/${dev}`, { branch: { expires_at } })).body.branch;
    expect(await set("2027-01-01T01:30:00.25+02:00")).toMatchObject({ expires_at: "2026-12-31T23:30:00Z" });
    expect(await set(null)).not.toHaveProperty("expires_at");
  });

  test("are sorted, searched and paged", async () => {
    const { call } = emulator();
    const names = async (query: string) => (await call("GET", `${BRANCHES}?${query}`)).body;
    const sorted = await names("sort_by=name&sort_order=asc&limit=2");
    expect(sorted.branches.map((one: Body) => one.name)).toEqual(["dev", "main"]);
    const rest = await names(`sort_by=name&sort_order=asc&limit=2&cursor=${sorted.pagination.next}`);
    expect(rest.branches.map((one: Body) => one.name)).toEqual(["preview"]);
    expect(rest.pagination).not.toHaveProperty("next");
    expect((await names("limit=3")).pagination).not.toHaveProperty("next");
    expect((await names("search=prev")).branches).toHaveLength(1);
    expect((await call("GET", `${BRANCHES}?sort_by=colour`)).status).toBe(400);
  });

  test.each<[string, string, (emulated: ReturnType<typeof emulator>) => unknown]>([
    ["the default branch", main, () => undefined],
    ["a branch with children", dev, ({ call }) => call("POST", BRANCHES, { branch: { parent_id: dev } })],
    ["a protected branch", dev, ({ call }) => call("PATCH", `${BRANCHES}/${dev}`, { branch: { protected: true } })],
  ])("%s can't be deleted: 422", async (_what, id, prepare) => {
    const emulated = emulator();
    await prepare(emulated);
    emulated.settle();
    expect((await emulated.call("DELETE", `${BRANCHES}/${id}`)).status).toBe(422);
  });

  test("go with their computes, once those are stopped; a second delete is 204", async () => {
    const emulated = emulator();
    const endpoint = { branch_id: dev, type: "read_write" };
    const { id } = (await emulated.call("POST", ENDPOINTS, { endpoint })).body.endpoint;
    emulated.settle();
    const reply = await emulated.call("DELETE", `${BRANCHES}/${dev}`);
    expect(actions(reply)).toEqual([
      ["suspend_compute", "running"],
      ["delete_timeline", "scheduling"],
    ]);
    expect((await emulated.call("GET", `${ENDPOINTS}/${id}`)).status).toBe(404);
    expect((await emulated.call("DELETE", `${BRANCHES}/${dev}`)).status).toBe(204);
    emulated.settle();
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished"]);
  });

  test("that are protected keep their computes, and their project", async () => {
    const emulated = emulator();
    await emulated.call("PATCH", `${BRANCHES}/${main}`, { branch: { protected: true } });
    expect((await emulated.call("DELETE", PRIMARY)).status).toBe(422);
    expect((await emulated.call("DELETE", PROJECT)).status).toBe(422);
    expect((await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x" } })).status).toBe(200);
  });
});
