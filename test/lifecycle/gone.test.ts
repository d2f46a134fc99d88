import { describe, expect, test } from "vitest";
import { adopted, ENDPOINTS, Lab, labWith, made, OPERATIONS, primary, replica, SEED, spoil } from "./support.js";

const removeByHand = (lab: Lab, name: string) => {
  delete lab.emulator.world.endpoints[lab.resource(name).id];
};

describe("a compute that was deleted by hand", () => {
  test("refresh drops it, the next up makes a new one", async () => {
    const lab = await labWith("db", primary({ size: 2 }));
    const { id } = lab.resource("db");
    removeByHand(lab, "db");
    await lab.refresh();
    expect(lab.state.size).toBe(0);
    const outcome = await lab.up("db", primary({ size: 2 }));
    expect(outcome.op).toBe("create");
    expect(lab.resource("db").id).not.toBe(id);
    expect(made(lab)).toHaveLength(1);
  });

  test("destroy succeeds, whether a refresh came before or not", async () => {
    for (const status of [204, 404]) {
      const lab = await labWith("db", primary());
      removeByHand(lab, "db");
      if (status === 404) spoil(lab, { match: { method: "DELETE" }, then: { status: 404 } });
      const run = await lab.destroy();
      expect([lab.state.size, run.warnings]).toEqual([0, []]);
    }
  });

  test("a change of type succeeds all the same", async () => {
    const lab = await labWith("db", primary());
    removeByHand(lab, "db");
    await lab.up("db", replica());
    expect(made(lab).map(({ type }) => type)).toEqual(["read_only"]);
  });

  test("only it is dropped by a refresh", async () => {
    const lab = new Lab();
    await lab.upAll({ a: primary(), b: replica(), c: replica() });
    removeByHand(lab, "b");
    await lab.refresh();
    expect([...lab.state.keys()]).toEqual(["a", "c"]);
  });
});

test("a refresh does not drop what only the list lacks", async () => {
  let isBehind = false;
  const lab = await labWith("db", primary({ size: 2 }), {
    between: async (request, go) => {
      const isList = request.method === "GET" && request.url.endsWith(ENDPOINTS);
      return isBehind && isList ? { status: 200, headers: {}, text: '{ "endpoints": [] }' } : go(request);
    },
  });
  const before = structuredClone(lab.resource("db"));
  isBehind = true;
  await lab.refresh();
  expect(lab.resource("db")).toEqual(before);
});

describe("a refresh that can't tell leaves the state as it is", () => {
  test.each([
    ["the project is 404, as for a key that can't see it", 404, "", /pulumi state delete/],
    ["a key that is refused", 401, "", /401.*COMPUTE_API_KEY/],
    ["a key that is not allowed", 403, "", /403.*COMPUTE_API_KEY/],
    ["a service that is down", 500, "", /500/],
    ["an error page", 502, "<html><title>Bad gateway</title></html>", /Bad gateway/],
    ["a success that is no list", 200, "<html><title>Sign in</title></html>", /Sign in/],
  ])("%s", async (_rule, status, page, message) => {
    const lab = await labWith("db", primary({ size: 2 }));
    const before = structuredClone(lab.resource("db"));
    const then = page ? { status, body: page } : { status };
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 100_000, then });
    await expect(lab.refresh()).rejects.toThrow(message);
    expect(lab.resource("db")).toEqual(before);
  });

  test.each([
    ["null", null],
    ["an object", {}],
    ["something else's list", { endpoints: null }],
    ["a list under another name", { items: [] }],
  ])("a success with %s in it is no list, so nothing is gone", async (_rule, body) => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "GET", path: ENDPOINTS }, times: 100_000, then: { status: 200, body } });
    await expect(lab.refresh()).rejects.toThrow();
    expect(lab.state.size).toBe(1);
  });

  test("a key of another project: 404 on the real route", async () => {
    const lab = await labWith("db", primary(), {
      emulator: { keys: [{ key: "key-of-elsewhere", projectId: SEED.second.projectId }] },
    });
    const elsewhere = new Lab({ beside: lab, apiKey: "key-of-elsewhere" });
    elsewhere.state.set("db", lab.resource("db"));
    await expect(elsewhere.refresh()).rejects.toThrow(/does not exist, or this key can't see it/);
    await expect(elsewhere.destroy()).rejects.toThrow(/does not exist, or this key can't see it/);
    expect(elsewhere.state.size).toBe(1);
    expect(made(lab)).toHaveLength(1);
  });
});

describe("the project itself is gone", () => {
  test("destroy fails and says how to forget the compute", async () => {
    const lab = await labWith("db", adopted({ onDelete: "delete" }));
    const { world } = lab.emulator;
    delete world.projects[SEED.projectId];
    for (const id of Object.keys(world.endpoints)) delete world.endpoints[id];
    await expect(lab.destroy()).rejects.toThrow(/pulumi state delete/);
    expect(lab.state.size).toBe(1);
  });
});

test("a refresh does not wait long for what an earlier step left where operations can't be looked at", async () => {
  const lab = await labWith("db", primary({ size: 1 }));
  lab.resource("db").outputs["unfinished"] = ["op-old-1"];
  spoil(lab, { match: { method: "GET", path: OPERATIONS }, times: 100_000, then: { status: 503 } });
  const began = lab.clock.now();
  await lab.refresh();
  expect(lab.clock.now() - began).toBeLessThan(15_000);
  expect(lab.resource("db").outputs["unfinished"]).toEqual(["op-old-1"]);
});
