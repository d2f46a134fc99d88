/** A secret key in the stack's config goes to no host that one changed plain line names, in no way that a preview has. */
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { SEED } from "./support";

const ENDPOINT = "pulumi-nodejs:dynamic/compute:Endpoint";
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

  const REFUSED = "compute:apiUrl in the stack's config is not used beside compute:apiKey";

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
      expect(stdout).toContain("pulumi config set --secret compute:apiKey 'https://…/api/v2#KEY'");
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
      expect(stdout).toMatch(/compute:instance(ApiUrl|ApiKey)? is in the stack's config/);
      expect(stdout).toContain("pulumi config rm compute:instance");
      expect([tried(), account.em.requests]).toEqual([[], []]);
    },
    ENGINE_TEST_MS,
  );

  /** Not ours, so a program that has it starts Pulumi's provider process, with the whole config, whatever an Endpoint says. */
  const OTHER = `class Other extends pulumi.dynamic.Resource {}
    const other = { check: async (olds, news) => ({ inputs: news }), create: async () => ({ id: "other", outs: {} }) };
    const kept = new Other(other, "other", {}, {});`;
  /compute:apiUrl in the stack's config names keys\.example\.com, where compute ep-\S+ has never been managed/;
  /** Nothing was sent to the other host, and nothing was forgotten. */
  const isUntouched = async () => {
    expect(tried()).toEqual([]);
    expect((await stack.ws.export()).deployment.resources!.map(({ type }) => type)).toContain(ENDPOINT);
  };

  test(
    "that an update with other dynamic resources has refused is not used by the next refresh or destroy",
    async () => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      await stack.use(`${OTHER} ${COMPUTE(1)}`);
      await ws.up({ args: ["--skip-preview"] });
      await writeFile(file, before.replace(account.url, FOREIGN));
      // The other resource waits for nothing, and the Endpoint comes when Pulumi has kept the provider's new config.
      await stack.use(`${OTHER} exports.made = kept.urn.apply(() => { ${COMPUTE(1)} });`);
      expect((await ws.up({ args: ["--skip-preview"], fails: true })).stdout).toContain(REFUSED);
      for (const command of ["refresh", "destroy"]) {
        const { stdout } = await ws.pulumi([command, "--yes", "--skip-preview"], { fails: true });
        expect(stdout, command).toContain(REFUSED);
        await isUntouched();
      }
      await writeFile(file, before);
      await stack.use(`${OTHER} ${COMPUTE(1)}`);
      await ws.up({ args: ["--skip-preview"] });
      await ws.pulumi(["refresh", "--yes", "--skip-preview"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is not where a compute is deleted that the program has no more",
    async () => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      await writeFile(file, before.replace(account.url, FOREIGN));
      await stack.use(OTHER);
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toContain(REFUSED);
      await isUntouched();
      await writeFile(file, before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "under a name of a Provider's own process is no account for a later refresh either",
    async () => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      const secure = /compute:apiKey:\s+secure: (\S+)/.exec(before)![1]!;
      const planted = `compute:instance: x\n  compute:instanceApiUrl: ${FOREIGN}\n  compute:instanceApiKey:\n    secure: ${secure}`;
      await writeFile(file, `${before.trimEnd()}\n  ${planted}\n`);
      await stack.use(OTHER);
      expect((await ws.up({ args: ["--skip-preview"], fails: true })).stdout).toContain(
        "pulumi config rm compute:instance`",
      );
      const { stdout } = await ws.pulumi(["refresh", "--yes", "--skip-preview"], { fails: true });
      expect(stdout).toContain("pulumi config rm compute:instance`");
      await isUntouched();
      await writeFile(file, before);
      await stack.use(`${OTHER} ${COMPUTE(1)}`);
      await ws.up({ args: ["--skip-preview"] });
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
    "that a run with another key has used opens no way for the key itself",
    async () => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      const foreign = before.replace(/compute:apiUrl: .*/, `compute:apiUrl: ${FOREIGN}`);
      await stack.use(`${OTHER} exports.made = kept.urn.apply(() => { ${COMPUTE(1)} });`);
      await writeFile(file, foreign.replace(/compute:apiKey:\s+secure: \S+/, "compute:apiKey: a-key-of-nobody"));
      await ws.up({ args: ["--skip-preview"], fails: true });
      await writeFile(file, foreign);
      await ws.up({ args: ["--skip-preview"], fails: true });
      const { stdout } = await ws.pulumi(["refresh", "--yes", "--skip-preview"], { fails: true });
      expect(stdout).toContain(REFUSED);
      await isUntouched();
      await writeFile(file, before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is not used where it is encrypted for itself: the provider's process can't see that",
    async () => {
      const { ws } = stack;
      await ws.setConfig({}, { "compute:apiUrl": FOREIGN });
      await stack.use(COMPUTE(2));
      expect((await ws.preview({ fails: true })).stdout).toContain(REFUSED);
      expect(tried()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is not used where it stands in plain text with any key: secrets of the file could be sent there under other names",
    async () => {
      const { ws } = stack;
      const file = await config();
      const before = await readFile(file, "utf8");
      const plain = before.replace(/ *compute:apiUrl:\n? *(secure: )?\S+\n/, "");
      await writeFile(file, plain.replace(/compute:apiKey:\s+secure: \S+/, `compute:apiKey: ${FOREIGN}#x`));
      for (const program of [COMPUTE(2), `listEndpoints({ projectId }).catch((error) => { throw error; });`]) {
        await stack.use(program);
        expect((await ws.preview({ fails: true })).stdout).toContain("names a host in plain text");
        expect(tried()).toEqual([]);
      }
      await writeFile(file, before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is used where one secret holds both, by a preview and without the program",
    async () => {
      const { ws } = stack;
      await ws.pulumi(["config", "rm", "compute:apiUrl"], { fails: false });
      await ws.setConfig({}, { "compute:apiKey": `${FOREIGN}#${account.key.key}` });
      await stack.use(COMPUTE(2));
      await ws.preview();
      expect(tried()).toEqual(["CONNECT keys.example.com:443 HTTP/1.1"]);
      await ws.pulumi(["refresh", "--yes", "--skip-preview", "--run-program"], { fails: true });
      expect(tried()[0]).toBe("CONNECT keys.example.com:443 HTTP/1.1");
    },
    ENGINE_TEST_MS,
  );

  test.each([FOREIGN, `pulumi.output("${FOREIGN}")`])(
    "is used where the program gives it to a Provider: %s",
    async (url) => {
      const { ws } = stack;
      const given = url === FOREIGN ? JSON.stringify(url) : url;
      await stack.use(`const provider = new Provider("eu", { apiKey: "k", apiUrl: ${given} });
        new Endpoint("new", { projectId, branchId: "${SEED.branches.dev}", type: "read_only" },
          { provider, customTimeouts: { create: "1s" } });`);
      await ws.up({ args: ["--skip-preview"], fails: true });
      expect(tried()[0]).toBe("CONNECT keys.example.com:443 HTTP/1.1");
    },
    ENGINE_TEST_MS,
  );

  test("prints the key nowhere", () => {
    expect(stack.printed()).not.toContain("stays-home");
  });
});
