/**
 * Every call of `@neondatabase/api-client` for which the emulator has a route, unchanged, with what it gets back. A route
 * that no call here reaches makes a test fail.
 */
import { createApiClient, EndpointType } from "@neondatabase/api-client";
import { afterEach, describe, expect, test } from "vitest";
import { findRoute, ROUTE_NAMES } from "../../emulator/handlers/routes.js";
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { problemsOf } from "../emulator/handlers/published";
import { ROWS } from "./api-client-calls";
import type { Client } from "./api-client-sharing";

const { projectId: P, primaryId, branches } = SEED;
const { main, dev } = branches;

/** Routes that the client has no call for. */
const WITHOUT_CALL: string[] = [];

let em: RunningEmulator;
const reached = new Set<string>();
afterEach(() => em?.close());

async function start(options: EmulatorOptions = {}, apiKey = "key-of-the-client"): Promise<Client> {
  em = await startEmulator({ operationMs: 0, apiKey: "key-of-the-client", ...options });
  return createApiClient({ apiKey, baseURL: em.url, proxy: false });
}

const routeOf = (method: string, path: string): string =>
  findRoute(method, (path.split("?")[0] as string).split("/").slice(1).map(decodeURIComponent)).name;

describe("@neondatabase/api-client calls", () => {
  test.each(ROWS)("%s", async (_, call, status, data) => {
    const api = await start();
    const answer = await call(api, em);
    const { method, path } = em.requests.at(-1)!;
    reached.add(routeOf(method, path));
    expect(answer.status).toBe(status);
    if (status !== 204) expect(answer.data).toMatchObject(data);
    expect(problemsOf(method, path, status, answer.data === "" ? undefined : answer.data)).toEqual([]);
  });

  test("have by now reached each route of the emulator", () => {
    expect([...reached, ...WITHOUT_CALL].sort()).toEqual([...ROUTE_NAMES].sort());
  });
});

describe("@neondatabase/api-client walks the pages of", () => {
  test("operations by the cursor: each once, newest first", async () => {
    const api = await start();
    for (let n = 0; n < 3; n++) await api.restartProjectEndpoint(P, primaryId);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { data } = await api.listProjectOperations({ projectId: P, limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...data.operations.map(({ id }) => id));
      cursor = data.pagination?.cursor;
      if (data.operations.length === 0) break;
    }
    expect(seen).toEqual(em.world.operations.map(({ id }) => id).reverse());
    expect(seen).toHaveLength(6);
  });

  test("branches by the next one, and projects by the last one", async () => {
    const api = await start();
    const first = (await api.listProjectBranches({ projectId: P, limit: 2 })).data;
    const { next } = first.pagination as { next: string };
    const rest = (await api.listProjectBranches({ projectId: P, limit: 2, cursor: next })).data;
    expect(rest.pagination).not.toHaveProperty("next");
    expect([...first.branches, ...rest.branches].map(({ id }) => id).sort()).toEqual(Object.values(branches).sort());

    const one = (await api.listProjects({ limit: 1 })).data;
    const other = (await api.listProjects({ limit: 1, cursor: one.pagination!.cursor })).data;
    expect([...one.projects, ...other.projects].map(({ id }) => id).sort()).toEqual(
      Object.keys(em.world.projects).sort(),
    );
  });
});

describe("@neondatabase/api-client is refused", () => {
  const second = { endpoint: { branch_id: main, type: EndpointType.ReadWrite } };
  const replica = { endpoint: { branch_id: dev, type: EndpointType.ReadOnly } };
  const create = (body: Parameters<Client["createProjectEndpoint"]>[1]) => (api: Client) =>
    api.createProjectEndpoint(P, body);

  test.each<[number, string, (api: Client) => Promise<unknown>, EmulatorOptions?, string?]>([
    [400, "", create({ endpoint: { ...replica.endpoint, autoscaling_limit_max_cu: 3.5 } })],
    [401, "", (api) => api.getProject(P), {}, "another-key"],
    [403, "", (api) => api.listProjects({}), { keys: [{ key: "scoped", projectId: P }] }, "scoped"],
    [404, "", (api) => api.getProjectEndpoint(P, "ep-none")],
    [404, "", (api) => api.restartProjectEndpoint(P, "ep-none")],
    [409, "ENDPOINTS_LIMIT_EXCEEDED", create(second)],
    [412, "", (api) => api.suspendProjectEndpoint(P, primaryId).then(() => api.restartProjectEndpoint(P, primaryId))],
    [422, "", (api) => api.deleteProjectBranch({ projectId: P, branchId: main })],
    [
      423,
      "",
      (api) => api.restartProjectEndpoint(P, primaryId).then(() => create(replica)(api)),
      { operationMs: 60_000 },
    ],
    [429, "", (api) => api.getProject(P).then(() => api.getProject(P)), { rateLimit: { perMinute: 1 } }],
  ])("with %i and the code %j", async (status, code, call, options, key) => {
    const api = await start(options, key);
    const refusal = await call(api).then(
      () => undefined,
      (error) => error.response,
    );
    expect(refusal).toMatchObject({
      status,
      data: { code, message: expect.any(String), request_id: expect.any(String) },
    });
    expect(refusal.headers["x-neon-ret-request-id"]).toBe(refusal.data.request_id);
  });
});
