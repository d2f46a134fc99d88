/** What random stories found, told by hand where the judge of today lets it pass or chance decides whether it shows. */
import { describe, expect, test } from "vitest";
import { play } from "../../tools/chaos/play";
import { Tally } from "../../tools/chaos/tally";
import { byHand, compute, count, ENDPOINTS, Lab, labWith, made, primary, spoil } from "../lifecycle/support";
import { act, fault, story } from "./support";

const LOST = { match: { method: "POST", path: ENDPOINTS }, then: { status: 524, work: true } };

/** A lab in which somebody changes the new compute between its lost creation and the look for it. */
function meddled(change: Parameters<typeof byHand>[2]): Lab {
  const lab: Lab = new Lab({
    between: async (request, go) => {
      const [one] = made(lab);
      if (one && request.method === "GET" && request.url.endsWith("/endpoints")) byHand(lab, one.id, change);
      return go(request);
    },
  });
  spoil(lab, LOST);
  return lab;
}

describe("between a lost answer and the look for it", () => {
  test("a compute that somebody moves is still known by its name, and not made again", async () => {
    const lab = meddled({ branch_id: "br-bright-orchard-a5t4j6wc" });
    const outcome = await lab.up("db", primary());
    expect(count(outcome, "POST")).toBe(1);
    expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
  });

  test("a primary that somebody renames is named by the error", async () => {
    const lab = meddled({ name: "theirs" });
    const { error } = await lab.fails("db", primary());
    expect(error.message).toContain(made(lab)[0]!.id);
  });
});

test("work of the service's own on a compute that has never started is no start", async () => {
  const lab = new Lab({ emulator: { operationMs: 4000 } });
  spoil(lab, { operation: { action: "start_compute", then: "error" } });
  await lab.fails("db", primary());
  lab.emulator.startOperation({ endpointId: lab.resource("db").id });
  await lab.up("db", primary());
  expect(compute(lab, "db").current_state).toBe("active");
});

test("a list with a row that can't be read says nothing about what is gone", async () => {
  const hideId = { on: false };
  const lab = await labWith("db", primary(), {
    between: async (request, go) => {
      const answer = await go(request);
      return hideId.on ? { ...answer, text: answer.text.replaceAll('"id":', '"uid":') } : answer;
    },
  });
  hideId.on = true;
  await expect(lab.refresh()).rejects.toThrow(/not the API's.*The state was left as it is/);
  expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
});

test("a look that failed just before the deadline is not followed by another at once", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    await play(
      story({
        seed,
        programs: [[{ type: "read_write", branch: 1, minutes: 1 }, null, null], []],
        acts: [
          act("up", {
            faults: [fault("operation never ends", "any"), fault("503", "operations", { times: 60 })],
          }),
        ],
      }),
      new Tally(),
    );
  }
});
