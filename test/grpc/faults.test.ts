/**
 * The service's faults through the provider's real process: what the world, the answer and the next process make of them.
 * What was done is never done twice, and what was not done is done or named by the error.
 */
import { describe, expect, test } from "vitest";
import type { RequestFault } from "../../emulator/index.js";
import { CallFailed, hint, type Props, type Shim } from "./shim";
import { BRANCH, KEY, PROJECT, type Rig, rig } from "./support";

const inputs = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  __autoName: hint("main"),
  ...more,
});

const COLLECTION = `/projects/${PROJECT}/endpoints`;
const PAGE = "<html><body>Bad gateway</body></html>";

/** What comes back instead of the answer, by the name of the fault. */
const LOST: Record<string, RequestFault["then"]> = {
  "cut after the work": { cut: true, work: true },
  "cut before the work": { cut: true, work: false },
  "500 after the work": { status: 500, work: true },
  "502 and a page of HTML after the work": { status: 502, body: PAGE, work: true },
  "504 after the work": { status: 504, work: true },
  "success with a truncated body": { status: 200, body: '{"endpoint": {"id": "ep-', work: true },
  "success with an empty body": { status: 200, body: "", work: true },
  "success with a page of HTML": { status: 200, body: PAGE, work: true },
};

/** Nothing was done: the request is repeated. */
const REFUSED: RequestFault["then"][] = [
  { status: 423, body: { code: "", message: "project already has running conflicting operations" } },
  { status: 429, headers: { "retry-after": "1" } },
  { status: 503, body: PAGE },
];

const made = ({ emulator }: Rig) => Object.values(emulator.world.endpoints).filter((one) => one.branch_id === BRANCH);
const sent = ({ emulator }: Rig, method: string) => emulator.requests.filter((one) => one.method === method);

function expectQuiet({ said, output }: Shim): void {
  const all = said + output.stderr;
  expect(all).not.toContain(KEY);
  expect(all).not.toMatch(/^\s+at /m);
}

/** The request of each step that changes something. */
const MUTATIONS: Record<string, RequestFault["match"]> = {
  create: { method: "POST", path: `${COLLECTION}*` },
  update: { method: "PATCH", path: `${COLLECTION}/ep-*` },
  restart: { method: "POST", path: `${COLLECTION}/ep-*/restart` },
  delete: { method: "DELETE", path: `${COLLECTION}/ep-*` },
};
const STEPS = Object.keys(MUTATIONS);

/** A compute is made, resized, restarted and deleted; before each step something is done to the service. */
async function live(it: Rig, before: (step: string) => void): Promise<void> {
  const first = inputs({ restartTriggers: ["a"] });
  before("create");
  const { id, outputs } = await it.shim.create(first);
  expect(made(it)).toMatchObject([{ id, current_state: "active", autoscaling_limit_max_cu: 1 }]);
  expect(outputs).not.toHaveProperty("unfinished");

  before("update");
  const second = { ...first, size: 2 };
  const resized = await it.shim.update(id, outputs, second);
  expect(resized).toMatchObject({ size: 2, host: outputs["host"] });
  expect(made(it)).toMatchObject([{ id, current_state: "active", autoscaling_limit_max_cu: 2 }]);

  before("restart");
  const stops = () => it.emulator.world.operations.filter(({ action }) => action === "suspend_compute").length;
  const stopped = stops();
  const restarted = await it.shim.update(id, resized, { ...second, restartTriggers: ["b"] });
  expect(stops()).toBe(stopped + 1);
  expect(made(it)).toMatchObject([{ id, current_state: "active" }]);
  expect(restarted).not.toHaveProperty("restartOwed");

  before("delete");
  await (await it.again()).delete(id, restarted);
  expect(made(it)).toEqual([]);
  expectQuiet(it.shim);
}

describe("from create to delete, every step does its work once", () => {
  /** Each fault meets two steps, each step four faults. */
  const names = Object.keys(LOST);
  const lives = [0, 2, 4, 6].map((first) => STEPS.map((step, index) => [step, names[(first + index) % names.length]!]));

  test.each(
    lives.map((life) => [life.map(([step, fault]) => `${step}: ${fault}`).join("; "), Object.fromEntries(life)]),
  )("where the answer to it is lost (%s)", async (_what, faults: Record<string, string>) => {
    const it = await rig({ operationMs: 40 });
    await live(it, (step) => it.emulator.faults.add({ match: MUTATIONS[step]!, then: LOST[faults[step]!]! }));
  });

  test("where it is refused for a while: 423, 429, 503", async () => {
    const it = await rig({ operationMs: 40 });
    const refusals = [...REFUSED, REFUSED[0]!];
    await live(it, (step) => it.emulator.faults.add({ match: MUTATIONS[step]!, then: refusals.shift()! }));
    const answers = it.emulator.requests.filter(({ method }) => method !== "GET").map(({ status }) => status);
    expect(answers).toEqual([423, 201, 429, 200, 503, 200, 423, 200]);
  });
});

describe("a look at an operation", () => {
  const bad: Record<string, RequestFault["then"]> = {
    "404": { status: 404 },
    "429": { status: 429 },
    "a cut": { cut: true },
    "a page of HTML": { status: 200, body: PAGE },
    "another operation": { status: 200, body: { operation: { id: "../..", status: "finished", action: "dance" } } },
  };
  test("that fails in any way is taken again, and the step goes well", async () => {
    const it = await rig({ operationMs: 1_500 });
    const match = { method: "GET", path: `/projects/${PROJECT}/operations` };
    for (const then of Object.values(bad)) it.emulator.faults.add({ match, then });
    const { id, outputs } = await it.shim.create(inputs());
    expect(made(it)).toMatchObject([{ id, current_state: "active" }]);
    expect(outputs).not.toHaveProperty("unfinished");
    expect(sent(it, "POST")).toHaveLength(1);
    expect(it.requests().some((line) => line.includes(".."))).toBe(false);
    expectQuiet(it.shim);
  });
});

describe("an operation that ends badly or never", () => {
  test.each(["failed", "error", "cancelled", "never"] as const)(
    "%s: the compute is kept with the operation, and the next process finishes it without a second one",
    async (end) => {
      const it = await rig({ operationMs: 40, failedRetryMs: 50 });
      it.emulator.faults.add({ operation: { action: "start_compute", then: end } });
      const limits = { customTimeouts: { create: "2s" } };
      const error = await it.shim.create(inputs(limits)).catch((error: unknown) => error as CallFailed);
      expect(error).toBeInstanceOf(CallFailed);
      const { kept, message } = error as CallFailed;
      const [compute] = made(it);
      expect(kept).toMatchObject({ id: compute!.id, properties: { unfinished: [expect.any(String)] } });
      expect(message).toContain(`Compute ${compute!.id} of project ${PROJECT} is kept in the state`);
      it.emulator.faults.clear();
      const after = await (await it.again()).update(kept!.id, kept!.properties, inputs());
      expect(after).not.toHaveProperty("unfinished");
      expect(made(it)).toMatchObject([{ id: compute!.id, current_state: "active" }]);
      expect(sent(it, "POST").filter(({ path }) => path === COLLECTION)).toHaveLength(1);
      expectQuiet(it.shim);
    },
  );
});

describe("faults that do not stop", () => {
  test.each(["cut after the work", "502 and a page of HTML after the work"])(
    "%s, on everything, until the time is up: one compute, and the next process finds it",
    async (fault) => {
      const it = await rig({ operationMs: 40 });
      it.emulator.faults.add({ match: { method: "POST", path: COLLECTION }, then: LOST[fault]! });
      it.emulator.faults.add({ match: { method: "GET" }, then: { headers: {} } }); // the look before it
      it.emulator.faults.add({ match: {}, times: 1000, then: { status: 503 } });
      const error = await it.shim
        .create(inputs({ customTimeouts: { create: "3s" } }))
        .catch((error: unknown) => error as CallFailed);
      expect(error).toBeInstanceOf(CallFailed);
      expect((error as CallFailed).message).toMatch(/POST .*checking whether it was applied also failed/);
      it.emulator.faults.clear();
      const [compute] = made(it);
      const next = await (await it.again()).create(inputs()).catch((error: unknown) => error as CallFailed);
      expect((next as CallFailed).message).toContain(`compute ${compute!.id} of project ${PROJECT} carries the name`);
      expect(made(it)).toHaveLength(1);
      expectQuiet(it.shim);
    },
  );
});
