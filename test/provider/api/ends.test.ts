import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { CHANGE, failed, get, HTML, P, post } from "../../support/client-calls.js";
import { KEY, type Reply, scripted } from "../../support/scripted-service.js";

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

describe("errors", () => {
  test("say what was asked, what the service said and its request id", async () => {
    const service = scripted([{ status: 409, body: { code: "C", message: "m", request_id: "r-1" } }]);
    const error = await failed(service, post(service));
    expect(error.message).toBe(`POST ${P}/endpoints: the service answered 409 C: m (request id r-1)`);
  });

  test("take the request id from the header where the body has none", async () => {
    const service = scripted([{ status: 404, text: HTML, headers: { "x-neon-ret-request-id": "r-2" } }]);
    expect((await failed(service, get(service))).message).toMatch(
      /404: an HTML page from service\.test: Down for a moment .*\(request id r-2\)$/,
    );
  });

  const MISSING = "(the service's URL does not end in its version: is /api/v2 missing?)";
  const OTHER = "(this is not an answer of the API: is the service's URL right?";
  test.each<[string, Reply, string | undefined]>([
    ["https://service.test", { status: 404, text: HTML }, MISSING],
    ["https://service.test/", { status: 404, body: { message: "route not found" } }, MISSING],
    ["https://service.test/api/", { status: 404, body: { message: "route not found" } }, MISSING],
    ["https://service.test/v2/api", { status: 404, body: {} }, MISSING],
    ["https://service.test/api/v2", { status: 404, text: HTML }, OTHER],
    ["https://service.test/api/v2", { status: 404, text: "404 page not found" }, OTHER],
    ["https://service.test/api/v2", { status: 404, body: { error: "not found" } }, OTHER],
    ["https://service.test/api/v2/", { status: 404, body: { code: "", message: "project not found" } }, undefined],
    ["https://service.test/v3beta", { status: 404, body: { message: "project not found" } }, undefined],
    ["https://service.test", { status: 405, body: { message: "method not allowed" } }, MISSING],
    ["https://service.test", { status: 200, text: HTML }, MISSING],
    ["https://service.test", { status: 302, text: "", headers: { location: "/login" } }, MISSING],
    ["https://service.test/api/v2", { status: 200, text: HTML }, undefined],
    ["https://service.test", { status: 400, body: { message: "bad" } }, undefined],
  ])("of %s and %j doubt the URL, where the answer may not be the API's", async (baseUrl, reply, doubt) => {
    const service = scripted([reply], { baseUrl });
    const { message } = await failed(service, get(service));
    expect(/\((the service's URL|this is not an answer)[^)]*\)(?=$|; tried)/.exec(message)?.[0] ?? "").toContain(
      doubt ?? "",
    );
    expect(/the service's URL/.test(message)).toBe(doubt !== undefined);
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
    expect(error.message).toContain(
      "200: an HTML page from service.test: Down for a moment (request id r-3); tried 3 times",
    );
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
