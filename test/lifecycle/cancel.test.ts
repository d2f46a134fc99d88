/** One Ctrl-C in the middle of a step, by what the step is waiting for: what ends, what is kept, and what the next run does. */
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import {
  after,
  before,
  EVER,
  interrupted,
  METHOD,
  never,
  STEPS,
  type StageOptions,
  slow,
  stage,
} from "./cancel-support.js";
import { ENDPOINTS, Lab, labWith, leavingOut, made, OPERATIONS, primary, spoil } from "./support.js";

const refused = (status: number, headers = {}): FaultRule[] =>
  Object.values(METHOD).map((method) => ({ match: { method }, times: EVER, then: { status, headers } }));
describe("a step that waits", () => {
  const WAITS: [string, FaultRule[], StageOptions][] = [
    ["for an operation", never, {}],
    ["for a lock", refused(423), {}],
    ["for the work that holds a lock", [], { busy: true }],
    ["to try again", refused(503, { "retry-after": "120" }), {}],
    ["for a service that asks for a pause", refused(429, { "retry-after": "120" }), {}],
    ["for the rate", [], { rate: 1 }],
    ["for the answer to a look", [slow("GET", OPERATIONS, 20_000), ...never], {}],
  ];
  test.each(WAITS.flatMap(([what, rules, options]) => STEPS.map((step) => [step, what, rules, options] as const)))(
    "%s, %s: ends within a second, sends no change any more, and the next run finishes it",
    async (step, _what, rules, options) => {
      const { lab, run, again } = await stage(step, options);
      spoil(lab, ...rules);
      const old = structuredClone(lab.state.get("db"));
      const { error, passedMs, begunLater } = await interrupted(lab, run, 10_000);
      expect(error?.message).toMatch(/^interrupted/);
      expect(passedMs).toBeLessThan(1000);
      expect(begunLater).toEqual([]);
      const now = lab.state.get("db");
      const sent = lab.last.sent.some(({ line, status }) => line.startsWith(METHOD[step]) && Number(status) < 300);
      if (step === "delete" || !sent) {
        expect(now).toEqual(old);
        expect(error?.kind).toBe("cancelled");
      } else {
        const { id } = made(lab)[0]!;
        expect(now).toMatchObject({
          id,
          initErrors: [expect.stringMatching(/^interrupted.* is kept in the state/)],
        });
        expect(now!.outputs["unfinished"]).toEqual([expect.stringMatching(/./)]);
      }
      await again();
    },
  );

  test.each(["create", "update"] as const)("%s, for a compute whose operations are not told", async (step) => {
    const { lab, run } = await stage(step, { between: leavingOut("operations") });
    spoil(lab, ...never);
    const { error, passedMs, begunLater } = await interrupted(lab, run, 10_000);
    expect(error?.message).toMatch(/^interrupted.* is kept in the state/);
    expect(passedMs).toBeLessThan(1000);
    expect(begunLater).toEqual([]);
    expect(lab.resource("db").outputs["unfinished"]).toEqual(["unknown"]);
  });

  test("for its turn: it leaves the queue, and what has the turn is kept", async () => {
    const lab = new Lab();
    const args = { ...primary(), type: "read_only" };
    spoil(lab, ...never);
    const names = ["a", "b", "c", "d"];
    const { passedMs, begunLater } = await interrupted(
      lab,
      () => lab.upAll(Object.fromEntries(names.map((name) => [name, args]))),
      5000,
    );
    expect(passedMs).toBeLessThan(1000);
    expect(begunLater).toEqual([]);
    const errors = names.map((name) => lab.planned[name]!.error!.message);
    expect(errors.filter((one) => /goes on at the service.*is kept in the state/.test(one))).toHaveLength(1);
    expect(
      errors.filter((one) => /^interrupted before this change .*No compute was created in project/.test(one)),
    ).toHaveLength(3);
    expect([lab.state.size, made(lab).length]).toEqual([1, 1]);
  });

  test("for the pause after a start that was none: the compute is kept", async () => {
    const lab = new Lab();
    spoil(lab, { operation: { action: "start_compute", then: "error" } });
    await lab.fails("db", after);
    spoil(lab, ...never);
    const { error, passedMs } = await interrupted(lab, () => lab.up("db", after), 5000);
    expect(passedMs).toBeLessThan(1000);
    expect(error).toMatchObject({ kind: "not-ready", message: expect.stringMatching(/^interrupted: start_compute/) });
    expect(lab.resource("db").outputs["unfinished"]).toHaveLength(1);
  });
});

describe("a refresh", () => {
  const refresh = async (options: { unfinished?: true }, ...rules: FaultRule[]) => {
    const lab = await labWith("db", before);
    if (options.unfinished) lab.resource("db").outputs["unfinished"] = ["op-1"];
    const old = structuredClone(lab.state.get("db"));
    spoil(lab, ...rules);
    const end = await interrupted(lab, () => lab.refresh(), 5000);
    expect(lab.state.get("db")).toEqual(old);
    return end;
  };
  test.each<[string, FaultRule[], { unfinished?: true }]>([
    ["for the list", [slow("GET", ENDPOINTS, 20_000)], {}],
    ["to ask for the list again", [{ match: { path: ENDPOINTS }, times: EVER, then: { status: 500 } }], {}],
    [
      "for a compute that the list lacks",
      [
        slow("GET", `${ENDPOINTS}/*`, 20_000),
        { match: { path: ENDPOINTS }, then: { status: 200, body: { endpoints: [] } } },
      ],
      {},
    ],
    ["for operations that were unfinished", [slow("GET", OPERATIONS, 20_000)], { unfinished: true }],
  ])("that waits %s fails within a second and leaves the state", async (_what, rules, options) => {
    const { error, passedMs } = await refresh(options, ...rules);
    expect(passedMs).toBeLessThan(1000);
    expect(error).toMatchObject({
      kind: "cancelled",
      message: expect.stringMatching(
        /^interrupted.*The state has compute ep-\S+ as before\. Run `pulumi refresh` again$/,
      ),
    });
  });
});
