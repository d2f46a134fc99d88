/**
 * One Ctrl-C while a step waits: the run ends at once, the state has what the service has, and the next `up` finishes it. What
 * the provider hears of it depends on the version of Pulumi's SDK, so `.ci/run` runs this at both ends of the peer range.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { FaultRule } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { whileWaiting } from "../support/while-waiting";
import { addBranch, changes, files, PROJECT, type Story, startStory } from "./support";

/** Milliseconds from the Ctrl-C to the end of the command: nearly all of it is the engine's own. */
const SOON_MS = 10_000;
const SKIP = ["--skip-preview"];
const program = (args: string) => `new Endpoint("db", { projectId, branchId: "br-db", ${args} });`;
const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");

describeWithEngine("one Ctrl-C", (engine) => {
  let story: Story;
  const use = (args?: string) => story.ws.setProgram(files(args === undefined ? "" : program(args)));
  const theOnes = () => Object.values(story.em.world.endpoints).filter((one) => one.branch_id === "br-db");
  const deployment = async () => (await story.ws.export()).deployment;
  const inState = async () => ((await deployment()).resources ?? []).filter(isEndpoint);
  const up = () => story.ws.up({ args: SKIP });

  /** Types ^C once when the command waits, while the service is spoilt. */
  async function interrupt(command: string, rule: FaultRule, sign?: string): Promise<string> {
    const { em, ws } = story;
    em.faults.add(rule);
    let at = 0;
    const type = async ({ pulumi }: { pulumi: number }) => {
      if (sign) await sleep(500);
      at = performance.now();
      process.kill(pulumi, "SIGINT");
    };
    const { code, stdout, stderr } = await whileWaiting(story, [command], type, sign);
    expect(performance.now() - at).toBeLessThan(SOON_MS);
    expect(code).not.toBe(0);
    expect(await ws.leftBehind(10_000)).toEqual([]);
    em.faults.clear();
    expect((await deployment()).pending_operations ?? []).toEqual([]);
    return stdout + stderr;
  }
  const never = (action: string): FaultRule => ({ operation: { action, then: "never" } });
  const methods = () => changes(story.em).map(({ line }) => line.split(" ")[0]);

  beforeAll(async () => {
    story = await startStory(engine, { program: "", before: (em) => addBranch(em, "br-db") });
  }, ENGINE_TEST_MS);
  beforeEach(() => void changes(story.em));
  afterAll(() => story?.close());

  test(
    "in a create: its id, the reason and the unfinished operation are in the state; one compute in the end",
    async () => {
      await use("size: 1");
      const said = await interrupt("up", never("start_compute"));
      const { id, host } = theOnes()[0]!;
      expect(said).toMatch(
        new RegExp(`interrupted: start_compute of ${id} \\(.*\\) goes on at the service\\. Compute ${id} .*pulumi up`),
      );
      const [kept] = await inState();
      expect(kept).toMatchObject({ id, outputs: { host, unfinished: [expect.anything()] } });
      expect(kept).toMatchObject({ initErrors: [expect.stringContaining("interrupted: start_compute")] });
      await up();
      expect(theOnes()).toMatchObject([{ id, current_state: "active" }]);
      expect((await inState())[0]!.outputs).not.toHaveProperty("unfinished");
      expect(methods()).toEqual(["POST"]);
      await story.ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "in an update: the next up finishes it and changes nothing twice",
    async () => {
      await use("size: 2");
      const said = await interrupt("up", never("apply_config"));
      const { id } = theOnes()[0]!;
      expect(said).toContain(`interrupted: apply_config of ${id}`);
      expect(await inState()).toMatchObject([
        { id, inputs: { size: 1 }, outputs: { unfinished: [expect.anything()] } },
      ]);
      await up();
      expect(await inState()).toMatchObject([{ id, inputs: { size: 2 }, outputs: { size: 2 } }]);
      expect(methods()).toEqual(["PATCH"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "while the service refuses a change: it is not sent again, and the state is as it was",
    async () => {
      await use("size: 4");
      const rule = { match: { method: "PATCH" }, times: 1000, then: { status: 423 } };
      const said = await interrupt("up", rule, `/projects/${PROJECT}/operations`);
      expect(said).toMatch(/interrupted: PATCH .*423.*it was not sent again\. The state has compute/);
      expect(await inState()).toMatchObject([{ inputs: { size: 2 }, outputs: { size: 2 } }]);
      expect(changes(story.em)).toEqual([]);
      await up();
      expect(theOnes()).toMatchObject([{ autoscaling_limit_max_cu: 4 }]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "in a refresh: nothing is taken for gone",
    async () => {
      const path = `/projects/${PROJECT}/endpoints`;
      const said = await interrupt(
        "refresh",
        { match: { method: "GET", path }, times: 1000, then: { status: 500 } },
        path,
      );
      expect(said).toMatch(/interrupted.*The state has compute ep-\S+ as before/);
      expect(await inState()).toMatchObject([{ id: theOnes()[0]!.id }]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "in a delete: the state has it until the next up finds it gone",
    async () => {
      const { id } = theOnes()[0]!;
      await use();
      const said = await interrupt("up", never("suspend_compute"));
      expect(said).toContain(`interrupted: suspend_compute of ${id}`);
      expect(await inState()).toMatchObject([{ id }]);
      await up();
      expect([theOnes(), await inState()]).toEqual([[], []]);
      expect(changes(story.em).map(({ line, status }) => [line.split(" ")[0], status])).toEqual([
        ["DELETE", 200],
        ["DELETE", 204],
      ]);
    },
    ENGINE_TEST_MS,
  );
});
