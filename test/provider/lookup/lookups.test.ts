/** The questions: their routes, and what is said where there is no answer. */
import { describe, expect, test } from "vitest";
import type { Access } from "../../../provider/lookup/index.js";
import * as lookup from "../../../provider/lookup/index.js";
import { P } from "../../support/client-calls.js";
import { KEY, PROJECT, type Reply, type Scripted, scripted } from "../../support/scripted-service.js";

const projectId = PROJECT;
const accessTo = ({ context }: Scripted): Access => ({ context, keySource: "COMPUTE_API_KEY", timeoutMs: 120_000 });
const ask = <T>(service: Scripted, work: (access: Access) => Promise<T>): Promise<T> =>
  service.clock.run(work(accessTo(service)));
/** The error of a question, and a failing test where there is an answer. */
const failed = (service: Scripted, work: (access: Access) => Promise<unknown>) =>
  ask(service, (access) =>
    work(access).then(
      (value) => Promise.reject(new Error(`no error but ${JSON.stringify(value)}`)),
      (error) => error as Error & { kind?: string; cause?: unknown },
    ),
  );

const compute = (id: string, branch_id = "br-a") => ({ id, project_id: PROJECT, branch_id });
const list = (...ids: string[]): Reply => ({ status: 200, body: { endpoints: ids.map((id) => compute(id)) } });
const NOT_FOUND: Reply = { status: 404, body: { message: "not found, in the service's words" } };

describe("getEndpoint", () => {
  const get = (id: string) => (access: Access) => lookup.getEndpoint(access, { projectId, id });

  test("is one request", async () => {
    const service = scripted([{ status: 200, body: { endpoint: compute("ep-a") } }]);
    expect(await ask(service, get("ep-a"))).toMatchObject({ id: "ep-a", branchId: "br-a" });
    expect(service.lines()).toEqual([`GET ${P}/endpoints/ep-a`]);
  });

  test("of one that is not there names those that are", async () => {
    const service = scripted([NOT_FOUND, list("ep-c", "ep-b")]);
    const error = await failed(service, get("ep-a"));
    expect(error.message).toMatch(/^compute ep-a is not in project \S+, which has ep-b, ep-c \(GET .*404/);
    expect(error).toMatchObject({ kind: "stopped", cause: { answer: { status: 404 } } });
  });

  test("names at most ten of them, or says that there are none", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `ep-${String(index).padStart(2, "0")}`);
    const many = await failed(scripted([NOT_FOUND, list(...ids)]), get("ep-a"));
    expect(many.message).toContain("ep-08, ep-09 and 2 more (");
    expect((await failed(scripted([NOT_FOUND, list()]), get("ep-a"))).message).toContain("which has none (");
  });

  test("of a project that is not there, or not to be seen, says so and where the key comes from", async () => {
    const service = scripted([NOT_FOUND]);
    expect((await failed(service, get("ep-a"))).message).toMatch(
      /^project \S+ does not exist, or the key \(from COMPUTE_API_KEY\) can't see it \(GET .*\/endpoints: .*404/,
    );
  });

  test.each([404, 405])("finds it in the list of a service that answers the route with %i", async (status) => {
    const service = scripted([{ status, body: { message: "no such route" } }, list("ep-a")]);
    expect(await ask(service, get("ep-a"))).toMatchObject({ id: "ep-a" });
  });

  test("repeats what is busy or broken for a moment, and passes a refused key on", async () => {
    const service = scripted([{ status: 503 }, { status: 500 }, { status: 200, body: { endpoint: compute("ep-a") } }]);
    expect(await ask(service, get("ep-a"))).toMatchObject({ id: "ep-a" });
    const refused = scripted([{ status: 401, body: { message: `no entry for ${KEY}` } }]);
    const error = await failed(refused, get("ep-a"));
    expect(error).toMatchObject({ kind: "service" });
    expect(error.message).toContain("401: no entry for [key] (the key comes from COMPUTE_API_KEY)");
    expect(refused.seen).toHaveLength(1);
  });

  test("gives up when its time is over", async () => {
    const service = scripted([{ status: 503, body: { message: "later" } }]);
    const error = await failed(service, get("ep-a"));
    expect(error.message).toContain("503: later");
    expect(service.clock.now()).toBeGreaterThan(100_000);
    expect(service.clock.now()).toBeLessThanOrEqual(130_000);
  });
});

describe("listEndpoints", () => {
  test("is ordered by id, whatever the service's order", async () => {
    const service = scripted([list("ep-c", "ep-a", "ep-b")]);
    const all = await ask(service, (access) => lookup.listEndpoints(access, { projectId }));
    expect(all.map(({ id }) => id)).toEqual(["ep-a", "ep-b", "ep-c"]);
    expect(service.lines()).toEqual([`GET ${P}/endpoints`]);
  });

  test("of a branch is its part of that list", async () => {
    const endpoints = [compute("ep-a", "br-a"), compute("ep-b", "br-b"), compute("ep-c", "br-a")];
    const of = (branchId: string) =>
      ask(scripted([{ status: 200, body: { endpoints } }]), (access) =>
        lookup.listEndpoints(access, { projectId, branchId }),
      );
    expect((await of("br-a")).map(({ id }) => id)).toEqual(["ep-a", "ep-c"]);
    expect(await of("br-none")).toEqual([]);
  });

  test("at the same moment is one request, and later a new one: what is live is not kept", async () => {
    const service = scripted([list("ep-a")]);
    const both = (access: Access) =>
      Promise.all([lookup.listEndpoints(access, { projectId }), lookup.listEndpoints(access, { projectId })]);
    await ask(service, both);
    expect(service.seen).toHaveLength(1);
    await ask(service, (access) => lookup.listEndpoints(access, { projectId }));
    expect(service.seen).toHaveLength(2);
  });

  test("of a project that is not there is an error, never an empty list", async () => {
    const error = await failed(scripted([NOT_FOUND]), (access) => lookup.listEndpoints(access, { projectId }));
    expect(error.message).toMatch(/^project \S+ does not exist, or the key/);
  });

  test("is never made of an answer without a list", async () => {
    const error = await failed(scripted([{ status: 200, body: {} }]), (access) =>
      lookup.listEndpoints(access, { projectId }),
    );
    expect(error).toMatchObject({ kind: "unclear" });
  });
});

describe("getOperation", () => {
  const get = (access: Access) => lookup.getOperation(access, { projectId, id: "0f5a" });

  test("is one request", async () => {
    const service = scripted([{ status: 200, body: { operation: { id: "0f5a", status: "finished" } } }]);
    expect(await ask(service, get)).toMatchObject({ id: "0f5a", label: "OK" });
    expect(service.lines()).toEqual([`GET ${P}/operations/0f5a`]);
  });

  test("of one that is not there says that old ones go", async () => {
    expect((await failed(scripted([NOT_FOUND]), get)).message).toMatch(
      /^operation 0f5a is not in project \S+, or the key .*older than 6 months may be gone \(GET .*404/,
    );
  });
});

describe("getConnectionUri", () => {
  const args = { projectId, databaseName: "neondb", roleName: "owner" };
  const uri = "postgresql://owner:npg_secret@host/neondb?sslmode=require";

  test.each([
    [{}, "database_name=neondb&role_name=owner"],
    [{ branchId: "br-a" }, "database_name=neondb&role_name=owner&branch_id=br-a"],
    [{ endpointId: "ep-a", pooled: true }, "database_name=neondb&role_name=owner&endpoint_id=ep-a&pooled=true"],
    [{ pooled: false }, "database_name=neondb&role_name=owner&pooled=false"],
    [{ databaseName: "a&b=c/ü" }, "database_name=a%26b%3Dc%2F%C3%BC&role_name=owner"],
  ])("with %j asks for %s, and for nothing that was not said", async (more, query) => {
    const service = scripted([{ status: 200, body: { uri } }]);
    expect(await ask(service, (access) => lookup.getConnectionUri(access, { ...args, ...more }))).toBe(uri);
    expect(service.lines()).toEqual([`GET ${P}/connection_uri?${query}`]);
  });

  test("that is not to be had says what may be missing, and the service's own words", async () => {
    const error = await failed(scripted([NOT_FOUND]), (access) =>
      lookup.getConnectionUri(access, { ...args, endpointId: "ep-a" }),
    );
    expect(error.message).toMatch(
      /^no connection URI for role owner and database neondb of ep-a in project .*in the service's words/,
    );
  });

  test.each([
    { ...args, databaseName: "" },
    { ...args, roleName: undefined as unknown as string },
  ])("without a name asks nothing", async (incomplete) => {
    const service = scripted([]);
    const error = await failed(service, (access) => lookup.getConnectionUri(access, incomplete));
    expect(error.message).toMatch(/^(databaseName|roleName) is required; no request was sent$/);
    expect(service.seen).toEqual([]);
  });
});

describe("an account at the desk", () => {
  const open = (values: Record<string, string>, env: Record<string, string> = {}) =>
    lookup.accessTo(lookup.configFor({ get: (name) => values[name] }, env, { kind: "none" }), 1000, () => {});

  test("is opened once, so that all look-ups of a process keep within one rate", () => {
    const values = { "compute:apiKey": "key-1" };
    expect(open(values).context).toBe(open({ ...values }).context);
    expect(open({ "compute:apiKey": "key-2" }).context).not.toBe(open(values).context);
    expect(open({ ...values, "compute:requestsPerMinute": "60" }).context).not.toBe(open(values).context);
    expect(open(values, { COMPUTE_API_KEY: "key-1" }).keySource).toBe("COMPUTE_API_KEY (environment)");
  });

  test("that is none is the provider's error", () => {
    expect(() => open({})).toThrow("no API key: set COMPUTE_API_KEY");
    expect(() => open({ "compute:apiUrl": "https://stack.test/v2" }, { COMPUTE_API_KEY: "k" })).toThrow(
      "it is unclear which service to use",
    );
  });
});
