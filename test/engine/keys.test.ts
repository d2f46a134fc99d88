/** Where a key comes from, on the engine: rotation, keys that reach one project, keys that are no secret, and bad pairs. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { requests } from "./support";

const PRIMARY = `new Endpoint("primary", { projectId, branchId, adopt: true, size: 0.25 });`;
const REPLICA = `new Endpoint("replica", { projectId, branchId, type: "read_only", size: 1 });`;

describeWithEngine("a key in the stack's config that is exchanged", (engine) => {
  let account: Account;
  let stack: Stack;
  beforeAll(async () => {
    account = await startAccount("key-of-config-1");
    stack = await startStack(engine);
    await stack.ws.setConfig({ "compute:apiUrl": account.url }, { "compute:apiKey": account.key.key });
    await stack.use(REPLICA);
    await stack.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await stack?.ws.close();
    await account?.em.close();
  });

  const HINT =
    "the key comes from compute:apiKey (stack config); `pulumi refresh` and `pulumi destroy` use the key of the last `pulumi up`; after a new key, set COMPUTE_API_KEY and COMPUTE_API_URL for them, or give them --run-program";

  test(
    "is the old one for a refresh, also where the config has the new one; the environment or the program help",
    async () => {
      account.key.key = "key-of-config-2";
      await stack.ws.setConfig({}, { "compute:apiKey": account.key.key });
      expect((await stack.ws.refresh({ fails: true })).stdout).toContain(HINT);
      const env = { COMPUTE_API_KEY: account.key.key, COMPUTE_API_URL: account.url };
      await stack.ws.refresh({ args: ["--skip-preview"], env });
      await stack.ws.refresh({ args: ["--skip-preview", "--run-program"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "is the new one for an up, and from then on for a refresh",
    async () => {
      await stack.ws.up({ args: ["--skip-preview"] });
      requests(account.em);
      await stack.ws.refresh({ args: ["--skip-preview"] });
      expect(account.em.requests.map(({ status }) => status)).toEqual([200]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "is the old one for a destroy; the environment's wins over it",
    async () => {
      account.key.key = "key-of-config-3";
      await stack.ws.setConfig({}, { "compute:apiKey": account.key.key });
      expect((await stack.ws.destroy({ args: ["--skip-preview"], fails: true })).stdout).toContain(HINT);
      const env = { COMPUTE_API_KEY: account.key.key, COMPUTE_API_URL: account.url };
      await stack.ws.destroy({ args: ["--skip-preview"], env });
      expect(Object.keys(account.em.world.endpoints)).toEqual([SEED.primaryId]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "works for a destroy that runs the program",
    async () => {
      await stack.ws.up({ args: ["--skip-preview"] });
      account.key.key = "key-of-config-4";
      await stack.ws.setConfig({}, { "compute:apiKey": account.key.key });
      await stack.ws.destroy({ args: ["--skip-preview", "--run-program"] });
      expect(Object.keys(account.em.world.endpoints)).toEqual([SEED.primaryId]);
      expect(stack.printed()).not.toMatch(/key-of-/);
    },
    ENGINE_TEST_MS,
  );
});

describeWithEngine("a key", (engine) => {
  let account: Account;
  let stack: Stack;
  beforeAll(async () => {
    account = await startAccount("key-of-the-project", SEED.projectId);
    stack = await startStack(engine);
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await stack?.ws.close();
    await account?.em.close();
  });
  const env = () => ({ COMPUTE_API_KEY: account.key.key, COMPUTE_API_URL: account.url });

  test(
    "that reaches one project manages that one, and asks for nothing beyond it",
    async () => {
      await stack.use(PRIMARY + REPLICA);
      await stack.ws.up({ args: ["--skip-preview"], env: env() });
      const asked = requests(account.em);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((line) => !line.includes(`/projects/${SEED.projectId}/`))).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "that does not reach a project says so, and changes nothing",
    async () => {
      await stack.use(
        `${PRIMARY}${REPLICA}new Endpoint("other", { projectId: "${SEED.second.projectId}", branchId: "${SEED.second.branchId}" });`,
      );
      const { stdout } = await stack.ws.up({ args: ["--skip-preview"], env: env(), fails: true });
      expect(stdout).toContain(`project ${SEED.second.projectId} does not exist, or this key can't see it`);
      expect(requests(account.em)).toEqual([`GET /projects/${SEED.second.projectId}/endpoints`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "of an instance that reaches one project works beside another one",
    async () => {
      const all = await startAccount("key-of-everything");
      try {
        await stack.use(`
          const other = new Provider("other", { apiKey: "${all.key.key}", apiUrl: "${all.url}" });
          ${PRIMARY}${REPLICA}
          new Endpoint("other", { projectId: "${SEED.second.projectId}", branchId: "${SEED.second.branchId}" }, { provider: other });`);
        await stack.ws.up({ args: ["--skip-preview"], env: env() });
        expect(requests(account.em)).toEqual([]);
        await stack.use("");
        await stack.ws.up({ args: ["--skip-preview"], env: env() });
        requests(account.em);
      } finally {
        await all.em.close();
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "in plain config is warned about once, a secret one is not",
    async () => {
      const warnings = async () => {
        const { document } = await stack.ws.previewJson();
        return document.diagnostics?.filter(({ message }) => message.includes("compute:apiKey is in")) ?? [];
      };
      await stack.use(PRIMARY + REPLICA);
      await stack.ws.setConfig({ "compute:apiKey": "key-in-plain", "compute:apiUrl": account.url });
      expect(await warnings()).toMatchObject([
        {
          severity: "warning",
          message: expect.stringContaining("is in plain text in the stack's config and state"),
        },
      ]);
      await stack.use("listEndpoints({ projectId }).catch(() => {}); listEndpoints({ projectId }).catch(() => {});");
      expect(await warnings()).toHaveLength(1);
      await stack.ws.removeConfig("compute:apiKey");
      await stack.ws.setConfig({}, { "compute:apiKey": "key-in-secret" });
      expect(await warnings()).toEqual([]);
      await stack.ws.removeConfig("compute:apiKey", "compute:apiUrl");
      requests(account.em);
    },
    ENGINE_TEST_MS,
  );

  const OWN = (args: string) =>
    `new Endpoint("own", { projectId, branchId, adopt: true, size: 0.25 }, { provider: new Provider("eu", ${args}) });`;
  test.each<[string, string, NodeJS.ProcessEnv, Record<string, string>, string[]]>([
    [
      "in the environment beside a URL in the stack's config",
      PRIMARY,
      { COMPUTE_API_KEY: "key-of-env" },
      { "compute:apiUrl": "http://127.0.0.1:1/v2" },
      ["COMPUTE_API_KEY (environment) is set without a URL, while compute:apiUrl (stack config) names one"],
    ],
    [
      "of an instance beside a URL in the environment",
      OWN(`{ apiKey: "key-of-eu" }`),
      { COMPUTE_API_URL: "http://127.0.0.1:1/v2" },
      {},
      ['apiKey of the Provider "eu" is set without a URL, while COMPUTE_API_URL (environment) names one'],
    ],
    [
      "of an instance beside a URL in the stack's config",
      OWN(`{ apiKey: "key-of-eu" }`),
      {},
      { "compute:apiUrl": "http://127.0.0.1:1/v2" },
      ['apiKey of the Provider "eu" is set without a URL, while compute:apiUrl (stack config) names one'],
    ],
    [
      "of an instance that turns out to be empty, beside one that works",
      OWN(`{ apiKey: pulumi.output("") }`),
      { COMPUTE_API_KEY: "key-of-env", COMPUTE_API_URL: "http://127.0.0.1:1/v2" },
      {},
      ['apiKey of the Provider "eu" is empty: give it the key of its account'],
    ],
    [
      "of an instance that would travel in clear",
      OWN(`{ apiKey: "key-of-eu", apiUrl: "http://eu.example.com/v2" }`),
      {},
      {},
      ['apiUrl of the Provider "eu": the URL must begin with https://'],
    ],
    [
      "of an instance that is not there",
      OWN("{ apiKey: process.env.NOT_SET }"),
      {},
      {},
      ['Provider "eu": apiKey is missing. Give it the key of the account'],
    ],
  ])(
    "%s fails before any request, and names both sides",
    async (_, program, variables, config, parts) => {
      if (Object.keys(config).length > 0) await stack.ws.setConfig(config);
      await stack.use(program);
      const { stdout } = await stack.ws.up({ args: ["--skip-preview"], env: variables, fails: true });
      for (const part of parts) expect(stdout).toContain(part);
      // What the program gives it, a preview has as well.
      const preview = await stack.ws.preview({ env: variables, fails: program !== PRIMARY });
      if (program !== PRIMARY) for (const part of parts) expect(preview.stdout).toContain(part);
      expect(requests(account.em)).toEqual([]);
      if (Object.keys(config).length > 0) await stack.ws.removeConfig(...Object.keys(config));
    },
    ENGINE_TEST_MS,
  );

  test("is nowhere in what was printed, and not in the state", async () => {
    const readable = stack.printed().replaceAll("key-in-plain", "");
    expect(readable).not.toMatch(/key-(of|in)-/);
    expect(JSON.stringify(await stack.ws.export())).not.toMatch(/key-(of|in)-/);
  });
});
