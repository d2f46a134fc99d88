// A success of a DELETE is believed only after a look at what is there.

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import type { Between } from "../support/lab/network.js";
import { count, ENDPOINTS, Lab, labWith, made, type Props, primary, replica, SEED, spoil } from "./support.js";

type Then = Extract<FaultRule, { match: unknown }>["then"];

/** Successes that say that the compute is deleted. */
const SUCCESSES: [string, Then][] = [
  ["204", { status: 204, body: "" }],
  ["200 with {}", { status: 200, body: {} }],
  ["200 without a body", { status: 200, body: "" }],
  ["202", { status: 202, body: {} }],
  ["200 that names another compute", { status: 200, body: { endpoint: { id: "ep-other-1" }, operations: [] } }],
  ["200 that names no compute", { status: 200, body: { endpoint: null, operations: null } }],
];

/** A server that can't be asked for one compute. */
const listsOnly =
  (status: number, next: Between = (request, go) => go(request)): Between =>
  (request, go) =>
    request.method === "GET" && /\/endpoints\/[^/]+$/.test(request.url)
      ? Promise.resolve({ status, headers: {}, text: '{"message":"not found"}' })
      : next(request, go);

/** A list that shows for ever what it showed at the moment when `from` is set. */
function lagging(): { between: Between; freeze(): void } {
  let isFrozen = false;
  let kept: string | undefined;
  return {
    freeze: () => {
      isFrozen = true;
    },
    between: async (request, go) => {
      const answer = await go(request);
      if (request.method !== "GET" || !request.url.endsWith("/endpoints")) return answer;
      if (!isFrozen || kept === undefined) kept = answer.text;
      return { ...answer, text: kept };
    },
  };
}

const destroyed = (lab: Lab) =>
  lab.destroy().then(
    () => undefined,
    (error: Error) => error.message,
  );

describe.each(SUCCESSES)("a DELETE that is answered with %s", (_answer, then) => {
  test("and did the work: gone, at once and without a warning", async () => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "DELETE" }, then: { ...then, work: true } });
    const before = lab.clock.now();
    const run = await lab.destroy();
    expect([made(lab).length, lab.state.size, run.warnings]).toEqual([0, 0, []]);
    expect(lab.clock.now() - before).toBeLessThan(3000);
  });

  test("and did nothing, once: it is sent again, and then gone", async () => {
    const lab = await labWith("db", primary());
    spoil(lab, { match: { method: "DELETE" }, then: { ...then, work: false } });
    const run = await lab.destroy();
    expect([made(lab).length, lab.state.size, count(run, "DELETE")]).toEqual([0, 0, 2]);
  });

  test.each([
    ["", undefined],
    [", on a server without the route of one compute (404)", 404],
    [", on a server without the route of one compute (405)", 405],
    [", on a server without the route of one compute (501)", 501],
  ])("and did nothing, always%s: an error, and the compute stays in the state", async (_where, status) => {
    const lab = await labWith("db", primary(), status === undefined ? {} : { between: listsOnly(status) });
    spoil(lab, { match: { method: "DELETE" }, times: 1000, then: { ...then, work: false } });
    const before = lab.clock.now();
    expect(await destroyed(lab)).toContain("still has it");
    expect([made(lab).length, lab.state.size]).toEqual([1, 1]);
    expect(lab.emulator.requests.filter(({ method }) => method === "DELETE")).toHaveLength(2);
    expect(lab.clock.now() - before).toBeLessThan(90_000);
    lab.emulator.faults.clear();
    await lab.destroy();
    expect([made(lab).length, lab.state.size]).toEqual([0, 0]);
  });

  test("and did nothing, with waitForReady: false: an error after one look", async () => {
    const lab = await labWith("db", primary({ waitForReady: false }));
    await lab.clock.advance(10_000);
    spoil(lab, { match: { method: "DELETE" }, times: 1000, then: { ...then, work: false } });
    const before = lab.clock.now();
    expect(await destroyed(lab)).toContain("still has it right afterwards, and nothing is under way");
    expect([lab.state.size, lab.emulator.requests.filter(({ method }) => method === "DELETE").length]).toEqual([1, 1]);
    expect(lab.clock.now() - before).toBeLessThan(200);
  });

  test("and did the work, while the list still has it: gone, at once", async () => {
    const list = lagging();
    const lab = await labWith("db", primary(), { between: list.between });
    list.freeze();
    spoil(lab, { match: { method: "DELETE" }, then: { ...then, work: true } });
    const before = lab.clock.now();
    await lab.destroy();
    expect([lab.state.size, lab.clock.now() - before < 3000]).toEqual([0, true]);
  });
});

describe("an honest DELETE", () => {
  test("costs one list more, and no GET", async () => {
    const lab = await labWith("db", primary());
    const run = await lab.destroy();
    expect(count(run, `GET ${ENDPOINTS}`)).toBe(1);
    expect(count(run, `GET ${ENDPOINTS}/`)).toBe(0);
  });

  test("hangs on no list that is behind, also on a server without the route of one compute", async () => {
    const list = lagging();
    const lab = await labWith("db", primary(), { between: listsOnly(404, list.between) });
    list.freeze();
    // The list and the missing route can't be told apart from a compute that stays: the second DELETE tells.
    const message = await destroyed(lab);
    expect(message).toBeUndefined();
    expect(lab.clock.now()).toBeLessThan(60_000);
  });

  test("of the primary lets the next primary of the branch be made while the list still has the old one", async () => {
    const list = lagging();
    const lab = await labWith("db", primary(), { between: list.between });
    list.freeze();
    await lab.up("db", primary({ projectId: SEED.projectId, type: "read_only" }));
    const again = new Lab({ beside: lab, between: list.between });
    await again.up("main", primary());
    expect(
      made(lab)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(["read_only", "read_write"]);
  });

  test("that takes a while to be seen is waited for, also past 30 s while the compute is on its way", async () => {
    let goneAt = Number.POSITIVE_INFINITY;
    let row = "";
    const lab: Lab = await labWith("db", primary(), {
      between: async (request, go) => {
        const answer = await go(request);
        const isLook = request.method === "GET" && request.url.includes("/endpoints");
        if (!isLook || goneAt === Number.POSITIVE_INFINITY || lab.clock.now() > goneAt) return answer;
        return request.url.endsWith("/endpoints")
          ? { ...answer, status: 200, text: `{"endpoints":[${row}]}` }
          : { ...answer, status: 200, text: `{"endpoint":${row}}` };
      },
    });
    row = JSON.stringify({ ...made(lab)[0], pending_state: "idle" });
    goneAt = lab.clock.now() + 100_000;
    await lab.destroy();
    expect([lab.state.size, lab.emulator.requests.filter(({ method }) => method === "DELETE").length]).toEqual([0, 1]);
    expect(lab.clock.now()).toBeGreaterThan(goneAt);
  });

  test("that is never seen ends with the deadline, and the compute stays in the state", async () => {
    const args: Props = primary({ customTimeouts: { delete: "20s" } });
    const lab = await labWith("db", args);
    spoil(lab, { match: { method: "DELETE" }, times: 1000, then: { status: 204, body: "", work: false } });
    const before = lab.clock.now();
    expect(await destroyed(lab)).toContain("still has it after 20 s");
    expect(lab.state.size).toBe(1);
    expect(lab.clock.now() - before).toBeLessThan(35_000);
  });
});

describe("deletes that run together share their lists", () => {
  test.each([
    ["project", 1, 1],
    ["project", 20, 4],
    ["project", 100, 14],
    ["branch", 100, 14],
  ] as const)("lock by %s, %i computes: at most %i lists", async (lock, total, most) => {
    const lab = new Lab({ emulator: { operationMs: 1000, lock } });
    const names = Array.from({ length: total }, (_, index) => `r${index}`);
    const { branches } = lab.emulator.world;
    const one = Object.values(branches).find(({ id }) => id === SEED.branches.preview)!;
    for (const name of names) branches[`br-${name}`] = { ...one, id: `br-${name}`, name };
    await lab.upAll(Object.fromEntries(names.map((name) => [name, replica({ branchId: `br-${name}` })])));
    const run = await lab.destroy();
    expect(made(lab)).toEqual([]);
    expect(run.sent.filter(({ line }) => line === `GET ${ENDPOINTS}`).length).toBeLessThanOrEqual(most);
    expect(count(run, `GET ${ENDPOINTS}/`)).toBe(0);
  });
});
