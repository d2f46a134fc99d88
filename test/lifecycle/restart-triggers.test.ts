/** `restartTriggers`: values of any kind, whose change restarts an active compute once. */
import { describe, expect, test } from "vitest";
import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import type { LabOptions, Outcome } from "../support/lab.js";
import { adopted, byHand, compute, ENDPOINTS, ignoring, Lab, labWith, type Props, primary, SEED } from "./support.js";

const A = { restartTriggers: ["2026-05"] };
const B = { restartTriggers: ["2026-06"] };

/** What changes something and was not refused, in one word each. */
const sent = (outcome: Outcome): string[] =>
  outcome.sent
    .filter(({ line, status }) => !line.startsWith("GET ") && status !== 423)
    .map(({ line }) => (line.endsWith("/restart") ? "restart" : line.split(" ")[0]!));

/** How often the compute was restarted by a request for it, or is just being restarted. */
const restarts = (lab: Lab): number => {
  const rows = lab.emulator.world.operations.filter((one) => one.endpoint_id === lab.resource("db").id);
  return rows.filter((one) => one.action === "start_compute").length - 1;
};

/** A compute that was made with triggers `A` and is active. */
const restartable = (args: Props = {}, options?: LabOptions) =>
  labWith("db", primary({ size: 1, ...A, ...args }), options);

const MARKER = "yes: restartTriggers (changed) restarts this compute if it is active; open connections drop then";

describe("a change of the triggers", () => {
  test("restarts the compute once, is waited for, and is remembered", async () => {
    const lab = await restartable({}, { emulator: { operationMs: 4000 } });
    const before = compute(lab, "db").started_at!;
    const preview = await lab.preview("db", primary({ size: 1, ...B }));
    expect([preview.op, preview.marker, preview.notice]).toEqual(["update", MARKER, "restart"]);
    const outcome = await lab.up("db", primary({ size: 1, ...B }));
    expect(outcome.sent.filter(({ line }) => !line.startsWith("GET "))).toMatchObject([
      { line: `POST ${ENDPOINTS}/${lab.resource("db").id}/restart`, status: 200 },
    ]);
    expect(compute(lab, "db")).toMatchObject({ current_state: "active" });
    expect(compute(lab, "db").pending_state).toBeUndefined();
    expect(Date.parse(compute(lab, "db").started_at!)).toBeGreaterThan(Date.parse(before));
    expect(lab.resource("db").outputs).toMatchObject({ ...B, restart: "no", size: 1 });
    expect((await lab.up("db", primary({ size: 1, ...B }))).sent).toEqual([]);
  });

  test.each<[string, Props, Props, string[]]>([
    ["added to a compute that is managed already", {}, A, ["restart"]],
    ["one of several", { restartTriggers: [1, "a"] }, { restartTriggers: [1, "b"] }, ["restart"]],
    ["one more", { restartTriggers: [1] }, { restartTriggers: [1, null] }, ["restart"]],
    ["something inside", { restartTriggers: [{ a: [1] }] }, { restartTriggers: [{ a: [2] }] }, ["restart"]],
    ["their order", { restartTriggers: [1, 2] }, { restartTriggers: [2, 1] }, ["restart"]],
    ["the order of keys", { restartTriggers: [{ a: 1, b: 2 }] }, { restartTriggers: [{ b: 2, a: 1 }] }, []],
    ["all taken away", A, { restartTriggers: [] }, []],
    ["taken out of the program", A, {}, []],
    ["none where there were none", {}, { restartTriggers: [] }, []],
  ])("%s", async (_rule, before, after, requests) => {
    const lab = await labWith("db", primary(before));
    const outcome = await lab.up("db", primary(after));
    expect(sent(outcome)).toEqual(requests);
    expect(outcome.marker).toBe(requests.length > 0 ? MARKER : "no");
    expect(lab.resource("db").outputs["restartTriggers"]).toEqual(after["restartTriggers"]);
    expect(await lab.up("db", primary(after))).toMatchObject({ op: "same", sent: [] });
  });

  test("put back after they were taken out: what stood there before is forgotten", async () => {
    const lab = await restartable();
    await lab.up("db", primary({ size: 1 }));
    expect(sent(await lab.up("db", primary({ size: 1, ...A })))).toEqual(["restart"]);
  });

  test.each<[string, Props]>([
    ["made", primary(A)],
    ["taken over", adopted(A)],
  ])("is none while the compute is %s", async (_how, args) => {
    const lab = new Lab();
    const outcome = await lab.up("db", args);
    expect([outcome.marker, sent(outcome)]).toEqual(["no", "adopt" in args ? [] : ["POST"]]);
    expect(lab.resource("db").outputs).toMatchObject(A);
    expect((await lab.up("db", args)).sent).toEqual([]);
  });

  test("under refuse, an adoption with triggers passes: it restarts nothing", async () => {
    await new Lab().up("db", adopted({ ...A, onRestart: "refuse" }));
  });

  test("what is no list fails the check, without the value", async () => {
    const { error } = await new Lab().fails("db", primary({ restartTriggers: "s3cret" }));
    expect(error.message).toBe("restartTriggers: restartTriggers is not a list of values");
  });
});

describe("a compute that is not active has nothing to restart", () => {
  const asleep = async (options?: LabOptions) => {
    const lab = await restartable({}, options);
    byHand(lab, lab.resource("db").id, { current_state: "idle", suspended_at: "2026-05-04T10:00:00Z" });
    return lab;
  };

  test("idle: nothing is sent, the triggers are remembered, and it says so", async () => {
    const lab = await asleep();
    const outcome = await lab.up("db", primary({ size: 1, ...B }));
    expect([sent(outcome), outcome.said.join()]).toEqual([[], expect.stringContaining("is not active")]);
    expect(await lab.up("db", primary({ size: 1, ...B }))).toMatchObject({ op: "same", sent: [] });
  });

  test.each([412, 423] as const)(
    "idle only when the request arrives, which is answered %i",
    async (restartIdleStatus) => {
      const lab: Lab = await restartable(
        {},
        {
          emulator: { restartIdleStatus },
          between: (request, go) => {
            if (request.url.endsWith("/restart")) byHand(lab, lab.resource("db").id, { current_state: "idle" });
            return go(request);
          },
        },
      );
      const outcome = await lab.up("db", primary({ size: 1, ...B }));
      expect(outcome.sent.filter(({ line }) => line.endsWith("/restart"))).toHaveLength(1);
      expect([restarts(lab), compute(lab, "db").current_state]).toEqual([0, "idle"]);
      expect((await lab.up("db", primary({ size: 1, ...B }))).sent).toEqual([]);
    },
  );

  test("disabled already: no marker, nothing sent", async () => {
    const lab = await restartable({ disabled: true });
    const outcome = await lab.up("db", primary({ size: 1, disabled: true, ...B }));
    expect([outcome.marker, sent(outcome)]).toEqual(["no", []]);
  });

  test("disabled, and woken by the service's own check: nothing sent", async () => {
    const lab = await restartable({ disabled: true });
    byHand(lab, lab.resource("db").id, { current_state: "active" });
    expect(sent(await lab.up("db", primary({ size: 1, disabled: true, ...B })))).toEqual([]);
  });

  test("being disabled in the same step: it stops and is not restarted", async () => {
    const lab = await restartable();
    const outcome = await lab.up("db", primary({ size: 1, disabled: true, ...B }));
    expect(outcome.marker).toMatch(/^yes: disabled false → true stops this compute/);
    expect(sent(outcome)).toEqual(["PATCH"]);
    expect((await lab.up("db", primary({ size: 1, disabled: true, ...B }))).sent).toEqual([]);
  });

  test("being enabled in the same step: it does not start by itself, and is not restarted", async () => {
    const lab = await restartable({ disabled: true });
    expect(sent(await lab.up("db", primary({ size: 1, disabled: false, ...B })))).toEqual(["PATCH"]);
  });
});

describe("together with another change it restarts once", () => {
  const libraries = { settings: { preloadLibraries: { enabledLibraries: ["pg_cron"] } } };
  const parameters = { settings: { pgSettings: { work_mem: "64MB" } } };

  test.each<[string, Props, string[], number]>([
    ["a size, which restarts by itself", { size: 2 }, ["PATCH"], 0],
    ["a branch, which reconfigures by itself", { branchId: SEED.branches.preview }, ["PATCH"], 0],
    ["libraries: stored first, active after the restart", libraries, ["PATCH", "restart"], 1],
    ["Postgres settings", parameters, ["PATCH", "restart"], 1],
    ["a timeout", { suspendTimeoutSeconds: 600 }, ["PATCH", "restart"], 1],
    ["libraries and a size", { ...libraries, size: 2 }, ["PATCH"], 0],
    ["onDelete", { onDelete: "release" }, ["restart"], 1],
  ])("%s", async (_rule, args, requests, count) => {
    for (const waitForReady of [undefined, false]) {
      const lab = await restartable();
      const after = primary({ size: 1, ...args, ...B, waitForReady });
      const outcome = await lab.up("db", after);
      expect(sent(outcome)).toEqual(requests);
      expect(outcome.marker).toMatch(/^yes: .*restartTriggers \(changed\)/);
      await lab.clock.advance(60_000);
      expect([restarts(lab), compute(lab, "db").current_state]).toEqual([count, "active"]);
      expect((await lab.up("db", after)).sent).toEqual([]);
    }
  });

  test("a size that the service does not take restarts nothing by itself", async () => {
    const lab = await restartable();
    const [min, max] = [ignoring("autoscaling_limit_min_cu"), ignoring("autoscaling_limit_max_cu")];
    lab.options.between = (request, go) => min(request, (rest) => max(rest, go));
    const outcome = await lab.up("db", primary({ size: 2, ...B }));
    expect([sent(outcome), compute(lab, "db").autoscaling_limit_max_cu]).toEqual([["PATCH", "restart"], 1]);
  });

  test("a name, while somebody has changed the size by hand: that is not what restarts it", async () => {
    const lab = await restartable({ name: "a" });
    byHand(lab, lab.resource("db").id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
    expect(sent(await lab.up("db", primary({ size: 1, name: "b", ...B })))).toEqual(["PATCH", "restart"]);
  });

  test("Postgres settings for which the service restarts by itself", async () => {
    const lab = await restartable();
    lab.options.between = async (request, go) => {
      const answer = await go(request);
      if (request.method === "PATCH") {
        byHand(lab, lab.resource("db").id, { started_at: new Date(lab.clock.wall() + 9000).toISOString() });
      }
      return answer;
    };
    const outcome = await lab.up("db", primary({ size: 1, ...parameters, ...B }));
    expect([sent(outcome), outcome.said.join()]).toEqual([["PATCH"], expect.stringContaining("not restarted again")]);
  });
});

describe("what a preview says of it", () => {
  test("not the values, whether they are secret or not", async () => {
    const [old, next] = [{ restartTriggers: ["old-13"] }, { restartTriggers: ["new-13"] }];
    for (const secret of [{}, { __secret: ["restartTriggers"] }]) {
      const lab = await labWith("db", primary({ ...old, ...secret }));
      const refused = await lab.fails("db", primary({ ...next, ...secret, onRestart: "refuse" }));
      expect(refused.error.message).toMatch(/^restartTriggers: restartTriggers changed: .*refuse/);
      const outcome = await lab.up("db", primary({ ...next, ...secret }));
      expect(outcome.marker).toBe(MARKER);
      const heard = JSON.stringify([outcome.marker, outcome.said, outcome.warnings, refused.error.message]);
      expect(heard).not.toContain("-13");
    }
  });

  test.each([
    ["unknown whole", UNKNOWN_VALUE],
    ["one value unknown", ["2026-05", UNKNOWN_VALUE]],
    ["a part of a value unknown", [{ version: UNKNOWN_VALUE }]],
  ])("maybe, where the values are not known yet: %s", async (_rule, restartTriggers) => {
    const lab = await restartable();
    const preview = await lab.preview("db", primary({ size: 1, restartTriggers, onRestart: "refuse" }));
    expect(preview.op).toBe("update");
    expect(preview.marker).toMatch(/^maybe: restartTriggers → known after apply may restart this compute/);
  });
});

describe("the compute drifts", () => {
  test("the triggers are no drift, and stay with what drifted", async () => {
    const lab = await restartable();
    const { id } = lab.resource("db");
    await lab.refresh();
    expect(lab.resource("db").inputs).toMatchObject(A);
    byHand(lab, id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
    await lab.refresh();
    expect(lab.resource("db").inputs).toMatchObject({ size: 4, ...A });
    expect(sent(await lab.up("db", primary({ size: 1, ...A })))).toEqual(["PATCH"]);
  });

  test("restarted by hand, it is not restarted for that", async () => {
    const lab = await restartable();
    byHand(lab, lab.resource("db").id, { started_at: "2026-05-05T10:00:00Z" });
    await lab.refresh();
    expect(await lab.up("db", primary({ size: 1, ...A }))).toMatchObject({ op: "same", sent: [] });
  });

  test("deleted by hand: the error says what to do", async () => {
    const lab = await restartable();
    delete lab.emulator.world.endpoints[lab.resource("db").id];
    const { error } = await lab.fails("db", primary({ size: 1, ...B }));
    expect(error.message).toContain("pulumi refresh");
    expect(lab.resource("db").outputs).toMatchObject(A);
  });
});

test("all restarts of a project take turns", async () => {
  const lab = new Lab();
  const computes = (triggers: Props) =>
    Object.fromEntries(
      ["a", "b", "c"].map((name) => [name, { ...primary({ size: 1 }), type: "read_only", ...triggers }]),
    );
  await lab.upAll(computes(A));
  const done = await lab.upAll(computes(B));
  expect(Object.values(done).map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  expect(sent(done["a"]!)).toEqual(["restart", "restart", "restart"]);
  expect(done["a"]!.sent.filter(({ status }) => status === 423)).toEqual([]);
});
