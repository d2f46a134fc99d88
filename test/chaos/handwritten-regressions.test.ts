/** Bugs that random scenarios found, written as tests of their own: the judge excuses them today, or they show only by chance. */
import { describe, expect, test } from "vitest";
import { byHand, compute, count, ENDPOINTS, Lab, labWith, made, primary, spoil } from "../lifecycle/support";
import { fault, round, scenario } from "./builders";
import { play } from "./play";
import { Statistics } from "./statistics";

const LOST = { match: { method: "POST", path: ENDPOINTS }, then: { status: 524, work: true } };

/** A lab in which the answer to a create is lost, and somebody changes the new compute before the provider looks for it. */
function labWithInterference(change: Parameters<typeof byHand>[2]): Lab {
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
    const lab = labWithInterference({ branch_id: "br-bright-orchard-a5t4j6wc" });
    const outcome = await lab.up("db", primary());
    expect(count(outcome, "POST")).toBe(1);
    expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
  });

  test("a primary that somebody renames is named by the error", async () => {
    const lab = labWithInterference({ name: "theirs" });
    const { error } = await lab.fails("db", primary());
    expect(error.message).toContain(made(lab)[0]!.id);
  });
});

test("an operation that the service itself starts does not count as the first start of a compute", async () => {
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
  await expect(lab.refresh()).rejects.toThrow(/not from the API.*The state was left as it was/);
  expect(lab.resource("db").id).toBe(made(lab)[0]!.id);
});

test("a look that failed just before the deadline is not followed by another at once", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    await play(
      scenario({
        seed,
        programs: [[{ type: "read_write", branch: 1, minutes: 1 }, null, null], []],
        rounds: [
          round("up", {
            faults: [fault("operation never ends", "any"), fault("503", "operations", { times: 60 })],
          }),
        ],
      }),
      new Statistics(),
    );
  }
});
