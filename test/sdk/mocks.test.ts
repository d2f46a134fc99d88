/** Users' unit tests: with Pulumi's mocks nothing is sent anywhere, and look-ups ask the mocks. */
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadSdk, valueIn } from "./support.js";

const sdk = loadSdk();
const P = { projectId: "quiet-meadow-40718263" };
const COMPUTE = { id: "ep-mock", host: "ep-mock.example.com", currentState: "idle" };
const OPERATIONS = [
  { id: "op-2", status: "running" },
  { id: "op-1", status: "finished" },
];

const made: pulumi.runtime.MockResourceArgs[] = [];
const called: pulumi.runtime.MockCallArgs[] = [];
const answers: Record<string, object> = {
  getEndpoint: COMPUTE,
  listEndpoints: { endpoints: [COMPUTE] },
  getOperation: OPERATIONS[0]!,
  listOperations: { operations: OPERATIONS },
  getConnectionUri: { uri: "postgresql://mock" },
};

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource(args) {
      made.push(args);
      return { id: args.id ?? `${args.name}-id`, state: { ...args.inputs, host: "ep-mock.example.com" } };
    },
    call(args) {
      called.push(args);
      return answers[args.token.split(":").at(-1)!]!;
    },
  }),
);
beforeEach(() => {
  made.length = 0;
  called.length = 0;
});

describe("a look-up asks `call`", () => {
  test.each<[string, () => Promise<unknown>, object, unknown]>([
    ["getEndpoint", () => sdk.getEndpoint({ ...P, id: "ep-mock" }), { ...P, id: "ep-mock" }, COMPUTE],
    ["listEndpoints", () => sdk.listEndpoints(P), P, [COMPUTE]],
    ["getOperation", () => sdk.getOperation({ ...P, id: "op-2" }), { ...P, id: "op-2" }, OPERATIONS[0]],
    [
      "getEndpoint",
      () => valueIn(sdk.getEndpointOutput({ projectId: pulumi.output(P.projectId), id: "ep-mock" })),
      { ...P, id: "ep-mock" },
      COMPUTE,
    ],
    ["listEndpoints", () => valueIn(sdk.listEndpointsOutput(P)), P, [COMPUTE]],
    ["getOperation", () => valueIn(sdk.getOperationOutput({ ...P, id: "op-2" })), { ...P, id: "op-2" }, OPERATIONS[0]],
    ["listOperations", () => valueIn(sdk.listOperationsOutput(P)), P, OPERATIONS],
  ])("%s", async (name, work, inputs, value) => {
    expect(await work()).toEqual(value);
    expect(called).toMatchObject([{ token: `compute:index:${name}`, inputs }]);
  });

  test("listOperations, for the whole loop", async () => {
    const all = [];
    for await (const one of sdk.listOperations({ ...P, limit: 5 })) all.push(one);
    expect(all).toEqual(OPERATIONS);
    expect(called).toMatchObject([{ token: "compute:index:listOperations", inputs: { ...P, limit: 5 } }]);
  });

  test("getConnectionUri, and its answer is a secret in both forms", async () => {
    const args = { ...P, databaseName: "db", roleName: "owner" };
    for (const uri of [await sdk.getConnectionUri(args), sdk.getConnectionUriOutput(args)]) {
      expect(await pulumi.isSecret(uri)).toBe(true);
      expect(await valueIn(uri)).toBe("postgresql://mock");
    }
  });
});

describe("an answer is a secret", () => {
  test("where an argument is, and not because of the key", async () => {
    const eu = new sdk.Provider("eu", { apiKey: pulumi.secret("key-of-eu") });
    const plain = sdk.getEndpointOutput({ ...P, id: "ep-mock" }, { provider: eu });
    const secret = sdk.getEndpointOutput({ ...P, id: pulumi.secret("ep-mock") }, { provider: eu });
    expect(await Promise.all([pulumi.isSecret(plain), pulumi.isSecret(secret)])).toEqual([false, true]);
  });
});

describe("Endpoint.get", () => {
  test("reads, and puts nothing of ours beside the project into the state", async () => {
    const there = sdk.Endpoint.get("there", "ep-mock", P);
    expect(await valueIn(there.host)).toBe("ep-mock.example.com");
    const [{ id, inputs } = {} as pulumi.runtime.MockResourceArgs] = made;
    expect(id).toBe("ep-mock");
    expect(Object.keys(inputs).sort()).toEqual(["__provider", "projectId"]);
  });
});

describe("a Provider", () => {
  /** As Pulumi marks a secret on its way to the engine. */
  const secret = (value: string) => ({ "4dabf18193072939515e22adb298388d": expect.any(String), value });
  const config = (values: Record<string, string>, secrets: string[] = []) =>
    pulumi.runtime.setAllConfig(values, secrets);
  async function inputsOf(args: ConstructorParameters<typeof sdk.Provider>[1]) {
    const { urn } = new sdk.Provider("eu", args);
    await valueIn(urn);
    return made.at(-1)!;
  }

  test("is an instance of Pulumi's package of all dynamic resources", async () => {
    config({});
    expect(await inputsOf({ apiKey: "key-of-eu", apiUrl: "https://eu.example.com/v2" })).toMatchObject({
      type: "pulumi:providers:pulumi-nodejs",
      name: "eu",
      inputs: {
        "compute:instance": "eu",
        "compute:instanceApiKey": secret("key-of-eu"),
        "compute:instanceApiUrl": "https://eu.example.com/v2",
      },
    });
  });

  test("hands on the stack's settings, secret ones as secrets, and never the stack's key", async () => {
    const values = { "compute:onRestart": "refuse", "compute:approve": '["0123456789abcdef0123456789abcdef"]' };
    config({ ...values, "compute:apiKey": "key-of-the-stack", "test:other": "1" }, [
      "compute:apiKey",
      "compute:approve",
    ]);
    expect((await inputsOf({ apiKey: "key-of-eu" })).inputs).toEqual({
      "compute:onRestart": "refuse",
      "compute:approve": secret(values["compute:approve"]),
      "compute:instance": "eu",
      "compute:instanceApiKey": secret("key-of-eu"),
    });
  });

  test("hands on the stack's URL only to be told that it has none of its own", async () => {
    config({ "compute:apiUrl": "https://stack.example.com/v2" });
    expect((await inputsOf({ apiKey: "key-of-eu" })).inputs).toMatchObject({
      "compute:apiUrl": "https://stack.example.com/v2",
    });
    const own = await inputsOf({ apiKey: "key-of-eu", apiUrl: "https://eu.example.com/v2" });
    expect(own.inputs).not.toHaveProperty("compute:apiUrl");
  });

  test.each([undefined, null, ""])("without a key (%j) fails at once, and says of which instance", (apiKey) => {
    config({});
    const work = () => new sdk.Provider("eu", { apiKey: apiKey as unknown as string });
    expect(work).toThrow(/^Provider "eu": apiKey is (missing|empty)\. Give it the key of the account/);
    expect(made).toEqual([]);
  });

  test("is no other provider: a look-up that gets one says what it takes", async () => {
    config({});
    const other = new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "other", {}) as InstanceType<
      typeof sdk.Provider
    >;
    expect(() => sdk.getEndpointOutput({ ...P, id: "ep-mock" }, { provider: other })).toThrow(
      "takes an instance of the class Provider of pulumi-compute-endpoint",
    );
  });
});
