import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import type { ProviderError } from "../../../provider/errors.js";
import { KEY, PROJECT, type Reply, type Scripted, scripted } from "../../support/scripted-service.js";

const P = `/projects/${PROJECT}`;
const ENDPOINT = { id: "ep-a", project_id: PROJECT };
const BODY = { endpoint: { branch_id: "br-a", type: "read_only" as const } };
const CHANGE = { status: 201, body: { endpoint: ENDPOINT, operations: [] } };
const HTML =
  "<!DOCTYPE html><html><head><title>Down</title><style>p{}</style></head><body><p>for a moment</p></body></html>";

const minutes = (service: Scripted, count = 10) => new Deadline(service.clock, count * 60_000);
const get = (service: Scripted, count?: number) =>
  service.context.client.listEndpoints(PROJECT, minutes(service, count));
const post = (service: Scripted, count?: number) =>
  service.context.client.createEndpoint(PROJECT, BODY, minutes(service, count));
const remove = (service: Scripted) => service.context.client.deleteEndpoint(PROJECT, "ep-a", minutes(service));

/** The error of a call, and a failing test when there is none. */
async function failed(service: Scripted, work: Promise<unknown>): Promise<ProviderError> {
  return service.clock.run(
    work.then(
      (value) => {
        throw new Error(`no error but ${JSON.stringify(value)}`);
      },
      (error) => error,
    ),
  );
}

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
      { missing: false, status: 200, operations: [operation] },
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
      { operations: [operation], pagination: { cursor: "c" } },
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

describe("what each end of a request comes to", () => {
  const GONE = { status: 404, body: { code: "", message: "gone" } };
  const html = (status: number): Reply => ({ status, text: HTML });
  // In the second column how often a GET is sent before it succeeds, or how it ends; in the third the same of a POST.
  test.each<[string, Reply, number | string, number | string]>([
    ["400", { status: 400, body: { message: "bad" } }, "service 1", "service 1"],
    ["401", { status: 401, body: { message: "who" } }, "service 1", "service 1"],
    ["403", { status: 403, body: { message: "no" } }, "service 1", "service 1"],
    ["404", GONE, "service 1", "service 1"],
    ["406", { status: 406 }, "service 1", "service 1"],
    ["408", { status: 408 }, 2, "unclear 1"],
    ["409", { status: 409 }, "service 1", "service 1"],
    ["412", { status: 412 }, "service 1", "service 1"],
    ["422", { status: 422, body: { message: "limit" } }, "service 1", "service 1"],
    ["422 branch not ready yet", { status: 422, body: { message: "branch not ready yet" } }, 2, 2],
    ["423", { status: 423, body: { message: "busy" } }, 2, 2],
    ["429", { status: 429 }, 2, 2],
    ["500", { status: 500 }, 2, "unclear 1"],
    ["502 with a page", html(502), 2, "unclear 1"],
    ["503", { status: 503 }, 2, 2],
    ["503 with a page", html(503), 2, 2],
    ["504", { status: 504 }, 2, "unclear 1"],
    ["520", { status: 520 }, 2, "unclear 1"],
    ["524 with a page", html(524), 2, "unclear 1"],
    ["a redirect", { status: 302, headers: { location: "https://else.test/" } }, "service 1", "service 1"],
    ["200 with a page", html(200), 2, "unclear 1"],
    ["200 with broken JSON", { status: 200, text: '{"endpoints":[' }, 2, "unclear 1"],
    ["200 without a body", { status: 200 }, 2, "unclear 1"],
    ["200 without the fields", { status: 200, body: { hello: 1 } }, 2, "unclear 1"],
    ["a cut connection", { code: "ECONNRESET" }, 2, "unclear 1"],
    ["a cut socket", { code: "UND_ERR_SOCKET" }, 2, "unclear 1"],
    ["a time-out", { code: "TIMED_OUT" }, 2, "unclear 1"],
    ["an answer without end", { code: "BODY_TOO_LARGE" }, 2, "unclear 1"],
    ["a refused connection", { code: "ECONNREFUSED" }, 2, 2],
    ["an unknown host", { code: "ENOTFOUND" }, 2, 2],
    ["a connection that takes too long", { code: "UND_ERR_CONNECT_TIMEOUT" }, 2, 2],
    ["a bad certificate", { code: "CERT_HAS_EXPIRED" }, "stopped 1", "stopped 1"],
  ])("%s", async (_, reply, ofGet, ofPost) => {
    for (const [method, expected] of [
      ["GET", ofGet],
      ["POST", ofPost],
    ] as const) {
      let asked = 0;
      const good = method === "GET" ? { status: 200, body: { endpoints: [] } } : CHANGE;
      const service = scripted((request) => {
        // The looks of a 423 are not counted here.
        if (request.line.includes("/operations")) return { status: 200, body: { operations: [] } };
        return asked++ === 0 ? reply : good;
      });
      const end = await service.clock.run(
        (method === "GET" ? get(service) : post(service)).then(
          () => asked,
          (error) => `${error.kind} ${asked}`,
        ),
      );
      expect(`${method} ${end}`).toBe(`${method} ${expected}`);
      expect(service.clock.now()).toBeLessThan(2000);
    }
  });
});

describe("a delete", () => {
  test.each<[string, Reply, unknown]>([
    ["204 means missing", { status: 204 }, { missing: true, status: 204, operations: [] }],
    [
      "404 means missing, to be checked",
      { status: 404, body: { message: "no" } },
      { missing: true, status: 404, operations: [] },
    ],
    ["200 without a body is done", { status: 200 }, { missing: false, status: 200, operations: [] }],
    ["200 with a page is done", { status: 200, text: HTML }, { missing: false, status: 200, operations: [] }],
    ["202 is done", { status: 202, body: {} }, { missing: false, status: 202, operations: [] }],
  ])("%s", async (_, reply, value) => {
    const service = scripted([reply]);
    expect(await service.clock.run(remove(service))).toEqual(value);
  });

  test("that was cut is unclear; one that is refused is no success", async () => {
    const cut = scripted([{ code: "ECONNRESET" }]);
    expect((await failed(cut, remove(cut))).kind).toBe("unclear");
    const refused = scripted([{ status: 422, body: { message: "protected" } }]);
    expect((await failed(refused, remove(refused))).message).toContain("422: protected");
  });
});

describe("a lock", () => {
  const operation = (status: string) => ({ id: "11", action: "check_availability", status, endpoint_id: "ep-x" });
  const page = (status: string) => ({
    status: 200,
    body: { operations: [operation(status), { id: "9", status: "failed" }] },
  });
  const busy = { status: 423, body: { message: "busy" } };

  test("waits for what goes on, whosever it is, and sends the change again", async () => {
    const service = scripted([
      busy,
      page("running"),
      { status: 200, body: { operation: operation("running") } },
      { status: 200, body: { operation: operation("failed") } },
      CHANGE,
    ]);
    await service.clock.run(post(service));
    const look = `GET ${P}/operations/11`;
    expect(service.lines()).toEqual([
      `POST ${P}/endpoints`,
      `GET ${P}/operations?limit=100`,
      look,
      look,
      `POST ${P}/endpoints`,
    ]);
    expect(service.clock.now()).toBeLessThan(2500);
  });

  test("outlives one of 45 s that nothing explains, and says that it waits", async () => {
    const service = scripted((request) =>
      request.method === "GET"
        ? { status: 200, body: { operations: [] } }
        : service.clock.now() < 45_000
          ? busy
          : CHANGE,
    );
    await service.clock.run(post(service));
    expect(service.clock.now()).toBeLessThan(56_000);
    expect(service.seen.filter((one) => one.method === "POST").length).toBeLessThan(20);
    expect(service.said[0]).toMatch(
      /^POST \S+: the service answered 423: busy; trying again \(1\d s; at most 10 min\)$/,
    );
    expect(service.said.length).toBeLessThanOrEqual(2);
  });

  test("tries again after 30 s although something goes on for ever", async () => {
    const service = scripted((request) =>
      request.line.includes("/operations/")
        ? { status: 200, body: { operation: operation("hibernating") } }
        : request.method === "GET"
          ? page("running")
          : service.seen.length === 1
            ? busy
            : CHANGE,
    );
    await service.clock.run(post(service));
    expect(service.clock.now()).toBeGreaterThanOrEqual(30_000);
    expect(service.clock.now()).toBeLessThan(31_000);
    expect(service.said[0]).toMatch(/^project \S+ is busy with check_availability of ep-x; waiting \(1\d s\)$/);
  });

  test("that never ends shows the service's 423 at the deadline", async () => {
    const service = scripted((request) => (request.method === "GET" ? { status: 500 } : busy));
    const error = await failed(service, post(service, 2));
    expect(error.kind).toBe("service");
    expect(error.message).toMatch(/423: busy; tried \d+ times in 1 min 5\d s$/);
    expect(service.clock.now()).toBeLessThanOrEqual(120_000);
  });

  test("whose Retry-After does not fit is not looked into", async () => {
    const service = scripted([{ status: 423, headers: { "retry-after": "3600" } }]);
    expect(await failed(service, post(service))).toMatchObject({ answer: { status: 423 } });
    expect(service.seen).toHaveLength(1);
  });

  test("that was waited for makes the backoff begin anew", async () => {
    const limited = { status: 429 };
    const over = { status: 200, body: { operation: operation("finished") } };
    const service = scripted([...Array(6).fill(limited), busy, page("running"), over, limited, CHANGE], { seed: 3 });
    await service.clock.run(post(service));
    const [before, after] = service.times().slice(-2);
    expect(after! - before!).toBeLessThanOrEqual(1000);
  });

  test("ends at once when the restart has become needless", async () => {
    const service = scripted([busy]);
    const restart = service.context.client.restartEndpoint(PROJECT, "ep-a", minutes(service), async () => true);
    expect(await failed(service, restart)).toMatchObject({ kind: "service", answer: { status: 423 } });
    expect(service.seen).toHaveLength(1);
  });
});

describe("Retry-After", () => {
  test.each<[string, string, number, number]>([
    ["seconds are a floor", "7", 7000, 7000],
    ["a date is a floor", new Date(Date.UTC(2026, 4, 4, 10, 0, 20)).toUTCString(), 20_000, 20_000],
    ["0 is no hot loop", "0", 500, 1000],
    ["a past date is no hot loop", "Mon, 04 May 2020 10:00:00 GMT", 500, 1000],
    ["nonsense is as if absent", "soon", 500, 1000],
    ["a negative number is as if absent", "-5", 500, 1000],
  ])("%s", async (_, header, least, most) => {
    const service = scripted([{ status: 429, headers: { "retry-after": header } }, CHANGE]);
    await service.clock.run(post(service));
    expect(service.times()[1]).toBeGreaterThanOrEqual(least);
    expect(service.times()[1]).toBeLessThanOrEqual(most);
  });

  test("that does not fit stops at once with the real status", async () => {
    const service = scripted([{ status: 503, headers: { "retry-after": "86400" } }]);
    const error = await failed(service, post(service));
    expect(error).toMatchObject({ kind: "service", answer: { status: 503, retryAfterMs: 86_400_000 } });
    expect(service.clock.now()).toBe(0);
  });

  test("is counted from the answer, also while a lock is waited for", async () => {
    const operation = { id: "11", action: "a", status: "running" };
    const service = scripted([
      { status: 423, headers: { "retry-after": "4" } },
      { status: 200, body: { operations: [operation] } },
      { status: 200, body: { operation: { ...operation, status: "finished" } } },
      CHANGE,
    ]);
    await service.clock.run(post(service));
    expect(service.times()[3]).toBe(4000);
  });
});

describe("errors", () => {
  test("say what was asked, what the service said and its request id", async () => {
    const service = scripted([{ status: 409, body: { code: "C", message: "m", request_id: "r-1" } }]);
    const error = await failed(service, post(service));
    expect(error.message).toBe(`POST ${P}/endpoints: the service answered 409 C: m (request id r-1)`);
  });

  test("take the request id from the header where the body has none", async () => {
    const service = scripted([{ status: 404, text: HTML, headers: { "x-neon-ret-request-id": "r-2" } }]);
    expect((await failed(service, get(service))).message).toContain(
      "404: an HTML page: Down for a moment (request id r-2)",
    );
  });

  test.each([401, 403])("of a refused key (%i) name where it comes from", async (status) => {
    const service = scripted([{ status, body: { message: "no" } }]);
    expect((await failed(service, get(service))).message).toContain("(the key comes from COMPUTE_API_KEY)");
  });

  test("are cut, in one line, and never hold the key", async () => {
    const text = `Bearer ${KEY} is bad\n\u001b[2J${"x".repeat(5000)}`;
    for (const reply of [
      { status: 400, body: { message: text } },
      { status: 400, text },
    ]) {
      const service = scripted([reply]);
      const error = await failed(service, post(service));
      expect(error.message).toContain("Bearer [key] is bad [2Jxxx");
      expect(error.message.length).toBeLessThan(1300);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
    }
    const network = scripted([() => Promise.reject(new Error(`invalid header ${KEY}`))]);
    expect(inspect(await failed(network, post(network)), { depth: 9 })).not.toContain(KEY);
  });

  test("that cut the key off in the middle of a message do not show its beginning", async () => {
    const service = scripted([{ status: 400, body: { message: `${"x".repeat(1015)}${KEY}` } }]);
    expect((await failed(service, post(service))).message).not.toContain(KEY.slice(0, 6));
  });

  test("of a server that always answers with a page come early", async () => {
    const service = scripted([{ status: 200, text: HTML, headers: { "x-neon-ret-request-id": "r-3" } }]);
    const error = await failed(service, get(service));
    expect(error.message).toContain("200: an HTML page: Down for a moment (request id r-3); tried 3 times");
    expect(service.seen).toHaveLength(3);
  });

  test("of a redirect that repeats the key do not", async () => {
    const service = scripted([{ status: 302, headers: { location: `https://else.test/?key=${KEY}` } }]);
    expect((await failed(service, get(service))).message).toContain("?key=[key]");
  });

  test("of a redirect say where it leads and that the key stays", async () => {
    const service = scripted([{ status: 301, headers: { location: "https://else.test/x" } }]);
    expect((await failed(service, get(service))).message).toContain(
      "a redirect to https://else.test/x, which is not followed",
    );
  });
});

describe("a service that can't be reached", () => {
  test.each(["ECONNREFUSED", "ENOTFOUND", "ECONNRESET"])(
    "from the start (%s) is given up after a minute, by name",
    async (code) => {
      const service = scripted([{ code }]);
      const error = await failed(service, get(service));
      expect(error.kind).toBe("stopped");
      expect(error.message).toContain("no answer has ever come from service.test");
      expect(error.message).toContain(code);
      expect(service.clock.now()).toBeGreaterThanOrEqual(60_000);
      expect(service.clock.now()).toBeLessThan(75_000);
      // The next one does not wait a minute again.
      const before = service.clock.now();
      await failed(service, post(service));
      expect(service.clock.now()).toBe(before);
    },
  );

  test("for some minutes after it had answered is waited for", async () => {
    const service = scripted(() =>
      service.clock.now() > 0 && service.clock.now() < 180_000
        ? { code: "ECONNREFUSED" }
        : { status: 200, body: { endpoints: [] } },
    );
    await service.clock.run(get(service));
    await service.clock.advance(1);
    expect(await service.clock.run(get(service))).toEqual([]);
    expect(service.clock.now()).toBeGreaterThan(180_000);
  });

  test("leaves a change that was not sent as what it is: not sent", async () => {
    const service = scripted([{ status: 200, body: { endpoints: [] } }, { code: "ECONNREFUSED" }]);
    await service.clock.run(get(service));
    const error = await failed(service, post(service, 1));
    expect([error.kind, error.message]).toEqual(["stopped", expect.stringContaining("nothing was sent")]);
  });
});

describe("deadlines", () => {
  test("a change is not sent after its deadline, a look is sent once", async () => {
    const service = scripted([{ status: 500 }]);
    expect((await failed(service, post(service, 0))).kind).toBe("deadline");
    expect(service.seen).toHaveLength(0);
    expect((await failed(service, get(service, 0))).kind).toBe("service");
    expect(service.seen).toHaveLength(1);
  });

  test("one request gets 30 s, and near the deadline no less than 10", async () => {
    const service = scripted([{ status: 200, body: { endpoints: [] } }]);
    for (const count of [10, 0.25, 0]) await service.clock.run(get(service, count));
    expect(service.seen.map((one) => one.timeoutMs)).toEqual([30_000, 15_000, 10_000]);
  });

  test("a service that is always down is asked until then, in few requests", async () => {
    const service = scripted([{ status: 503 }]);
    const error = await failed(service, get(service));
    expect(error.message).toMatch(/503: an empty body; tried \d+ times in (9 min 5\d s|10 min)$/);
    expect(service.seen.length).toBeLessThan(150);
    expect(service.said.length).toBeLessThanOrEqual(21);
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
