/** One Ctrl-C while a change is on its way to the service: its answer counts, and nothing is sent after it. */
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import { after, EVER, interrupted, METHOD, STEPS, type Step, slow, stage } from "./cancel-support.js";
import { ENDPOINTS, labWith, primary, spoil } from "./support.js";

describe("a change that is on its way", () => {
  const answered = (step: Step, then: Extract<FaultRule, { match: unknown }>["then"]): FaultRule => ({
    match: { method: METHOD[step] },
    times: EVER,
    then,
  });
  const unclear = { create: /not known whether a compute was created/, update: /is not known/, delete: /is not known/ };

  test.each(STEPS.flatMap((step) => ([1500, 2900] as const).map((ms) => [step, ms] as const)))(
    "%s: its answer after %d ms is awaited, and nothing else",
    async (step, delayMs) => {
      const { lab, run, again } = await stage(step, { emulator: { operationMs: 8000 } });
      spoil(lab, answered(step, { delayMs }));
      const { error, passedMs, begunLater, later } = await interrupted(lab, run, 100);
      expect(passedMs).toBeLessThan(delayMs + 500);
      expect([begunLater, later.length]).toEqual([[], 0]);
      expect(error!.message).toMatch(/^interrupted: .* on at the service/);
      expect(lab.state.has("db")).toBe(true);
      await again();
    },
  );

  test.each(STEPS)("%s: without an answer a look tells what it did, within five seconds", async (step) => {
    const { lab, run, again } = await stage(step, { emulator: { operationMs: 8000 } });
    spoil(lab, answered(step, { delayMs: 60_000 }));
    const { error, passedMs, begunLater, later } = await interrupted(lab, run, 100);
    expect(passedMs).toBeLessThan(5000);
    expect(begunLater).toEqual([]);
    expect(later[0]!.line).toContain(`GET ${ENDPOINTS}`);
    expect(error!.message).toMatch(/^interrupted: .* on at the service/);
    expect(lab.state.get("db")?.id).toMatch(/^ep-/);
    await again();
  });

  test.each(STEPS)("%s: where the look fails as well, it is in doubt, within five seconds", async (step) => {
    const { lab, run } = await stage(step);
    const old = structuredClone(lab.state.get("db"));
    spoil(lab, answered(step, { delayMs: 60_000 }));
    const command = interrupted(lab, run, 100);
    void lab.clock.sleep(90).then(() => spoil(lab, slow("GET", "/", 60_000)));
    const { error, passedMs, begunLater } = await command;
    expect(passedMs).toBeLessThan(5000);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(unclear[step]);
    if (step === "update") expect(lab.resource("db").outputs["unfinished"]).toEqual(["unknown"]);
    else expect(lab.state.get("db")).toEqual(old);
  });

  test.each(STEPS)("%s: one that is refused is not sent again", async (step) => {
    const { lab, run, again } = await stage(step);
    const old = structuredClone(lab.state.get("db"));
    spoil(lab, answered(step, { status: 423, delayMs: 1000 }));
    const { error, passedMs, begunLater } = await interrupted(lab, run, 100);
    expect(passedMs).toBeLessThan(1500);
    expect(begunLater).toEqual([]);
    expect(error).toMatchObject({
      kind: "cancelled",
      message: expect.stringMatching(/^interrupted: .*423.*; it was not sent again\. /),
    });
    expect(lab.state.get("db")).toEqual(old);
    await again();
  });

  test("a create that did nothing and is not found is in doubt: it may still be on its way", async () => {
    const { lab, run, again } = await stage("create");
    spoil(lab, answered("create", { cut: true, delayMs: 1000 }));
    const { error, begunLater } = await interrupted(lab, run, 100);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(unclear.create);
    await again();
  });

  test("a restart after a change: it is not sent, and the next run makes up for it", async () => {
    const lab = await labWith("db", primary({ size: 1, restartTriggers: ["a"] }), { emulator: { operationMs: 8000 } });
    const next = primary({ size: 1, name: "renamed", restartTriggers: ["b"] });
    spoil(lab, { match: { method: "PATCH" }, times: 1, then: { delayMs: 2000 } });
    const { error, begunLater } = await interrupted(lab, () => lab.up("db", next), 500);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(/^interrupted.*is kept in the state/);
    await lab.up("db", next);
    expect(lab.last.sent.filter(({ line }) => line.startsWith("POST")).map(({ line }) => line)).toEqual([
      `POST ${ENDPOINTS}/${lab.resource("db").id}/restart`,
    ]);
  });

  test.each([
    [
      "is refused",
      { status: 423, delayMs: 1000 },
      /^interrupted: POST .*423.*not sent again\. The state has compute/,
      1,
    ],
    [
      "gets no answer",
      { delayMs: 60_000 },
      /^interrupted: suspend_compute .*; start_compute .* go on .* is kept in the state/,
      0,
    ],
  ] as const)("a restart that %s: none is sent again, and one is made in the end", async (_how, then, words, later) => {
    const lab = await labWith("db", primary({ size: 1, restartTriggers: ["a"] }), { emulator: { operationMs: 8000 } });
    const next = primary({ size: 1, restartTriggers: ["b"] });
    spoil(lab, { match: { method: "POST" }, times: EVER, then });
    const { error, passedMs, begunLater } = await interrupted(lab, () => lab.up("db", next), 100);
    expect(passedMs).toBeLessThan(5000);
    expect(begunLater).toEqual([]);
    expect(error!.message).toMatch(words);
    lab.emulator.faults.clear();
    await lab.clock.advance(60_000);
    await lab.up("db", next);
    expect(lab.last.sent.filter(({ line }) => line.startsWith("POST"))).toHaveLength(later);
    expect(lab.resource("db").outputs["restartTriggers"]).toEqual(["b"]);
  });

  test("all that was asked is done with the answer: the step succeeds, and nothing more is read", async () => {
    const { lab, run } = await stage("create");
    spoil(lab, answered("create", { delayMs: 1000 }));
    const waitless = { ...after, waitForReady: false };
    const { error, later } = await interrupted(lab, () => lab.up("db", waitless), 100);
    expect(run).toBeDefined();
    expect([error, later, lab.last.warnings]).toEqual([undefined, [], []]);
    expect(lab.resource("db").initErrors).toEqual([]);
  });
});
