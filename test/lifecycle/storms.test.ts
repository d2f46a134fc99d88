import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drifts, faults, restarting, services } from "./arbitraries.js";
import { byHand, felt, Lab, made, type Props, settle, spoil, stillFelt, unlike } from "./support.js";

type Command = { kind: "up"; program: number } | { kind: "refresh" } | { kind: "drift" } | { kind: "wait" };

const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1).map((program): Command => ({ kind: "up", program })) },
  { weight: 1, arbitrary: fc.constantFrom<Command>({ kind: "refresh" }, { kind: "drift" }, { kind: "wait" }) },
);

describe("whatever goes wrong", { timeout: 120_000 }, () => {
  test("there is never a second compute, none is lost, no preview lies, and when it is over all is as wished", async () => {
    await fc.assert(
      fc.asyncProperty(
        // A second primary the service refuses by itself: replicas are where a second one would show.
        fc
          .tuple(restarting, restarting, fc.constantFrom("read_write", "read_only"))
          .map(([a, b, type]): [Props, Props] => [
            { ...a, type },
            { ...b, type },
          ]),
        fc.array(fc.tuple(commands, faults), { minLength: 1, maxLength: 5 }),
        drifts,
        services,
        async (pair, story, drift, emulator) => {
          const lab = new Lab({ emulator });
          let told = "";
          for (const [command, rules] of story) {
            spoil(lab, ...rules);
            const kept = lab.state.get("db");
            if (command.kind === "wait") await settle(lab);
            if (command.kind === "refresh") await lab.refresh().catch(() => {});
            if (command.kind === "drift" && kept) byHand(lab, kept.id, drift);
            if (command.kind === "up") {
              const args = pair[command.program]!;
              const before = kept && felt(lab);
              const preview = await lab.preview("db", args);
              const outcome = await lab.attempt("db", args);
              told = outcome.error?.message ?? "";
              if (before && outcome.op !== "create" && preview.marker === "no" && preview.notice === "none") {
                expect(felt(lab)).toBe(stillFelt(lab, before));
              }
            }
            lab.emulator.faults.clear();
            expect(made(lab).length).toBeLessThanOrEqual(1);
            const [one] = made(lab);
            // A refresh never drops what is there, and a failed create without state is found by the next one.
            if (kept) expect(lab.state.get("db")?.id).toBe(kept.id);
            if (one && !kept && lab.state.size === 0) expect(told).not.toBe("");
          }

          await settle(lab);
          // Drift that nobody has refreshed is nobody's business.
          if (story.some(([{ kind }]) => kind === "drift")) await lab.refresh();
          const last = pair[0];
          const orphan = lab.state.size === 0 ? made(lab)[0] : undefined;
          const outcome = await lab.attempt("db", orphan ? { ...last, adopt: undefined } : last);
          if (orphan) {
            expect(outcome.error?.message).toContain(orphan.id);
            await lab.up("db", { ...last, adopt: orphan.id });
          } else if (outcome.error) throw outcome.error;
          expect(unlike(lab, last)).toEqual([]);
          const quiet = await lab.up("db", orphan ? { ...last, adopt: orphan.id } : last);
          expect([quiet.op, quiet.sent]).toEqual(["same", []]);
          await lab.destroy();
          const stays = last["onDelete"] === "release" || (orphan && last["onDelete"] === undefined);
          expect(made(lab).length).toBe(stays ? 1 : 0);
        },
      ),
      { numRuns: 120 },
    );
  });
});
