import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drifts, restarting, services } from "./arbitraries.js";
import { byHand, compute, felt, labWith, type Run, stillFelt, unlike } from "./support.js";

/** Changes that the service accepted; what it refused while something else ran does not count. */
const done = ({ sent }: Run) => sent.filter(({ line, status }) => !line.startsWith("GET ") && status !== 423);
const RUNS = { numRuns: 100 };

describe("laws of an update", { timeout: 120_000 }, () => {
  test("an update in place from any program to any other gives the compute the new settings and leaves no difference", async () => {
    await fc.assert(
      fc.asyncProperty(services, restarting, restarting, async (emulator, a, b) => {
        const lab = await labWith("db", a, { emulator });
        const { id, outputs } = lab.resource("db");
        expect(unlike(lab, a)).toEqual([]);
        const outcome = await lab.up("db", b);
        expect(["update", "same"]).toContain(outcome.op);
        expect(outcome.diff?.replaces).toBeUndefined();
        expect(lab.resource("db").id).toBe(id);
        expect(lab.resource("db").outputs["host"]).toBe(outputs["host"]);
        expect(unlike(lab, b)).toEqual([]);
        // A restart that is asked for comes after the change, where that has not restarted it.
        const triggered = JSON.stringify(a["restartTriggers"]) !== JSON.stringify(b["restartTriggers"]);
        expect(done(outcome).length).toBeLessThanOrEqual(triggered ? 2 : 1);
        expect(outcome.warnings).toEqual([]);
        expect(await lab.up("db", b)).toMatchObject({ op: "same", sent: [] });
      }),
      RUNS,
    );
  });

  test("what a preview calls harmless changes nothing that a connection feels, whatever drifted", async () => {
    await fc.assert(
      fc.asyncProperty(
        services,
        restarting,
        restarting,
        drifts,
        fc.boolean(),
        async (emulator, a, b, drift, refresh) => {
          const lab = await labWith("db", a, { emulator });
          byHand(lab, lab.resource("db").id, drift);
          if (refresh) await lab.refresh();
          const preview = await lab.preview("db", b);
          const before = felt(lab);
          const { started_at: started } = compute(lab, "db");
          const outcome = await lab.attempt("db", b);
          // One limit of the program beside another one of somebody's may be no pair.
          if (outcome.error) {
            expect([outcome.error.message, done(outcome)]).toEqual([
              expect.stringContaining("pulumi up --refresh"),
              [],
            ]);
            expect(refresh).toBe(false);
            return;
          }
          expect([outcome.op, outcome.marker, outcome.notice]).toEqual([preview.op, preview.marker, preview.notice]);
          if (preview.marker === "no" && preview.notice === "none") {
            expect(felt(lab)).toBe(stillFelt(lab, before));
            // Where it ran and runs, it has run all the time.
            const { started_at: now } = compute(lab, "db");
            if (started !== undefined && now !== undefined) expect(now).toBe(started);
          }
          if (preview.op === "same") expect(outcome.sent).toEqual([]);
        },
      ),
      RUNS,
    );
  });

  test("after a refresh, marker and hook agree, and drift is set back", async () => {
    await fc.assert(
      fc.asyncProperty(services, restarting, drifts, async (emulator, a, drift) => {
        const lab = await labWith("db", a, { emulator });
        byHand(lab, lab.resource("db").id, drift);
        await lab.refresh();
        const outcome = await lab.up("db", a);
        const word = { none: "no", "may-restart": "maybe", restart: "yes", stop: "yes" } as Record<string, string>;
        if (outcome.op === "update") expect(outcome.marker.split(":")[0]).toBe(word[outcome.notice]);
        expect(unlike(lab, a)).toEqual([]);
        expect(await lab.up("db", a)).toMatchObject({ op: "same", sent: [] });
      }),
      RUNS,
    );
  });

  test("a refresh without drift changes nothing, and neither does a second one", async () => {
    await fc.assert(
      fc.asyncProperty(services, restarting, restarting, async (emulator, a, b) => {
        const lab = await labWith("db", a, { emulator });
        await lab.up("db", b);
        const before = structuredClone(lab.resource("db"));
        await lab.refresh();
        expect(lab.resource("db")).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  test("a program taken back takes the compute back, as far as both name the same", async () => {
    await fc.assert(
      fc.asyncProperty(restarting, restarting, async (a, b) => {
        const lab = await labWith("db", a);
        await lab.up("db", b);
        await lab.up("db", a);
        expect(unlike(lab, a)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
