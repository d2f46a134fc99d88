import { describe, expect, test } from "vitest";
import { changes, compute, count, ENDPOINTS, type Lab, labWith, type Props, primary } from "./support.js";

const OPERATION_MS = 3000;

/** A change that a run made, and that was killed before it could keep what came of it. */
async function interrupted(before: Props, after: Props): Promise<Lab> {
  const lab = await labWith("db", primary(before), { emulator: { operationMs: OPERATION_MS } });
  const kept = structuredClone(lab.resource("db"));
  await lab.up("db", primary(after));
  lab.state.set("db", kept);
  return lab;
}

describe("a change that an interrupted run has made already", () => {
  test.each<[string, Props, Props]>([
    ["of the size", { size: 1 }, { size: 2 }],
    [
      "of a limit",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
    ],
    [
      "of Postgres settings",
      { settings: { pgSettings: { work_mem: "4MB" } } },
      { settings: { pgSettings: { work_mem: "8MB" } } },
    ],
  ])("%s is not made again: no second restart", async (_what, before, after) => {
    const lab = await interrupted(before, after);
    const run = await lab.up("db", primary(after));
    expect(changes(run)).toEqual([]);
    expect((await lab.preview("db", primary(after))).op).toBe("same");
  });

  test("is waited for where it still goes on", async () => {
    const lab = await labWith("db", primary({ size: 1 }), { emulator: { operationMs: OPERATION_MS } });
    const [path, body] = [
      `/api/v2${ENDPOINTS}/${lab.resource("db").id}`,
      { endpoint: { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 } },
    ];
    await lab.emulator.handle({
      method: "PATCH",
      path,
      headers: { authorization: `Bearer ${lab.emulator.apiKey}` },
      body: JSON.stringify(body),
    });
    const began = lab.clock.now();
    const run = await lab.up("db", primary({ size: 2 }));
    expect(count(run, "PATCH")).toBe(0);
    expect(lab.clock.now() - began).toBeGreaterThanOrEqual(OPERATION_MS);
    expect(compute(lab, "db").current_state).toBe("active");
  });

  test("leaves the other changes, and only those, to be made", async () => {
    const lab = await interrupted({ size: 1, name: "a" }, { size: 2, name: "a" });
    const run = await lab.up("db", primary({ size: 2, name: "b" }));
    expect(changes(run).map(([, body]) => body)).toEqual([{ endpoint: { name: "b" } }]);
  });

  test("does not make what somebody changed by hand this update's business", async () => {
    const lab = await interrupted({ size: 1, suspendTimeoutSeconds: 60 }, { size: 2, suspendTimeoutSeconds: 60 });
    compute(lab, "db").suspend_timeout_seconds = 600;
    const run = await lab.up("db", primary({ size: 2, suspendTimeoutSeconds: 60 }));
    expect(changes(run)).toEqual([]);
  });
});

test("a change does not wait long for a list that fails", async () => {
  const lab = await labWith("db", primary({ size: 1 }));
  lab.emulator.faults.add({ match: { method: "GET", path: ENDPOINTS }, times: 12, then: { status: 503 } });
  const began = lab.clock.now();
  const run = await lab.up("db", primary({ size: 2 }));
  expect(count(run, "PATCH")).toBe(1);
  expect(lab.clock.now() - began).toBeLessThan(60_000);
});
