import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { actions, type Body, emulator, PRIMARY, PROJECT } from "../support.js";

const BRANCH = `${PROJECT}/branches/${SEED.branches.main}`;
const [ROLES, DATABASES] = [`${BRANCH}/roles`, `${BRANCH}/databases`];
const OWNER = `${ROLES}/neondb_owner`;
const app = { role: { name: "app" } };
const shop = { database: { name: "shop", owner_name: "neondb_owner" } };

type Emulated = ReturnType<typeof emulator>;
type Change = [what: string, method: string, path: string, body: Body, status: number];

const CHANGES: Change[] = [
  ["a new role", "POST", ROLES, app, 201],
  ["a role that goes", "DELETE", `${ROLES}/old`, undefined, 200],
  ["a new password", "POST", `${OWNER}/reset_password`, undefined, 200],
  ["a new database", "POST", DATABASES, shop, 201],
  ["a database's new name", "PATCH", `${DATABASES}/neondb`, { database: { name: "sales" } }, 200],
  ["a database that goes", "DELETE", `${DATABASES}/neondb`, undefined, 200],
];

/** With a role that owns nothing. */
async function prepared(): Promise<Emulated> {
  const emulated = emulator();
  await emulated.call("POST", ROLES, { role: { name: "old" } });
  emulated.settle();
  return emulated;
}

const names = async ({ call }: Emulated, path: string) => {
  const body = (await call("GET", path)).body;
  return (body.roles ?? body.databases).map((one: Body) => one.name);
};

describe("changes of roles and databases", () => {
  test.each(CHANGES)("%s is applied to an active primary", async (_what, method, path, body, status) => {
    const emulated = await prepared();
    const before = await emulated.endpoint();
    const reply = await emulated.call(method, path, body);
    expect([reply.status, actions(reply)]).toEqual([status, [["apply_config", "running"]]]);
    expect(reply.body.operations[0]).toMatchObject({ endpoint_id: SEED.primaryId, branch_id: SEED.branches.main });
    emulated.settle();
    expect(await emulated.endpoint()).toMatchObject({ current_state: "active", started_at: before.started_at });
  });

  test.each(CHANGES)("%s wakes an idle primary for a moment", async (_what, method, path, body) => {
    const emulated = await prepared();
    await emulated.call("POST", `${PRIMARY}/suspend`);
    emulated.settle();
    const reply = await emulated.call(method, path, body);
    expect(actions(reply)).toEqual([
      ["apply_config", "running"],
      ["suspend_compute", "scheduling"],
    ]);
    emulated.settle();
    expect((await emulated.endpoint()).current_state).toBe("idle");
  });

  test.each(CHANGES)("%s waits for what runs: 423", async (_what, method, path, body) => {
    const emulated = await prepared();
    await emulated.call("POST", `${PRIMARY}/restart`);
    const before = structuredClone(emulated.running.world);
    expect((await emulated.call(method, path, body)).status).toBe(423);
    expect(emulated.running.world).toEqual(before);
  });

  test("on a branch without a compute start nothing, and are there", async () => {
    const emulated = emulator();
    const roles = ROLES.replace(SEED.branches.main, SEED.branches.dev);
    expect(actions(await emulated.call("POST", roles, app))).toEqual([]);
    expect(await names(emulated, roles)).toEqual(["neondb_owner", "app"]);
    expect(await names(emulated, ROLES)).toEqual(["neondb_owner"]);
  });

  test.each<[string, string, string, Body, number]>([
    ["a role that is there", "POST", ROLES, { role: { name: "neondb_owner" } }, 409],
    ["a database that is there", "POST", DATABASES, { database: { name: "neondb", owner_name: "neondb_owner" } }, 409],
    ["a database of nobody", "POST", DATABASES, { database: { name: "shop", owner_name: "nobody" } }, 404],
    ["a database handed to nobody", "PATCH", `${DATABASES}/neondb`, { database: { owner_name: "nobody" } }, 404],
    ["a role that owns a database", "DELETE", OWNER, undefined, 422],
    ["a role without a name", "POST", ROLES, { role: { name: "" } }, 400],
    ["a role that is missing", "GET", `${ROLES}/nobody`, undefined, 404],
    ["a password of nobody", "POST", `${ROLES}/nobody/reset_password`, undefined, 404],
    ["a database that is missing", "PATCH", `${DATABASES}/none`, { database: {} }, 404],
    ["a role that is missing, to delete", "DELETE", `${ROLES}/nobody`, undefined, 204],
    ["a database that is missing, to delete", "DELETE", `${DATABASES}/none`, undefined, 204],
  ])("%s changes nothing", async (_what, method, path, body, status) => {
    const emulated = emulator();
    const before = structuredClone(emulated.running.world);
    expect((await emulated.call(method, path, body)).status).toBe(status);
    expect(emulated.running.world).toEqual(before);
  });

  test.each([`${ROLES}/old`, `${DATABASES}/neondb`])("what is deleted is gone: %s", async (path) => {
    const emulated = await prepared();
    expect((await emulated.call("GET", path)).status).toBe(200);
    await emulated.call("DELETE", path);
    expect((await emulated.call("GET", path)).status).toBe(404);
    emulated.settle();
    expect((await emulated.call("DELETE", path)).status).toBe(204);
  });

  test("a name that another database has is refused, its own is not", async () => {
    const emulated = emulator();
    await emulated.call("POST", DATABASES, shop);
    emulated.settle();
    const rename = (name: string) => emulated.call("PATCH", `${DATABASES}/shop`, { database: { name } });
    expect((await rename("neondb")).status).toBe(409);
    expect((await rename("shop")).status).toBe(200);
  });
});

describe("a role", () => {
  const password = async ({ call }: Emulated, role = OWNER) =>
    (await call("GET", `${role}/reveal_password`)).body.password;

  test("tells its password when it is made, when it is reset, and when it is asked for", async () => {
    const emulated = emulator();
    const made = (await emulated.call("POST", ROLES, app)).body.role.password;
    expect(await password(emulated, `${ROLES}/app`)).toBe(made);
    emulated.settle();
    const reset = (await emulated.call("POST", `${ROLES}/app/reset_password`)).body.role.password;
    expect(reset).not.toBe(made);
    const { created_at, updated_at } = (await emulated.call("GET", `${ROLES}/app`)).body.role;
    expect(Date.parse(updated_at) - Date.parse(created_at)).toBe(60_000);
    expect(await password(emulated, `${ROLES}/app`)).toBe(reset);
    expect((await emulated.call("GET", `${ROLES}/app`)).body.role).not.toHaveProperty("password");
  });

  test("that can't log in has none to tell", async () => {
    const { call } = emulator();
    const reply = await call("POST", ROLES, { role: { name: "group", no_login: true } });
    expect(reply.body.role).not.toHaveProperty("password");
    expect((await call("GET", `${ROLES}/group/reveal_password`)).status).toBe(412);
  });

  test("has a password in the connection URI, the new one after a reset", async () => {
    const emulated = emulator();
    const reset = (await emulated.call("POST", `${OWNER}/reset_password`)).body.role.password;
    const uri = `${PROJECT}/connection_uri?database_name=neondb&role_name=neondb_owner`;
    expect((await emulated.call("GET", uri)).body.uri).toContain(`:${reset}@`);
  });

  test("tells no password where the project keeps none", async () => {
    const emulated = emulator();
    emulated.running.world.projects[SEED.projectId]!.store_passwords = false;
    expect((await emulated.call("GET", `${OWNER}/reveal_password`)).status).toBe(412);
  });
});

test("a database changes hands and name, and a branch that is made later has both", async () => {
  const emulated = emulator();
  await emulated.call("POST", ROLES, app);
  emulated.settle();
  const change = { database: { name: "sales", owner_name: "app" } };
  const { database } = (await emulated.call("PATCH", `${DATABASES}/neondb`, change)).body;
  expect(database).toMatchObject(change.database);
  emulated.settle();
  expect((await emulated.call("GET", `${DATABASES}/sales`)).body.database).toEqual(database);
  const { roles, databases } = (await emulated.call("POST", `${PROJECT}/branches`)).body;
  expect([roles.length, databases[0].name]).toEqual([2, "sales"]);
});
