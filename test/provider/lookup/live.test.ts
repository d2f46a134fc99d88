import { describe, expect, test } from "vitest";
import { type EmulatorOptions, SEED, startEmulator } from "../../../emulator/index.js";
import { activityOf } from "../../../provider/endpoint/activity.js";
import * as desk from "../../../provider/lookup/index.js";
import type { Activity } from "../../../provider/rules/current-state.js";
import type { WireEndpoint } from "../../../provider/wire/endpoint.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const USED = { current_state: "active", last_active: "2026-05-01T11:59:48Z" };

describe("what a compute does now", () => {
  test.each<[Partial<WireEndpoint>, Activity | undefined]>([
    [USED, { state: "active", used: "12 s" }],
    [{ ...USED, last_active: "2000-01-01T00:00:00Z" }, { state: "active" }],
    [{ ...USED, last_active: "soon" }, { state: "active" }],
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

  test("are not to be had where the list is larger than what is read in a moment", async () => {
    const body = {
      endpoints: Array.from({ length: 20_000 }, (_, index) => ({ id: `ep-${index}`, host: "h".repeat(40) })),
    };
    const { answer, requests } = await asked((em) => void em.faults.add({ match: {}, then: { status: 200, body } }));
    expect(answer).toMatchObject({ message: expect.stringMatching(/: the answer is larger than 1 MB /) });
    expect(requests).toHaveLength(1);
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
