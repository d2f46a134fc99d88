/** Whole programs in users' unit tests: with Pulumi's mocks they need no engine, no key and no network. */
import { Socket } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { loadSdk, valueIn } from "./support.js";

const sdk = loadSdk();
const AT = { projectId: "quiet-meadow-40718263", branchId: "br-copper-lagoon-a5n7v3hd" };
const ENDPOINT = "pulumi-nodejs:dynamic/compute:Endpoint";

const made: pulumi.runtime.MockResourceArgs[] = [];
/** Every connection of this process goes through here, whoever opens it. */
const connect = vi.spyOn(Socket.prototype, "connect");

const mocks: pulumi.runtime.Mocks = {
  newResource(args) {
    made.push(args);
    return { id: `${args.name}-id`, state: { ...args.inputs, host: `${args.name}.example.com` } };
  },
  call: ({ token, inputs }) => ({ ...inputs, currentState: "active", token }),
};

/** What a user's program might be: no part of it knows that it is tested. */
class Service extends pulumi.ComponentResource {
  readonly url: pulumi.Output<string>;
  readonly primary;
  constructor(name: string, key: pulumi.Input<string>) {
    super("test:index:Service", name);
    const account = new sdk.Provider(`${name}-account`, { apiKey: key }, { parent: this });
    this.primary = new sdk.Endpoint(
      `${name}-primary`,
      {
        ...AT,
        autoscalingLimitMinCu: 1,
        autoscalingLimitMaxCu: pulumi.output(Promise.resolve(4)),
        restartTriggers: [pulumi.secret("v1")],
        settings: { pgSettings: { work_mem: pulumi.secret("64MB") } },
      },
      { parent: this, provider: account, customTimeouts: { update: "20m" }, protect: true },
    );
    new sdk.Endpoint(`${name}-replica`, { ...AT, type: "read_only", size: 1 }, { dependsOn: this.primary });
    this.url = pulumi.interpolate`postgres://${this.primary.host}/db`;
  }
}

let saved: NodeJS.ProcessEnv;
beforeAll(() => {
  saved = { ...process.env };
  for (const name of Object.keys(process.env)) if (/^(COMPUTE|NEON)_/.test(name)) delete process.env[name];
});
afterAll(() => {
  Object.assign(process.env, saved);
  connect.mockRestore();
});
beforeEach(() => {
  made.length = 0;
});

describe.each([
  ["up", false],
  ["preview", true],
])("a program in %s", (_, preview) => {
  beforeAll(() => pulumi.runtime.setMocks(mocks, "shop", "test", preview));

  test("runs, and the test sees what it asks for", async () => {
    const service = new Service("shop", pulumi.secret("key-of-the-account"));
    expect(await valueIn(service.url)).toBe("postgres://shop-primary.example.com/db");
    expect(await valueIn(service.primary.capacity)).toMatchObject({ vcpu: 4, memoryGb: 16 });
    expect(await valueIn(service.primary.id)).toBe("shop-primary-id");
    const { currentState } = sdk.getEndpointOutput({ projectId: AT.projectId, id: service.primary.id });
    expect(await valueIn(currentState)).toBe("active");
    const asked = () => made.filter(({ type }) => type === ENDPOINT).map(({ name }) => name);
    await expect.poll(asked).toEqual(["shop-primary", "shop-replica"]);
    const { inputs } = made.find(({ name }) => name === "shop-primary")!;
    expect(inputs).toMatchObject({ ...AT, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 });
    // What is ours stands beside the program's own, and begins with two underscores.
    const own = [...Object.keys(AT), "autoscalingLimitMaxCu", "autoscalingLimitMinCu", "customTimeouts"];
    expect(
      Object.keys(inputs)
        .filter((name) => !name.startsWith("__"))
        .sort(),
    ).toEqual([...own, "restartTriggers", "settings"].sort());
  });

  test("what the program itself gets wrong fails as it would with the engine", () => {
    expect(() => new sdk.Endpoint("one", AT as never, { import: "ep-a" })).toThrow("the option import can't work");
    expect(() => new sdk.Provider("eu", { apiKey: "" })).toThrow("apiKey is empty");
  });
});

test("nothing was connected to, and what would send a request was not even loaded", () => {
  expect(connect).not.toHaveBeenCalled();
  expect(Object.keys(require.cache).filter((path) => /node_modules.(zod|undici)./.test(path))).toEqual([]);
});
