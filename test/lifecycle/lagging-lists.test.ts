// The list of a project may be behind: it lacks a compute that exists, has one that is gone, or shows old values.

import { describe, expect, test } from "vitest";
import type { Between } from "../support/lab/network.js";
import {
  adopted,
  byHand,
  changes,
  compute,
  count,
  ENDPOINTS,
  Lab,
  labWith,
  made,
  type Props,
  primary,
  replica,
  SEED,
  spoil,
} from "./support.js";

type Rows = { endpoints: Record<string, unknown>[] };

/** A service whose list is `shown` instead of what it has, from the moment when that is set. */
function behind(options: { listsOnly?: 404 | 405 } = {}) {
  const list: { shown?: (rows: Rows["endpoints"]) => Rows["endpoints"]; between: Between } = {
    between: async (request, go) => {
      const isOne = request.method === "GET" && /\/endpoints\/[^/]+$/.test(request.url);
      if (isOne && options.listsOnly) return { status: options.listsOnly, headers: {}, text: "" };
      const answer = await go(request);
      if (!list.shown || request.method !== "GET" || !request.url.endsWith("/endpoints")) return answer;
      const { endpoints } = JSON.parse(answer.text) as Rows;
      return { ...answer, text: JSON.stringify({ endpoints: list.shown(endpoints) }) };
    },
  };
  /** Freezes the list: whatever changes from now on, it shows the computes as they are now. */
  const freeze = (lab: Lab) => {
    const rows = structuredClone(Object.values(lab.emulator.world.endpoints)) as unknown as Rows["endpoints"];
    list.shown = () => rows.filter((one) => one["project_id"] === SEED.projectId);
  };
  const lacking = () => {
    list.shown = () => [];
  };
  return { list, freeze, lacking };
}

const REPLACE = { settingsPatch: "replace" } as const;
const settings = (pgSettings: Record<string, string>): Props => ({ settings: { pgSettings } });

describe("a list that lacks the compute", () => {
  test("does not make a change of one Postgres setting drop the others", async () => {
    const { list, lacking } = behind();
    const lab = await labWith("db", primary(settings({ work_mem: "4MB" })), {
      between: list.between,
      emulator: REPLACE,
    });
    byHand(lab, lab.resource("db").id, { settings: { pg_settings: { work_mem: "4MB", theirs: "on" } } });
    lacking();
    await lab.up("db", primary(settings({ work_mem: "8MB" })));
    expect(compute(lab, "db").settings.pg_settings).toEqual({ work_mem: "8MB", theirs: "on" });
  });

  test.each<[string, Props, Props]>([
    ["a restart for new triggers", { restartTriggers: ["a"] }, { restartTriggers: ["b"] }],
    ["a resize", { size: 1 }, { size: 2 }],
    ["a move", {}, { branchId: SEED.branches.preview }],
    ["a harmless change", { suspendTimeoutSeconds: 60 }, { suspendTimeoutSeconds: 120 }],
    ["a resize with triggers", { size: 1, restartTriggers: [1] }, { size: 2, restartTriggers: [2] }],
  ])("is no reason to call it gone: %s", async (_change, before, after) => {
    const { list, lacking } = behind();
    const lab = await labWith("db", primary(before), { between: list.between });
    lacking();
    const outcome = await lab.up("db", primary(after));
    expect([changes(outcome).length, outcome.warnings]).toEqual([1, []]);
    expect(compute(lab, "db").pending_state).toBeUndefined();
    await lab.refresh();
    expect((await lab.up("db", primary(after))).sent).toEqual([]);
    await lab.destroy();
    expect([lab.state.size, made(lab).length]).toEqual([0, 0]);
  });

  test("is no reason to send settings blindly where the compute can't be asked for itself", async () => {
    for (const listsOnly of [404, 405] as const) {
      const { list, lacking } = behind({ listsOnly });
      const lab = await labWith("db", primary(settings({ a: "1" })), { between: list.between, emulator: REPLACE });
      lacking();
      const outcome = await lab.fails("db", primary(settings({ a: "2" })));
      expect([changes(outcome), outcome.error.message]).toEqual([[], expect.stringContaining("pulumi refresh")]);
    }
  });

  test("does not keep adopt from the compute that it names", async () => {
    const { list, lacking } = behind();
    const lab = new Lab({ between: list.between });
    lacking();
    await lab.up("db", adopted({ adopt: SEED.primaryId, size: 2 }));
    expect(lab.resource("db")).toMatchObject({ id: SEED.primaryId, outputs: { adopted: true, size: 2 } });
    const wrong = await lab.fails("other", replica({ adopt: "ep-not-there-1" }));
    expect(wrong.error.message).toContain("has no such compute");
  });

  test("makes no second primary where adopt: true would take the first one over", async () => {
    const { list, lacking } = behind();
    const lab = new Lab({ between: list.between });
    lacking();
    const { error } = await lab.fails("db", adopted());
    expect(error.message).toMatch(/has its primary compute.*Run `pulumi up` again: it takes that compute over/);
    expect([made(lab).length, lab.state.size]).toEqual([0, 0]);
    list.shown = undefined;
    await lab.up("db", adopted());
    expect(lab.resource("db").id).toBe(SEED.primaryId);
  });

  test("right after our own POST: the compute is asked for itself", async () => {
    for (const waitForReady of [undefined, false]) {
      const { list, freeze } = behind();
      const lab = new Lab({ between: list.between });
      freeze(lab);
      const args = replica({ size: 2, waitForReady });
      const outcome = await lab.up("db", args);
      expect([outcome.warnings, made(lab).length]).toEqual([[], 1]);
      expect(lab.resource("db").outputs).toMatchObject({ size: 2, host: compute(lab, "db").host });
      expect((await lab.up("db", args)).sent).toEqual([]);
    }
  });

  test.each([true, false])("after a POST whose answer was lost (work: %s): there is exactly one", async (work) => {
    for (const args of [replica(), replica({ name: "reports" }), primary()]) {
      const { list, freeze } = behind();
      const lab = new Lab({ between: list.between });
      freeze(lab);
      spoil(lab, { match: { method: "POST" }, then: { cut: true, work } });
      const outcome = await lab.up("db", args);
      expect(made(lab).map(({ id }) => id)).toEqual([lab.resource("db").id]);
      expect(count(outcome, "POST")).toBe(work ? 1 : 2);
    }
  });

  test("where it can't be asked for itself, and the list comes to know it within seconds", async () => {
    const { list, freeze } = behind({ listsOnly: 404 });
    const lab: Lab = new Lab({ between: list.between });
    freeze(lab);
    const frozen = list.shown!;
    list.shown = (rows) => (lab.clock.now() < 12_000 ? frozen(rows) : rows);
    await lab.up("db", replica());
    expect(lab.resource("db").outputs["unfinished"]).toBeUndefined();
  });
});

describe("a compute that no list and no GET has", () => {
  test.each([undefined, false])("is no success of a create (waitForReady: %s)", async (waitForReady) => {
    const lab = new Lab();
    const endpoint = { id: "ep-nobody-1", branch_id: SEED.branches.main, type: "read_only", current_state: "init" };
    spoil(lab, { match: { method: "POST" }, then: { status: 201, body: { endpoint, operations: [] }, work: false } });
    const { error } = await lab.fails("db", replica({ waitForReady }));
    expect(error.message).toMatch(/neither in the list of project .* nor found by its id/);
    expect(lab.resource("db").id).toBe("ep-nobody-1");
    await lab.refresh();
    expect(lab.state.size).toBe(0);
    await lab.up("db", replica());
    expect(made(lab)).toHaveLength(1);
  });

  test("is no success of an update", async () => {
    const lab = await labWith("db", primary({ size: 1 }));
    const { id } = lab.resource("db");
    lab.emulator.faults.add({
      match: { method: "PATCH" },
      then: { status: 200, body: { endpoint: { id } }, work: true },
    });
    delete lab.emulator.world.endpoints[id];
    const { error } = await lab.fails("db", primary({ size: 2 }));
    expect(error.message).toMatch(/neither in the list|somebody deleted it/);
  });
});

describe("a list that shows old values", () => {
  test("does not bring back what somebody has just changed by hand", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary(settings({ a: "1" })), { between: list.between, emulator: REPLACE });
    const { id } = lab.resource("db");
    byHand(lab, id, { settings: { pg_settings: { a: "1", theirs: "old" } } });
    freeze(lab);
    byHand(lab, id, { settings: { pg_settings: { a: "1", theirs: "new" } } });
    await lab.up("db", primary(settings({ a: "2" })));
    expect(compute(lab, "db").settings.pg_settings).toEqual({ a: "2", theirs: "new" });
    const taken = new Lab({ beside: lab, between: list.between });
    await taken.up("db", primary({ ...settings({ a: "3" }), adopt: id }));
    expect(compute(lab, "db").settings.pg_settings).toEqual({ a: "3", theirs: "new" });
  });

  test("is no sign that the service did not apply a change, and the state has the new ones", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary({ size: 1 }), { between: list.between });
    freeze(lab);
    const outcome = await lab.up("db", primary({ size: 2, suspendTimeoutSeconds: 300 }));
    expect(outcome.warnings).toEqual([]);
    expect(lab.resource("db").outputs).toMatchObject({ size: 2, suspendTimeoutSeconds: 300 });
    expect(lab.resource("db").outputs["notTaken"]).toBeUndefined();
    expect((await lab.up("db", primary({ size: 2, suspendTimeoutSeconds: 300 }))).sent).toEqual([]);
  });

  test("is no sign that a change whose answer was lost did nothing", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary({ size: 1 }), { between: list.between });
    freeze(lab);
    spoil(lab, { match: { method: "PATCH" }, then: { cut: true, work: true } });
    const outcome = await lab.up("db", primary({ size: 2 }));
    expect([count(outcome, "PATCH"), lab.resource("db").outputs["size"]]).toEqual([1, 2]);
  });

  test("does not leave a change out because it has been there before", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary({ size: 1 }), { between: list.between });
    const { id } = lab.resource("db");
    byHand(lab, id, { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
    freeze(lab);
    byHand(lab, id, { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 });
    await lab.up("db", primary({ size: 2 }));
    expect(compute(lab, "db").autoscaling_limit_max_cu).toBe(2);
  });

  test("does not leave a restart out of a compute that is active by now", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary({ restartTriggers: [1] }), { between: list.between });
    const { id } = lab.resource("db");
    byHand(lab, id, { current_state: "idle" });
    freeze(lab);
    byHand(lab, id, { current_state: "active" });
    const outcome = await lab.up("db", primary({ restartTriggers: [2] }));
    expect(count(outcome, `POST ${ENDPOINTS}/${id}/restart`)).toBe(1);
  });

  test("does not end a step before the compute is at rest, or after it", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary({ size: 1 }), { between: list.between });
    byHand(lab, lab.resource("db").id, { pending_state: "active" });
    freeze(lab);
    byHand(lab, lab.resource("db").id, { pending_state: undefined });
    const before = lab.clock.now();
    await lab.up("db", primary({ size: 2 }));
    expect(lab.clock.now() - before).toBeLessThan(5000);
  });
});

describe("a list that has what is gone", () => {
  test("does not keep the next primary from being made, also after a change of type", async () => {
    const { list, freeze } = behind();
    const lab = await labWith("db", primary(), { between: list.between });
    freeze(lab);
    await lab.up("db", replica());
    await lab.up("again", primary());
    expect(
      made(lab)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(["read_only", "read_write"]);
  });

  test("gives adopt no compute that is not there", async () => {
    const { list, freeze } = behind();
    // A GET of another compute tells that the service has the route.
    const lab = await labWith("reader", replica(), { between: list.between });
    freeze(lab);
    delete lab.emulator.world.endpoints[SEED.primaryId];
    for (const args of [adopted(), adopted({ size: 2 }), adopted({ settings: { pgSettings: { a: "1" } } })]) {
      const outcome = await lab.attempt("db", args);
      expect([lab.state.has("db"), outcome.error?.message]).toEqual([
        false,
        expect.stringMatching(/somebody (has just )?deleted/),
      ]);
    }
  });
});

describe("somebody else changes the compute right after us", () => {
  test("is told as that, and not as a service that did not apply it", async () => {
    const between: Between = async (request, go) => {
      const answer = await go(request);
      if (request.method === "PATCH") {
        byHand(lab, SEED.primaryId, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
      }
      return answer;
    };
    const lab: Lab = new Lab({ between });
    const outcome = await lab.up("db", adopted({ size: 2 }));
    expect(outcome.warnings.join()).toMatch(
      /somebody else has changed autoscalingLimitMaxCu.*set it to 2, and now it is 4/,
    );
    expect(outcome.warnings.join()).not.toContain("did not apply");
    expect(lab.resource("db").outputs).toMatchObject({ size: 2 });
    await lab.refresh();
    expect(lab.resource("db")).toMatchObject({ outputs: { autoscalingLimitMaxCu: 4 } });
  });
});
