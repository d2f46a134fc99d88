import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { networkReason } from "../../../provider/api/network.js";
import { NO_SECRETS, Redactor } from "../../../provider/api/redact.js";
import { BODY_LIMIT, direct, type TransportRequest, undiciTransport } from "../../../provider/api/transport.js";

const open: Array<{ server: Server; sockets: Set<Socket> }> = [];

afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  open.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (handler: (request: IncomingMessage, response: ServerResponse) => void) => listen(createServer(handler));
const tcp = (handler: (socket: Socket) => void) => listen(createTcpServer(handler));

const send = undiciTransport();
const ask = (url: string, more: Partial<TransportRequest> = {}) =>
  send({ method: "GET", url, headers: { authorization: "Bearer napi_key" }, timeoutMs: 5000, ...more });

/** The code of the error, and how many milliseconds it took. */
async function failing(work: Promise<unknown>): Promise<{ code?: string; reason: string; took: number }> {
  const start = performance.now();
  const error = await work.then(
    () => {
      throw new Error("it succeeded");
    },
    (thrown) => thrown,
  );
  return {
    code: error.code,
    reason: networkReason(error, new Redactor("key-of-the-test", NO_SECRETS)),
    took: performance.now() - start,
  };
}

describe("the network", () => {
  test("takes method, headers and body there, and status, headers and text back", async () => {
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      response.writeHead(201, { "X-Neon-Ret-Request-Id": "r", "content-type": "application/json" });
      response.end(
        JSON.stringify({ method: request.method, path: request.url, key: request.headers.authorization, body }),
      );
    });
    const answer = await ask(`${url}/a?b=c%3A`, { method: "POST", body: "héllo" });
    expect([answer.status, answer.headers["x-neon-ret-request-id"]]).toEqual([201, "r"]);
    expect(JSON.parse(answer.text)).toEqual({
      method: "POST",
      path: "/a?b=c%3A",
      key: "Bearer napi_key",
      body: "héllo",
    });
  });

  test("of undici, the parts that it needs are where they are looked for", () => {
    const parts: string[] = [];
    direct((path) => parts.push(path) && require(path));
    expect(parts).toEqual(["undici/lib/dispatcher/agent.js", "undici/lib/api/api-request.js"]);
  });

  test("and where one is not, the whole of it does", async () => {
    const elsewhere = direct((path) => {
      if (path.includes("api-request")) throw Object.assign(new Error("no such module"), { code: "MODULE_NOT_FOUND" });
      return require(path);
    });
    const url = await serve((request, response) => response.end(request.url));
    const answer = await undiciTransport(elsewhere)({ method: "GET", url: `${url}/a?b`, headers: {}, timeoutMs: 5000 });
    expect(answer.text).toBe("/a?b");
  });

  test.each([301, 302, 307, 308])("gives a redirect (%i) back, and the key does not go along", async (status) => {
    let followed = 0;
    const target = await serve((_, response) => {
      followed++;
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(status, { location: target }).end());
    const answer = await ask(url, { method: "POST", body: "{}" });
    expect([answer.status, answer.headers["location"], followed]).toEqual([status, target, 0]);
  });

  test("keeps a connection for the next request", async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    });
    // The connection is free again a moment after the body's end.
    for (let i = 0; i < 4; i++) await ask(url).then(() => new Promise(setImmediate));
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test("reads a body of some megabytes, and cuts one that is larger than 16 MB", async () => {
    let sent = 0;
    const part = Buffer.alloc(1024 * 1024, "x");
    const url = await serve((request, response) => {
      const most = Number(request.url?.slice(1));
      const more = () => {
        while (sent < most && !response.destroyed) {
          sent++;
          if (!response.write(part)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    expect((await ask(`${url}/15`)).text.length).toBe(15 * 1024 * 1024);
    sent = 0;
    expect(await failing(ask(`${url}/4000`))).toMatchObject({ code: "BODY_TOO_LARGE" });
    // The connection is gone, so the server stops too.
    expect(sent).toBeLessThan(200);
    expect(BODY_LIMIT).toBe(16 * 1024 * 1024);
  });

  test("does not wait for a body that trickles for ever", async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    });
    const { code, took } = await failing(ask(url, { timeoutMs: 300 }));
    expect(code).toBe("TIMED_OUT");
    expect(took).toBeLessThan(10_000);
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ["a server that says nothing", () => {}, "TIMED_OUT"],
    [
      "headers that trickle for ever",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => socket.write("x-a: b\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      },
      "TIMED_OUT",
    ],
    [
      "headers without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const more = () => {
          while (!socket.destroyed && socket.write(`x-a: ${"b".repeat(1000)}\r\n`));
        };
        socket.on("drain", more);
        more();
      },
      "UND_ERR_HEADERS_OVERFLOW",
    ],
    [
      "a connection cut before the answer",
      (socket) => void socket.once("data", () => socket.destroy()),
      "UND_ERR_SOCKET",
    ],
    [
      "a connection cut in the middle of the answer",
      (socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")),
      "UND_ERR_SOCKET",
    ],
  ])("ends for %s", async (_, handler, code) => {
    const url = await tcp((socket) => handler(socket));
    const failure = await failing(ask(url, { timeoutMs: 1000 }));
    expect(failure.code).toBe(code);
    expect(failure.took).toBeLessThan(10_000);
  });

  test("rejects what is not HTTP", async () => {
    const url = await tcp((socket) => void socket.once("data", () => socket.end("SSH-2.0-x\r\n")));
    expect((await failing(ask(url))).reason).toMatch(/Expected HTTP/);
  });

  test("says that nothing was sent when the port is closed or the host unknown", async () => {
    const url = await serve(() => {});
    const { server } = open.splice(-1)[0]!;
    await new Promise((resolve) => server.close(resolve));
    expect((await failing(ask(url))).reason).toBe("the connection was refused (ECONNREFUSED)");
    expect((await failing(ask("http://nowhere.invalid/"))).reason).toMatch(/\((ENOTFOUND|EAI_AGAIN)\)$/);
  });

  describe("through a proxy", () => {
    /** A proxy that notes what it is asked, and answers so. */
    async function proxy(answer: string) {
      const heard: string[] = [];
      const url = await tcp((socket) =>
        socket.on("data", (data) => {
          heard.push(String(data));
          socket.end(answer);
        }),
      );
      return { url: url.replace("//", "//user:pass@"), heard };
    }
    const through = (env: NodeJS.ProcessEnv, url: string) =>
      failing(
        undiciTransport(
          undefined,
          env,
        )({ method: "GET", url, headers: { authorization: "Bearer napi_key" }, timeoutMs: 3000 }),
      );
    const VIA = "; the request goes through the proxy that HTTPS_PROXY names, unless NO_PROXY names the host";

    test.each(["HTTPS_PROXY", "https_proxy"])("that %s names, which sees the host and not the key", async (name) => {
      const { url, heard } = await proxy("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      const { reason } = await through({ [name]: url }, "https://service.invalid/api/v2/x");
      expect(heard).toEqual([expect.stringMatching(/^CONNECT service\.invalid:443 HTTP/)]);
      expect(heard[0]).not.toMatch(/napi_key|\/api\/v2/);
      expect(reason).toBe(`the proxy did not connect (PROXY_REFUSED)${VIA}`);
    });

    test("that is not there, the reader hears of it, and not of its password", async () => {
      const { reason } = await through({ HTTPS_PROXY: "http://user:pass@127.0.0.1:9" }, "https://service.invalid/x");
      expect(reason).toBe(`the connection was refused (ECONNREFUSED)${VIA}`);
    });

    test("only where NO_PROXY does not name the host, and never to this machine", async () => {
      const { url, heard } = await proxy("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      const env = { HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: "service.invalid" };
      expect((await through(env, "https://service.invalid/x")).reason).toMatch(/\((ENOTFOUND|EAI_AGAIN)\)/);
      const here = await serve((_, response) => response.end("{}"));
      const answer = await undiciTransport(undefined, env)({ method: "GET", url: here, headers: {}, timeoutMs: 3000 });
      expect([answer.text, heard]).toEqual(["{}", []]);
    });
  });

  test("lets the process end although a connection is kept", async () => {
    const url = await serve((_, response) => response.writeHead(200, { "keep-alive": "timeout=60" }).end("{}"));
    const program = `
      const { undiciTransport } = require("./provider/api/transport.ts");
      undiciTransport()({ method: "GET", url: ${JSON.stringify(url)}, headers: {}, timeoutMs: 60000 })
        .then((answer) => console.log(answer.status));`;
    const start = performance.now();
    const { stdout } = await promisify(execFile)(process.execPath, ["--require", "tsx/cjs", "-e", program]);
    expect(stdout.trim()).toBe("200");
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
