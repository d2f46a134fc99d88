/**
 * kill -9 of the engine or of the provider while it waits, in each kind of step, and what the next commands make of it: the
 * compute is in the state or named by an error, there is never a second one, and no process is left behind.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { type CommandProcesses, killProcess, whileWaiting } from "../support/while-waiting";
import { addBranch, changes, files, PROJECT, SEED, type Story, startStory } from "./support";

const BEFORE = 'size: 1, restartTriggers: ["a"]';
const NAMES = ["resized", "restarted", "dropped"] as const;
/** A compute for each step, on a branch of its own, with these arguments where they are not the first ones. */
const program = (args: Record<string, string | undefined> = {}) =>
  Object.entries({ ...Object.fromEntries(NAMES.map((name) => [name, BEFORE])), ...args })
    .map(([name, its]) => its && `new Endpoint("${name}", { projectId, branchId: "br-${name}", ${its} });`)
    .join("\n");
const SKIP = ["--skip-preview"];

/** Who is killed, what the run prints, and whether Pulumi has a note of the step. */
const VICTIMS: [string, (running: CommandProcesses) => void, RegExp, boolean][] = [
  ["the engine", ({ pulumi }) => killProcess(pulumi), /^/, true],
  ["the provider", ({ providers }) => providers.forEach(killProcess), /error: error reading from server: EOF/, false],
];

describe.each(VICTIMS)("kill -9 of %s", (_who, kill, printed, noted) => {
  describeWithEngine("while it waits", (engine) => {
    let story: Story;
    const use = (text: string) => story.ws.setProgram(files(text));
    const up = (fails = false) => story.ws.up({ args: SKIP, fails });
    const theOnes = (name: string) =>
      Object.values(story.em.world.endpoints).filter((one) => one.branch_id === `br-${name}`);
    /** What the state has of one compute, and the notes that Pulumi keeps of steps it did not see the end of. */
    async function known(name: string) {
      const { resources = [], pending_operations = [] } = (await story.ws.export()).deployment;
      const isIt = ({ urn }: StateResource) => urn.endsWith(`:Endpoint::${name}`);
      return {
        state: resources.filter(isIt),
        notes: pending_operations.map(({ type, resource }) => [type, isIt(resource)]),
      };
    }

    /** The command, killed while the service works on `action`; afterwards the work goes on at the service. */
    async function killedIn(command: string, action: string): Promise<void> {
      const { em, ws } = story;
      em.faults.add({ operation: { action, then: "never" } });
      const run = await whileWaiting(story, [command], kill);
      expect(run.code).not.toBe(0);
      expect(run.stdout).toMatch(printed);
      expect(await ws.leftBehind(15_000)).toEqual([]);
      em.faults.clear();
      if (noted) await ws.pulumi(["cancel", "--yes"], { fails: false }); // it holds the stack's lock
    }

    /** What the program is by now. */
    const args: Record<string, string | undefined> = {};
    const becomes = (more: typeof args) => use(program(Object.assign(args, more)));

    beforeAll(async () => {
      story = await startStory(engine, {
        program: program(),
        before: (em) => {
          for (const name of [...NAMES, "db"]) addBranch(em, `br-${name}`);
        },
      });
      await up();
    }, ENGINE_TEST_MS);
    beforeEach(() => void changes(story.em));
    afterAll(() => story?.close());

    test.each([
      ["update", "resized", 'size: 2, restartTriggers: ["a"]', "apply_config", { autoscaling_limit_max_cu: 2 }],
      ["restart", "restarted", 'size: 1, restartTriggers: ["b"]', "start_compute", { autoscaling_limit_max_cu: 1 }],
    ] as const)(
      "%s: the state has the compute, and up makes it what the program says",
      async (_step, name, its, action, end) => {
        const { id, host } = theOnes(name)[0]!;
        await becomes({ [name]: its });
        await killedIn("up", action);
        expect((await known(name)).state).toMatchObject([{ id, inputs: { size: 1, restartTriggers: ["a"] } }]);
        await up();
        expect(theOnes(name)).toMatchObject([{ id, host, current_state: "active", ...end }]);
        expect(changes(story.em).filter(({ line }) => !line.includes(id))).toEqual([]);
        await story.ws.preview({ args: ["--expect-no-changes"] });
      },
      ENGINE_TEST_MS,
    );

    test(
      "delete: the state has it until the next up finds it gone",
      async () => {
        const { id } = theOnes("dropped")[0]!;
        await becomes({ dropped: undefined });
        await killedIn("up", "suspend_compute");
        expect((await known("dropped")).state).toMatchObject([{ id }]);
        expect(theOnes("dropped")).toEqual([]);
        await up();
        expect(await known("dropped")).toEqual({ state: [], notes: [] });
        expect(changes(story.em).filter(({ line }) => !line.startsWith("DELETE"))).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "create: no refresh finds it, up stops with its id, and the way that is named leads to one compute and no note",
      async () => {
        const { em, ws } = story;
        const notes = noted ? [["creating", true]] : [];
        await becomes({ db: "size: 1" });
        await killedIn("up", "start_compute");
        const { id } = theOnes("db")[0]!;
        await ws.refresh({ args: SKIP });
        expect(await known("db")).toEqual({ state: [], notes });
        const stopped = (await up(true)).stdout;
        expect(stopped).toMatch(
          new RegExp(`compute ${id} of project ${PROJECT} carries the name db-\\w{8}, .*not touched`),
        );
        expect(stopped.includes("compute:Endpoint::db, interrupted while creating")).toBe(noted);
        expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["POST"]);

        await becomes({ db: `size: 1, adopt: "${id}", onDelete: "delete"` });
        await up();
        expect(await known("db")).toMatchObject({ state: [{ id }], notes });
        await ws.refresh({ args: [...SKIP, "--clear-pending-creates"] });
        expect(await known("db")).toMatchObject({ state: [{ id }], notes: [] });
        expect(changes(em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "an update and then a destroy, killed as well: each compute is deleted once, and a refresh finds nothing left",
      async () => {
        const { em, ws } = story;
        await becomes({ resized: 'size: 4, restartTriggers: ["a"]' });
        await killedIn("up", "apply_config");
        changes(em);
        await killedIn("destroy", "suspend_compute");
        await ws.refresh({ args: SKIP });
        await ws.destroy({ args: SKIP });
        const deleted = changes(em).filter(({ status }) => status === 200 || status === 202);
        expect(deleted.map(({ line }) => line.split(" ")[0])).toEqual(["DELETE", "DELETE", "DELETE"]);
        expect(new Set(deleted.map(({ line }) => line)).size).toBe(3);
        expect(Object.keys(em.world.endpoints)).toEqual([SEED.primaryId]);
        expect((await ws.export()).deployment.resources ?? []).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
});
