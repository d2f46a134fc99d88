import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { connectionTimes } from "../../emulator/http/listener.js";
import { type RunningEmulator, startEmulator } from "../../emulator/index.js";
import { ENDPOINTS, KEY, PRIMARY, PROJECT } from "./support.js";

const JSON_TYPE = { "content-type": "application/json" };

let running: RunningEmulator;
afterEach(() => running.close());

const start = async (options: Parameters<typeof startEmulator>[0] = {}) => {
  running = await startEmulator({ apiKey: KEY, ...options });
  return running;
};
const call = (method: string, path: string, body?: string) =>
  fetch(`${running.url}${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${KEY}`, "x-request-id": "mine", ...(body ? JSON_TYPE : {}) },
  });

test("answers on a free port of the loopback address, under a base URL that ends in /api/v2", async () => {
  await start();
  expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v2$/);
  const response = await call("GET", ENDPOINTS);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-neon-ret-request-id")).toBe("mine");
  expect(await response.json()).toHaveProperty("endpoints");
});

test("has an operation take the time it takes", async () => {
  await start({ operationMs: 1500 });
  const changed = await call("PATCH", PRIMARY, '{"endpoint":{"autoscaling_limit_max_cu":1}}');
  const { operations } = (await changed.json()) as { operations: { id: string }[] };
  const status = async () => {
    const { operation } = (await (await call("GET", `${PROJECT}/operations/${operations[0]?.id}`)).json()) as {
      operation: { status: string };
    };
    return operation.status;
  };
  expect(await status()).toBe("running");
  await expect.poll(status, { interval: 5 }).toBe("finished");
});

test("a missing compute is deleted with 204 and no body", async () => {
  await start();
  const response = await call("DELETE", `${ENDPOINTS}/ep-not-there`);
  expect([response.status, await response.text()]).toEqual([204, ""]);
});

test("a cut answer is a connection error, after the work where the rule says so", async () => {
  await start();
  running.faults.add({ match: { method: "PATCH" }, then: { cut: true, work: true } });
  await expect(call("PATCH", PRIMARY, '{"endpoint":{"name":"renamed"}}')).rejects.toThrow("fetch failed");
  expect(Object.values(running.world.endpoints)[0]?.name).toBe("renamed");
  expect((await call("GET", PRIMARY)).status).toBe(200);
});

test("a page and its headers come over the wire as they are", async () => {
  await start();
  running.faults.add({ match: {}, then: { status: 524, body: "<html>", headers: { "retry-after": "2" } } });
  const response = await call("GET", PRIMARY);
  expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([524, "2", "<html>"]);
});

test("a body above 1 MB is 413, and the next request is served", async () => {
  await start();
  expect((await call("PATCH", PRIMARY, "x".repeat(3_000_000))).status).toBe(413);
  expect((await call("GET", PRIMARY)).status).toBe(200);
});

test("what is not HTTP takes nothing down", async () => {
  await start();
  const { port } = new URL(running.url);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.end("nonsense\r\n\r\n"));
    socket.on("close", () => resolve()).on("error", () => resolve());
    socket.resume();
  });
  expect((await call("GET", PRIMARY)).status).toBe(200);
});

test("a port in use is an error", async () => {
  await start();
  const { port } = new URL(running.url);
  await expect(startEmulator({ port: Number(port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("closing ends connections that wait for an answer, and can be done twice", async () => {
  await start();
  running.faults.add({ match: {}, then: { delayMs: 3_000 } });
  const pending = call("GET", PRIMARY);
  const outcome = expect(pending).rejects.toThrow("fetch failed");
  await expect.poll(() => running.requests.length, { interval: 5 }).toBe(1);
  await Promise.all([running.close(), running.close()]);
  await outcome;
  await running.close();
  await expect(call("GET", PRIMARY)).rejects.toThrow("fetch failed");
});

describe("a connection", () => {
  /** A client's socket. Only the emulator closes it. */
  async function open() {
    const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
    let closed = false;
    socket.on("close", () => {
      closed = true;
    });
    const answered = () => new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    const ask = async () => {
      socket.write(
        `GET /api/v2${PRIMARY} HTTP/1.1\r\nhost: ${new URL(running.url).host}\r\nauthorization: Bearer ${KEY}\r\n\r\n`,
      );
      return (await answered()).split("\r\n", 1)[0];
    };
    return { socket, ask, isClosed: () => closed };
  }
  const LONGER_THAN_NODE_WAITS_MS = 6_500;

  test("stays open while its client is busy with something else", { timeout: 20_000 }, async () => {
    await start();
    const { ask, socket, isClosed } = await open();
    expect(await ask()).toBe("HTTP/1.1 200 OK");
    await sleep(LONGER_THAN_NODE_WAITS_MS);
    expect(isClosed()).toBe(false);
    expect(await ask()).toBe("HTTP/1.1 200 OK");
    socket.destroy();
  });

  test("is closed after a while where that is asked for", async () => {
    await start({ keepAliveMs: 50 });
    const { ask, isClosed } = await open();
    expect(await ask()).toBe("HTTP/1.1 200 OK");
    await expect.poll(isClosed, { timeout: 4_000 }).toBe(true);
  });

  test("may be as slow with its headers as it likes", () => {
    // The limits of Node.js are 60 and 300 seconds: too long for a test, so this one looks at what the server is told.
    expect(connectionTimes({})).toEqual({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  });

  test("that is open and idle does not keep the emulator from closing", async () => {
    await start();
    const { ask, isClosed } = await open();
    await ask();
    await running.close();
    await expect.poll(isClosed).toBe(true);
  });
});

test("the world over the wire is the world in the process", async () => {
  await start();
  const response = await fetch(`${running.origin}/_emulator/world`);
  expect(await response.json()).toEqual(running.world);
});
