/** What fails, runs out of time or is killed in the middle: the compute stays in the state, and is never made twice. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { addBranch, changes, files, PROJECT, type Story, startStory } from "./support";

const program = (args: string, options = "{}") => `
const db = new Endpoint("db", { projectId, branchId: "br-db", ${args} }, ${options});
new Dependant("dns", { on: db.host });`;

/** The step's own error in what `up` printed: Pulumi adds a head, and one error of its own at the stack. */
const errorOf = (stdout: string) =>
  /error: 1 error occurred:\s+\* (.*)/.exec(stdout.split("Diagnostics:")[1] ?? "")?.[1];

describeWithEngine("a step that does not end well", (engine) => {
  let story: Story;
  const use = (args: string, options?: string) => story.ws.setProgram(files(program(args, options)));
  const up = async (fails = false) => (await story.ws.up({ args: ["--skip-preview"], fails })).stdout;
  const db = () => story.ws.resource("db");
  const theOne = () => {
    const all = Object.values(story.em.world.endpoints).filter((one) => one.branch_id === "br-db");
    expect(all).toHaveLength(1);
    return all[0]!;
  };
  const isWhole = ({ initErrors, outputs }: StateResource) => initErrors === undefined && !outputs?.["unfinished"];

  beforeAll(async () => {
    story = await startStory(engine, { program: "", before: (em) => addBranch(em, "br-db") });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe("an operation that fails", () => {
    test(
      "in create: the error is the service's, and the compute is in the state",
      async () => {
        const { em } = story;
        em.faults.add({ operation: { action: "start_compute", then: "error" } });
        await use("size: 1");
        const error = errorOf(await up(true));
        const { id } = theOne();
        expect(error).toMatch(
          new RegExp(
            `^start_compute of ${id} failed: compute did not become ready in time \\(operation \\S+, status error`,
          ),
        );
        expect(error).toMatch(
          new RegExp(`\\. Compute ${id} of project ${PROJECT} is kept in the state; run \`pulumi up\` again`),
        );
        expect(await db()).toMatchObject({ id, inputs: { size: 1 }, outputs: { unfinished: [expect.any(String)] } });
        expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["POST"]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "the next up starts the compute again, once, and makes no second one",
      async () => {
        const { em } = story;
        const { id } = theOne();
        await up();
        expect(changes(em).map(({ line }) => line)).toEqual([`POST /projects/${PROJECT}/endpoints/${id}/start`]);
        expect(await db()).toMatchObject({ id });
        expect(isWhole(await db())).toBe(true);
        expect((await story.ws.resource("dns")).inputs).toMatchObject({ on: theOne().host });
      },
      ENGINE_TEST_MS,
    );

    test(
      "in update: the state keeps both what was asked and what is, and the next up finishes without another compute",
      async () => {
        const { em, ws } = story;
        const { id } = theOne();
        em.faults.add({ operation: { action: "apply_config", then: "error" } });
        await use("size: 2");
        expect(errorOf(await up(true))).toMatch(/^apply_config of ep-\S+ failed: configuration could not be applied/);
        expect(await db()).toMatchObject({ id, inputs: { size: 1 }, outputs: { unfinished: [expect.any(String)] } });
        const preview = (await ws.preview()).stdout;
        expect(preview).toMatch(/Endpoint db update \[diff: ~restart,size\]/);
        expect(preview).toMatch(new RegExp(`warning: ${id}: an earlier change did not end well\\.`));
        await up();
        expect(changes(em).filter(({ line }) => !line.startsWith("PATCH"))).toEqual([]);
        expect(await db()).toMatchObject({ id, inputs: { size: 2 } });
        expect(isWhole(await db())).toBe(true);
        expect(theOne()).toMatchObject({ id, autoscaling_limit_max_cu: 2 });
      },
      ENGINE_TEST_MS,
    );
  });

  test(
    "time that runs out names the operation and customTimeouts; a refresh does not forget it; the next up waits for it",
    async () => {
      const { em, ws } = story;
      const { id } = theOne();
      em.faults.add({ operation: { action: "apply_config", then: "never" } });
      await use("size: 4", `{ customTimeouts: { update: "1s" } }`);
      const error = errorOf(await up(true));
      expect(error).toMatch(
        new RegExp(`^not finished after 1 s: apply_config of ${id} \\(operation \\S+, \\S+ s old, status running\\)`),
      );
      expect(error).toMatch(
        /Run the command again: it waits for the same operation. To wait longer, set `customTimeouts`/,
      );
      const { unfinished } = (await db()).outputs!;
      await ws.refresh({ args: ["--skip-preview"] });
      expect(await db()).toMatchObject({ id, outputs: { unfinished } });
      em.faults.clear();
      changes(em);
      await use("size: 4");
      await up();
      expect(changes(em)).toEqual([]);
      expect(await db()).toMatchObject({ id, inputs: { size: 4 } });
      expect(isWhole(await db())).toBe(true);
      expect(await ws.preview({ args: ["--expect-no-changes"] })).toBeDefined();
    },
    ENGINE_TEST_MS,
  );
});

describeWithEngine("a run that is interrupted while it waits", (engine) => {
  let story: Story;
  let id: string;
  /** Begins `up`, and lets `then` do something to the engine as soon as the compute's operation runs. */
  async function upThen(then: (pid: number) => void) {
    const { em, ws } = story;
    em.requests.length = 0;
    const started: ChildProcess[] = [];
    const run = ws.pulumi(["up", "--yes", "--skip-preview"], { onStart: (child) => started.push(child) });
    const isWaiting = () => em.requests.some(({ path }) => path.includes("/operations/"));
    for (let tries = 0; !isWaiting() && tries < 600; tries++) await sleep(50);
    expect(isWaiting()).toBe(true);
    then(started[0]!.pid!);
    return run;
  }
  const onBranch = (branch: string) =>
    Object.values(story.em.world.endpoints).filter((one) => one.branch_id === branch);
  const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");

  beforeAll(async () => {
    story = await startStory(engine, {
      program: program("size: 1"),
      before: (em) => {
        for (const branch of ["br-db", "br-second"]) addBranch(em, branch);
        em.faults.add({ operation: { action: "start_compute", times: 2, then: "never" } });
      },
    });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "kill -9 of the engine: nothing of it goes on running",
    async () => {
      const { em, ws } = story;
      const { code } = await upThen((pid) => process.kill(pid, "SIGKILL"));
      expect(code).toBe(128 + 9);
      expect(await ws.leftBehind(15_000)).toEqual([]);
      expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["POST"]);
      id = onBranch("br-db")[0]!.id;
    },
    ENGINE_TEST_MS,
  );

  test(
    "then the next up stops with the id that was left, makes no second one, and says how to go on",
    async () => {
      const { em, ws } = story;
      em.faults.clear();
      await ws.pulumi(["cancel", "--yes"], { fails: false });
      expect(((await ws.export()).deployment.resources ?? []).filter(isEndpoint)).toEqual([]);
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toMatch(
        new RegExp(
          `error: compute ${id} of project ${PROJECT} carries the name db-[0-9a-f]{8}, which was generated for this resource: `,
        ),
      );
      expect(stdout).toContain(`npx --no compute-endpoint import-file ${PROJECT}/${id} --as db `);
      expect(stdout).toContain(`npx --no compute-endpoint delete ${PROJECT}/${id}`);
      expect(stdout).toContain(`In the program instead of step 1: adopt: "${id}" takes it over`);
      expect(changes(em)).toEqual([]);
      expect(onBranch("br-db")).toHaveLength(1);
    },
    ENGINE_TEST_MS,
  );

  test(
    "and the way that it names works",
    async () => {
      const { em, ws } = story;
      await ws.setProgram(files(program(`size: 1, adopt: "${id}", onDelete: "delete"`)));
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(await ws.resource("db")).toMatchObject({ id, outputs: { adopted: true } });
      const pending = async () => (await ws.export()).deployment.pending_operations ?? [];
      expect(await pending()).toHaveLength(1);
      await ws.refresh({ args: ["--skip-preview", "--clear-pending-creates"] });
      expect(await pending()).toEqual([]);
      await ws.destroy({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line)).toEqual([`DELETE /projects/${PROJECT}/endpoints/${id}`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "one Ctrl-C: the engine waits for the create, and the compute is in the state",
    async () => {
      const { em, ws } = story;
      em.faults.add({ operation: { action: "start_compute", then: "never" } });
      await ws.setProgram(files(`new Endpoint("second", { projectId, branchId: "br-second", size: 1 });`));
      const run = await upThen((pid) => {
        process.kill(pid, "SIGINT");
        setTimeout(() => em.faults.clear(), 1_000);
      });
      expect(run.code).not.toBe(0);
      const [second] = onBranch("br-second");
      expect(await ws.resource("second")).toMatchObject({ id: second!.id });
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
