/** Keys, permissions and issuers of tokens, which clients make by request. */
import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { type Body, emulator, PROJECT } from "../support.js";

const SCOPED = { key: "key-of-one-project", projectId: SEED.projectId };
const as = (key: string) => ({ Authorization: `Bearer ${key}` });
const { main, dev } = SEED.branches;

describe("an API key", () => {
  test("that is made works at once, is listed without its text, and no longer works when it is revoked", async () => {
    const { call } = emulator();
    const made = (await call("POST", "/api_keys", { key_name: "ci" })).body;
    expect(made).toMatchObject({ id: expect.any(Number), name: "ci", key: expect.stringMatching(/^napi_\w{64}$/) });
    expect((await call("GET", "/users/me", undefined, as(made.key))).body.id).toBe(made.created_by);

    const listed = await call("GET", "/api_keys", undefined, as(made.key));
    expect(listed.body).toMatchObject([{ id: made.id, name: "ci", created_by: { id: made.created_by } }]);
    expect(listed.text).not.toContain(made.key);

    const revoked = await call("DELETE", `/api_keys/${made.id}`);
    expect([revoked.status, revoked.body]).toEqual([200, expect.objectContaining({ name: "ci", revoked: true })]);
    expect(revoked.text).not.toContain(made.key);
    expect((await call("GET", PROJECT, undefined, as(made.key))).status).toBe(401);
    expect((await call("DELETE", `/api_keys/${made.id}`)).status).toBe(404);
    expect((await call("GET", "/api_keys")).body).toEqual([]);
  });

  test.each([
    [undefined, "body required"],
    [{}, "key_name (field required)"],
    [{ key_name: "x".repeat(65) }, "key_name (string: len 65 greater than 64"],
    [{ key_name: "x", project_id: SEED.projectId }, "project_id (unexpected field)"],
  ])("from %j is refused, and none is made", async (body, reason) => {
    const { call } = emulator();
    const reply = await call("POST", "/api_keys", body);
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining(reason.replace("string: ", ""))]);
    expect((await call("GET", "/api_keys")).body).toEqual([]);
  });

  test.each(["constructor", "__proto__", "-1", "x"])("named %s is not there", async (id) => {
    expect((await emulator().call("DELETE", `/api_keys/${id}`)).status).toBe(404);
  });

  test("is needed as it is: a header without its scheme, or with no key, is 401", async () => {
    const { call, running } = emulator();
    const { key } = (await call("POST", "/api_keys", { key_name: "ci" })).body;
    for (const header of [key, running.apiKey, `Basic ${key}`, "Bearer ", "Bearer", `Bearer ${key} `, `bearer${key}`]) {
      const reply = await call("GET", PROJECT, undefined, { Authorization: header });
      expect([header, reply.status]).toEqual([header, 401]);
    }
  });
});

describe("a project", () => {
  test("is shared with a person by mail address, once, until that is revoked", async () => {
    const { call } = emulator();
    const share = (email: unknown) => call("POST", `${PROJECT}/permissions`, { email });
    const made = (await share("one@example.com")).body;
    expect(made).toMatchObject({ id: expect.any(String), granted_to_email: "one@example.com" });
    expect((await share("one@example.com")).body).toEqual(made);
    await share("two@example.com");
    const listed = async () =>
      (await call("GET", `${PROJECT}/permissions`)).body.project_permissions.map((one: Body) => one.granted_to_email);
    expect(await listed()).toEqual(["one@example.com", "two@example.com"]);

    const revoked = await call("DELETE", `${PROJECT}/permissions/${made.id}`);
    expect([revoked.status, revoked.body]).toEqual([200, { ...made, revoked_at: expect.any(String) }]);
    expect(await listed()).toEqual(["two@example.com"]);
    expect((await call("DELETE", `${PROJECT}/permissions/${made.id}`)).status).toBe(404);
    for (const email of ["nobody", 7, undefined]) expect((await share(email)).status).toBe(400);
    expect((await call("GET", PROJECT)).body.project).not.toHaveProperty("permissions");
  });

  test("has issuers of tokens, for all branches or for one", async () => {
    const { call } = emulator();
    const wish = { jwks_url: "https://example.com/jwks.json", provider_name: "any", role_names: ["authenticated"] };
    const add = (more: object) => call("POST", `${PROJECT}/jwks`, { ...wish, ...more });
    const made = (await add({ branch_id: dev, jwt_audience: "app", skip_role_creation: true })).body;
    expect(made).toMatchObject({ jwks: { ...wish, branch_id: dev, jwt_audience: "app" }, operations: [] });
    expect(made.jwks).not.toHaveProperty("skip_role_creation");
    expect((await add({ branch_id: "br-none" })).status).toBe(404);
    expect((await add({ jwks_url: undefined })).status).toBe(400);
    expect((await call("GET", `${PROJECT}/jwks`)).body).toEqual({ jwks: [made.jwks] });
    expect((await call("DELETE", `${PROJECT}/jwks/${made.jwks.id}`)).body).toEqual(made.jwks);
    expect((await call("DELETE", `${PROJECT}/jwks/${made.jwks.id}`)).status).toBe(404);
    expect((await call("GET", `${PROJECT}/jwks`)).body).toEqual({ jwks: [] });
    expect((await call("GET", PROJECT)).body.project).not.toHaveProperty("jwks");
  });

  test("whose key is for it alone has neither keys made nor people let in", async () => {
    const { call } = emulator({ keys: [SCOPED] });
    const { id } = (await call("POST", `${PROJECT}/permissions`, { email: "one@example.com" })).body;
    const refused: [string, string, Body?][] = [
      ["POST", "/api_keys", { key_name: "x" }],
      ["GET", "/api_keys"],
      ["DELETE", "/api_keys/1"],
      ["POST", `${PROJECT}/permissions`, { email: "two@example.com" }],
      ["DELETE", `${PROJECT}/permissions/${id}`],
    ];
    for (const [method, path, body] of refused) {
      expect([method, path, (await call(method, path, body, as(SCOPED.key))).status]).toEqual([method, path, 403]);
    }
    expect((await call("GET", `${PROJECT}/permissions`)).body.project_permissions).toHaveLength(1);
  });
});

test("a world with all of it is taken as it was given", async () => {
  const one = emulator();
  await one.call("POST", "/api_keys", { key_name: "ci" });
  await one.call("POST", `${PROJECT}/permissions`, { email: "one@example.com" });
  await one.call("POST", `${PROJECT}/jwks`, {
    jwks_url: "https://example.com/keys",
    provider_name: "any",
    branch_id: main,
  });
  const branch = { parent_lsn: "0/1A2B3C", parent_timestamp: "2026-01-01T00:00:00Z", init_source: "schema-only" };
  await one.call("POST", `${PROJECT}/branches`, { branch });
  const other = emulator();
  const reply = await other.control("PUT", "/world", one.running.world);
  expect(reply.body).toEqual(one.running.world);
});
