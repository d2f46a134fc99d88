// A change whose answer does not tell its operations, or not in a way that can be read: the compute itself tells.

import { describe, expect, test } from "vitest";
import type { Between } from "../support/lab/network.js";
import {
  adopted,
  byHand,
  compute,
  count,
  Lab,
  labWith,
  made,
  OPERATIONS,
  type Props,
  primary,
  spoil,
} from "./support.js";

type Operations = { id: unknown }[];

/** What becomes of `operations` in the answers of changes. */
const ANSWERS: [string, (operations: Operations) => unknown][] = [
  ["null", () => null],
  ["absent", () => undefined],
  ["an object", () => ({})],
  ["a text", () => "none"],
  ["a number", () => 0],
  ["rows without an id", (all) => all.map(({ id: _, ...rest }) => rest)],
  ["rows with an id that is no id", (all) => all.map((one) => ({ ...one, id: null }))],
  ["rows that are no objects", (all) => all.map(({ id }) => id)],
  ["rows of which the first can't be read", (all) => all.map((one, index) => (index === 0 ? "?" : one))],
  ["an empty list beside a compute that is on its way", () => []],
];

const answering =
  (how: (operations: Operations) => unknown, alsoLists = false): Between =>
  async (request, go) => {
    const answer = await go(request);
    if (answer.text === "" || (request.method === "GET" && !alsoLists)) return answer;
    const body = JSON.parse(answer.text) as { operations?: Operations };
    return Array.isArray(body.operations)
      ? { ...answer, text: JSON.stringify({ ...body, operations: how(body.operations) }) }
      : answer;
  };

const OPERATION_MS = 7000;
const slow = { operationMs: OPERATION_MS };

describe.each(ANSWERS)("operations: %s", (_how, how) => {
  test("a create ends when the compute is active", async () => {
    const lab = new Lab({ between: answering(how), emulator: slow });
    const outcome = await lab.up("db", primary());
    expect(compute(lab, "db")).toMatchObject({ current_state: "active" });
    expect([compute(lab, "db").pending_state, lab.clock.now() < 2 * OPERATION_MS]).toEqual([undefined, true]);
    expect([outcome.warnings, lab.resource("db").outputs["unfinished"]]).toEqual([[], undefined]);
    expect(outcome.sent.length).toBeLessThan(26);
  });

  test.each(["failed", "error", "cancelled"] as const)(
    "a create whose start ends as %s fails with the service's words, and is finished by the next up",
    async (then) => {
      const lab = new Lab({ between: answering(how), emulator: slow });
      spoil(lab, { operation: { action: "start_compute", then } });
      const { error } = await lab.fails("db", primary());
      expect(error.message).toMatch(/start_compute of ep-\S+ (failed|was cancelled)/);
      expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
      await lab.up("db", primary());
      expect(compute(lab, "db").current_state).toBe("active");
      expect(made(lab)).toHaveLength(1);
    },
  );

  test("a create whose start never ends fails with the deadline, and is in the state", async () => {
    const lab = new Lab({ between: answering(how) });
    spoil(lab, { operation: { action: "start_compute", then: "never" } });
    const { error } = await lab.fails("db", primary({ customTimeouts: { create: "60s" } }));
    expect(error.message).toContain("is kept in the state");
    expect(lab.clock.now()).toBeLessThan(90_000);
    expect(lab.resource("db").outputs["unfinished"]).toHaveLength(1);
  });

  test.each<[string, Props, Props, string]>([
    ["an update", { size: 1 }, { size: 2 }, "apply_config"],
    ["a restart", { restartTriggers: [1] }, { restartTriggers: [2] }, "start_compute"],
  ])("%s ends when the compute is at rest, and fails where its work fails", async (_step, before, after, action) => {
    const lab = await labWith("db", primary(before), { between: answering(how), emulator: slow });
    const begun = lab.clock.now();
    await lab.up("db", primary(after));
    expect(compute(lab, "db")).toMatchObject({ current_state: "active" });
    expect(compute(lab, "db").pending_state).toBeUndefined();
    expect(lab.clock.now() - begun).toBeGreaterThanOrEqual(OPERATION_MS);
    spoil(lab, { operation: { action, then: "error" } });
    const { error } = await lab.fails("db", primary(before));
    expect(error.message).toContain(action);
  });

  test("a start that an earlier run could not bring about", async () => {
    const lab = new Lab({ between: answering(how), emulator: slow });
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    await lab.fails("db", primary());
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    expect((await lab.fails("db", primary())).error.message).toContain("start_compute");
    await lab.up("db", primary());
    expect(compute(lab, "db").current_state).toBe("active");
  });

  test("an adoption with a change", async () => {
    const lab = new Lab({ between: answering(how), emulator: slow });
    await lab.up("db", adopted({ size: 2 }));
    expect(compute(lab, "db").pending_state).toBeUndefined();
    expect(lab.clock.now()).toBeGreaterThanOrEqual(OPERATION_MS);
  });

  test("nobody waits with waitForReady: false, nor for one that is disabled", async () => {
    const lab = new Lab({ between: answering(how), emulator: slow });
    await lab.up("db", primary({ waitForReady: false }));
    expect(lab.clock.now()).toBeLessThan(500);
    const other = new Lab({ between: answering(how) });
    spoil(other, { operation: { action: "start_compute", then: "never" } });
    await other.up("db", primary({ disabled: true, waitForReady: false }));
    expect(other.clock.now()).toBeLessThan(500);
  });

  test("where no operation can be looked at either, the compute tells alone", async () => {
    const lab = new Lab({ between: answering(how, true), emulator: slow });
    spoil(lab, { match: { method: "GET", path: OPERATIONS }, times: 1000, then: { status: 404 } });
    await lab.up("db", primary());
    expect(compute(lab, "db")).toMatchObject({ current_state: "active" });
    await lab.up("db", primary({ size: 2 }));
    expect(compute(lab, "db").pending_state).toBeUndefined();
  });
});

describe("operations whose ids are numbers", () => {
  const numbers: Between = async (request, go) => {
    const url = request.url.replace(/\/operations\/(\d+)$/, (_all, at) => `/operations/${ids[Number(at)]}`);
    const answer = await go({ ...request, url });
    const id = (one: string) => (ids.includes(one) ? ids.indexOf(one) : ids.push(one) - 1);
    return {
      ...answer,
      text: answer.text.replace(/"id":"([0-9a-f]{8}-[^"]+)"/g, (_all, one: string) => `"id":${id(one)}`),
    };
  };
  let ids: string[] = [];

  test("are operations as any others", async () => {
    ids = [];
    const lab = new Lab({ between: numbers, emulator: slow });
    const outcome = await lab.up("db", primary());
    expect(compute(lab, "db").current_state).toBe("active");
    expect(count(outcome, `GET ${OPERATIONS}/`)).toBeGreaterThan(0);
    spoil(lab, { operation: { action: "apply_config", then: "error" } });
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toContain("apply_config");
    expect(lab.resource("db").outputs["unfinished"]).toEqual([expect.stringMatching(/^\d+$/)]);
    await lab.up("db", primary({ size: 2 }));
  });
});

describe("a readable empty list", () => {
  test("beside a compute in init that is not on its way is an end", async () => {
    const lab = new Lab({
      between: async (request, go) => {
        const answer = await go(request);
        if (request.method !== "POST") return answer;
        const { endpoint } = JSON.parse(answer.text) as { endpoint: { id: string } };
        byHand(lab, endpoint.id, { current_state: "init", pending_state: undefined });
        const text = JSON.stringify({ endpoint: { ...endpoint, pending_state: undefined }, operations: [] });
        return { ...answer, text };
      },
      emulator: { operationMs: 0 },
    });
    await lab.up("db", primary());
    expect(lab.clock.now()).toBeLessThan(500);
  });

  test("costs nothing where nothing is under way: an idle compute that takes a change at once", async () => {
    const lab = await labWith("db", primary({ suspendTimeoutSeconds: 60 }), { emulator: { idleUpdate: "none" } });
    byHand(lab, lab.resource("db").id, { current_state: "idle" });
    const outcome = await lab.up("db", primary({ suspendTimeoutSeconds: 120 }));
    expect(outcome.sent.map(({ line }) => line.split(" ")[0])).toEqual(["PATCH", "GET"]);
  });
});
