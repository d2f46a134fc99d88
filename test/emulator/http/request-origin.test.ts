import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type EmulatorOptions, type RunningEmulator, startEmulator } from "../../../emulator/index.js";
import { KEY, PROJECT } from "../support.js";

let running: RunningEmulator;
let port: number;
const start = async (options: EmulatorOptions = {}) => {
  running = await startEmulator({ apiKey: KEY, time: "virtual", ...options });
  port = Number(new URL(running.origin).port);
};
beforeEach(() => start());
afterEach(() => running.close());

interface Raw {
  status: number;
  head: string;
  body: string;
}

/** What comes back for these very bytes; `PORT` in them is the emulator's. */
function sent(text: string): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text.replaceAll("PORT", String(port))));
    let got = "";
    const done = () => {
      const [head = "", ...rest] = got.split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), head: head.toLowerCase(), body: rest.join("\r\n\r\n") });
    };
    socket.on("data", (chunk) => {
      got += chunk;
    });
    socket.on("close", done).on("error", reject);
  });
}
const CLOSE = "Connection: close";
const asked = (lines: string[], { method = "GET", target = "/_emulator/world", body = "" } = {}) =>
  sent([`${method} ${target} HTTP/1.1`, ...lines, CLOSE, `Content-Length: ${body.length}`, "", body].join("\r\n"));
const messageOf = ({ body }: Raw): string => JSON.parse(body).message;

describe("the host", () => {
  test.each(["127.0.0.1:PORT", "localhost:PORT", "LocalHost:PORT", "localhost.:PORT", "[::1]:PORT", "127.0.0.2:PORT"])(
    "%s is this machine",
    async (host) => {
      expect(await asked([`Host: ${host}`])).toMatchObject({ status: 200 });
    },
  );

  test.each([
    "evil.example:PORT",
    "evil.example",
    "127.0.0.1.evil.example:PORT",
    "localhost.evil.example:PORT",
    "127.evil.example:PORT",
    "evil.localhost:PORT",
    "localhost..:PORT",
    "localhost@evil.example:PORT",
    "evil.example@localhost:PORT",
    "localhost:PORT@evil.example",
    "localhost:PORT/evil.example",
    "localhost:PORT,evil.example:PORT",
    "0.0.0.0:PORT",
    "[::]:PORT",
    "[::1].evil.example:PORT",
    "192.168.0.1:PORT",
    "2130706433:PORT",
    "127.0.0.1",
    "localhost:1",
    "localhost:",
    "localhost:PORT:PORT",
    ":PORT",
    "",
  ])("%j is not, whatever is asked for", async (host) => {
    for (const target of ["/_emulator/world", `/api/v2${PROJECT}`, "/", "/anything"]) {
      const answer = await asked([`Host: ${host}`, `Authorization: Bearer ${KEY}`], { target });
      expect(answer.status).toBe(403);
      const shown = JSON.stringify(host.replaceAll("PORT", String(port)));
      expect(messageOf(answer)).toBe(
        `the emulator refuses Host ${shown}, which does not name this machine: send the request to 127.0.0.1:${port}, ` +
          "or name the host when you start the emulator (--hosts, in a program hosts)",
      );
    }
    expect(running.requests).toEqual([]);
  });

  test("that is missing, or there twice, is refused in words", async () => {
    const missing = await asked([]);
    expect([missing.status, messageOf(missing)]).toEqual([
      400,
      `the emulator refuses a request whose Host is missing: send it once, as 127.0.0.1:${port}`,
    ]);
    const old = await sent("GET /_emulator/world HTTP/1.0\r\n\r\n");
    expect([old.status, messageOf(old)]).toEqual([400, messageOf(missing)]);
    for (const hosts of [
      ["localhost:PORT", "evil.example:PORT"],
      ["evil.example:PORT", "localhost:PORT"],
      ["localhost:PORT", "localhost:PORT"],
    ]) {
      const answer = await asked(hosts.map((host) => `Host: ${host}`));
      expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("whose Host is there 2 times")]);
    }
  });

  test.each([
    ["http://127.0.0.1:PORT/_emulator/world", 200],
    ["HTTP://LOCALHOST:PORT/_emulator/world?x=1", 200],
    ["http://evil.example:PORT/_emulator/world", 403],
    ["http://evil.example@127.0.0.1:PORT/_emulator/world", 403],
    ["https://127.0.0.1:PORT/_emulator/world", 403],
    ["ftp://127.0.0.1:PORT/_emulator/world", 403],
    ["http://127.0.0.1:PORT@evil.example/_emulator/world", 403],
    ["http:///_emulator/world", 403],
    ["http://127.0.0.1:PORT", 200],
    ["http://127.0.0.1:PORT/nothing", 401],
  ])("in the request line counts as well: %s is %i", async (target, status) => {
    const answer = await asked(["Host: 127.0.0.1:PORT"], { target });
    expect(answer.status).toBe(status);
    if (status === 403) expect(messageOf(answer)).toMatch(/^the emulator refuses the request target "/);
  });

  test("that is long is shown in part", async () => {
    const answer = await asked([`Host: ${"a".repeat(9000)}:PORT`]);
    expect(answer.status).toBe(403);
    expect(messageOf(answer).length).toBeLessThan(500);
  });

  test("of the option is answered too, as it stands there, and its pages are the emulator's own", async () => {
    await running.close();
    await start({ hosts: ["Emulator.test:8080", "[fd00::1]:80"] });
    expect(await asked(["Host: emulator.test:8080"])).toMatchObject({ status: 200 });
    expect(await asked(["Host: [fd00::1]:80"])).toMatchObject({ status: 200 });
    expect(await asked(["Host: 127.0.0.1:PORT"])).toMatchObject({ status: 200 });
    expect(await asked(["Host: emulator.test"])).toMatchObject({ status: 403 });
    expect(await asked(["Host: emulator.test:PORT"])).toMatchObject({ status: 403 });
    for (const origin of ["http://emulator.test:8080", "https://emulator.test:8080"]) {
      expect(await asked(["Host: emulator.test:8080", `Origin: ${origin}`])).toMatchObject({ status: 200 });
    }
    expect(await asked(["Host: 127.0.0.1:PORT", "Origin: http://emulator.test:8080"])).toMatchObject({ status: 403 });
  });

  test.each(["*", "*.test", "", "a b", "http://emulator.test:8080", "emulator.test:8080/x", "me@emulator.test"])(
    "of the option can't be %j",
    async (host) => {
      await expect(startEmulator({ hosts: [host] })).rejects.toThrow(
        `${JSON.stringify(host)} is no host: give a name with its port, as in emulator.test:8080`,
      );
    },
  );
});

const AFTER_A_LINK = "; if you followed a link, click the address bar and press Enter";

describe("a page", () => {
  const HOST = "Host: 127.0.0.1:PORT";

  test.each([
    ["Origin", "http://evil.example"],
    ["Origin", "null"],
    ["Origin", ""],
    ["Origin", "http://127.0.0.1"],
    ["Origin", "http://127.0.0.1:1"],
    ["Origin", "https://127.0.0.1:PORT"],
    ["Origin", "http://localhost:PORT"],
    ["Origin", "http://127.0.0.1:PORT.evil.example"],
    ["Origin", "http://evil.example http://127.0.0.1:PORT"],
    ["Origin", "chrome-extension://abcdefgh"],
    ["Sec-Fetch-Site", "cross-site"],
    ["Sec-Fetch-Site", "same-site"],
    ["Sec-Fetch-Site", "Cross-Site"],
    ["Sec-Fetch-Site", "something-new"],
    ["Sec-Fetch-Site", ""],
  ])("of another site is refused: %s: %s", async (name, value) => {
    for (const target of ["/_emulator/world", `/api/v2${PROJECT}`, "/"]) {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"]) {
        const answer = await asked([HOST, `${name}: ${value}`, `Authorization: Bearer ${KEY}`], { method, target });
        expect(answer.status).toBe(403);
        expect(messageOf(answer)).toBe(
          `the emulator refuses ${name} ${JSON.stringify(value.replaceAll("PORT", String(port)))}, which belongs to a page of ` +
            `another site: a program must leave this header out${name === "Origin" ? "" : AFTER_A_LINK}`,
        );
      }
    }
    expect(running.requests).toEqual([]);
  });

  test("of another site hides behind no second header, and none that is beyond a number", async () => {
    const own = "Origin: http://127.0.0.1:PORT";
    for (const lines of [
      [own, "Origin: http://evil.example"],
      ["Origin: http://evil.example", own],
      [own, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
      [...Array.from({ length: 2500 }, () => "a: b"), "Origin: http://evil.example"],
    ]) {
      expect(await asked([HOST, ...lines])).toMatchObject({ status: 403 });
    }
  });

  test.each([
    [["Origin: http://127.0.0.1:PORT", "Sec-Fetch-Site: same-origin"]],
    [["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"]],
    [["Sec-Fetch-Mode: cors"]],
  ])("of the emulator's own, an address that was typed, and a program are answered: %j", async (lines) => {
    expect(await asked([HOST, ...lines])).toMatchObject({ status: 200 });
  });
});

describe("a body", () => {
  const RULE = '{"match":{},"then":{"status":500}}';
  const armed = async (lines: string[]) => {
    const target = "/_emulator/faults";
    const answer = await asked(["Host: localhost:PORT", ...lines], { method: "POST", target, body: RULE });
    return [answer.status, answer.body === "" ? "" : messageOf(answer)];
  };

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=utf-8"])(
    "of the type %s is read",
    async (type) => {
      expect(await armed([`Content-Type: ${type}`])).toEqual([204, ""]);
    },
  );

  test.each([
    ["text/plain", 'is "text/plain"'],
    ["text/plain; application/json", 'is "text/plain; application/json"'],
    ["application/x-www-form-urlencoded", 'is "application/x-www-form-urlencoded"'],
    ["multipart/form-data; boundary=x", 'is "multipart/form-data; boundary=x"'],
    ["application/jsonp", 'is "application/jsonp"'],
    [undefined, "is missing"],
  ])("of the type %s is not", async (type, words) => {
    const refusal = [415, `Content-Type ${words}: a body must be application/json`];
    const lines = type === undefined ? [] : [`Content-Type: ${type}`];
    expect(await armed(lines)).toEqual(refusal);
    const target = `/api/v2${PROJECT}`;
    const body = '{"project":{"name":"x"}}';
    const head = ["Host: localhost:PORT", `Authorization: Bearer ${KEY}`, ...lines];
    const answer = await asked(head, { method: "PATCH", target, body });
    expect([answer.status, messageOf(answer)]).toEqual(refusal);
    expect(running.requests.map(({ status }) => status)).toEqual([415]);
  });
});

describe("without a body", () => {
  const status = async (lines: string[], body = "", target = "/_emulator/faults") => {
    const head = ["Host: localhost:PORT", `Authorization: Bearer ${KEY}`, ...lines];
    return (await asked(head, { method: "DELETE", target, body })).status;
  };

  test("a control route refuses the type of a form too, and answers without a type or with that of JSON", async () => {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", ""]) {
      expect(await status([`Content-Type: ${type}`])).toBe(415);
      expect(await status([`Content-Type: ${type}`], " \n")).toBe(415);
      expect(await status([`Content-Type: ${type}`], "", `/_emulator/api${PROJECT}/endpoints/none`)).toBe(415);
      expect(await status([`Content-Type: ${type}`], "", `/api/v2${PROJECT}/endpoints/none`)).toBe(204);
    }
    expect(await status([])).toBe(204);
    expect(await status(["Content-Type: application/json"])).toBe(204);
  });
});

describe("every answer says that it is data, and lets no other origin in", () => {
  const HOST = "Host: 127.0.0.1:PORT";
  const api = (lines: string[] = []) =>
    asked([HOST, `Authorization: Bearer ${KEY}`, ...lines], { target: `/api/v2${PROJECT}` });
  const fault = (then: object) => running.faults.add({ match: {}, then: { status: 200, ...then } });

  test.each<[string, () => Promise<Raw>, number]>([
    ["of the API", () => api(), 200],
    ["of a control route", () => asked([HOST]), 200],
    ["without a body", () => asked([HOST], { method: "DELETE", target: "/_emulator/requests" }), 204],
    ["to nothing that is there", () => asked([HOST], { target: "/nothing" }), 401],
    ["of the console page's script", () => asked([HOST], { target: "/console/console.js" }), 200],
    ["to a HEAD", () => asked([HOST], { method: "HEAD" }), 404],
    ["of the gate", () => asked(["Host: evil.example"]), 403],
    ["to an expectation", () => api(["Expect: a miracle"]), 200],
    ["to an upgrade", () => asked([HOST, "Connection: Upgrade", "Upgrade: websocket"]), 200],
    [
      "that is a page of a fault",
      () => {
        fault({
          body: "<script>",
          headers: {
            "content-security-policy": "default-src *",
            "X-Content-Type-Options": "x",
            "content-type": "text/html",
          },
        });
        return api();
      },
      200,
    ],
    ["to what is no HTTP", () => sent("nonsense\r\n\r\n"), 400],
    ["to a broken length", () => sent("GET / HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: x\r\n\r\n"), 400],
    ["to a head that is too long", () => asked([HOST, `X: ${"x".repeat(20_000)}`]), 431],
  ])("%s", async (_which, ask, status) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    const headers = answer.head.split("\r\n").slice(1);
    const named = (name: string) => headers.filter((line) => line.startsWith(`${name}:`));
    expect(named("x-content-type-options")).toEqual(["x-content-type-options: nosniff"]);
    expect(named("content-security-policy")).toEqual([
      expect.stringMatching(/^content-security-policy: sandbox; .*frame-ancestors 'none'$/),
    ]);
    expect(named("cross-origin-resource-policy")).toEqual(["cross-origin-resource-policy: same-origin"]);
    expect(headers.filter((line) => line.startsWith("access-control-"))).toEqual([]);
    if (status >= 400 && answer.body !== "") expect(messageOf(answer)).toMatch(/\w/);
  });

  test("a rule that would let another origin in is refused", () => {
    expect(() => fault({ headers: { "Access-Control-Allow-Origin": "*" } })).toThrow(
      "then.headers.Access-Control-Allow-Origin: is refused: it would let pages of other sites read the answer",
    );
  });

  test("a broken request behind one that is being answered writes nothing into that answer", async () => {
    fault({ status: 503, delayMs: 1000 });
    const head = `GET /api/v2${PROJECT} HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n`;
    const answer = sent(`${head}nonsense\r\n\r\n`);
    expect((await answer).head).not.toContain("400");
  });
});
