/** What people see in `neon` when the control plane says no: its words, and what the command does about it. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEV, MAIN, Neon, PRIMARY, PROJECT } from "./neon";

const SCOPED = "key-for-one-project";
const HERE = ["--project-id", PROJECT];
let neon: Neon;
beforeAll(async () => {
  neon = await Neon.start({ keys: [{ key: SCOPED, projectId: PROJECT }] });
});
afterAll(() => neon?.close());

describe.concurrent("neon says", { timeout: 180_000 }, () => {
  test.each([
    ["of a project that is not there", ["projects", "get", "no-such-project"], "ERROR: project not found"],
    ["of the default branch", ["branches", "delete", MAIN, ...HERE], "ERROR: cannot delete the default branch"],
    [
      "of a name that is taken",
      ["branches", "rename", "dev", "preview", ...HERE],
      'ERROR: branch with the name "preview" already exists',
    ],
    [
      "of a size that is none",
      ["branches", "add-compute", "dev", "--cu", "17", ...HERE],
      "ERROR: invalid request: autoscaling limits: 17 is not an available compute size",
    ],
    ["of a compute that is not there", ["api", `/projects/${PROJECT}/endpoints/ep-none`], "ERROR: endpoint not found"],
  ])("the service's words: %s", async (_, args, words) => {
    const before = JSON.stringify(neon.em.world);
    expect(await neon.refusal(args)).toBe(words);
    expect(JSON.stringify(neon.em.world)).toBe(before);
  });

  test("that the key is wrong, and opens no browser to ask for another", async () => {
    expect(await neon.refusal(["projects", "list"], { apiKey: "another-key" })).toMatch(/rejected the API key/);
  });

  test("of a key for one project that it can't list projects, and works with it inside the project", async () => {
    const asked = neon.refusal(["projects", "list"], { apiKey: SCOPED });
    const listed = await neon.json(["operations", "list"], { apiKey: SCOPED });
    expect(await asked).toMatch(/^ERROR: .*not allowed/);
    expect(listed).toEqual([]);
  });
});

test("what neon wants of other hosts is seen here, and not given", async () => {
  await expect(neon.run(["api", "--list"])).rejects.toThrow(/NOT ALLOWED: host/);
});

describe.concurrent("neon meets", { timeout: 180_000 }, () => {
  test("a project that is locked: it waits and asks again, and nothing is done twice", async () => {
    const locked = await Neon.start();
    try {
      const { em } = locked;
      em.faults.add({ operation: { action: "check_availability", times: 1, then: "never" } });
      em.startOperation({ endpointId: PRIMARY });
      const adding = locked.json(["branches", "add-compute", "dev"]);
      const posts = () => em.requests.filter(({ method }) => method === "POST").map(({ status }) => status);
      await vi.waitFor(() => expect(posts()).toEqual([423]), 60_000);
      em.faults.clear();
      const compute = await adding;
      expect(posts()).toEqual([423, 201]);
      const there = Object.values(em.world.endpoints).filter((one) => one.branch_id === DEV);
      expect(there.map(({ id }) => id)).toEqual([compute.id]);
    } finally {
      await locked.close();
    }
  });

  test("too many requests: it stops with the service's words", async () => {
    const limited = await Neon.start({ rateLimit: { perMinute: 1 } });
    try {
      await limited.json(["projects", "get", PROJECT], { bare: true });
      expect(await limited.refusal(["projects", "get", PROJECT])).toBe("ERROR: rate limit exceeded");
      expect(limited.requests().map((line) => line.split(" ").at(-1))).toEqual(["200", "429"]);
    } finally {
      await limited.close();
    }
  });
});
