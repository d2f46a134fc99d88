/** Our resources are constructed without the stack traces of Pulumi's promises: nobody else may notice. */
import { spawnSync } from "node:child_process";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { quietPromises } from "../../sdk/quiet-promises.js";
import { BUILT, loadSdk } from "./support.js";

const sdk = loadSdk();
const AT = { projectId: "quiet-meadow-40718263", branchId: "br-copper-lagoon-a5n7v3hd" };
const DEBUGGABLE = "@pulumi/pulumi/runtime/debuggable";
const debuggable = require(DEBUGGABLE) as { debuggablePromise: unknown; debugPromiseLeaks: boolean };
const FRAME = /\n\s+at /;
const HERE = /quiet-promises\.test/;
let count = 0;
const fresh = () => `compute-${count++}`;

interface PulumisPromise {
  _debugCtx: string;
  _debugStackTrace: string;
}
/** The promises that Pulumi has made and that have not settled. */
const open = (): PulumisPromise[] => {
  const { getStore } = require("@pulumi/pulumi/runtime/state") as {
    getStore: () => { leakCandidates: Set<PulumisPromise> };
  };
  return [...getStore().leakCandidates];
};
/** Those of one resource, by what is written on them. */
const promisesOf = (name: string) => open().filter((one) => String(one._debugCtx).includes(name));

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      if (name.startsWith("refused")) throw new Error("the service is away");
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  }),
);
const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")!;
afterEach(() => {
  Object.defineProperty(Error, "stackTraceLimit", limit);
});

class Other extends pulumi.CustomResource {
  constructor(name: string, props: pulumi.Inputs = { a: 1 }, opts?: pulumi.CustomResourceOptions) {
    super("test:index:Other", name, props, opts);
  }
}

test("the promises of a compute have no stack traces, those of other resources do", () => {
  const [ours, other] = [fresh(), `other-${fresh()}`];
  new Other(`${other}-before`);
  new sdk.Endpoint(ours, AT);
  new Other(`${other}-after`);
  const mine = promisesOf(ours);
  expect(mine.length).toBeGreaterThan(80);
  for (const one of mine) expect(one._debugStackTrace).not.toMatch(FRAME);
  for (const name of [`${other}-before`, `${other}-after`]) {
    const theirs = promisesOf(name);
    expect(theirs.length).toBeGreaterThan(4);
    for (const one of theirs) expect(one._debugStackTrace).toMatch(FRAME);
  }
});

test("a compute that is only looked up has none either", () => {
  const name = fresh();
  sdk.Endpoint.get(name, "ep-a", { projectId: AT.projectId });
  expect(promisesOf(name).length).toBeGreaterThan(80);
  for (const one of promisesOf(name)) expect(one._debugStackTrace).not.toMatch(FRAME);
});

test("Pulumi's debug mode for promises that never settle keeps all of them", () => {
  debuggable.debugPromiseLeaks = true;
  try {
    const name = fresh();
    new sdk.Endpoint(name, AT);
    for (const one of promisesOf(name)) expect(one._debugStackTrace).toMatch(FRAME);
  } finally {
    debuggable.debugPromiseLeaks = false;
  }
});

describe("errors keep the lines that lead to the program:", () => {
  const thrownBy = (work: () => unknown): Error => {
    try {
      work();
    } catch (error) {
      return error as Error;
    }
    throw new Error("nothing was thrown");
  };

  test("of the program, before, after and inside of a constructor", () => {
    function inTransformation(): undefined {
      throw new Error("of a transformation");
    }
    const name = fresh();
    const error = thrownBy(() => new sdk.Endpoint(name, AT, { transformations: [inTransformation] }));
    expect(error.stack).toMatch(/at inTransformation .*quiet-promises\.test/);
    expect(new Error("after").stack).toMatch(HERE);
    new sdk.Endpoint(fresh(), AT);
    expect(new Error("after").stack).toMatch(HERE);
  });

  test("of Pulumi, for an argument that it refuses", () => {
    expect(thrownBy(() => new sdk.Endpoint("", AT)).stack).toMatch(/Missing resource name[\s\S]*quiet-promises\.test/);
  });

  test("of a registration that fails later, as for any other resource", async () => {
    const failed: Error[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (error: Error) => failed.push(error));
    try {
      new sdk.Endpoint("refused-ours", AT);
      new Other("refused-other");
      const of = (name: string) => failed.find(({ message }) => message.includes(name))?.stack ?? "";
      await vi.waitFor(() => {
        expect(of("refused-other")).toMatch(HERE);
        expect(of("refused-ours")).toMatch(HERE);
      });
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of listeners) process.on("unhandledRejection", listener);
    }
  });

  test("of work that runs beside the constructors of many computes", async () => {
    const stacks: string[] = [];
    async function beside() {
      for (let i = 0; i < 20; i++) {
        stacks.push(new Error("beside").stack ?? "");
        await (i % 2 ? new Promise(setImmediate) : Promise.resolve());
      }
    }
    const works = [beside(), beside()];
    for (let i = 0; i < 20; i++) {
      new sdk.Endpoint(fresh(), AT);
      await (i % 3 ? Promise.resolve() : new Promise(setImmediate));
    }
    await Promise.all(works);
    expect(stacks).toHaveLength(40);
    for (const stack of stacks) expect(stack).toMatch(/at beside .*quiet-promises\.test/);
  });
});

describe("the length of stack traces that the program has set", () => {
  test.each([0, 1, 50, Number.POSITIVE_INFINITY, undefined])("%s is the same afterwards", (value) => {
    Error.stackTraceLimit = value as number;
    const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
    new sdk.Endpoint(fresh(), AT);
    expect(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")).toEqual(before);
  });

  test("is the same after an error, and inside the program's transformations", () => {
    Error.stackTraceLimit = 37;
    const seen: number[] = [];
    const look = () => void seen.push(Error.stackTraceLimit);
    const fail = () => {
      throw new Error("of a transformation");
    };
    const made = () => new sdk.Endpoint(fresh(), AT, { transformations: [look as never, fail] });
    expect(made).toThrow("of a transformation");
    expect([...seen, Error.stackTraceLimit]).toEqual([37, 37]);
  });

  test("is what the program set meanwhile, in a transformation", () => {
    const set = () => {
      Error.stackTraceLimit = 23;
      return undefined;
    };
    new sdk.Endpoint(fresh(), AT, { transformations: [set] });
    expect(Error.stackTraceLimit).toBe(23);
  });

  const quietly = () => {
    const end = quietPromises();
    const make = debuggable.debuggablePromise as (promise: Promise<unknown>, context: string) => Promise<unknown>;
    void make(Promise.resolve(), "a promise");
    end();
  };

  test("is absent again where it was deleted", () => {
    Reflect.deleteProperty(Error, "stackTraceLimit");
    quietly();
    expect(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")).toBeUndefined();
  });

  test.each<[what: string, descriptor: PropertyDescriptor]>([
    ["can't be written", { value: 12, writable: false, configurable: true, enumerable: true }],
    ["is a getter", { get: () => 12, configurable: true, enumerable: true }],
  ])("is left alone where it %s", (_, descriptor) => {
    Object.defineProperty(Error, "stackTraceLimit", descriptor);
    quietly();
    expect(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")).toMatchObject(descriptor);
  });
});

describe("Pulumi's function", () => {
  const original = debuggable.debuggablePromise;

  test("is Pulumi's own again afterwards, also after an error and with one constructor inside another", () => {
    new sdk.Endpoint(fresh(), AT);
    expect(debuggable.debuggablePromise).toBe(original);
    expect(() => new sdk.Endpoint("", AT)).toThrow("Missing resource name");
    expect(debuggable.debuggablePromise).toBe(original);
    const inner = fresh();
    const another = (args: pulumi.ResourceTransformationArgs) => {
      if (args.name !== inner) new sdk.Endpoint(inner, AT);
      return undefined;
    };
    new sdk.Endpoint(fresh(), AT, { transformations: [another] });
    expect(debuggable.debuggablePromise).toBe(original);
    expect(promisesOf(inner).length).toBeGreaterThan(80);
  });

  test("is left alone where it can't be replaced: a frozen module, another version of Pulumi", () => {
    const script = (prepare: string) => `
      const debuggable = require(${JSON.stringify(require.resolve(DEBUGGABLE))});
      ${prepare}
      const pulumi = require(${JSON.stringify(require.resolve("@pulumi/pulumi"))});
      pulumi.runtime.setMocks({ newResource: (args) => ({ id: "id", state: args.inputs }), call: () => ({}) });
      const { Endpoint } = require(${JSON.stringify(BUILT)});
      new Endpoint("a", ${JSON.stringify(AT)}).id.apply((id) => console.log(id));`;
    for (const prepare of ["", "Object.freeze(debuggable);"]) {
      const { stdout, stderr } = spawnSync(process.execPath, ["-e", script(prepare)], { encoding: "utf8" });
      expect([stdout, stderr]).toEqual(["id\n", ""]);
    }
  });
});
