/** The provider's process is stopped in the middle of a step, or the step's compute has two names: what the next one does. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { CallFailed, hint, type Props } from "./shim";
import { BRANCH, PROJECT, type Rig, rig } from "./support";

const inputs = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  __autoName: hint("main"),
  ...more,
});
const made = ({ emulator }: Rig) => Object.values(emulator.world.endpoints).filter((one) => one.branch_id === BRANCH);
const mutations = (it: Rig) => it.requests().filter((line) => !line.startsWith("GET"));
const isWaiting = ({ emulator }: Rig) => emulator.requests.some(({ path }) => path.includes("/operations/"));

/** A provider whose create waits for an operation that does not end. */
async function waiting(program: Props = inputs()) {
  const it = await rig();
  it.emulator.faults.add({ operation: { action: "start_compute", then: "never" } });
  const call = it.shim.create(program).catch((error: unknown) => error);
  await expect.poll(() => isWaiting(it)).toBe(true);
  const [compute] = made(it);
  return { it, call, id: compute!.id };
}

describe("a create that is stopped while it waits", () => {
  test.each<[NodeJS.Signals, number | NodeJS.Signals, boolean]>([
    ["SIGKILL", "SIGKILL", false],
    ["SIGINT", 130, true],
  ])("by %s: the next process names the compute and makes no second one", async (signal, end, named) => {
    const { it, call, id } = await waiting();
    it.shim.child.kill(signal);
    expect(await it.shim.ended).toBe(end);
    expect(await call).toBeInstanceOf(Error);
    // Pulumi shows what a provider still says after a second Ctrl-C, and nothing of its answer.
    expect(it.shim.said.includes(`before Pulumi could keep compute ${id} (`)).toBe(named);
    it.emulator.faults.clear();
    expect(mutations(it)).toHaveLength(1);
    const next = await (await it.again()).create(inputs()).catch((error: unknown) => error);
    expect((next as CallFailed).message).toMatch(new RegExp(`compute ${id} of project .*It was not touched`));
    expect(mutations(it)).toEqual([]);
    expect(made(it)).toHaveLength(1);
    const { id: adopted, outputs } = await (await it.again()).create(inputs({ adopt: id }));
    expect([adopted, outputs["adopted"]]).toEqual([id, true]);
  });

  test("by SIGINT, when Pulumi has its answer already: nothing is said of it", async () => {
    const it = await rig();
    await it.shim.create(inputs());
    it.emulator.faults.add({ operation: { action: "start_compute", then: "error" } });
    const replica = inputs({ type: "read_only", __autoName: hint("replica") });
    expect(await it.shim.create(replica).catch((error: unknown) => error)).toBeInstanceOf(CallFailed);
    it.shim.child.kill("SIGINT");
    expect(await it.shim.ended).toBe(130);
    expect(it.shim.said).not.toContain("interrupted");
  });

  test("with a name of the program's: it is recognized by that", async () => {
    const { __autoName, ...others } = inputs({ type: "read_only" });
    const program = { ...others, name: "reporting" };
    const { it, id } = await waiting(program);
    await it.shim.close();
    it.emulator.faults.clear();
    const next = await (await it.again()).create(program).catch((error: unknown) => error);
    expect((next as CallFailed).message).toMatch(new RegExp(`of this name: ${id}. An interrupted run may have`));
    expect(made(it)).toHaveLength(1);
  });
});

describe("a process that is killed while it waits", () => {
  const after = async (it: Rig) => {
    await expect.poll(() => isWaiting(it)).toBe(true);
    await it.shim.close();
    it.emulator.faults.clear();
    it.requests();
    return it.again();
  };

  test.each<[string, string, Props, Props]>([
    ["an update", "apply_config", { size: 2 }, { autoscaling_limit_max_cu: 2, current_state: "active" }],
    ["a restart", "start_compute", { restartTriggers: ["b"] }, { current_state: "active" }],
  ])("for %s: the next one finishes it, on the same compute", async (_what, action, change, end) => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await it.shim.create(inputs({ restartTriggers: ["a"] }));
    it.requests();
    it.emulator.faults.add({ operation: { action, then: "never" } });
    const call = it.shim.update(id, outputs, inputs({ restartTriggers: ["a"], ...change })).catch(() => "killed");
    const next = await after(it);
    expect(await call).toBe("killed");
    const now = await next.update(id, outputs, inputs({ restartTriggers: ["a"], ...change }));
    expect(now).not.toHaveProperty("unfinished");
    expect(made(it)).toMatchObject([{ id, host: outputs["host"], ...end }]);
    expect(mutations(it).filter((line) => !line.includes(id))).toEqual([]);
  });

  test("for a delete: the next one has nothing to do, and a read finds it gone", async () => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await it.shim.create(inputs());
    it.requests();
    it.emulator.faults.add({ operation: { action: "suspend_compute", then: "never" } });
    const deleting = await it.again();
    const call = deleting.delete(id, outputs).catch(() => "killed");
    await expect.poll(() => isWaiting(it)).toBe(true);
    await deleting.close();
    expect(await call).toBe("killed");
    it.emulator.faults.clear();
    const next = await it.again();
    await next.delete(id, outputs);
    expect((await next.read(id, outputs)).id).toBe("");
    expect(made(it)).toEqual([]);
  });

  test("the engine dies: so do all its providers, also those that wait for nothing", async () => {
    const { it } = await waiting();
    const idle = await it.beside();
    await idle.check({}, inputs()); // only then Pulumi's shim loads a provider at all
    await it.engine.kill();
    expect(await Promise.all([it.shim.ended, idle.ended])).toEqual([1, 1]);
    await sleep(50);
    const before = it.emulator.requests.length;
    await sleep(500);
    expect(it.emulator.requests.length).toBe(before);
  });
});

describe("two resources that hold one compute, since it was taken over under a new name", () => {
  const state = (name: string, more: Props = {}): Props =>
    inputs({ __autoName: hint(name), managed: ["size"], ...more });

  test("two accounts in one program: what the process of one took over, the process of the other does not delete", async () => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await (await it.again()).create(inputs({ name: "shared" }));
    const { "compute:apiKey": key = "", "compute:apiUrl": url = "", ...rest } = it.config;
    const instance = { "compute:instance": "own", "compute:instanceApiKey": key, "compute:instanceApiUrl": url };
    const other = await it.beside({ ...rest, ...instance });
    await other.create(inputs({ name: "shared", adopt: id }));
    await it.shim.delete(id, outputs);
    expect(it.shim.said).toContain(`compute ${id} was taken over or created by another resource in this same run`);
    expect(made(it)).toHaveLength(1);
  });

  test("what two runs of two programs do at the same time is their own: each deletes what it is told to", async () => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await (await it.again()).create(inputs({ name: "shared" }));
    await it.shim.create(inputs({ name: "shared", adopt: id }));
    const elsewhere = await it.again();
    await elsewhere.delete(id, outputs);
    expect(made(it)).toEqual([]);
  });

  test("the old one's delete, in a later process, spares what the program holds on to", async () => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await it.shim.create(inputs());
    const later = await it.again();
    const { outputs: renamed } = await later.create(inputs({ name: "renamed", adopt: id }));
    const last = await it.again();
    await last.diff(id, renamed, inputs({ name: "renamed", adopt: id }));
    await last.delete(id, outputs);
    expect(last.said).toContain(`compute ${id} also belongs to another resource of the program`);
    expect(made(it)).toHaveLength(1);
  });

  test("a replacement of the same resource, which was compared before, is no such thing", async () => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await it.shim.create(inputs());
    const next = await it.again();
    await next.diff(id, outputs, inputs({ type: "read_only" }));
    await next.delete(id, { ...outputs, host: "read-again" });
    expect(made(it)).toEqual([]);
  });

  test("nor is the delete of a compute that the program does not name", async () => {
    const it = await rig({ operationMs: 40 });
    const { id, outputs } = await it.shim.create(inputs());
    const next = await it.again();
    await next.diff("ep-another-one-12345678", state("another"), inputs());
    await next.delete(id, outputs);
    expect(made(it)).toEqual([]);
  });
});
