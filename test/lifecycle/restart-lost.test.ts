/** A declared restart that was not heard of: it comes about once, at the latest at the next `up`. */
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import { A, B, C, LIBRARIES, posts, RESTART, SHORT, starts, state } from "./restart-support.js";
import { byHand, compute, type Lab, labWith, leavingOut, primary, settle, spoil } from "./support.js";

type Then = Extract<FaultRule, { match: unknown }>["then"];

/** Every way in which it stays open whether a request did its work. */
const LOSSES: [string, Then][] = [
  ["the connection is cut", { cut: true }],
  ["a 500", { status: 500 }],
  ["a 504", { status: 504 }],
  ["a 524 page of a proxy", { status: 524, body: "<html></html>" }],
  ["a success that can't be read", { status: 200, body: "<html>login</html>" }],
  ["nothing in time", { delayMs: 45_000, cut: true }],
];
const WORK: [string, boolean][] = [
  ["after the work", true],
  ["before the work", false],
];
const MATRIX = LOSSES.flatMap(([loss, then]) => WORK.map(([when, work]) => [loss, when, { ...then, work }] as const));

describe("the answer of a restart is lost", () => {
  test.each(MATRIX)("%s, %s: restarted once, and waited for", async (_loss, _when, then) => {
    for (const operationMs of [10, 4000, 60_000]) {
      for (const also of [{}, LIBRARIES]) {
        const lab = await labWith("db", primary(A), { emulator: { operationMs } });
        spoil(lab, { match: RESTART, then });
        const outcome = await lab.up("db", primary({ ...B, ...also }));
        expect([posts(outcome), starts(lab)]).toEqual([then.work ? 1 : 2, 1]);
        expect(compute(lab, "db")).toMatchObject({ current_state: "active" });
        expect(compute(lab, "db").pending_state).toBeUndefined();
        expect((await lab.up("db", primary({ ...B, ...also }))).sent).toEqual([]);
      }
    }
  });

  test.each(MATRIX)(
    "%s, %s, by a service that does not tell when a compute was started",
    async (_loss, _when, then) => {
      const lab = await labWith("db", primary(A), {
        between: leavingOut("started_at"),
        emulator: { operationMs: 4000 },
      });
      spoil(lab, { match: RESTART, then });
      const outcome = await lab.up("db", primary(B));
      expect([posts(outcome), starts(lab)]).toEqual([then.work ? 1 : 2, 1]);
    },
  );

  test("and the work begins only after the look: it is seen before the request is sent again", async () => {
    const lab: Lab = await labWith("db", primary(A), { emulator: { operationMs: 100 } });
    let first = true;
    lab.options.between = async (request, go) => {
      if (!first || !request.url.endsWith("/restart")) return go(request);
      first = false;
      void lab.clock.sleep(1500).then(() => go(request));
      return { status: 504, headers: {}, text: "" };
    };
    await lab.up("db", primary(B));
    expect(starts(lab)).toBe(1);
  });

  test("and its work failed before anybody looked: that is told, and the next up goes on", async () => {
    const lab = await labWith("db", primary(A), { emulator: { operationMs: 10 } });
    spoil(lab, { match: RESTART, then: { cut: true, work: true } });
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    const { error } = await lab.fails("db", primary(B));
    expect(error.message).toContain("start_compute");
    expect(await lab.up("db", primary(B))).toMatchObject({ op: "update" });
  });

  test("and the compute has fallen asleep since: nothing is to do", async () => {
    const lab = await labWith("db", primary(A));
    spoil(lab, { match: RESTART, then: { cut: true, work: false, delayMs: 2000 } });
    const id = state(lab).id;
    const [outcome] = await Promise.all([
      lab.up("db", primary(B)),
      lab.clock.sleep(1000).then(() => byHand(lab, id, { current_state: "idle" })),
    ]);
    expect([posts(outcome), starts(lab)]).toEqual([1, 0]);
  });

  describe("for ever: it is kept, and the next up knows whether it came about", () => {
    const lose = async (work: boolean) => {
      const lab = await labWith("db", primary({ ...A, ...SHORT }), { emulator: { operationMs: 4000 } });
      // Then a further start shows another time, and one look before the request is enough.
      await lab.clock.advance(120_000);
      spoil(lab, { match: RESTART, then: { cut: true, work } });
      spoil(lab, { match: RESTART, times: 1000, then: { cut: true, work: false } });
      spoil(lab, { match: { method: "GET" }, then: { headers: {} } });
      spoil(lab, { match: { method: "GET" }, times: 1000, then: { status: 503 } });
      return lab;
    };

    test.each([
      [true, 0, 1],
      [false, 1, 1],
    ])("work done: %s", async (work, requests, restarts) => {
      const lab = await lose(work);
      const { error } = await lab.fails("db", primary({ ...B, ...SHORT }));
      expect(error.message).toContain("pulumi up");
      expect(state(lab)).toMatchObject({
        inputs: { restartTriggers: ["a"] },
        outputs: { restartTriggers: ["a"], restartOwed: { since: { startedAt: expect.any(String) } } },
      });
      lab.emulator.faults.clear();
      await settle(lab);
      const next = await lab.up("db", primary({ ...B, ...SHORT }));
      expect([next.op, posts(next), starts(lab)]).toEqual(["update", requests, restarts]);
      expect(state(lab).outputs).toMatchObject({ restartTriggers: ["b"] });
      expect(state(lab).outputs).not.toHaveProperty("restartOwed");
      expect((await lab.up("db", primary({ ...B, ...SHORT }))).sent).toEqual([]);
    });

    test("the work is still going on: it is waited for", async () => {
      const lab = await lose(true);
      await lab.fails("db", primary({ ...B, ...SHORT }));
      lab.emulator.faults.clear();
      const next = await lab.up("db", primary({ ...B, ...SHORT }));
      expect([posts(next), starts(lab), compute(lab, "db").pending_state]).toEqual([0, 1, undefined]);
    });

    test("a refresh in between changes nothing about it", async () => {
      const lab = await lose(true);
      await lab.fails("db", primary({ ...B, ...SHORT }));
      lab.emulator.faults.clear();
      await settle(lab);
      await lab.refresh();
      const next = await lab.up("db", primary({ ...B, ...SHORT }));
      expect([next.op, posts(next), starts(lab)]).toEqual(["update", 0, 1]);
    });

    test.each([
      ["at once", async () => {}],
      ["after a refresh", (lab: Lab) => lab.refresh()],
    ])(
      "the program is taken back %s: nothing is owed any more, and another change is a new one",
      async (_when, then) => {
        const lab = await lose(true);
        await lab.fails("db", primary({ ...B, ...SHORT }));
        lab.emulator.faults.clear();
        await settle(lab);
        await then(lab);
        expect(posts(await lab.up("db", primary({ ...A, ...SHORT })))).toBe(0);
        expect(state(lab).outputs).not.toHaveProperty("restartOwed");
        expect(posts(await lab.up("db", primary({ ...B, ...SHORT })))).toBe(1);
      },
    );

    test("the triggers change once more: what came about was for others", async () => {
      const lab = await lose(true);
      await lab.fails("db", primary({ ...B, ...SHORT }));
      lab.emulator.faults.clear();
      await settle(lab);
      const next = await lab.up("db", primary({ ...C, ...SHORT }));
      expect([posts(next), starts(lab)]).toEqual([1, 2]);
    });

    test("secret triggers leave no digest", async () => {
      const lab = await labWith("db", primary({ ...A, ...SHORT, __secret: ["restartTriggers"] }));
      spoil(lab, { match: RESTART, times: 1000, then: { cut: true, work: false } });
      await lab.fails("db", primary({ ...B, ...SHORT, __secret: ["restartTriggers"] }));
      expect(state(lab).outputs["restartOwed"]).toMatchObject({ wanted: "secret" });
    });
  });
});

describe("423 to a restart", () => {
  test("while somebody else's work holds the project: repeated, and restarted once", async () => {
    const lab = await labWith("db", primary(A), { emulator: { operationMs: 20_000 } });
    lab.emulator.startOperation({ branchId: compute(lab, "db").branch_id, action: "apply_storage_config" });
    const outcome = await lab.up("db", primary(B));
    expect([posts(outcome), starts(lab)]).toEqual([1, 1]);
  });

  test("since somebody else restarts it just then: that is enough", async () => {
    const lab: Lab = await labWith("db", primary(A), { emulator: { operationMs: 4000 } });
    lab.options.between = async (request, go) => {
      // Theirs arrives first.
      if (request.url.endsWith("/restart") && starts(lab) === 0) await go({ ...request });
      return go(request);
    };
    const outcome = await lab.up("db", primary(B));
    expect(starts(lab)).toBe(1);
    expect(compute(lab, "db").pending_state).toBeUndefined();
    expect(outcome.error).toBeUndefined();
  });
});
