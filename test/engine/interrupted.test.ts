/**
 * Ctrl-C twice, so fast that Pulumi has not got the step's answer before the second: it forgets the answer, and the provider's
 * last words name the compute that nobody else would. (Once: `cancel.test.ts`.)
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { whileWaiting } from "../support/while-waiting";
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

  /** Types ^C twice while `pulumi up` waits. The provider sleeps meanwhile, as it might on a busy machine. */
  async function interrupt(action: string): Promise<string> {
    const { em, ws } = story;
    em.faults.add({ operation: { action, then: "never" } });
    const { code, stdout, stderr } = await whileWaiting(story, ["up"], async ({ pulumi, providers }) => {
      for (const pid of providers) process.kill(pid, "SIGSTOP");
      process.kill(pulumi, "SIGINT");
      while (!story.printed().slice(before).includes("press ^C again")) await sleep(25);
      process.kill(pulumi, "SIGINT");
      await sleep(300);
      for (const pid of providers) process.kill(pid, "SIGCONT");
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
      /compute (ep-\S+) \((?:db-[0-9a-f]{8}|without a name) on branch br-db of project \S+\) (?:in the state, so no `pulumi destroy` will delete it\. Take it over with adopt: "\1"|exists: Pulumi keeps it in the state, unless a second Ctrl-C)/;

    test(
      "in a create: the run names the compute, the stack is not locked, and the next up makes no second one",
      async () => {
        await use(program("size: 1"));
        const said = await interrupt("start_compute");
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
        const said = await interrupt("start_compute");
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
        expect(await interrupt("apply_config")).not.toContain("the run was interrupted before");
        expect(await inState()).toMatchObject([{ id, inputs: { size: 1 } }]);
        await story.ws.up({ args: SKIP });
        expect(theOnes()).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
        expect(await inState()).toMatchObject([{ id, inputs: { size: 2 } }]);
      },
      ENGINE_TEST_MS,
    );
  });
});
