import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { BODY, CHANGE, ENDPOINT, failed, get, HTML, minutes, P, post, remove } from "../../support/client-calls.js";
import { KEY, PROJECT, type Reply, type Scripted, scripted } from "../../support/scripted-service.js";

describe("each method asks its route", () => {
  const operation = { id: "0f5a", action: "start_compute", status: "running" };
  test.each<[string, (s: Scripted) => Promise<unknown>, Reply, string, unknown]>([
    [
      "listEndpoints",
      (s) => get(s),
      { status: 200, body: { endpoints: [ENDPOINT] } },
      `GET ${P}/endpoints`,
      [ENDPOINT],
    ],
    ["createEndpoint", (s) => post(s), CHANGE, `POST ${P}/endpoints`, CHANGE.body],
    [
      "updateEndpoint",
      (s) => s.context.client.updateEndpoint(PROJECT, "ep-a", { endpoint: { name: "n" } }, minutes(s)),
      CHANGE,
      `PATCH ${P}/endpoints/ep-a`,
      CHANGE.body,
    ],
    [
      "restartEndpoint",
      (s) => s.context.client.restartEndpoint(PROJECT, "ep-a", minutes(s)),
      CHANGE,
      `POST ${P}/endpoints/ep-a/restart`,
      CHANGE.body,
    ],
    [
      "deleteEndpoint",
      (s) => remove(s),
      { status: 200, body: { endpoint: ENDPOINT, operations: [operation] } },
      `DELETE ${P}/endpoints/ep-a`,
      { wasMissing: false, status: 200, answeredId: "ep-a", operations: [operation] },
    ],
    [
      "getOperation",
      (s) => s.context.client.getOperation(PROJECT, "0F5a-1", minutes(s)),
      { status: 200, body: { operation } },
      `GET ${P}/operations/0F5a-1`,
      operation,
    ],
    [
      "listOperations",
      (s) => s.context.client.listOperations(PROJECT, { limit: 2, cursor: "2026-05-04T10:30:00.5Z" }, minutes(s)),
      { status: 200, body: { operations: [operation], pagination: { cursor: "c" } } },
      `GET ${P}/operations?limit=2&cursor=2026-05-04T10%3A30%3A00.5Z`,
      { operations: [operation], pagination: { cursor: "c" }, received: 1 },
    ],
    [
      "getEndpoint",
      (s) => s.context.client.getEndpoint(PROJECT, "ep-a", minutes(s)),
      { status: 200, body: { endpoint: ENDPOINT } },
      `GET ${P}/endpoints/ep-a`,
      ENDPOINT,
    ],
    [
      "getConnectionUri",
      (s) => s.context.client.getConnectionUri(PROJECT, { role_name: "a b", pooled: "true" }, minutes(s)),
      { status: 200, body: { uri: "postgresql://a:b@c/d" } },
      `GET ${P}/connection_uri?role_name=a+b&pooled=true`,
      "postgresql://a:b@c/d",
    ],
  ])("%s", async (_, call, reply, line, value) => {
    const service = scripted([reply]);
    expect(await service.clock.run(call(service))).toEqual(value);
    expect(service.lines()).toEqual([line]);
  });

  test("with the key, what it accepts, and a content type only where there is content", async () => {
    const service = scripted([CHANGE]);
    await service.clock.run(post(service));
    await service.clock.run(service.context.client.restartEndpoint(PROJECT, "ep-a", minutes(service)));
    const [first, second] = service.seen;
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      accept: "application/json",
      "content-type": "application/json",
    });
    expect(first?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(first?.body ?? "")).toEqual(BODY);
    expect([second?.body, second?.headers["content-type"]]).toEqual([undefined, undefined]);
    expect(second?.headers["x-request-id"]).not.toBe(first?.headers["x-request-id"]);
  });
});

describe("a page of operations", () => {
  test("tells how many rows came, the unreadable ones as well", async () => {
    const service = scripted([{ status: 200, body: { operations: [{ id: "a" }, { id: {} }, "?"] } }]);
    const page = await service.clock.run(
      service.context.client.listOperations(PROJECT, { limit: 3 }, minutes(service)),
    );
    expect([page.operations.map(({ id }) => id), page.received]).toEqual([["a"], 3]);
  });

  test("takes a number for an id", async () => {
    const service = scripted([{ status: 200, body: { operations: [{ id: 7 }] } }]);
    const page = await service.clock.run(
      service.context.client.listOperations(PROJECT, { limit: 3 }, minutes(service)),
    );
    expect(page.operations.map(({ id }) => id)).toEqual(["7"]);
  });
});

describe("a password", () => {
  const uriOf = (service: Scripted) => service.context.client.getConnectionUri(PROJECT, {}, minutes(service));

  test.each<[string, unknown]>([
    ["under another name", { connection_uri: "postgresql://owner:npg_secret@host/db" }],
    ["in an object", { uri: { password: "npg_secret" } }],
    ["alone", "npg_secret"],
  ])("in an answer that can't be read, %s, is not shown", async (_, body) => {
    const service = scripted([{ status: 200, body }]);
    const error = await failed(service, uriOf(service));
    expect(error.message).toContain("not shown");
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("npg_secret");
  });

  test.each(["postgresql", "postgres", "POSTGRES"])("in the %s: URI of an error is not shown", async (scheme) => {
    const message = `no host for ${scheme}://owner:npg_%2Fsecret@host/db, nor for ${scheme}://other:npg_secret@host`;
    const service = scripted([{ status: 404, body: { message } }]);
    const error = await failed(service, uriOf(service));
    expect(error.message).toContain(`${scheme}://owner:[password]@host/db`);
    expect(error.message).toContain(`${scheme}://other:[password]@host`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/npg_/);
  });
});

describe("a key that is refused", () => {
  const refused = async (status: number, keyHint?: string) => {
    const service = scripted([{ status, body: { message: "no" } }], { keyHint });
    return (await failed(service, get(service))).message;
  };

  test("is named, with what to do about it where it may be an old one", async () => {
    expect(await refused(401)).toContain("(the key comes from COMPUTE_API_KEY)");
    expect(await refused(401, "run `pulumi up`")).toContain("(the key comes from COMPUTE_API_KEY; run `pulumi up`)");
    expect(await refused(403, "run `pulumi up`")).toContain("(the key comes from COMPUTE_API_KEY)");
  });
});

describe("a delete", () => {
  test.each<[string, Reply, unknown]>([
    ["204 means missing", { status: 204 }, { wasMissing: true, status: 204, operations: [] }],
    [
      "404 means missing, to be checked",
      { status: 404, body: { message: "no" } },
      { wasMissing: true, status: 404, operations: [] },
    ],
    ["200 without a body is done", { status: 200 }, { wasMissing: false, status: 200, operations: [] }],
    ["202 is done", { status: 202, body: {} }, { wasMissing: false, status: 202, operations: [] }],
  ])("%s", async (_, reply, value) => {
    const service = scripted([reply]);
    expect(await service.clock.run(remove(service))).toEqual(value);
  });

  test("that was cut, or answered by a login page, is unclear; one that is refused is no success", async () => {
    const cut = scripted([{ code: "ECONNRESET" }]);
    expect((await failed(cut, remove(cut))).kind).toBe("unclear");
    const page = scripted([{ status: 200, text: HTML }]);
    expect((await failed(page, remove(page))).kind).toBe("unclear");
    const refused = scripted([{ status: 422, body: { message: "protected" } }]);
    expect((await failed(refused, remove(refused))).message).toContain("422: protected");
  });
});

describe("the client", () => {
  test("never shows its key", () => {
    const { context } = scripted([]);
    expect(inspect(context, { depth: 20, showHidden: true })).not.toContain(KEY);
    expect(JSON.stringify(context)).not.toContain(KEY);
  });

  test.each([
    ["", "empty"],
    ["a b", "a space"],
    ["key\n", "a line break"],
    ["schlüssel", "a letter"],
  ])("refuses the key %j", (apiKey) => {
    expect(() => scripted([], { apiKey })).toThrow(/^the key from COMPUTE_API_KEY is empty, or holds/);
  });

  test.each(["", "console.test/api", "ftp://console.test"])("refuses the URL %j", (baseUrl) => {
    expect(() => scripted([], { baseUrl })).toThrow("the service's URL can't be read");
  });

  test.each(["", "..", "../x", "a/b", "%2e%2e", "a?b", "A", "a".repeat(61), "é"])(
    "sends nothing for the id %j",
    async (id) => {
      const service = scripted([{ status: 200 }]);
      const { client } = service.context;
      const deadline = minutes(service);
      const works = [
        () => client.listEndpoints(id, deadline),
        () => client.deleteEndpoint(PROJECT, id, deadline),
        () => client.getEndpoint(PROJECT, id, deadline),
        () => client.getConnectionUri(id, {}, deadline),
        () => client.restartEndpoint(PROJECT, id, deadline),
        () => client.updateEndpoint(id, "ep-a", { endpoint: {} }, deadline),
      ];
      for (const work of works) {
        const error = await failed(service, work());
        expect([error.kind, error.message]).toEqual(["stopped", expect.stringContaining("no request was sent")]);
      }
      expect(service.seen).toHaveLength(0);
    },
  );
});
