import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { ENDPOINTS, emulator, KEY, PRIMARY, PROJECT } from "./support.js";

const SCOPED = "key-of-one-project";
const scoped = { Authorization: `Bearer ${SCOPED}` };
const OTHER = `/projects/${SEED.second.projectId}`;

const withScopedKey = () => emulator({ keys: [{ key: SCOPED, projectId: SEED.projectId }] });

describe("a request", () => {
  test.each<[string, Record<string, string>]>([
    ["without a key", {}],
    ["with a wrong key", { authorization: "Bearer wrong" }],
    ["with the key's beginning", { authorization: `Bearer ${KEY.slice(0, -1)}` }],
    ["with an empty key", { authorization: "Bearer " }],
    ["with the key in another scheme", { authorization: `Basic ${KEY}` }],
    ["with the key in a cookie", { cookie: `zenith=${KEY}` }],
  ])("%s is 401 and does nothing", async (_what, headers) => {
    const { raw, running } = emulator();
    const reply = await raw("DELETE", `/api/v2${PRIMARY}`, undefined, headers);
    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject({ code: "", message: "supplied credentials do not pass authentication" });
    expect(running.world.endpoints).toHaveProperty(SEED.primaryId);
  });

  test("is answered under the id that it brings, in the body and in the header", async () => {
    const { call } = emulator();
    const refused = await call("GET", "/projects/none", undefined, { "X-Request-ID": "my-id_1" });
    expect([refused.body.request_id, refused.headers["x-neon-ret-request-id"]]).toEqual(["my-id_1", "my-id_1"]);
    const done = await call("GET", PROJECT, undefined, { "x-request-id": "my-id_2" });
    expect(done.headers["x-neon-ret-request-id"]).toBe("my-id_2");
  });

  test.each(["", "a b", "a\r\nset-cookie: x", "x".repeat(129)])("with the odd id %j gets one made up", async (id) => {
    const { headers } = await emulator().call("GET", PROJECT, undefined, { "X-Request-ID": id });
    expect(headers["x-neon-ret-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a key of one project", () => {
  test.each([
    ["GET", PROJECT, 200],
    ["GET", ENDPOINTS, 200],
    ["POST", `${PRIMARY}/restart`, 200],
    ["DELETE", PRIMARY, 200],
    ["GET", OTHER, 404],
    ["GET", `${OTHER}/endpoints`, 404],
    ["DELETE", `${OTHER}/endpoints/ep-x`, 404],
    ["DELETE", OTHER, 404],
    ["GET", "/projects", 403],
    ["DELETE", PROJECT, 403],
  ])("%s %s: %i", async (method, path, status) => {
    const { call } = withScopedKey();
    expect((await call(method, path, undefined, scoped)).status).toBe(status);
  });

  test("can't create a project", async () => {
    expect((await withScopedKey().call("POST", "/projects", { project: {} }, scoped)).status).toBe(403);
  });

  test("leaves the first key its reach", async () => {
    expect((await withScopedKey().call("GET", OTHER)).status).toBe(200);
  });
});

test("a key is made up where none is given", async () => {
  const emulated = emulator({ apiKey: undefined });
  expect(emulated.running.apiKey).toMatch(/^key_[a-z0-9]{12}$/);
  const headers = { authorization: `Bearer ${emulated.running.apiKey}` };
  expect((await emulated.raw("GET", `/api/v2${PROJECT}`, undefined, headers)).status).toBe(200);
});
