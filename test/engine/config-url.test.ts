/** A secret key in the stack's config goes to no host that one changed plain line names, in no way that a preview has. */
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { SEED } from "./support";

const FOREIGN = "https://keys.example.com/api/v2";
const COMPUTE = (size: number) => `new Endpoint("db", { projectId, branchId: "${SEED.branches.dev}", size: ${size} });`;
/** What a preview may send a key for. */
const WAYS: [string, string][] = [
  ["the words about what is true right now", COMPUTE(2)],
  ["a look-up", `listEndpoints({ projectId }).catch((error) => { throw error; });`],
  [
    "a look-up that takes outputs",
    `exports.state = getEndpointOutput({ projectId, id: "${SEED.primaryId}" }).currentState;`,
  ],
  ["a compute that is only read", `Endpoint.get("read", "${SEED.primaryId}", { projectId });`],
];

describeWithEngine("a secret key beside a URL of the stack's config", (engine) => {
  let account: Account;
  let stack: Stack;
  let proxy: Server;
  /** Requests to hosts that are not this machine, as a proxy sees them. */
  const connects: string[] = [];
  const config = async () => {
    const { ws } = stack;
    const name = (await readdir(ws.programFolder)).find((one) => /^Pulumi\..+\.yaml$/.test(one))!;
    return join(ws.programFolder, name);
  };
  const tried = () => connects.splice(0);

  beforeAll(async () => {
    proxy = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (data) => {
        connects.push(data.toString().split("\r\n")[0]!);
        socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      });
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    const { port } = proxy.address() as AddressInfo;
    account = await startAccount("key-that-stays-home");
    const proxied = { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "127.0.0.1,localhost" };
    stack = await startStack(engine, proxied);
    await stack.ws.setConfig({ "compute:apiUrl": account.url }, { "compute:apiKey": account.key.key });
    await stack.use(COMPUTE(1));
    await stack.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await stack?.ws.close();
    await account?.em.close();
    proxy?.close();
  });

  test(
    "that is encrypted afterwards is no change",
    async () => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      await ws.setConfig({}, { "compute:apiUrl": account.url });
      await ws.preview({ args: ["--expect-no-changes"] });
      await writeFile(file, before);
    },
    ENGINE_TEST_MS,
  );

  const REFUSED =
    "compute:apiUrl (keys.example.com) stands in plain text in the stack's config, and compute:apiKey beside it is secret";

  test.each(WAYS)(
    "that somebody changed in the stack's file: no preview sends the key, by %s",
    async (_way, program) => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      await writeFile(file, before.replace(account.url, FOREIGN));
      await stack.use(program);
      const { stdout } = await ws.preview({ fails: true });
      expect(stdout).toContain(REFUSED);
      expect(stdout).toContain("pulumi config set --secret compute:apiUrl");
      expect(tried()).toEqual([]);
      await writeFile(file, before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "that somebody added to Pulumi.yaml, also as one that Pulumi is to treat as a secret",
    async () => {
      const { ws } = stack;
      const file = await config();
      const [before, project] = [await readFile(file, "utf8"), join(ws.programFolder, "Pulumi.yaml")];
      const projectBefore = await readFile(project, "utf8");
      await writeFile(file, before.replace(/ *compute:apiUrl: .*\n/, ""));
      await stack.use(COMPUTE(2));
      for (const value of [FOREIGN, `{ value: "${FOREIGN}" }`, `{ value: "${FOREIGN}", secret: true }`]) {
        await writeFile(project, projectBefore);
        await appendFile(project, `\nconfig:\n  compute:apiUrl: ${value}\n`);
        expect((await ws.preview({ fails: true })).stdout, value).toContain(REFUSED);
        expect(tried()).toEqual([]);
      }
      await writeFile(project, projectBefore);
      await writeFile(file, before);
    },
    ENGINE_TEST_MS,
  );

  test.each<[string, string, (secure: string) => string]>([
    [
      "of the stack's computes",
      COMPUTE(2),
      (key) => `compute:instance: x\n  compute:instanceApiKey:\n    secure: ${key}`,
    ],
    [
      "of a Provider",
      'new Provider("eu", { apiKey: new pulumi.Config("compute").requireSecret("apiKey") });',
      () => "",
    ],
    ["of a look-up", "listEndpoints({ projectId }).catch((error) => { throw error; });", () => "compute:instance: x"],
  ])(
    "that somebody added under a name of a Provider's own process sends no key %s",
    async (_whose, program, more) => {
      const { ws } = stack;
      account.em.requests.length = 0;
      const file = await config();
      const before = await readFile(file, "utf8");
      const secure = /compute:apiKey:\s+secure: (\S+)/.exec(before)![1]!;
      const planted = `${before.trimEnd()}\n  compute:instanceApiUrl: ${FOREIGN}\n  ${more(secure)}\n`;
      await writeFile(file, program.includes("Provider(") ? planted.replace(/ *compute:apiUrl: .*\n/, "") : planted);
      await stack.use(program);
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      await writeFile(file, before);
      expect(stdout).toMatch(/compute:instance(ApiUrl|ApiKey)? stands in the stack's config/);
      expect(stdout).toContain("pulumi config rm compute:instance");
      expect([tried(), account.em.requests]).toEqual([[], []]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "refuses the update too, which then changes nothing",
    async () => {
      const { ws } = stack;
      account.em.requests.length = 0;
      await ws.setConfig({ "compute:apiUrl": FOREIGN });
      await stack.use(COMPUTE(2));
      expect((await ws.up({ args: ["--skip-preview"], fails: true })).stdout).toContain(REFUSED);
      expect([tried(), account.em.requests]).toEqual([[], []]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is used where the URL is encrypted as well, which only who has the stack's passphrase can do",
    async () => {
      const { ws } = stack;
      await ws.setConfig({}, { "compute:apiUrl": FOREIGN });
      await ws.preview();
      expect(tried()).toEqual(["CONNECT keys.example.com:443 HTTP/1.1"]);
    },
    ENGINE_TEST_MS,
  );

  test("prints the key nowhere", () => {
    expect(stack.printed()).not.toContain("stays-home");
  });
});
