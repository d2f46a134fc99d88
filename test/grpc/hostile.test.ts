/**
 * The real provider process against a server that means harm, or is badly broken. Each step must end with a clear error,
 * in little memory, and the key must go nowhere else.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { startFakeEngine } from "./fake-engine";
import { hint, type Props, Shim } from "./shim";
import { BRANCH, closing, folder, KEY, PROJECT } from "./support";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Megabytes that the process may have used at most, all in all: an idle one uses about 110. */
const MOST_MEGABYTES = 400;
const ID = "ep-their-own-a5abcdef";
const LIST = `GET /api/v2/projects/${PROJECT}/endpoints`;

const inputs = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  customTimeouts: { create: "5s", update: "5s", delete: "5s" },
  __autoName: hint("main"),
  ...more,
});
const state: Props = { ...inputs(), adopted: false, managed: ["branchId", "size"], host: "ep.example.test" };

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing(server, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A provider process that talks to that server, and what it asked for. */
async function against(server: Server): Promise<Shim> {
  const engine = await startFakeEngine();
  closing(engine, () => engine.kill());
  const url = await listen(server);
  const shim = await Shim.start({ engine: engine.address, folder: await folder() });
  closing(shim, () => shim.close());
  await shim.configure({ "compute:apiKey": KEY, "compute:apiUrl": `${url}/api/v2` });
  return shim;
}

const serving = (handler: Handler) => against(createServer(handler));
const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("it succeeded"),
    (thrown: Error) => thrown,
  );
  return error.message;
}

/** The most that the process ever had in memory, where the system tells. */
function megabytes({ child }: Shim): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

function expectSound(shim: Shim): void {
  expect(shim.alive).toBe(true);
  expect(megabytes(shim)).toBeLessThan(MOST_MEGABYTES);
  expect(shim.said + shim.output.stderr).not.toContain(KEY);
}

const PART = Buffer.alloc(1024 * 1024, "x");
function gigabyte(_: IncomingMessage, response: ServerResponse): void {
  let left = 1024;
  const more = () => {
    while (left-- > 0 && !response.destroyed) if (!response.write(PART)) return void response.once("drain", more);
    response.end();
  };
  more();
}

const forEver = (text: string) => (socket: Socket) => {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.once("data", () => {
    socket.write("HTTP/1.1 200 OK\r\n");
    socket.on("drain", more);
    more();
  });
};

describe("a step ends with a clear error, in little memory, for", () => {
  test.each<[string, () => Server, RegExp]>([
    [
      "bodies of a gigabyte",
      () => createServer(gigabyte),
      /GET \/projects\/\S+\/endpoints: the answer is larger than 16 MB .*tried 3 times/,
    ],
    [
      "headers without end",
      () => createTcpServer(forEver(`x-a: ${"b".repeat(1000)}\r\n`)),
      /GET \/projects\/\S+\/endpoints: .*header/i,
    ],
    [
      "a body that never ends",
      () =>
        createServer((_, response) => {
          const timer = setInterval(() => response.write(" "), 20);
          response.on("close", () => clearInterval(timer));
        }),
      /GET \/projects\/\S+\/endpoints: the response did not complete in time/,
    ],
    [
      "JSON that is nested a million deep",
      () => createServer((_, response) => response.end("[".repeat(1_000_000))),
      /the service answered 200: text that is not JSON from 127\.0\.0\.1:\d+: \[\[/,
    ],
    [
      "a message of megabytes",
      () => createServer((_, response) => json(response, 400, { message: "no ".repeat(2_000_000) })),
      /^.*the service answered 400: no (no )+.{0,20}…[^…]{0,200}$/,
    ],
  ])("%s", async (_rule, server, says) => {
    const shim = await against(server());
    const said = await failure(shim.create(inputs()));
    expect(said).toMatch(says);
    expect(said.length).toBeLessThan(6000);
    expectSound(shim);
  });
});

describe("the key does not go along", () => {
  test.each([301, 302, 303, 307, 308])("with a redirect to another host (%i)", async (status) => {
    const followed: string[] = [];
    const other = await listen(
      createServer((request, response) => {
        followed.push(`${request.method} ${request.headers.authorization}`);
        json(response, 200, { endpoints: [] });
      }),
    );
    const shim = await serving((_, response) => response.writeHead(status, { location: `${other}/x` }).end());
    const steps = [() => shim.create(inputs()), () => shim.read(ID, state), () => shim.delete(ID, state)];
    for (const step of steps) {
      expect(await failure(step())).toMatch(
        /a redirect to http.*, which is not followed because the key would go along/,
      );
    }
    expect(followed).toEqual([]);
    expectSound(shim);
  });
});

describe("what an answer says is not trusted", () => {
  test("an id with a path in it reaches no other route", async () => {
    const asked: string[] = [];
    const id = "../../users/me?x=";
    const shim = await serving((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const endpoint = {
        id,
        type: "read_write",
        branch_id: BRANCH,
        autoscaling_limit_min_cu: 1,
        autoscaling_limit_max_cu: 1,
      };
      const operations = [{ id: "../../../users/me", action: "start_compute", status: "running" }];
      if (request.method === "GET") return void json(response, 200, { endpoints: [], operations: [] });
      json(response, 201, { endpoint, operations });
    });
    const refused = await failure(shim.create(inputs()));
    expect(refused).toMatch(/the service answered 201: JSON that is not from the API/);
    expect(refused).not.toMatch(/adopt: "|kept in the state/);
    const old = { ...state, id };
    expect(await failure(shim.update(id, old, inputs({ size: 2 })))).toContain("is not an endpoint id");
    expect(await failure(shim.delete(`${id}y`, state))).toContain("is not an endpoint id");
    expect(asked.filter((line) => line.includes("users"))).toEqual([]);
    expectSound(shim);
  });

  test("tens of thousands of computes and operations in one answer", async () => {
    const endpoints = Array.from({ length: 40_000 }, (_, index) => ({
      id: `ep-${index}`,
      type: "read_only",
      branch_id: "br-x",
    }));
    const operations = Array.from({ length: 100_000 }, (_, index) => ({
      id: `o${index}`,
      action: "x",
      status: "running",
    }));
    const mine = {
      id: ID,
      type: "read_write",
      branch_id: BRANCH,
      autoscaling_limit_min_cu: 1,
      autoscaling_limit_max_cu: 1,
    };
    const asked: string[] = [];
    const shim = await serving((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (request.url?.includes("/operations/")) {
        return void json(response, 200, { operation: { id: "mine", action: "start_compute", status: "finished" } });
      }
      if (request.url?.includes("/operations")) return void json(response, 200, { operations });
      if (request.method === "GET")
        return void json(response, 200, { endpoints: asked.length > 1 ? [...endpoints, mine] : endpoints });
      json(response, 201, { endpoint: mine, operations: [{ id: "mine", action: "start_compute", status: "running" }] });
    });
    const { id } = await shim.create(inputs());
    expect(id).toBe(ID);
    expect(asked.filter((line) => line === LIST).length).toBeLessThan(4);
    expectSound(shim);
  });

  test("names that every object has are no properties of a compute", async () => {
    const text = `{"endpoints":[{"id":"${ID}","__proto__":{"type":"read_write"},"constructor":{"branch_id":"x"}}]}`;
    const shim = await serving((_, response) => response.end(text));
    const { outputs } = await shim.read(ID, state);
    expect(outputs).toMatchObject({ size: 1, host: "ep.example.test" });
    expect(JSON.stringify(outputs)).not.toMatch(/__proto__|constructor/);
    expectSound(shim);
  });
});
