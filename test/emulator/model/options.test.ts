import { describe, expect, test } from "vitest";
import { createEmulator, type EmulatorOptions, SEED } from "../../../emulator/index.js";
import { actions, type Body, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT } from "../support.js";

type Emulated = ReturnType<typeof emulator>;
const BRANCHES = `${PROJECT}/branches`;
const { main, dev } = SEED.branches;

async function set(emulated: Emulated, endpoint: Body): Promise<Body> {
  const reply = await emulated.call("PATCH", PRIMARY, { endpoint });
  expect(reply.status).toBe(200);
  emulated.settle();
  const stored = await emulated.endpoint();
  // What the answer shows is what is stored, also where that is not what was asked for.
  const { settings, name } = reply.body.endpoint;
  expect({ settings, name }).toEqual({ settings: stored.settings, name: stored.name });
  return stored;
}

describe("settings that are sent", () => {
  const before = {
    pg_settings: { work_mem: "8MB", log_statement: "all" },
    preload_libraries: { use_defaults: true, enabled_libraries: ["pg_cron"] },
  };
  const after = {
    replace: { pg_settings: { work_mem: "16MB" } },
    merge: { ...before, pg_settings: { work_mem: "16MB", log_statement: "all" } },
  };
  test.each(["replace", "merge"] as const)("%s those that are there", async (settingsPatch) => {
    const emulated = emulator({ settingsPatch });
    expect((await set(emulated, { settings: before })).settings).toEqual(before);
    const sent = { pg_settings: { work_mem: "16MB" } };
    expect((await set(emulated, { settings: sent })).settings).toEqual(after[settingsPatch]);
    expect((await set(emulated, { name: "x" })).settings).toEqual(after[settingsPatch]);
  });

  test("and hold nothing take all away, or nothing", async () => {
    const nothing = async (settingsPatch: "replace" | "merge") => {
      const emulated = emulator({ settingsPatch });
      await set(emulated, { settings: before });
      return (await set(emulated, { settings: {} })).settings;
    };
    expect([await nothing("replace"), await nothing("merge")]).toEqual([{}, before]);
  });
});

describe("fields that are ignored", () => {
  const resize = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4, name: "orders" };
  const sizes = ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"];
  const setting = (name: string, value: string) => ({ settings: { pg_settings: { [name]: value } } });

  test.each<[string, string[], Body, Body]>([
    ["a size", sizes, resize, { autoscaling_limit_max_cu: 0.25, name: "orders" }],
    ["a name", ["name"], resize, { autoscaling_limit_max_cu: 4, name: "first" }],
    ["one setting", ["settings.pg_settings.a"], setting("a", "2"), setting("a", "1")],
    ["a setting with a dot", ["settings.pg_settings.x.y"], setting("x.y", "2"), { settings: {} }],
    ["another setting", ["settings.pg_settings.a"], setting("b", "2"), setting("b", "2")],
    ["all settings", ["settings"], setting("b", "2"), setting("a", "1")],
    ["the settings of Postgres", ["settings.pg_settings"], setting("b", "2"), setting("a", "1")],
    ["what was not sent", ["disabled"], { name: "orders" }, { disabled: false, name: "orders" }],
  ])("%s: 200, and stays as it was", async (_what, ignoredFields, sent, expected) => {
    const emulated = emulator({ ignoredFields });
    Object.assign(emulated.primary(), { name: "first", ...setting("a", "1") });
    expect(await set(emulated, sent)).toMatchObject(expected);
  });

  test("do not restart a compute", async () => {
    const emulated = emulator({ ignoredFields: sizes });
    const { started_at } = await emulated.endpoint();
    expect((await set(emulated, resize)).started_at).toBe(started_at);
  });

  test("are held to the rules all the same", async () => {
    const emulated = emulator({ ignoredFields: sizes });
    const endpoint = { autoscaling_limit_max_cu: 17 };
    expect((await emulated.call("PATCH", PRIMARY, { endpoint })).status).toBe(400);
    const create = { endpoint: { ...endpoint, branch_id: main, type: "read_only" } };
    expect((await emulated.call("POST", ENDPOINTS, create)).status).toBe(400);
  });

  test.each([
    [ENDPOINTS, (body: Body) => ({ endpoint: { ...body, branch_id: main } }), (reply: Body) => reply.endpoint],
    [BRANCHES, (body: Body) => ({ endpoints: [body] }), (reply: Body) => reply.endpoints[0]],
  ])("are the default's in what %s makes, but never the branch or the type", async (path, body, made) => {
    const emulated = emulator({ ignoredFields: [...sizes, "branch_id", "type"] });
    const reply = await emulated.call("POST", path, body({ type: "read_only", ...(path === ENDPOINTS ? resize : {}) }));
    expect(made(reply.body)).toMatchObject({ type: "read_only", autoscaling_limit_max_cu: 0.25 });
  });

  test("by a rule: as often as it says, for the method it says", async () => {
    const emulated = emulator();
    emulated.running.faults.add({ ignore: { fields: ["name"], method: "PATCH", times: 2 } });
    const create = { endpoint: { branch_id: main, type: "read_only", name: "one" } };
    expect((await emulated.call("POST", ENDPOINTS, create)).body.endpoint.name).toBe("one");
    emulated.settle();
    const names = [];
    for (const name of ["one", "two", "three"]) names.push((await set(emulated, { name })).name);
    expect(names).toEqual([undefined, undefined, "three"]);
  });

  test("by a rule that waits for a request that is not refused", async () => {
    const emulated = emulator();
    await emulated.control("POST", "/faults", { ignore: { fields: ["name"] } });
    await emulated.call("POST", `${PRIMARY}/restart`);
    expect((await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x" } })).status).toBe(423);
    emulated.settle();
    expect(await set(emulated, { name: "y" })).not.toHaveProperty("name");
    expect((await set(emulated, { name: "z" })).name).toBe("z");
  });

  test("a rule waits for a request that has one of its fields", async () => {
    const emulated = emulator();
    emulated.running.faults.add({ ignore: { fields: ["settings.pg_settings.work_mem", "name"] } });
    await emulated.call("PATCH", PRIMARY, { endpoint: { settings: { pg_settings: { max_connections: "50" } } } });
    emulated.settle();
    expect((await emulated.control("GET", "/faults")).body).toHaveLength(1);
    await emulated.call("PATCH", PRIMARY, { endpoint: { settings: { pg_settings: { work_mem: "8MB" } } } });
    expect((await emulated.control("GET", "/faults")).body).toEqual([]);
  });

  test("no more once the rules are cleared", async () => {
    const emulated = emulator();
    emulated.running.faults.add({ ignore: { fields: ["name"], times: 9 } });
    emulated.running.faults.clear();
    expect((await set(emulated, { name: "x" })).name).toBe("x");
  });
});

describe("lists whose order is not documented", () => {
  const seen = async (listOrder: "newest" | "random", path: string, key: string) => {
    const id = ["roles", "databases"].includes(key) ? "name" : "id";
    const emulated = emulator({ listOrder });
    const { endpoints, projects, branches } = emulated.running.world;
    for (let n = 0; n < 6; n += 1) {
      endpoints[`ep-${n}`] = { ...endpoints[SEED.primaryId]!, id: `ep-${n}`, branch_id: dev };
      projects[`p-${n}`] = { ...projects[SEED.projectId]!, id: `p-${n}` };
      branches[dev]!.roles.push({ ...branches[dev]!.roles[0]!, name: `role-${n}` });
      branches[dev]!.databases.push({ ...branches[dev]!.databases[0]!, name: `database-${n}` });
    }
    const orders = [];
    for (let turn = 0; turn < 5; turn += 1) {
      orders.push((await emulated.call("GET", path)).body[key].map((row: Body) => row[id]));
    }
    return orders as string[][];
  };
  const texts = (orders: string[][]) => new Set(orders.map((order) => order.join()));
  const sets = (orders: string[][]) => new Set(orders.map((order) => [...order].sort().join()));

  test.each([
    [ENDPOINTS, "endpoints"],
    [`${BRANCHES}/${dev}/endpoints`, "endpoints"],
    ["/projects?limit=100", "projects"],
    [`${BRANCHES}/${dev}/roles`, "roles"],
    [`${BRANCHES}/${dev}/databases`, "databases"],
  ])("%s: the same each time, or another each time with the same rows", async (path, key) => {
    const [newest, random] = [await seen("newest", path, key), await seen("random", path, key)];
    expect(texts(newest).size).toBe(1);
    expect(texts(random).size).toBeGreaterThan(2);
    expect(sets(random)).toEqual(sets(newest));
  });

  test("keep their pages", async () => {
    const emulated = emulator({ listOrder: "random" });
    const all: string[] = [];
    for (let n = 0; n < 6; n += 1) await emulated.call("POST", "/projects", { project: {} });
    for (let path = "/projects?limit=3"; ; ) {
      const { projects, pagination } = (await emulated.call("GET", path)).body;
      all.push(...projects.map((one: Body) => one.id));
      if (!pagination) break;
      path = `/projects?limit=3&cursor=${pagination.cursor}`;
    }
    expect(all.sort()).toEqual(Object.keys(emulated.running.world.projects).sort());
  });

  test("and operations keep theirs, newest first", async () => {
    const emulated = emulator({ listOrder: "random", operationMs: 1 });
    for (let turn = 0; turn < 6; turn += 1) {
      await emulated.call("POST", `${PRIMARY}/restart`);
      emulated.settle();
    }
    const times = (await emulated.call("GET", `${PROJECT}/operations`)).body.operations.map(
      (one: Body) => one.created_at,
    );
    expect(times).toEqual([...times].sort().reverse());
  });
});

test("a branch becomes ready some time after its operation, and only then takes a compute", async () => {
  const emulated = emulator({ branchReadyMs: 3000 });
  const reply = await emulated.call("POST", BRANCHES);
  const { id } = reply.body.branch;
  const create = async () =>
    (await emulated.call("POST", ENDPOINTS, { endpoint: { branch_id: id, type: "read_write" } })).status;
  const state = async () => (await emulated.call("GET", `${BRANCHES}/${id}`)).body.branch;
  emulated.time.advance(OPERATION_MS + 2999);
  const { operation } = (await emulated.call("GET", `${PROJECT}/operations/${reply.body.operations[0].id}`)).body;
  expect(operation.status).toBe("finished");
  expect(await state()).toMatchObject({ current_state: "init", pending_state: "ready" });
  expect(await create()).toBe(422);
  emulated.time.advance(1);
  expect(await state()).toMatchObject({ current_state: "ready", state_changed_at: "2026-05-04T09:00:03Z" });
  expect(await state()).not.toHaveProperty("pending_state");
  expect(await create()).toBe(201);
});

test("logical replication, once it is on, has suspended every compute", async () => {
  const emulated = emulator();
  const enable = { project: { settings: { enable_logical_replication: true } } };
  const reply = await emulated.call("PATCH", PROJECT, enable);
  expect(actions(reply)).toEqual([["suspend_compute", "running"]]);
  expect(await emulated.endpoint()).toMatchObject({ current_state: "active", pending_state: "idle" });
  emulated.settle();
  expect((await emulated.endpoint()).current_state).toBe("idle");
  expect(actions(await emulated.call("PATCH", PROJECT, enable))).toEqual([]);
});

test("one default branch at a time, and it can't be deleted", async () => {
  const { call, settle } = emulator();
  expect((await call("POST", `${BRANCHES}/${dev}/set_as_default`)).body.branch).toMatchObject({
    id: dev,
    default: true,
  });
  const { branches } = (await call("GET", BRANCHES)).body;
  expect(branches.filter((one: Body) => one.default).map((one: Body) => one.id)).toEqual([dev]);
  expect((await call("DELETE", `${BRANCHES}/${dev}`)).status).toBe(422);
  settle();
  expect((await call("POST", BRANCHES)).body.branch.parent_id).toBe(dev);
});

test("branches are counted as they are listed", async () => {
  const { call } = emulator();
  const count = async (query: string) => (await call("GET", `${BRANCHES}/count${query}`)).body;
  expect([await count(""), await count("?search=prev")]).toEqual([{ count: 3 }, { count: 1 }]);
});

describe("options that make no sense are refused", () => {
  test.each<[object, string]>([
    [{ locks: "branch" }, '"locks"'],
    [{ lock: "table" }, "lock: "],
    [{ failed: true }, "failed: "],
    [{ failedRetryMs: -1 }, "failedRetryMs: "],
    [{ operationMs: { start_compute: "5" } }, "operationMs"],
    [{ time: "slow" }, "time: "],
    [{ rateLimit: { perMinute: 0 } }, "rateLimit"],
    [{ ignoredFields: ["size"] }, 'ignoredFields.0: "size" is no field of a compute'],
    [{ keys: [{ key: "" }] }, "keys.0.key: "],
    [{ port: 70_000 }, "port: "],
    [{ restartIdleStatus: 404 }, "restartIdleStatus: "],
    [{ branchNotReadyStatus: 409 }, "branchNotReadyStatus: "],
    [{ keepAliveMs: 2 ** 31 }, "keepAliveMs: "],
  ])("%j", (options, reason) => {
    const create = () => createEmulator(options as EmulatorOptions);
    expect(create).toThrow("not options of an emulator: ");
    expect(create).toThrow(reason);
  });

  test("and those that are undefined are left out", () => {
    expect(createEmulator({ lock: undefined, apiKey: undefined, state: undefined }).apiKey).toMatch(/^key_\w+$/);
  });
});
