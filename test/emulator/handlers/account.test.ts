import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { emulator, PROJECT } from "../support.js";

const SCOPED = "key-of-one-project";
const BRANCH = `${PROJECT}/branches/${SEED.branches.main}`;

describe("what clients ask before they come to the point", () => {
  test.each<[string, number, object]>([
    ["/users/me", 200, { email: "user@example.com", max_autoscaling_limit: 16, projects_limit: 1000 }],
    ["/auth", 200, { account_id: expect.any(String), auth_method: "api_key_user" }],
    ["/users/me/organizations", 200, { organizations: [] }],
    [`${PROJECT}/permissions`, 200, { project_permissions: [] }],
    [`${PROJECT}/jwks`, 200, { jwks: [] }],
    [`${PROJECT}/vpc_endpoints`, 200, { endpoints: [] }],
    [`${PROJECT}/snapshots`, 200, { snapshots: [] }],
    [`${BRANCH}/buckets`, 200, { buckets: [] }],
    [`${BRANCH}/functions`, 200, { functions: [] }],
    [`${BRANCH}/credentials`, 200, { credentials: [] }],
    [`${BRANCH}/auth`, 404, { message: "route not found" }],
    ["/projects/none/jwks", 404, { message: "project not found" }],
    [`${PROJECT}/branches/br-none/buckets`, 404, { message: "branch not found" }],
    ["/projects/none/available_preload_libraries", 404, { message: "project not found" }],
  ])("%s is %i", async (path, status, body) => {
    const reply = await emulator().call("GET", path);
    expect([reply.status, reply.body]).toEqual([status, expect.objectContaining(body)]);
  });

  test("regions, one of which is the default", async () => {
    const { regions } = (await emulator().call("GET", "/regions")).body;
    expect(regions.length).toBeGreaterThan(3);
    const defaults = regions.filter((one: { default: boolean }) => one.default);
    expect(defaults).toMatchObject([{ region_id: SEED.regionId }]);
  });

  test("libraries, by name", async () => {
    const { libraries } = (await emulator().call("GET", `${PROJECT}/available_preload_libraries`)).body;
    expect(libraries).toContainEqual(expect.objectContaining({ library_name: "pg_cron", is_default: true }));
  });

  test.each([
    ["/users/me", 403],
    ["/users/me/organizations", 403],
    ["/auth", 403],
    ["/api_keys", 403],
    [`${PROJECT}/permissions`, 200],
    ["/regions", 200],
    [PROJECT, 200],
  ])("%s with a key for one project is %i", async (path, status) => {
    const { raw } = emulator({ keys: [{ key: SCOPED, projectId: SEED.projectId }] });
    const reply = await raw("GET", `/api/v2${path}`, undefined, { authorization: `Bearer ${SCOPED}` });
    expect(reply.status).toBe(status);
  });

  test("deleted projects, of which none comes back", async () => {
    const { call } = emulator();
    await call("DELETE", PROJECT);
    expect((await call("GET", "/projects?recoverable=true")).body.projects).toEqual([]);
    expect((await call("GET", "/projects?recoverable=false")).body.projects).toHaveLength(1);
  });
});
