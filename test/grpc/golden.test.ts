/**
 * What the state of every user holds for ever: the text of the provider, and the shape of a dynamic resource. Run by
 * plain node on built files, as the engine does.
 */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ENDPOINT_TYPE, PROVIDER_TEXT } from "../../sdk/literal.js";
import { Shim } from "./shim";
import { BRANCH, closing, folder, PROJECT } from "./support";

/** What a script in the program's folder prints as JSON. */
async function result<T>(path: string, script: string): Promise<T> {
  await writeFile(join(path, "index.js"), script);
  const { stdout } = await promisify(execFile)(process.execPath, ["index.js"], { cwd: path });
  return JSON.parse(stdout) as T;
}

describe("the text of the provider", () => {
  test("is frozen, byte for byte: another one would be a change of every resource of every user", () => {
    expect(PROVIDER_TEXT).toBe('exports.handler = () => require("pulumi-compute-endpoint/provider").provider;');
    expect(ENDPOINT_TYPE).toBe("pulumi-nodejs:dynamic/compute:Endpoint");
    expect(Buffer.byteLength(PROVIDER_TEXT)).toBeLessThanOrEqual(128);
  });

  test("is the one that the build carries", async () => {
    const script = `
      const { runtime } = require("@pulumi/pulumi");
      const { Endpoint } = require("pulumi-compute-endpoint");
      const newResource = ({ type, inputs }) => {
        console.log(JSON.stringify([type, inputs.__provider]));
        return { id: "ep-a", state: inputs };
      };
      runtime.setMocks({ newResource, call: () => ({}) });
      new Endpoint("db", { projectId: "quiet-meadow-1", branchId: "br-a", size: 1 });`;
    expect(await result(await folder(), script)).toEqual([ENDPOINT_TYPE, PROVIDER_TEXT]);
  });

  test("gives plain node a whole provider, the same one each time", async () => {
    // The module that Pulumi's shim loads the text with.
    const script = `
      const load = require(require.resolve("require-from-string", { paths: [require.resolve("@pulumi/pulumi")] }));
      const provider = load(${JSON.stringify(PROVIDER_TEXT)}).handler();
      const again = load(${JSON.stringify(PROVIDER_TEXT)}).handler();
      console.log(JSON.stringify({ methods: Object.keys(provider).sort(), same: provider === again }));`;
    expect(await result(await folder(), script)).toEqual({
      methods: ["check", "configure", "create", "delete", "diff", "read", "update"],
      same: true,
    });
  });
});

describe("Endpoint is what the SDK's own dynamic resource would be", () => {
  const ARGS = { projectId: PROJECT, branchId: BRANCH, size: 2 };

  interface Registered {
    type: string;
    inputs: Record<string, unknown>;
  }

  /** Both forms in one program; the SDK can't take our provider itself, only functions that ask for it. */
  const PROGRAM = `
    const pulumi = require("@pulumi/pulumi");
    const { Endpoint } = require("pulumi-compute-endpoint");
    const seen = {};
    pulumi.runtime.setMocks({
      newResource({ name, type, inputs }) { seen[name] = { type, inputs }; return { id: name, state: inputs }; },
      call: () => ({}),
    });
    const provider = {
      configure: (request) => require("pulumi-compute-endpoint/provider").provider.configure(request),
      check: (olds, news) => require("pulumi-compute-endpoint/provider").provider.check(olds, news),
      diff: (id, olds, news) => require("pulumi-compute-endpoint/provider").provider.diff(id, olds, news),
      create: (news) => require("pulumi-compute-endpoint/provider").provider.create(news),
    };
    class Dynamic extends pulumi.dynamic.Resource {
      constructor(name, args) { super(provider, name, args, {}, "compute", "Endpoint"); }
    }
    const args = ${JSON.stringify(ARGS)};
    const resources = [new Endpoint("literal", { ...args }), new Dynamic("dynamic", { ...args })];
    pulumi.all(resources.map((one) => one.id)).apply(() => console.log(JSON.stringify(seen)));`;

  test("the same type and inputs, but for the hint of the name; and the SDK's shim runs both the same way", async () => {
    const path = await folder();
    const { literal, dynamic } = await result<{ literal: Registered; dynamic: Registered }>(path, PROGRAM);
    expect(literal.type).toBe(dynamic.type);
    expect(literal.type).toBe(ENDPOINT_TYPE);
    const { __urn, ...inputs } = literal.inputs;
    expect(__urn).toMatch(/^urn:pulumi:.*::pulumi-nodejs:dynamic\/compute:Endpoint::literal$/);
    expect(Object.keys(inputs).sort()).toEqual(Object.keys(dynamic.inputs).sort());
    expect(inputs).toEqual({ ...ARGS, __provider: PROVIDER_TEXT });

    const shim = closing(await Shim.start({ engine: "127.0.0.1:1", folder: path }), (shim) => shim.close());
    await shim.configure({ "compute:onRestart": "refuse" });
    const olds = { ...ARGS, restart: "no" };
    for (const news of [{ size: 4 }, { size: 3.5, colour: "red" }, { name: "reporting" }]) {
      const [one, two] = await Promise.all(
        [PROVIDER_TEXT, dynamic.inputs["__provider"]].map(async (text) => {
          const { inputs, failures } = await shim.check(olds, { ...ARGS, ...news, __provider: text });
          return { ...inputs, failures, __provider: "" };
        }),
      );
      expect(one).toEqual(two);
    }
    expect(shim.output.stderr).toBe("");
  });
});
