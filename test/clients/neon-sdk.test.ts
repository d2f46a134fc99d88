/** `@neon/sdk`, the client with its own waiting, retries, pages and typed errors, unchanged, on the emulator. */
import {
  createNeonClient,
  isNeonError,
  type NeonConfig,
  NeonOperationError,
  NeonTimeoutError,
  NeonWaitTimeoutError,
  raw,
} from "@neon/sdk";
import { afterEach, describe, expect, test } from "vitest";
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";

const { projectId, primaryId: endpointId, branches } = SEED;
const AT = { projectId, endpointId };

/** Soon, so that no test waits for a poll; and long enough for a machine that is busy. */
const WAIT = { pollIntervalMs: 20, timeoutMs: 30_000 };

let em: RunningEmulator;
afterEach(() => em?.close());

async function start(options: EmulatorOptions = {}, config: Partial<NeonConfig<false>> = {}) {
  em = await startEmulator({ operationMs: 50, apiKey: "key-of-the-sdk", ...options });
  return createNeonClient({ apiKey: em.apiKey, baseUrl: em.url, wait: WAIT, ...config });
}

/** What the call gave, or a failing test. */
function given<R extends { data: unknown; error?: Error | undefined }>(result: R): Exclude<R["data"], undefined> {
  if (result.error) throw result.error;
  return result.data as Exclude<R["data"], undefined>;
}

const statuses = () => em.requests.map(({ method, status }) => `${method} ${status}`);
const endpoint = () => em.world.endpoints[endpointId]!;

describe("@neon/sdk waits until the work is done", () => {
  test("of a new project, and connects to its primary, which is active then", async () => {
    const neon = await start();
    const { project, connectionString } = given(await neon.projects.createAndConnect({ name: "app", pooled: true }));
    const primary = Object.values(em.world.endpoints).find((one) => one.project_id === project.id)!;
    expect(primary.current_state).toBe("active");
    expect(connectionString).toContain(`@${primary.id}-pooler.`);
    expect(em.world.operations.map(({ action, status }) => `${action} ${status}`)).toEqual([
      "create_timeline finished",
      "start_compute finished",
    ]);
  });

  test("of a new branch with a compute of a size, which starts behind it", async () => {
    const neon = await start();
    const compute = { minCu: 1 as const, maxCu: 2 as const, suspendTimeoutSeconds: 600 };
    const made = given(await neon.branches.createAndConnect({ projectId, name: "feature", compute }));
    expect(made.branch).toMatchObject({ name: "feature", parent_id: branches.main });
    expect(em.world.endpoints[made.endpoint!.id]).toMatchObject({
      branch_id: made.branch.id,
      current_state: "active",
      autoscaling_limit_min_cu: 1,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 600,
    });
  });

  test("of a change of size, a restart, a suspension, a start and a deletion, one behind the other", async () => {
    const neon = await start({}, { waitForReadiness: true });
    const { endpoints } = neon.postgres;
    given(await endpoints.update({ ...AT, autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 }));
    expect(endpoint()).toMatchObject({ current_state: "active", autoscaling_limit_max_cu: 4 });
    const before = endpoint().started_at;
    given(await endpoints.restart(AT));
    expect(endpoint().started_at).not.toBe(before);
    given(await endpoints.suspend(AT));
    expect(endpoint().current_state).toBe("idle");
    given(await endpoints.start(AT));
    expect(endpoint().current_state).toBe("active");
    given(await endpoints.delete(AT));
    given(await endpoints.delete(AT));
    expect(em.world.endpoints).not.toHaveProperty(endpointId);
    expect(statuses()).toContain("DELETE 204");
    expect(statuses().filter((line) => line.includes("423"))).toEqual([]);
  });

  test("of a branch that is reset, whose computes are on it then", async () => {
    const neon = await start({}, { waitForReadiness: true });
    const branchId = branches.dev;
    const compute = given(await neon.postgres.endpoints.create({ projectId, branch_id: branchId, type: "read_write" }));
    const reset = given(await neon.branches.resetFromParent({ projectId, branchId }));
    expect(given(await neon.postgres.endpoints.listByBranch({ projectId, branchId: reset.id }))).toMatchObject([
      { id: compute.id, host: compute.host, current_state: "active" },
    ]);
  });

  test.each(["failed", "error", "cancelled"] as const)("and says so if it ends as %s", async (then) => {
    const neon = await start();
    em.faults.add({ operation: { action: "start_compute", times: 1, then } });
    const { error } = await neon.postgres.endpoints.restart(AT, { waitForReadiness: true });
    const operation = em.world.operations.at(-1)!;
    expect(error).toBeInstanceOf(NeonOperationError);
    expect(error).toMatchObject({ kind: "operation", operationId: operation.id, status: then });
    if (then !== "cancelled") expect(error!.message).toContain(operation.error);
  });

  test("and takes skipped work for done", async () => {
    const neon = await start();
    em.faults.add({ operation: { action: "start_compute", times: 1, then: "skipped" } });
    given(await neon.postgres.endpoints.restart(AT, { waitForReadiness: true }));
  });

  test("for a time, and can wait on afterwards", async () => {
    const neon = await start();
    em.faults.add({ operation: { action: "suspend_compute", times: 1, then: "never" } });
    const wait = { pollIntervalMs: 20, timeoutMs: 100 };
    const { error } = await neon.postgres.endpoints.suspend(AT, { waitForReadiness: true, wait });
    if (!(error instanceof NeonWaitTimeoutError)) throw error;
    expect(error).toBeInstanceOf(NeonTimeoutError);
    expect(error.operations.map(({ id }) => id)).toEqual(em.world.operations.map(({ id }) => id));
    em.faults.clear();
    given(await neon.operations.waitFor({ operations: error.operations.slice() }));
    expect(endpoint().current_state).toBe("idle");
  });

  test("of what the raw layer started", async () => {
    const neon = await start();
    const { data } = await raw.restartProjectEndpoint({
      client: neon.client,
      path: { project_id: projectId, endpoint_id: endpointId },
    });
    given(await neon.operations.waitFor({ operations: data!.operations }));
    expect(em.world.operations.map(({ status }) => status)).toEqual(["finished", "finished"]);
  });
});

describe("@neon/sdk sends again", () => {
  test.each([423, 429, 503])("what met a %i, and nothing is done twice", async (status) => {
    const neon = await start();
    em.faults.add({ match: { method: "POST", path: "/projects/*/endpoints" }, times: 2, then: { status } });
    const made = given(
      await neon.postgres.endpoints.create({ projectId, branch_id: branches.dev, type: "read_write" }),
    );
    expect(statuses()).toEqual([`POST ${status}`, `POST ${status}`, "POST 201"]);
    expect(Object.values(em.world.endpoints).filter((one) => one.branch_id === branches.dev)).toMatchObject([
      { id: made.id },
    ]);
  });

  test("what it asks for right after a project, where that is 423 by choice", async () => {
    const neon = await start({ branchNotReadyStatus: 423, retryAfter: "seconds" });
    const { project, branch } = (await raw.createProject({ client: neon.client, body: { project: {} } })).data!;
    em.requests.length = 0;
    const replica = { projectId: project.id, branch_id: branch.id, type: "read_only" as const };
    given(await neon.postgres.endpoints.create(replica));
    expect(statuses()[0]).toBe("POST 423");
    expect(statuses().at(-1)).toBe("POST 201");
  });

  test("nothing of it where that is 422, as the service was seen to answer", async () => {
    const neon = await start({ operationMs: 200 });
    const { project, branch } = (await raw.createProject({ client: neon.client, body: { project: {} } })).data!;
    em.requests.length = 0;
    const { error } = await neon.branches.create({ projectId: project.id, parent_id: branch.id });
    expect(error).toMatchObject({ kind: "api", status: 422, message: expect.stringContaining("branch not ready yet") });
    expect(statuses()).toEqual(["POST 422"]);
  });

  test("after the Retry-After of a real rate limit, in seconds", async () => {
    const neon = await start({ rateLimit: { perRouteAndSecond: 1 }, retryAfter: "seconds" });
    given(await neon.projects.get({ projectId }));
    given(await neon.projects.get({ projectId }));
    expect(statuses()).toEqual(["GET 200", "GET 429", "GET 200"]);
  });
});

describe("@neon/sdk has a typed error", () => {
  type Client = Awaited<ReturnType<typeof start>>;
  type Asked = [
    what: string,
    kind: string,
    shape: object,
    (neon: Client) => Promise<{ error?: unknown }>,
    key?: string,
  ];
  const second = { projectId, branch_id: branches.main, type: "read_write" as const };
  const SCOPED = "key-for-one-project";

  test.each<Asked>([
    ["a wrong key", "auth", { status: 401 }, (neon) => neon.projects.get({ projectId }), "another-key"],
    ["a key without the right", "auth", { status: 403 }, (neon) => neon.projects.list().page(), SCOPED],
    ["a project that is not there", "not_found", { status: 404 }, (neon) => neon.projects.get({ projectId: "none" })],
    [
      "a compute that is not there",
      "not_found",
      { status: 404 },
      (neon) => neon.postgres.endpoints.get({ projectId, endpointId: "ep-none" }),
    ],
    [
      "an operation that is not there",
      "not_found",
      { status: 404 },
      (neon) => neon.operations.get({ projectId, operationId: "00000000-0000-4000-8000-000000000000" }),
    ],
    [
      "a second primary",
      "api",
      { status: 409, code: "ENDPOINTS_LIMIT_EXCEEDED" },
      (neon) => neon.postgres.endpoints.create(second),
    ],
    [
      "a name that is taken",
      "api",
      { status: 409 },
      (neon) => neon.branches.update({ projectId, branchId: branches.dev, name: "main" }),
    ],
    [
      "limits too far apart",
      "api",
      { status: 400 },
      (neon) => neon.postgres.endpoints.update({ ...AT, autoscaling_limit_max_cu: 16 }),
    ],
    [
      "a branch that can't go",
      "api",
      { status: 422 },
      (neon) => neon.branches.delete({ projectId, branchId: branches.main }),
    ],
  ])("for %s", async (_, kind, shape, call, apiKey = "key-of-the-sdk") => {
    const neon = await start({ keys: [{ key: SCOPED, projectId }] }, { apiKey });
    const before = structuredClone(em.world);
    const { error } = await call(neon);
    if (!isNeonError(error)) throw error ?? new Error("there was none");
    expect(error).toMatchObject({ kind, ...shape });
    const { status, headers } = (error as { response: Response }).response as Response;
    expect(em.requests.map((one) => one.status)).toEqual([status]);
    expect(error).toMatchObject({ requestId: headers.get("x-neon-ret-request-id") });
    expect(em.world).toEqual(before);
  });

  test.each([
    [423, "api"],
    [429, "rate_limit"],
    [503, "api"],
  ])("for %i where it stays", async (status, kind) => {
    const neon = await start({}, { retries: 1 });
    em.faults.add({ match: { path: "/projects/*" }, times: 9, then: { status } });
    const { error } = await neon.projects.update({ projectId, name: "other" });
    expect(error).toMatchObject({ kind, status });
    expect(statuses()).toEqual([`PATCH ${status}`, `PATCH ${status}`]);
    expect(em.world.projects[projectId]!.name).toBe("quiet-meadow");
  });

  test("for an answer that never comes", async () => {
    const neon = await start();
    em.faults.add({ match: { path: "/projects/*" }, times: 1, then: { cut: true } });
    expect((await neon.projects.get({ projectId })).error).toMatchObject({ kind: "network" });
  });
});

describe("@neon/sdk reads all pages of", () => {
  test("projects, branches and operations, each row once", async () => {
    const neon = await start({ operationMs: 0 });
    const { world } = em;
    for (let n = 0; n < 25; n++) {
      const row = world.projects[projectId]!;
      world.projects[`many-${n}`] = { ...structuredClone(row), id: `many-${n}`, name: `many-${n}` };
    }
    for (let n = 0; n < 55; n++)
      await raw.restartProjectEndpoint({
        client: neon.client,
        path: { project_id: projectId, endpoint_id: endpointId },
      });
    em.requests.length = 0;
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
    expect(ids(given(await neon.projects.list().all()))).toEqual(Object.keys(world.projects).sort());
    const operations = given(await neon.operations.list({ projectId }).all());
    expect(operations.map(({ id }) => id)).toEqual(world.operations.map(({ id }) => id).reverse());
    const found: string[] = [];
    for await (const branch of neon.branches.list({ projectId, sort_by: "name", sort_order: "asc" })) {
      found.push(branch.name);
    }
    expect(found).toEqual(["dev", "main", "preview"]);
    expect(statuses().length).toBeGreaterThan(6);
  });
});
