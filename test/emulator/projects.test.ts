import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { actions, type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT, statuses } from "./support.js";

const BRANCHES = `${PROJECT}/branches`;
const { main, dev } = SEED.branches;
const URI = `${PROJECT}/connection_uri?database_name=neondb&role_name=neondb_owner`;

describe("a new project", () => {
  test("has a root branch, its primary, one role and one database", async () => {
    const emulated = emulator();
    const reply = await emulated.call("POST", "/projects", {
      project: { name: "shop", region_id: "aws-eu-central-1" },
    });
    const { project, branch, endpoints, roles, databases, connection_uris } = reply.body;
    expect(reply.status).toBe(201);
    expect(project).toMatchObject({
      name: "shop",
      region_id: "aws-eu-central-1",
      proxy_host: "eu-central-1.aws.neon.tech",
    });
    expect(branch).toMatchObject({ name: "main", default: true, current_state: "init", pending_state: "ready" });
    expect(branch).not.toHaveProperty("parent_id");
    expect(endpoints).toMatchObject([{ type: "read_write", branch_id: branch.id, current_state: "init" }]);
    expect(endpoints[0].host).toBe(`${endpoints[0].id}.eu-central-1.aws.neon.tech`);
    expect(roles).toMatchObject([{ name: "neondb_owner", branch_id: branch.id }]);
    expect(databases).toMatchObject([{ name: "neondb", owner_name: "neondb_owner" }]);
    expect(connection_uris[0].connection_uri).toContain(endpoints[0].host);
    expect(actions(reply)).toEqual([
      ["create_timeline", "running"],
      ["start_compute", "scheduling"],
    ]);
    expect(reply.body.operations[0]).not.toHaveProperty("endpoint_id");
    emulated.time.advance(OPERATION_MS);
    expect(await statuses(emulated, reply)).toEqual(["finished", "running"]);
    expect(
      (await emulated.call("GET", `/projects/${project.id}/branches/${branch.id}`)).body.branch.current_state,
    ).toBe("ready");
    emulated.time.advance(OPERATION_MS);
    expect((await emulated.call("GET", `/projects/${project.id}/endpoints`)).body.endpoints[0].current_state).toBe(
      "active",
    );
  });

  test.each([
    [undefined, "body required"],
    [{}, "project (field required)"],
    [{ project: { pg_version: 13 } }, "pg_version"],
    [{ project: { region_id: "moon" } }, "region_id"],
    [{ project: { default_endpoint_settings: { autoscaling_limit_max_cu: 17 } } }, "cannot exceed 8"],
  ])("from %j is refused", async (body, reason) => {
    const emulated = emulator();
    const reply = await emulated.call("POST", "/projects", body);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain(reason);
    expect(Object.keys(emulated.running.world.projects)).toHaveLength(2);
  });
});

describe("projects", () => {
  test("are listed in pages, by the last id", async () => {
    const { call } = emulator();
    const first = (await call("GET", "/projects?limit=1")).body;
    const second = (await call("GET", `/projects?limit=1&cursor=${first.pagination.cursor}`)).body;
    const third = (await call("GET", `/projects?limit=1&cursor=${second.pagination.cursor}`)).body;
    const ids = [first, second, third].map((page) => page.projects.map((one: Body) => one.id));
    expect(ids).toEqual([[SEED.second.projectId], [SEED.projectId], []]);
    expect(third).not.toHaveProperty("pagination");
  });

  test("are found by name and id, and nobody shares any", async () => {
    const { call } = emulator();
    expect((await call("GET", "/projects?search=calm")).body.projects).toHaveLength(1);
    expect((await call("GET", "/projects/shared?limit=100")).body).toEqual({ projects: [] });
  });

  test("are changed field by field", async () => {
    const { call } = emulator();
    const settings = { autoscaling_limit_max_cu: 2 };
    const reply = await call("PATCH", PROJECT, { project: { name: "new", default_endpoint_settings: settings } });
    expect(reply.body.operations).toEqual([]);
    expect(reply.body.project).toMatchObject({
      name: "new",
      pg_version: 17,
      default_endpoint_settings: { autoscaling_limit_min_cu: 0.25, ...settings },
    });
  });

  test("are deleted with all that is in them, also while their operations run", async () => {
    const emulated = emulator();
    await emulated.call("POST", `${PRIMARY}/restart`);
    const reply = await emulated.call("DELETE", PROJECT);
    expect([reply.status, "operations" in reply.body]).toEqual([200, false]);
    expect((await emulated.call("GET", ENDPOINTS)).status).toBe(404);
    emulated.settle();
    const { projects, branches, endpoints, operations } = emulated.running.world;
    expect([projects, branches, endpoints, operations].map((rows) => Object.keys(rows).length)).toEqual([1, 1, 0, 0]);
  });
});

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

describe("the connection URI", () => {
  test.each([
    ["", `@${SEED.primaryId}.us-east-2.aws.neon.tech/`],
    ["&pooled=true", `@${SEED.primaryId}-pooler.us-east-2.aws.neon.tech/`],
    ["&pooled=false", `@${SEED.primaryId}.us-east-2.aws.neon.tech/`],
    [`&endpoint_id=${SEED.primaryId}`, `@${SEED.primaryId}.`],
    [`&branch_id=${main}`, `@${SEED.primaryId}.`],
  ])("with %j has the host, the role and a password", async (query, host) => {
    const { uri } = (await emulator().call("GET", `${URI}${query}`)).body;
    expect(uri).toMatch(/^postgresql:\/\/neondb_owner:npg_[a-z0-9]{12}@.+\/neondb\?sslmode=require$/);
    expect(uri).toContain(host);
  });

  test.each([
    [`${PROJECT}/connection_uri?role_name=neondb_owner`, 400],
    [`${PROJECT}/connection_uri?database_name=neondb`, 400],
    [`${URI}&pooled=perhaps`, 400],
    [`${URI}&branch_id=${dev}`, 404],
    [`${URI}&branch_id=${dev}&endpoint_id=${SEED.primaryId}`, 404],
    [`${PROJECT}/connection_uri?database_name=neondb&role_name=nobody`, 404],
    [`${PROJECT}/connection_uri?database_name=none&role_name=neondb_owner`, 404],
  ])("%s is %i", async (path, status) => {
    expect((await emulator().call("GET", path)).status).toBe(status);
  });

  test("is the only way to the password: the list of roles leaves it out", async () => {
    const { text } = await emulator().call("GET", `${BRANCHES}/${main}/roles`);
    expect(text).not.toContain("npg_");
  });
});
