import { describe, expect, test } from "vitest";
import { type EmulatorOptions, SEED, startEmulator } from "../../../emulator/index.js";
import { activityOf } from "../../../provider/endpoint/activity.js";
import * as desk from "../../../provider/lookup/index.js";
import type { ComputeUpdate, Outlook, ProjectNow } from "../../../provider/lookup/live.js";
import type { Activity } from "../../../provider/rules/current-state.js";
import type { WireEndpoint } from "../../../provider/wire/endpoint.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const USED = { current_state: "active", last_active: "2026-05-01T11:59:48Z" };

describe("what a compute does now", () => {
  test.each<[Partial<WireEndpoint>, Activity | undefined]>([
    [USED, { state: "active", used: "12 s" }],
    [{ ...USED, last_active: "2000-01-01T00:00:00Z" }, { state: "active" }],
    [{ ...USED, last_active: "soon" }, { state: "active" }],
    // After a restart, the last use may be before the start.
    [
      { ...USED, started_at: "2026-05-01T11:59:58Z" },
      { state: "active", used: "2 s" },
    ],
    [
      { ...USED, started_at: "2026-05-01T11:00:00Z" },
      { state: "active", used: "12 s" },
    ],
    // The service's clock may be ahead of ours.
    [
      { ...USED, last_active: "2026-05-01T12:00:30Z" },
      { state: "active", used: "0 s" },
    ],
    [{ current_state: "active" }, { state: "active" }],
    [{ current_state: "idle" }, { state: "idle" }],
    [{ current_state: "idle", disabled: true }, { state: "disabled" }],
    [{ ...USED, pending_state: "idle" }, undefined],
    [{ current_state: "init" }, undefined],
    [{ current_state: "hibernating" }, undefined],
    [{}, undefined],
  ])("%j: %j", (endpoint, activity) => {
    expect(activityOf({ id: "ep-a", ...endpoint } as WireEndpoint, NOW)).toEqual(activity);
  });
});

describe("the computes as they are now", () => {
  async function asked(spoil: (em: Awaited<ReturnType<typeof startEmulator>>) => void, options?: EmulatorOptions) {
    const em = await startEmulator(options);
    try {
      spoil(em);
      const env = { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url };
      const answer = await desk
        .projectNow(desk.configFor({ get: () => undefined }, env, { kind: "none" }), SEED.projectId)
        .catch((error: Error) => error);
      return { answer, requests: em.requests.map(({ method, path }) => `${method} ${path}`) };
    } finally {
      await em.close();
    }
  }

  test("come with one list", async () => {
    const { answer, requests } = await asked(() => {});
    expect(answer).toMatchObject({ endpoints: [{ id: SEED.primaryId }], nowMs: expect.any(Number) });
    expect(requests).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
  });

  test.each([[{ status: 503 }], [{ status: 429, headers: { "retry-after": "1" } }], [{ cut: true as const }]])(
    "are not asked for a second time after %j",
    async (then) => {
      const { answer, requests } = await asked((em) => void em.faults.add({ match: {}, times: 9, then }));
      expect(answer).toBeInstanceOf(Error);
      expect(requests).toHaveLength(1);
    },
  );

  test.each([
    [401, true],
    [403, false],
  ])("are not shown to a key that is refused with %i: each step will fail", async (status, isForAccount) => {
    const { answer, requests } = await asked((em) => void em.faults.add({ match: {}, times: 9, then: { status } }));
    const refused = {
      kind: "fails",
      foreseen: {
        problem: `the service refuses the key (${status})`,
        way: "Check COMPUTE_API_KEY (environment)",
      },
    };
    const now = answer as ProjectNow;
    expect(now).toMatchObject({ endpoints: undefined, isForAccount });
    expect(await desk.updateOutlook(now, { id: SEED.primaryId, movesPrimary: false })).toEqual(refused);
    const step = { secrets: new Set<string>(), onRestart: undefined, replaces: undefined };
    const news = { projectId: SEED.projectId, branchId: "br-nowhere" };
    expect(await desk.creationOutlookIfKnown(now, { ...step, news })).toEqual(refused);
    expect(requests).toHaveLength(1);
  });

  test("of a project that is not found: each step will fail, also an update", async () => {
    const { answer, requests } = await asked(
      (em) =>
        void em.faults.add({ match: {}, times: 9, then: { status: 404, body: { message: "project not found" } } }),
    );
    const outlook = await desk.updateOutlook(answer as ProjectNow, { id: SEED.primaryId, movesPrimary: false });
    expect(outlook).toEqual({
      kind: "fails",
      foreseen: {
        problem: `project ${SEED.projectId} does not exist, or this key can't see it`,
        way: "Check projectId and the key",
      },
    });
    expect(requests).toHaveLength(1);
  });

  test("that can't be seen are told in one line, without the key", () => {
    const text = desk.couldNotLook(new Error("GET /projects/p/endpoints: no connection"));
    expect(text).toMatch(/^this preview could not look at the service, so it can't tell .*: GET \S+: no connection$/);
  });

  test("are not to be had where the list is larger than what is read in a moment", async () => {
    const body = {
      endpoints: Array.from({ length: 20_000 }, (_, index) => ({ id: `ep-${index}`, host: "h".repeat(40) })),
    };
    const { answer, requests } = await asked((em) => void em.faults.add({ match: {}, then: { status: 200, body } }));
    expect(answer).toMatchObject({ message: expect.stringMatching(/: the answer is larger than 1 MB /) });
    expect(requests).toHaveLength(1);
  });

  const LIST = `GET /projects/${SEED.projectId}/endpoints`;
  const BRANCHES = `GET /projects/${SEED.projectId}/branches`;
  const nowhere = {
    kind: "fails",
    foreseen: {
      problem: `branch br-nowhere of project ${SEED.projectId} does not exist, or this key can't see it`,
      way: "Check branchId and the key",
    },
  };
  test.each<[string, Omit<ComputeUpdate, "id">, Outlook | undefined, string[]]>([
    ["to a branch that does not exist", { branchId: "br-nowhere", movesPrimary: true }, nowhere as never, [BRANCHES]],
    ["of a replica to no branch", { branchId: "br-nowhere", movesPrimary: false }, nowhere as never, [BRANCHES]],
    ["to a branch without computes", { branchId: SEED.branches.dev, movesPrimary: true }, undefined, [BRANCHES]],
    ["to a branch with a compute", { branchId: SEED.branches.main, movesPrimary: false }, undefined, []],
    ["that is no move", { movesPrimary: false }, undefined, []],
  ])("tell of a move %s", async (_where, change, outlook, more) => {
    const em = await startEmulator();
    const env = { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url };
    try {
      const config = desk.configFor({ get: () => undefined }, env, { kind: "none" });
      const now = await desk.projectNow(config, SEED.projectId);
      expect(await desk.updateOutlook(now, { id: SEED.primaryId, ...change })).toEqual(outlook);
      await desk.updateOutlook(now, { id: SEED.primaryId, ...change });
      expect(em.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([LIST, ...more]);
    } finally {
      await em.close();
    }
  });

  test("keep to the rate that the stack's config names", async () => {
    const em = await startEmulator();
    const env = { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url };
    const stack = { get: (name: string) => (name === "compute:requestsPerMinute" ? "1" : undefined) };
    const ask = () => desk.projectNow(desk.configFor(stack, env, { kind: "none" }), SEED.projectId);
    try {
      await ask();
      await expect(ask()).rejects.toThrow(/the rate limit leaves no time for this request/);
      expect(em.requests).toHaveLength(1);
    } finally {
      await em.close();
    }
  });
});
