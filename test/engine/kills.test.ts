/**
 * kill -9 of the engine or of the provider while it waits, in each kind of step, and what the next commands make of it: the
 * compute is in the state or named by an error, there is never a second one, and no process is left behind.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { killed, midway, type Running } from "../support/midway";
import { addBranch, changes, files, PROJECT, type Story, startStory } from "./support";

const program = (args: string, name = "db") => `new Endpoint("${name}", { projectId, branchId: "br-db", ${args} });`;
const BEFORE = 'size: 1, restartTriggers: ["a"]';
const SKIP = ["--skip-preview"];
const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");

/** Who is killed, what the run prints, and whether Pulumi has a note of the step. */
const VICTIMS: [string, (running: Running) => void, RegExp, boolean][] = [
  ["the engine", ({ pulumi }) => killed(pulumi), /^/, true],
  ["the provider", ({ providers }) => providers.forEach(killed), /error: error reading from server: EOF/, false],
];

describe.each(VICTIMS)("kill -9 of %s", (_who, kill, printed, noted) => {
  describeWithEngine("while it waits", (engine) => {
    let story: Story;
    const use = (text: string) => story.ws.setProgram(files(text));
    const up = (fails = false) => story.ws.up({ args: SKIP, fails });
    const theOnes = () => Object.values(story.em.world.endpoints).filter((one) => one.branch_id === "br-db");
    const deployment = async () => (await story.ws.export()).deployment;
    const inState = async () => ((await deployment()).resources ?? []).filter(isEndpoint);
    const pending = async () =>
      ((await deployment()).pending_operations ?? []).map(({ type, resource }) => [
        type,
        resource.urn.split("::").at(-1),
      ]);
    const made = async () => {
      await use(program(BEFORE));
      await up();
      changes(story.em);
      return theOnes()[0]!;
    };

    /** The command, killed while the service works on `action`; afterwards the work goes on at the service. */
    async function killedIn(command: string, action: string): Promise<void> {
      const { em, ws } = story;
      em.faults.add({ operation: { action, then: "never" } });
      const run = await midway(story, [command], kill);
      expect(run.code).not.toBe(0);
      expect(run.stdout).toMatch(printed);
      expect(await ws.leftBehind(15_000)).toEqual([]);
      em.faults.clear();
      if (noted) await ws.pulumi(["cancel", "--yes"], { fails: false }); // it holds the stack's lock
    }

    beforeAll(async () => {
      story = await startStory(engine, { program: "", before: (em) => addBranch(em, "br-db") });
    }, ENGINE_TEST_MS);
    beforeEach(() => void changes(story.em));
    afterAll(() => story?.close());

    test(
      "create: no refresh finds it, up stops with its id, and the way that is named leads to one compute and no note",
      async () => {
        const { em, ws } = story;
        await use(program(BEFORE));
        await killedIn("up", "start_compute");
        const { id } = theOnes()[0]!;
        expect(await inState()).toEqual([]);
        expect(await pending()).toEqual(noted ? [["creating", "db"]] : []);
        await ws.refresh({ args: SKIP });
        const stopped = (await up(true)).stdout;
        expect(stopped).toMatch(
          new RegExp(`compute ${id} of project ${PROJECT} carries the name db-\\w{8}, .*not touched`),
        );
        expect(
          stopped.includes("* urn:pulumi:dev::test::pulumi-nodejs:dynamic/compute:Endpoint::db, interrupted"),
        ).toBe(noted);
        expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["POST"]);

        await use(program(`${BEFORE}, adopt: "${id}", onDelete: "delete"`));
        await up();
        expect(await pending()).toEqual(noted ? [["creating", "db"]] : []);
        await ws.refresh({ args: [...SKIP, "--clear-pending-creates"] });
        expect(await pending()).toEqual([]);
        expect(changes(em)).toEqual([]);
        expect(await inState()).toMatchObject([{ id }]);
        await ws.destroy({ args: SKIP });
        expect(theOnes()).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test.each([
      ["update", 'size: 2, restartTriggers: ["a"]', "apply_config", { autoscaling_limit_max_cu: 2 }],
      ["restart", 'size: 1, restartTriggers: ["b"]', "start_compute", { autoscaling_limit_max_cu: 1 }],
    ] as const)(
      "%s: the state has the compute, and up makes it what the program says",
      async (_step, args, action, end) => {
        const { id, host } = await made();
        await use(program(args));
        await killedIn("up", action);
        expect(await inState()).toMatchObject([{ id, inputs: { size: 1, restartTriggers: ["a"] } }]);
        await up();
        expect(theOnes()).toMatchObject([{ id, host, current_state: "active", ...end }]);
        expect(changes(story.em).filter(({ line }) => !line.includes(id))).toEqual([]);
        await story.ws.preview({ args: ["--expect-no-changes"] });
      },
      ENGINE_TEST_MS,
    );

    // The provider's part in both is the same.
    const commands = noted ? ["up", "destroy"] : ["up"];
    test.each(commands)(
      "delete by %s: the state has it until a command finds it gone",
      async (command) => {
        const { em, ws } = story;
        const { id } = await made();
        if (command === "up") await use("");
        await killedIn(command, "suspend_compute");
        expect(await inState()).toMatchObject([{ id }]);
        expect(theOnes()).toEqual([]);
        if (command === "up") await up();
        else await ws.refresh({ args: SKIP });
        expect(await inState()).toEqual([]);
        expect(await pending()).toEqual([]);
        expect(changes(em).filter(({ line }) => !line.startsWith("DELETE"))).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "update, and then destroy: it is deleted, once",
      async () => {
        const { id } = await made();
        await use(program('size: 2, restartTriggers: ["a"]'));
        await killedIn("up", "apply_config");
        changes(story.em);
        await story.ws.destroy({ args: SKIP });
        expect(changes(story.em).map(({ line }) => line)).toEqual([`DELETE /projects/${PROJECT}/endpoints/${id}`]);
        expect(await inState()).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
});
