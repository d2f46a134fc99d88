import { describe, expect, test } from "vitest";
import { ROUTE_NAMES } from "../../../emulator/handlers/routes.js";
import { SEED } from "../../../emulator/index.js";
import { type Body, emulator, PROJECT } from "../support.js";
import { problemsOf, published, publishedCalls } from "./published.js";

const { main, dev, preview } = SEED.branches;

/** For each call a good request: the values of its path, its query, its body, and the status of its answer. */
const REQUESTS: Record<string, { params?: Record<string, string>; query?: string; body?: Body; status: number }> = {
  "GET /projects": { query: "?limit=100&timeout=30000&recoverable=false", status: 200 },
  "POST /projects": { body: { project: {} }, status: 201 },
  "GET /projects/shared": { query: "?limit=100", status: 200 },
  "GET /projects/{project_id}": { status: 200 },
  "PATCH /projects/{project_id}": {
    body: { project: { settings: { enable_logical_replication: true } } },
    status: 200,
  },
  "DELETE /projects/{project_id}": { status: 200 },
  "GET /projects/{project_id}/connection_uri": {
    query: "?database_name=neondb&role_name=neondb_owner",
    status: 200,
  },
  "GET /projects/{project_id}/available_preload_libraries": { status: 200 },
  "GET /projects/{project_id}/operations": { query: "?limit=2", status: 200 },
  "GET /projects/{project_id}/operations/{operation_id}": { status: 200 },
  "GET /projects/{project_id}/branches": { query: "?limit=100&include_deleted=false", status: 200 },
  "POST /projects/{project_id}/branches": { body: { endpoints: [{ type: "read_write" }] }, status: 201 },
  "GET /projects/{project_id}/branches/{branch_id}": { status: 200 },
  "PATCH /projects/{project_id}/branches/{branch_id}": { body: { branch: { protected: true } }, status: 200 },
  "DELETE /projects/{project_id}/branches/{branch_id}": { params: { branch_id: dev }, status: 200 },
  "POST /projects/{project_id}/branches/{branch_id}/set_as_default": { params: { branch_id: preview }, status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/endpoints": { status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/roles": { status: 200 },
  "POST /projects/{project_id}/branches/{branch_id}/roles": { body: { role: { name: "new" } }, status: 201 },
  "GET /projects/{project_id}/branches/{branch_id}/roles/{role_name}/reveal_password": { status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/databases": { status: 200 },
  "POST /projects/{project_id}/branches/{branch_id}/databases": {
    body: { database: { name: "shop", owner_name: "neondb_owner" } },
    status: 201,
  },
  "GET /projects/{project_id}/endpoints": { status: 200 },
  "POST /projects/{project_id}/endpoints": { body: { endpoint: { branch_id: dev, type: "read_write" } }, status: 201 },
  "GET /projects/{project_id}/endpoints/{endpoint_id}": { status: 200 },
  "PATCH /projects/{project_id}/endpoints/{endpoint_id}": { body: { endpoint: { name: "x" } }, status: 200 },
  "DELETE /projects/{project_id}/endpoints/{endpoint_id}": { status: 200 },
  "POST /projects/{project_id}/endpoints/{endpoint_id}/start": { body: {}, status: 200 },
  "POST /projects/{project_id}/endpoints/{endpoint_id}/suspend": { status: 200 },
  "POST /projects/{project_id}/endpoints/{endpoint_id}/restart": { status: 200 },
  "GET /users/me": { status: 200 },
  "GET /users/me/organizations": { status: 200 },
  "GET /auth": { status: 200 },
  "GET /api_keys": { status: 200 },
  "POST /api_keys": { body: { key_name: "ci" }, status: 200 },
  "DELETE /api_keys/{key_id}": { status: 200 },
  "GET /projects/{project_id}/permissions": { status: 200 },
  "POST /projects/{project_id}/permissions": { body: { email: "one@example.com" }, status: 200 },
  "DELETE /projects/{project_id}/permissions/{permission_id}": { status: 200 },
  "GET /projects/{project_id}/jwks": { status: 200 },
  "POST /projects/{project_id}/jwks": {
    body: { jwks_url: "https://example.com/jwks.json", provider_name: "any", branch_id: main },
    status: 201,
  },
  "DELETE /projects/{project_id}/jwks/{jwks_id}": { status: 200 },
  "GET /projects/{project_id}/vpc_endpoints": { status: 200 },
  "GET /projects/{project_id}/snapshots": { status: 200 },
  "GET /projects/{project_id}/branches/count": { status: 200 },
  "POST /projects/{project_id}/branches/{branch_id}/restore": {
    body: { source_branch_id: preview, preserve_under_name: "before" },
    status: 200,
  },
  "GET /projects/{project_id}/branches/{branch_id}/buckets": { status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/functions": { status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/credentials": { status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/roles/{role_name}": { status: 200 },
  "DELETE /projects/{project_id}/branches/{branch_id}/roles/{role_name}": { params: { role_name: "app" }, status: 200 },
  "POST /projects/{project_id}/branches/{branch_id}/roles/{role_name}/reset_password": { status: 200 },
  "GET /projects/{project_id}/branches/{branch_id}/databases/{database_name}": { status: 200 },
  "PATCH /projects/{project_id}/branches/{branch_id}/databases/{database_name}": {
    body: { database: { name: "shop" } },
    status: 200,
  },
  "DELETE /projects/{project_id}/branches/{branch_id}/databases/{database_name}": { status: 200 },
  "GET /regions": { query: "?org_id=org-x", status: 200 },
};

describe("every published call", () => {
  test("has its request here, and is a route of the emulator, which has no others", () => {
    expect(Object.keys(REQUESTS).sort()).toEqual([...publishedCalls].sort());
    const unnamed = (name: string) => name.replace(/\{\w+\}|:\w+/g, "*");
    expect(publishedCalls.map(unnamed).sort()).toEqual(ROUTE_NAMES.map(unnamed).sort());
  });

  test.each(publishedCalls)("%s is answered as published", async (name) => {
    const [method = "", template = ""] = name.split(" ");
    const { params = {}, query = "", body, status } = REQUESTS[name]!;
    const emulated = emulator();
    const made = async (path: string, sent: Body) => (await emulated.call("POST", path, sent)).body;
    const key = await made("/api_keys", { key_name: "one" });
    const permission = await made(`${PROJECT}/permissions`, { email: "two@example.com" });
    const { jwks } = await made(`${PROJECT}/jwks`, { jwks_url: "https://example.com/keys", provider_name: "any" });
    await made(`${PROJECT}/branches/${main}/roles`, { role: { name: "app" } });
    emulated.settle();
    await made(`${PROJECT}/endpoints/${SEED.primaryId}/restart`, undefined);
    emulated.settle();
    const values: Record<string, string> = {
      project_id: SEED.projectId,
      branch_id: main,
      endpoint_id: SEED.primaryId,
      role_name: "neondb_owner",
      database_name: "neondb",
      key_id: String(key.id),
      permission_id: permission.id,
      jwks_id: jwks.id,
      operation_id: emulated.running.world.operations[0]!.id,
      ...params,
    };
    const path = template.replace(/\{(\w+)\}/g, (_, key: string) => values[key] as string);
    // `call` holds the answer to the schema.
    expect((await emulated.call(method, `${path}${query}`, body)).status).toBe(status);
  });

  test.each(publishedCalls)("%s without a key is refused in the published form", async (name) => {
    const [method = "", template = ""] = name.split(" ");
    const { raw } = emulator();
    const path = template.replace(/\{\w+\}/g, "x");
    const reply = await raw(method, `/api/v2${path}`);
    expect(reply.status).toBe(401);
    expect(problemsOf(method, path, 401, reply.body)).toEqual([]);
  });
});

describe("the judge of answers finds", () => {
  const endpoint = async (change: (row: Body) => void) => {
    const row = await emulator().endpoint();
    change(row);
    return problemsOf("GET", `/projects/p/endpoints/${SEED.primaryId}`, 200, { endpoint: row });
  };
  test.each<[string, (row: Body) => void, string]>([
    ["a missing field", (row) => delete row.host, "endpoint.host: missing"],
    ["a field that nobody published", (row) => Object.assign(row, { plan: {} }), "endpoint.plan: not published"],
    ["a word that is none", (row) => Object.assign(row, { current_state: "asleep" }), "is not one of init,active,idle"],
    ["a text for a number", (row) => Object.assign(row, { suspend_timeout_seconds: "0" }), "is no integer"],
    ["a fraction for a number", (row) => Object.assign(row, { suspend_timeout_seconds: 0.5 }), "is no integer"],
    ["too little", (row) => Object.assign(row, { suspend_timeout_seconds: -2 }), "is less than -1"],
    ["a time with fractions", (row) => Object.assign(row, { created_at: "2026-05-04T09:00:00.5Z" }), "is no date-time"],
    ["an id in capitals", (row) => Object.assign(row, { branch_id: "BR-X" }), "is not like"],
    ["null", (row) => Object.assign(row, { name: null }), "is no string"],
    [
      "a setting that is a number",
      (row) => Object.assign(row, { settings: { pg_settings: { a: 1 } } }),
      "is no string",
    ],
  ])("%s", async (_what, change, problem) => {
    expect(await endpoint(change)).toEqual([expect.stringContaining(problem)]);
  });

  test("a status that is not among those published, and a body where there is none", () => {
    expect(problemsOf("GET", "/regions", 201, {})).toEqual(["status 201 is not one of 200"]);
    expect(problemsOf("DELETE", "/projects/p/endpoints/e", 204, {})).toEqual(["a body where there is none"]);
  });

  test("nothing wrong with the words of the schema itself", () => {
    expect(published.schemas["EndpointState"]?.enum).toEqual(["init", "active", "idle"]);
  });
});
