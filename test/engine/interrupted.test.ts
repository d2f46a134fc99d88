/**
 * Ctrl-C while a step waits. Once: Pulumi waits with it, and the state has what the step did. Twice: Pulumi forgets the
 * step's answer, and the provider's last words name the compute that nobody else would.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { midway } from "../support/midway";
import { addBranch, changes, files, type Story, startStory } from "./support";

const program = (args: string) => `new Endpoint("db", { projectId, branchId: "br-db", ${args} });`;
/** A replica that is ours also where it was taken over. */
const OURS = 'type: "read_only", onDelete: "delete"';
const SKIP = ["--skip-preview"];
const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");

describeWithEngine("Ctrl-C", (engine) => {
  let story: Story;
  const use = (text: string) => story.ws.setProgram(files(text));
  const theOnes = () => Object.values(story.em.world.endpoints).filter((one) => one.branch_id === "br-db");
  const deployment = async () => (await story.ws.export()).deployment;
  const inState = async () => ((await deployment()).resources ?? []).filter(isEndpoint);

  /** Types ^C so often while `pulumi up` waits; the service ends its work after the first. */
  async function interrupt(times: 1 | 2, action: string): Promise<string> {
    const { em, ws } = story;
    em.faults.add({ operation: { action, then: "never" } });
    const { code, stdout, stderr } = await midway(story, ["up"], async ({ pulumi }) => {
      process.kill(pulumi, "SIGINT");
      while (!story.printed().slice(before).includes("press ^C again")) await sleep(25);
      if (times === 2) process.kill(pulumi, "SIGINT");
      else em.faults.clear();
    });
    expect(code).not.toBe(0);
    expect(await ws.leftBehind(10_000)).toEqual([]);
    em.faults.clear();
    return stdout + stderr;
  }
  let before = 0;
  beforeEach(() => {
    before = story.printed().length;
    changes(story.em);
  });

  beforeAll(async () => {
    story = await startStory(engine, { program: "", before: (em) => addBranch(em, "br-db") });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe("twice", () => {
    const NAMED =
      /warning: the run was interrupted before Pulumi could keep compute (ep-\S+) \((?:db-[0-9a-f]{8}|without a name) on branch br-db of project \S+\) in the state, so no `pulumi destroy` will delete it\. Take it over with adopt: "\1"/;

    test(
      "in a create: the run names the compute, the stack is not locked, and the next up makes no second one",
      async () => {
        await use(program("size: 1"));
        const said = await interrupt(2, "start_compute");
        const { id } = theOnes()[0]!;
        expect(NAMED.exec(said.split("Diagnostics:")[1]!)?.[1]).toBe(id);
        expect(await inState()).toEqual([]);
        const { stdout } = await story.ws.up({ args: SKIP, fails: true });
        expect(stdout).toContain(`compute ${id} of project`);
        expect(theOnes()).toHaveLength(1);
      },
      ENGINE_TEST_MS,
    );

    test(
      "in a create without any name, which no later run can recognize: the run has named it",
      async () => {
        const { em, ws } = story;
        for (const { id } of theOnes()) delete em.world.endpoints[id];
        await ws.refresh({ args: [...SKIP, "--clear-pending-creates"] });
        await ws.setConfig({ "compute:autoName": "false" });
        await use(program('size: 1, type: "read_only"'));
        const said = await interrupt(2, "start_compute");
        await ws.removeConfig("compute:autoName");
        const { id } = theOnes()[0]!;
        expect(NAMED.exec(said)?.[1]).toBe(id);
        await use(program(`size: 1, ${OURS}, adopt: "${id}"`));
        await ws.up({ args: SKIP });
        await ws.refresh({ args: [...SKIP, "--clear-pending-creates"] });
        expect(theOnes()).toMatchObject([{ id }]);
        expect(await inState()).toMatchObject([{ id }]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "in an update: nothing is unnamed, and the next up finishes it",
      async () => {
        const [{ id }] = (await inState()) as [StateResource];
        await use(program(`size: 2, ${OURS}`));
        expect(await interrupt(2, "apply_config")).not.toContain("the run was interrupted before");
        expect(await inState()).toMatchObject([{ id, inputs: { size: 1 } }]);
        await story.ws.up({ args: SKIP });
        expect(theOnes()).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
        expect(await inState()).toMatchObject([{ id, inputs: { size: 2 } }]);
      },
      ENGINE_TEST_MS,
    );
  });

  describe("once", () => {
    test.each([
      ["an update", `size: 4, ${OURS}`, "apply_config", 1],
      ["a delete", undefined, "suspend_compute", 0],
    ] as const)(
      "in %s: Pulumi waits for it, and it is in the state as if nobody had",
      async (_step, args, action, left) => {
        await use(args === undefined ? "" : program(args));
        await interrupt(1, action);
        expect(theOnes()).toHaveLength(left);
        expect(await inState()).toHaveLength(left);
        if (left === 1) expect(await inState()).toMatchObject([{ inputs: { size: 4 }, outputs: { size: 4 } }]);
        expect((await deployment()).pending_operations ?? []).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
});
