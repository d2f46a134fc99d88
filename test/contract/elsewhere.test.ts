/** The suite on a service that the environment names, here an emulator that knows nothing of it; and what keeps it off. */
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { run } from "../../tools/engine/run";
import { namedTarget } from "./target";

const ROOT = join(__dirname, "../..");
const LIMIT_MS = 120_000;

let em: RunningEmulator;
afterEach(() => em?.close());

/** Runs the suite by hand, as a person would: in a process of its own, and not in CI. */
async function byHand(env: NodeJS.ProcessEnv = {}, options: EmulatorOptions = {}, faults = (_: RunningEmulator) => {}) {
  em = await startEmulator({ operationMs: 20, apiKey: "key-of-a-person", ...options });
  faults(em);
  const kept = Object.entries(process.env).filter(([name]) => !/^(CI|VITEST.*|CONTRACT_.*)$/.test(name));
  const named = { CONTRACT_BASE_URL: `${em.url}/`, CONTRACT_API_KEY: em.apiKey, NO_COLOR: "1" };
  const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "test/contract/contract.test.ts"];
  const { code, stdout, stderr } = await run(process.execPath, vitest, {
    cwd: ROOT,
    env: { ...Object.fromEntries(kept), ...named, ...env },
    limitMs: LIMIT_MS,
  });
  return { code, said: stdout + stderr };
}

const rows = () => ({
  projects: Object.keys(em.world.projects).sort(),
  branches: Object.keys(em.world.branches).sort(),
  endpoints: Object.keys(em.world.endpoints),
});
const SEEDED = {
  projects: [SEED.projectId, SEED.second.projectId].sort(),
  branches: [...Object.values(SEED.branches), SEED.second.branchId].sort(),
  endpoints: [SEED.primaryId],
};
/** Requests that change something outside of what the suite has made. */
const elsewhere = () => em.requests.filter(({ method, path }) => method !== "GET" && path.includes(SEED.primaryId));

describe("the contract suite on a named service", { timeout: LIMIT_MS }, () => {
  test("says what it will do, does it in a project of its own, tells what it saw, and leaves nothing", async () => {
    const { code, said } = await byHand();
    expect(said).toMatch(/34 passed/);
    expect(code).toBe(0);
    const [, name] = /a project named (compute-endpoint-contract-\S+);/.exec(said)!;
    expect(said).toContain(`The contract suite runs on ${em.url}`);
    expect(said).toContain(`delete ${name} yourself`);
    expect(said).toMatch(/Not documented, and seen here:\n.*a second primary: 409 read_write endpoint already exists/s);
    expect(said).not.toContain(em.apiKey);
    expect(em.requests[0]).toMatchObject({ method: "POST", path: "/projects", body: { project: { name } } });
    expect(em.requests.filter(({ path }) => path.startsWith(`/projects/${SEED.projectId}`))).toEqual([]);
    expect(rows()).toEqual(SEEDED);
  });

  test("works in a project that is named, on a branch of its own, with a key for that project alone", async () => {
    const keys = [{ key: "scoped", projectId: SEED.projectId }];
    const named = { CONTRACT_PROJECT_ID: SEED.projectId, CONTRACT_API_KEY: "scoped" };
    // And the other reading of whatever is not documented.
    const other = {
      lock: "branch",
      idleUpdate: "none",
      restartIdleStatus: 423,
      branchNotReadyStatus: 423,
      listOrder: "random",
      branchReadyMs: 200,
    } as const;
    const { code, said } = await byHand(named, { keys, ...other });
    expect(said).toMatch(/34 passed/);
    expect(code).toBe(0);
    expect(said).toMatch(
      new RegExp(`branches named compute-endpoint-contract-\\S+ and \\S+-late in the project ${SEED.projectId}`),
    );
    expect(elsewhere()).toEqual([]);
    expect(rows()).toEqual(SEEDED);
  });

  test("takes away what it has made also where tests fail, and where not even the first compute could be made", async () => {
    const { code, said } = await byHand({}, {}, ({ faults }) => {
      faults.add({ match: { method: "POST", path: "/projects" }, times: 1, then: { status: 502, work: true } });
    });
    expect(code).toBe(1);
    expect(said).toContain("no project could be made");
    expect(rows()).toEqual(SEEDED);
    await em.close();

    const later = await byHand({}, {}, ({ faults }) => {
      faults.add({ match: { method: "PATCH", path: "/projects/*/endpoints/*" }, times: 99, then: { status: 500 } });
    });
    expect(later.code).toBe(1);
    expect(later.said).toMatch(/\d failed/);
    expect(rows()).toEqual(SEEDED);
  });
});

describe("the contract suite keeps off", () => {
  const CONTRACT_BASE_URL = "https://control.example.com/v2";
  const CONTRACT_API_KEY = "key";

  test.each<[string, NodeJS.ProcessEnv, RegExp]>([
    [
      "in CI",
      { CI: "true", CONTRACT_BASE_URL, CONTRACT_API_KEY },
      /^CONTRACT_BASE_URL is set in CI: .* only run by hand/,
    ],
    ["without a key", { CONTRACT_BASE_URL }, /^CONTRACT_API_KEY is missing/],
    ["with a key for nobody", { CONTRACT_API_KEY }, /^CONTRACT_BASE_URL is missing/],
    [
      "where the key would be readable on the way",
      { CONTRACT_BASE_URL: "http://control.example.com/v2", CONTRACT_API_KEY },
      /https/,
    ],
    ["of what is no address", { CONTRACT_BASE_URL: "control.example.com", CONTRACT_API_KEY }, /https/],
  ])("%s", (_, env, words) => {
    expect(() => namedTarget(env)).toThrow(words);
  });

  test("unless it is asked: then it takes the service that is named", () => {
    expect(namedTarget({})).toBeUndefined();
    expect(namedTarget({ CI: "true" })).toBeUndefined();
    const named = namedTarget({ CONTRACT_BASE_URL: `${CONTRACT_BASE_URL}/`, CONTRACT_API_KEY, CI: "false" });
    expect(named).toMatchObject({ url: CONTRACT_BASE_URL, apiKey: CONTRACT_API_KEY, real: true });
  });
});
