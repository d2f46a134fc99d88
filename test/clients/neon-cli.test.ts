/**
 * What people type: `neon` commands, each a process. A story has an emulator of its own, and the stories run beside each
 * other. What a command prints is checked, and what the control plane holds afterwards.
 */
import { afterAll, describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { DEV, MAIN, Neon, PRIMARY, PROJECT, type Printed } from "./neon";

const started: Neon[] = [];
afterAll(() => Promise.all(started.map((neon) => neon.close())));

async function start(...options: Parameters<typeof Neon.start>): Promise<Neon> {
  const neon = await Neon.start(...options);
  started.push(neon);
  return neon;
}

const branchNamed = ({ em }: Neon, name: string) => Object.values(em.world.branches).find((one) => one.name === name)!;
const computesOf = ({ em }: Neon, branchId: string) =>
  Object.values(em.world.endpoints).filter((one) => one.branch_id === branchId);

const OPERATION_MS = 120_000;

describe.concurrent("neon", { timeout: 180_000 }, () => {
  test("projects: created with the size and names that were asked for, shown, changed, deleted", async () => {
    const neon = await start();
    const flags = ["--name", "shop", "--cu", "0.5-2", "--database", "shop", "--role", "shopper"];
    const made = await neon.json(["projects", "create", ...flags, "--region-id", "aws-eu-central-1"], { bare: true });
    const { id } = made.project;
    expect(made.project).toMatchObject({ name: "shop", region_id: "aws-eu-central-1" });
    const [{ connection_uri: uri }] = made.connection_uris;
    const primary = Object.values(neon.em.world.endpoints).find((one) => one.project_id === id)!;
    expect(uri).toMatch(new RegExp(`^postgresql://shopper:[^@]+@${primary.host}/shop\\?`));
    expect(primary).toMatchObject({ autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2, type: "read_write" });

    expect(await neon.json(["projects", "get", id], { bare: true })).toMatchObject({ id, name: "shop" });
    const changed = await neon.json(["projects", "update", id, "--name", "store", "--cu", "1"], { bare: true });
    expect(changed).toMatchObject({ id, name: "store" });
    expect(neon.em.world.projects[id]!.default_endpoint_settings).toMatchObject({ autoscaling_limit_max_cu: 1 });
    expect(neon.em.world.endpoints[primary.id]).toMatchObject({ autoscaling_limit_max_cu: 2 });

    expect(await neon.json(["projects", "delete", id], { bare: true })).toMatchObject({ id, name: "store" });
    expect(neon.em.world.projects).not.toHaveProperty(id);
  });

  test("projects list: all pages, each project once", async () => {
    const neon = await start();
    const { projects } = neon.em.world;
    for (let n = 0; n < 120; n++) {
      const id = `many-${n}`;
      projects[id] = { ...structuredClone(projects[PROJECT]!), id, name: id };
    }
    const listed = await neon.json(["projects", "list"], { bare: true });
    expect(listed.shared_with_you).toEqual([]);
    expect(listed.projects.map((one: Printed) => one.id).sort()).toEqual(Object.keys(projects).sort());
    expect(neon.requests().filter((line) => line.startsWith("GET /projects?"))).toHaveLength(2);
  });

  test("branches: created with a compute, renamed, made the default, given an end, deleted", async () => {
    const neon = await start();
    const size = ["--cu", "1-2", "--suspend-timeout", "600"];
    const { branch, endpoints } = await neon.json(["branches", "create", "--name", "feature", ...size]);
    expect(branch).toMatchObject({ name: "feature", parent_id: MAIN, current_state: "init" });
    expect(endpoints).toHaveLength(1);
    const wanted = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 600 };
    expect(computesOf(neon, branch.id)).toMatchObject([{ id: endpoints[0].id, type: "read_write", ...wanted }]);
    await neon.idle();
    expect(await neon.json(["branches", "get", "feature"])).toMatchObject({ id: branch.id, current_state: "ready" });

    expect(await neon.json(["branches", "rename", "feature", "later"])).toMatchObject({ id: branch.id, name: "later" });
    const until = ["--expires-at", "2030-01-01T00:00:00Z"];
    expect(await neon.json(["branches", "set-expiration", "later", ...until])).toMatchObject({ expires_at: until[1] });
    expect(await neon.json(["branches", "set-default", "dev"])).toMatchObject({ id: DEV, default: true });
    expect(neon.em.world.branches[MAIN]!.default).toBe(false);

    expect(await neon.json(["branches", "delete", branch.id])).toMatchObject({ id: branch.id });
    expect(neon.em.world.branches).not.toHaveProperty(branch.id);
    expect(computesOf(neon, branch.id)).toEqual([]);
  });

  test("branches: a name is found on a later page, and a branch can be without a compute", async () => {
    const neon = await start();
    const { branches } = neon.em.world;
    for (let n = 0; n < 120; n++) {
      const id = `br-many-${n}`;
      branches[id] = { ...structuredClone(branches[DEV]!), id, name: `many-${n}` };
    }
    branches["br-many-5"]!.updated_at = branches[MAIN]!.updated_at.replace(/^\d+/, "2001"); // the last of the list
    expect(await neon.json(["branches", "get", "many-5"])).toMatchObject({ id: "br-many-5" });
    expect(neon.requests().filter((line) => line.includes("/branches?"))).toHaveLength(2);
    const made = await neon.json(["branches", "create", "--name", "bare", "--no-compute", "--parent", "many-7"]);
    expect(made).toMatchObject({ name: "bare", parent_id: "br-many-7" });
    expect(computesOf(neon, branchNamed(neon, "bare").id)).toEqual([]);
    expect(await neon.json(["branches", "list"])).toHaveLength(124);
  });

  test("branches add-compute: of the size and type that was asked for, named as the branch was typed", async () => {
    const neon = await start();
    const primary = await neon.json(["branches", "add-compute", "dev", "--type", "read_write", "--cu", "2"]);
    expect(neon.em.world.endpoints[primary.id]).toMatchObject({
      branch_id: DEV,
      type: "read_write",
      name: "dev",
      host: primary.host,
      autoscaling_limit_min_cu: 2,
      autoscaling_limit_max_cu: 2,
    });
    await neon.idle();
    const replica = await neon.json(["branches", "add-compute", DEV, "--cu", "1-4"]);
    expect(replica).toMatchObject({ type: "read_only", name: DEV, autoscaling_limit_max_cu: 4 });
    expect(computesOf(neon, DEV).map(({ id }) => id)).toEqual([primary.id, replica.id]);
    const second = ["branches", "add-compute", DEV, "--type", "read_write", "--project-id", PROJECT];
    expect(await neon.refusal(second)).toBe("ERROR: read_write endpoint already exists");
  });

  test("branches reset and restore: the compute stays, on the branch as it is now", async () => {
    const neon = await start();
    const compute = await neon.json(["branches", "add-compute", "dev"]);
    await neon.idle();
    const reset = await neon.json(["branches", "reset", "dev", "--parent"]);
    expect(reset).toMatchObject({ name: "dev", parent_id: MAIN, last_reset_at: expect.any(String) });
    expect(neon.em.world.endpoints[compute.id]).toMatchObject({ branch_id: reset.id, host: compute.host });
    await neon.idle();
    const point = "^self@2026-01-01T00:00:00Z";
    const back = await neon.json(["branches", "restore", "dev", point, "--preserve-under-name", "before"]);
    expect(back.restored_branch).toMatchObject({ name: "dev", last_reset_at: expect.any(String) });
    expect(back.backup_branch).toMatchObject({ name: "before", id: branchNamed(neon, "before").id });
    expect(neon.em.world.endpoints[compute.id]).toMatchObject({ branch_id: back.restored_branch.id });
  });

  test("roles, databases and connection strings: what was made is listed, and can be connected to", async () => {
    const neon = await start();
    expect(await neon.json(["roles", "create", "--name", "writer"])).toMatchObject({ name: "writer" });
    await neon.idle();
    const owned = ["--name", "orders", "--owner-name", "writer"];
    expect(await neon.json(["databases", "create", ...owned])).toMatchObject({ name: "orders", owner_name: "writer" });
    const listed = await neon.json(["databases", "list", "--branch", "main"]);
    expect(listed.map((one: Printed) => one.name).sort()).toEqual(["neondb", "orders"]);

    const { host } = neon.em.world.endpoints[PRIMARY]!;
    const { password } = neon.em.world.branches[MAIN]!.roles.find((one) => one.name === "writer")!;
    const as = ["--role-name", "writer", "--database-name", "orders"];
    const direct = await neon.run(["connection-string", "main", ...as, "--project-id", PROJECT]);
    expect(direct.stdout).toMatch(`postgresql://writer:${password}@${host}/orders?sslmode=require`);
    const pooled = await neon.json(["connection-string", ...as, "--pooled", "--extended"]);
    expect(pooled).toMatchObject({ host: host.replace(PRIMARY, `${PRIMARY}-pooler`), password, database: "orders" });

    await neon.idle();
    expect(await neon.json(["databases", "delete", "orders"])).toMatchObject({ name: "orders" });
    await neon.idle();
    expect(await neon.json(["roles", "delete", "writer"])).toMatchObject({ name: "writer" });
    expect(neon.em.world.branches[MAIN]).toMatchObject({
      roles: [{ name: "neondb_owner" }],
      databases: [{ name: "neondb" }],
    });
    const operations = await neon.json(["operations", "list"]);
    expect(operations.map((one: Printed) => one.id)).toEqual(neon.em.world.operations.map(({ id }) => id).reverse());
  });

  test("ip-allow: the list of a new project is empty, and each command changes what it names", async () => {
    const neon = await start();
    const { id } = (await neon.json(["projects", "create", "--name", "shop"], { bare: true })).project;
    const ipAllow = (...args: string[]): Promise<Printed> =>
      neon.json(["ip-allow", ...args, "--project-id", id], { bare: true });
    expect(await ipAllow("list")).toMatchObject({ IP_addresses: [], protected_branches_only: false });
    const shown = async () => (await neon.json(["projects", "get", id], { bare: true })).settings;
    expect(await shown()).toMatchObject({ allowed_ips: { ips: [], protected_branches_only: false }, hipaa: false });
    await ipAllow("add", "192.0.2.1", "198.51.100.0/24", "--protected-only");
    const left = { IP_addresses: ["198.51.100.0/24"], protected_branches_only: true };
    expect(await ipAllow("remove", "192.0.2.1")).toMatchObject(left);
    await neon.json(["projects", "update", id, "--block-public-connections"], { bare: true });
    expect(await shown()).toMatchObject({ block_public_connections: true, allowed_ips: { ips: left.IP_addresses } });
    expect(await ipAllow("reset")).toMatchObject({ IP_addresses: [], protected_branches_only: false });
  });

  test("api-keys: one is made, works, and no longer works when it is revoked", async () => {
    const neon = await start();
    const made = await neon.json(["api-keys", "create", "--name", "ci"], { bare: true });
    const apiKey: string = made.key;
    expect(await neon.json(["me"], { bare: true, apiKey })).toMatchObject({ id: made.created_by });
    expect(await neon.json(["api-keys", "list"], { bare: true })).toMatchObject([{ id: made.id, name: "ci" }]);
    await neon.json(["api-keys", "revoke", String(made.id)], { bare: true });
    expect(await neon.refusal(["me"], { apiKey })).toMatch(/rejected the API key/);
    expect(await neon.json(["api-keys", "list"], { bare: true })).toEqual([]);
  });

  test("branches create: from the schema alone, and from a point in the past", async () => {
    const neon = await start();
    const empty = (await neon.json(["branches", "create", "--name", "empty", "--schema-only"])).branch;
    expect(empty).toMatchObject({ name: "empty", init_source: "schema-only" });
    expect(empty).not.toHaveProperty("parent_id");
    await neon.idle();
    const at = "2026-01-01T00:00:00Z";
    const past = (await neon.json(["branches", "create", "--name", "past", "--parent", at])).branch;
    expect(past).toMatchObject({ init_source: "parent-data", parent_id: MAIN, parent_timestamp: at });
    await neon.idle();
    const listed: Printed[] = await neon.json(["branches", "list"]);
    expect(Object.fromEntries(listed.map((one) => [one.name, one.init_source]))).toEqual({
      ...{ main: "parent-data", dev: "parent-data", preview: "parent-data" },
      ...{ empty: "schema-only", past: "parent-data" },
    });
  });

  test("branches create right after a project: waits at 423, where that is chosen", async () => {
    const neon = await start({ branchNotReadyStatus: 423, operationMs: OPERATION_MS });
    const { id } = (await neon.json(["projects", "create", "--name", "shop"], { bare: true })).project;
    neon.requests();
    const made = neon.json(["branches", "create", "--name", "feature", "--project-id", id], { bare: true });
    // However long the command takes to start, it meets the project's own work, and that ends while the command waits.
    for (const answer of [423, 201]) {
      const isThere = () => neon.em.requests.some(({ method, status }) => method === "POST" && status === answer);
      await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
      neon.em.clock.advance(10 * OPERATION_MS); // one operation comes after another
    }
    expect(await made).toMatchObject({ branch: { name: "feature" } });
    const posts = neon.requests().filter((line) => line.startsWith("POST"));
    expect(posts[0]).toMatch(/ 423$/);
    expect(posts.at(-1)).toMatch(/ 201$/);
  });

  test("api: computes are made, changed, stopped, restarted and deleted, also with requests without a body", async () => {
    const neon = await start({ operationMs: 0 });
    const { endpoints } = neon.em.world;
    const at = `/projects/${PROJECT}/endpoints`;
    const api = (...args: string[]): Promise<Printed> => neon.json(["api", ...args], { bare: true });
    const fields = ["-F", `endpoint.branch_id=${SEED.branches.preview}`, "-F", "endpoint.type=read_only"];
    const { endpoint, operations } = await api(at, ...fields, "-F", "endpoint.autoscaling_limit_max_cu=2");
    expect(operations).toMatchObject([{ action: "start_compute", endpoint_id: endpoint.id }]);

    const change = { endpoint: { autoscaling_limit_min_cu: 1, suspend_timeout_seconds: -1 } };
    await api(`${at}/${endpoint.id}`, "-X", "PATCH", "-d", JSON.stringify(change));
    expect(endpoints[endpoint.id]).toMatchObject({ ...change.endpoint, autoscaling_limit_max_cu: 2 });
    const acted = async (action: string) =>
      (await api(`${at}/${endpoint.id}/${action}`, "-X", "POST")).operations.map((one: Printed) => one.action);
    expect(await acted("restart")).toEqual(["suspend_compute", "start_compute"]);
    expect(await acted("suspend")).toEqual(["suspend_compute"]);
    expect(neon.em.world.endpoints[endpoint.id]!.current_state).toBe("idle");

    expect(await api(`${at}/${endpoint.id}`, "-X", "DELETE")).toMatchObject({ endpoint: { id: endpoint.id } });
    expect(neon.em.world.endpoints).not.toHaveProperty(endpoint.id);
    expect(await api(`${at}/${endpoint.id}`, "-X", "DELETE")).toBeUndefined();
    expect(neon.requests().at(-1)).toBe(`DELETE ${at}/${endpoint.id} 204`);
  });
});
