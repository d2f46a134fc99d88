/** Look-ups of the built package against an emulator, in processes of their own and without Pulumi's engine. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { BUILT } from "./support.js";

const KEY = "key-of-the-account";
const PROJECT_KEY = "key-of-one-project";

let em: RunningEmulator;
beforeAll(async () => {
  em = await startEmulator({ apiKey: KEY, keys: [{ key: PROJECT_KEY, projectId: SEED.second.projectId }] });
});
afterAll(() => em?.close());
beforeEach(() => {
  em.requests.length = 0;
});

interface Ended {
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, by itself: what would not end fails here. */
async function run(body: string, env: Record<string, string> = {}): Promise<Ended> {
  const text = `
const sdk = require(${JSON.stringify(BUILT)});
const pulumi = require("@pulumi/pulumi");
const SEED = ${JSON.stringify(SEED)}, projectId = SEED.projectId;
const print = (value) => console.log(JSON.stringify(value));
const fails = (work) => work.then((value) => print({ value }), ({ name, kind, status, message, stack, cause }) =>
  print({ name, kind, status, message, stack, cause: String(cause?.stack) }));
const loaded = () => Object.keys(require.cache).filter((path) => /node_modules.(zod|undici)./.test(path)).length > 0;
(async () => { ${body} })();`;
  const { COMPUTE_API_KEY: _k, COMPUTE_API_URL: _u, NEON_API_KEY: _n, NEON_API_HOST: _h, ...mine } = process.env;
  return promisify(execFile)(process.execPath, ["-e", text], {
    cwd: __dirname,
    env: { ...mine, COMPUTE_API_KEY: KEY, COMPUTE_API_URL: em.url, ...env },
    timeout: 25_000,
  });
}

const printed = ({ stdout }: Ended) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("in a program", () => {
  test("the first question loads the other half, and the program ends by itself after the last", async () => {
    const result = await run(`
      print(loaded());
      const { id, currentState, lastActive } = await sdk.getEndpoint({ projectId, id: SEED.primaryId });
      print([loaded(), id, currentState, typeof lastActive]);`);
    expect(printed(result)).toEqual([false, [true, SEED.primaryId, "active", "string"]]);
    expect(result.stderr).toBe("");
    expect(em.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /projects/${SEED.projectId}/endpoints/${SEED.primaryId}`,
    ]);
  });

  test("outputs give the same answers, and wait for their arguments", async () => {
    const result = await run(`
      const id = pulumi.output(new Promise((done) => setImmediate(done, SEED.primaryId)));
      sdk.getEndpointOutput({ projectId, id }).host.apply(print);
      sdk.listEndpointsOutput({ projectId, branchId: SEED.branches.dev }).apply(print);
      sdk.listOperationsOutput({ projectId, limit: 10 }).apply(print);`);
    expect(printed(result)).toHaveLength(3);
    expect(printed(result)).toEqual(expect.arrayContaining([`${SEED.primaryId}.us-east-2.aws.neon.tech`, [], []]));
  });

  test("a connection URI is a secret output in both forms, and leads where it was asked for", async () => {
    const result = await run(`
      const args = { projectId, databaseName: "neondb", roleName: "neondb_owner", endpointId: SEED.primaryId };
      const plain = await sdk.getConnectionUri(args);
      const pooled = sdk.getConnectionUriOutput({ ...args, pooled: true });
      print(await Promise.all([pulumi.isSecret(plain), pulumi.isSecret(pooled)]));
      pulumi.all([plain, pooled]).apply((uris) => print(uris.map((uri) => uri.replace(/:[^:@]+@/, ":…@"))));
      console.log(String(plain) === "" ? "" : "null");`);
    const host = (suffix: string) =>
      `postgresql://neondb_owner:…@${SEED.primaryId}${suffix}.us-east-2.aws.neon.tech/neondb?sslmode=require`;
    expect(printed(result)).toEqual([[true, true], null, [host(""), host("-pooler")]]);
  });

  test("a look-up of a project-scoped key sees its project and no other", async () => {
    const result = await run(
      `print((await sdk.listEndpoints({ projectId: SEED.second.projectId })).length);
       await fails(sdk.listEndpoints({ projectId }));`,
      { COMPUTE_API_KEY: PROJECT_KEY },
    );
    expect(printed(result)).toMatchObject([
      0,
      {
        name: "LookupError",
        status: 404,
        message: expect.stringContaining("or the key (from COMPUTE_API_KEY (environment)) can't see it"),
      },
    ]);
  });
});

describe("an error", () => {
  test.each<[string, string, Record<string, string>, object]>([
    [
      "of a compute that is not there",
      `sdk.getEndpoint({ projectId, id: "ep-none" })`,
      {},
      { kind: "stopped", status: 404, message: expect.stringContaining(`which has ${SEED.primaryId} (GET`) },
    ],
    [
      "of an operation that is not there",
      `sdk.getOperation({ projectId, id: "00000000-0000-4000-8000-000000000000" })`,
      {},
      { kind: "stopped", status: 404, message: expect.stringContaining("records older than 6 months may be gone") },
    ],
    [
      "of a role that is not there",
      `sdk.getConnectionUri({ projectId, databaseName: "neondb", roleName: "nobody" })`,
      {},
      { kind: "stopped", status: 404, message: expect.stringContaining("no connection URI for role nobody") },
    ],
    [
      "of a wrong key",
      `sdk.listEndpoints({ projectId })`,
      { COMPUTE_API_KEY: "wrong-key" },
      {
        kind: "service",
        status: 401,
        message: expect.stringContaining("the key comes from COMPUTE_API_KEY (environment)"),
      },
    ],
    [
      "of no key",
      `sdk.listEndpoints({ projectId })`,
      { COMPUTE_API_KEY: "", COMPUTE_API_URL: "" },
      { kind: "config", message: expect.stringContaining("no API key: set COMPUTE_API_KEY") },
    ],
    [
      "of something that is no id",
      `sdk.getEndpoint({ projectId: "../other", id: SEED.primaryId })`,
      {},
      { kind: "stopped", message: expect.stringContaining("no request was sent") },
    ],
  ])("%s says what to do, and holds neither a key nor a stack", async (_, work, env, error) => {
    const result = await run(`await fails(${work});`, env);
    const [said] = printed(result);
    expect(said).toMatchObject({ name: "LookupError", ...error });
    expect(said.stack).toBe(`LookupError: ${said.message}`);
    // Pulumi formats the whole chain, and on Node.js 20 takes half a minute for some stacks.
    expect(said.cause).not.toMatch(/\n\s+at /);
    expect(result.stdout).not.toContain("-key");
  });

  test.each([0, -1, Number.NaN])("of a time of %s seconds comes before any request", async (timeoutSeconds) => {
    const result = await run(`await fails(sdk.listEndpoints({ projectId }, { timeoutSeconds: ${timeoutSeconds} }));`);
    expect(printed(result)).toMatchObject([{ message: expect.stringContaining("is not a number above 0") }]);
    expect(em.requests).toEqual([]);
  });

  test("of an output that would hold too much names the other form", async () => {
    const result = await run(`
      process.on("unhandledRejection", ({ message }) => { print(message); process.exit(0); });
      sdk.listOperationsOutput({ projectId, limit: 1001 }).apply(print);`);
    expect(printed(result)).toEqual([expect.stringContaining("gives at most 1000; listOperations has no such bound")]);
    expect(em.requests).toEqual([]);
  });
});
