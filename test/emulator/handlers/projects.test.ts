import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { actions, type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT, statuses } from "../support.js";

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

  test("of an organization are listed for it and not for another", async () => {
    const { call, running } = emulator();
    running.world.projects[SEED.projectId]!.org_id = "org-one";
    delete running.world.projects[SEED.second.projectId];
    const count = async (query: string) => (await call("GET", `/projects${query}`)).body.projects.length;
    expect([await count(""), await count("?org_id=org-one"), await count("?org_id=org-two")]).toEqual([1, 1, 0]);
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

  const SETTINGS = {
    allowed_ips: { ips: [], protected_branches_only: false },
    enable_logical_replication: false,
    maintenance_window: { weekdays: [6], start_time: "08:00", end_time: "09:00" },
    block_public_connections: false,
    block_vpc_connections: false,
    hipaa: false,
  };

  test("show their settings also where nobody has set any, in every answer", async () => {
    const { call, running } = emulator();
    const made = (await call("POST", "/projects", { project: { name: "new" } })).body;
    expect(made.project.settings).toEqual(SETTINGS);
    expect((await call("GET", PROJECT)).body.project.settings).toEqual(SETTINGS);
    const { projects } = (await call("GET", "/projects")).body;
    for (const one of projects) expect(one.settings).toEqual(SETTINGS);
    // A world from before, or one that a test wrote, holds what it holds.
    running.world.projects[SEED.projectId]!.settings = { allowed_ips: { ips: ["192.0.2.1"] } };
    expect((await call("GET", PROJECT)).body.project.settings.allowed_ips).toEqual({
      ips: ["192.0.2.1"],
      protected_branches_only: false,
    });
    expect((await call("DELETE", `/projects/${made.project.id}`)).body.project.settings).toEqual(SETTINGS);
  });

  const ips = ["192.0.2.1", "198.51.100.0/24"];
  const both = { ips, protected_branches_only: true };
  test.each<[object, object, object]>([
    [{ hipaa: true }, both, both],
    [{ allowed_ips: { ips: [] } }, { ips: [], protected_branches_only: false }, { ...both, ips: [] }],
    [
      { allowed_ips: { protected_branches_only: false } },
      SETTINGS.allowed_ips,
      { ips, protected_branches_only: false },
    ],
    [{ allowed_ips: {} }, SETTINGS.allowed_ips, both],
  ])(
    "whose settings are changed by %j keep what it does not name; allowed_ips as is chosen",
    async (sent, ...expected) => {
      for (const [index, settingsPatch] of (["replace", "merge"] as const).entries()) {
        const { call } = emulator({ settingsPatch });
        const set = async (settings: object) =>
          (await call("PATCH", PROJECT, { project: { settings } })).body.project.settings;
        expect(await set({ block_vpc_connections: true, allowed_ips: both })).toMatchObject({ allowed_ips: both });
        const after = { ...SETTINGS, block_vpc_connections: true, ...sent, allowed_ips: expected[index] };
        expect(await set(sent)).toEqual(after);
        expect((await call("GET", PROJECT)).body.project.settings).toEqual(after);
      }
    },
  );

  test.each<[object, string]>([
    [{ allowed_ips: [] }, "allowed_ips (unexpected [], object expected"],
    [{ allowed_ips: { ips: "192.0.2.1" } }, 'ips (unexpected "192.0.2.1", array expected'],
    [{ hipaa: "no" }, 'hipaa (unexpected "no", boolean expected'],
    [{ quota: { active_time_seconds: -1 } }, "active_time_seconds (int: value -1 less than 0"],
    [{ audit_log_level: "loud" }, 'audit_log_level (invalid value: "loud"'],
  ])("refuse the settings %j", async (settings, reason) => {
    const { call } = emulator();
    const reply = await call("PATCH", PROJECT, { project: { settings } });
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining(reason)]);
    expect((await call("GET", PROJECT)).body.project.settings).toEqual(SETTINGS);
  });

  test("keep a setting that only a newer client knows", async () => {
    const { running } = emulator();
    const body = JSON.stringify({ project: { settings: { from_tomorrow: { on: true } } } });
    const headers = { authorization: `Bearer ${running.apiKey}` };
    const answer = await running.handle({ method: "PATCH", path: `/api/v2${PROJECT}`, headers, body });
    if ("cut" in answer) throw new Error("cut");
    expect(JSON.parse(answer.body).project.settings).toEqual({ ...SETTINGS, from_tomorrow: { on: true } });
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
