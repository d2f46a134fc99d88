/**
 * A create that was killed is repaired by the commands that the error prints, as it prints them, and the program stays as it is: a
 * replica of a loop can't be given `adopt` alone.
 */
import { execFile } from "node:child_process";
import { chmod, mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { killProcess, whileWaiting } from "../support/while-waiting";
import { addBranch, changes, files, PROJECT, type Story, startStory } from "./support";

const CLI = resolve(__dirname, "../../dist/cli/main.js");
const SKIP = ["--skip-preview"];
const READER = 'projectId, branchId: "br-pool", type: "read_only", size: 1';

/** Loops over readers, of these numbers. */
const PROGRAMS: Record<string, { program: (numbers: number[]) => string; says: string[] }> = {
  "in a loop": {
    program: (numbers) => `for (const n of [${numbers}]) new Endpoint("reader-" + n, { ${READER} });`,
    says: ["--as reader-2 --owned --managed branchId,size,type --out ep-", " --no-steps && pulumi import --stack "],
  },
  "in a loop inside a component, with a Provider and more arguments": {
    program: (numbers) => `
const { Provider } = require("pulumi-compute-endpoint");
class Pool extends pulumi.ComponentResource {
  constructor(name, numbers, opts) {
    super("acme:index:Pool", name, {}, opts);
    const provider = new Provider("eu", { apiKey: process.env.COMPUTE_API_KEY, apiUrl: process.env.COMPUTE_API_URL });
    for (const n of numbers) {
      const args = { ${READER}, suspendTimeoutSeconds: 0, disabled: false, onDelete: "delete", restartTriggers: [1],
        settings: { pgSettings: { work_mem: pulumi.secret("64MB") } } };
      new Endpoint(name + "-reader-" + n, args, { parent: this, provider, customTimeouts: { create: "9m" } });
    }
    this.registerOutputs({});
  }
}
new Pool("shop", [${numbers}]);`,
    says: [
      "--as shop-reader-2 --parent urn:pulumi:dev::test::acme:index:Pool::shop ",
      "--provider urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::eu",
      "--managed branchId,disabled,settings.pgSettings.work_mem,size,suspendTimeoutSeconds,type --secret settings",
    ],
  },
};

describe.each(Object.entries(PROGRAMS))("a replica %s, killed in its create", (_where, { program, says }) => {
  describeWithEngine("is repaired without a change of the program", (engine) => {
    let story: Story;
    const use = (numbers: number[]) => story.ws.setProgram(files(program(numbers)));
    const readers = () => Object.values(story.em.world.endpoints).filter((one) => one.branch_id === "br-pool");
    const inState = async () =>
      ((await story.ws.export()).deployment.resources ?? []).filter(({ type }) => type.endsWith(":Endpoint"));

    /** A command line of the error, as a person would copy it into a shell. */
    async function copied(line: string, more = ""): Promise<{ stdout: string; stderr: string }> {
      const { programFolder, env } = story.ws;
      return promisify(execFile)("sh", ["-c", line + more], {
        cwd: programFolder,
        env: { ...env, PULUMI_SKIP_CONFIRMATIONS: "true" },
      });
    }

    const pendingCreates = async () => {
      const { stdout } = await story.ws.pulumi(["stack", "export", "--stack", story.ws.stack], { fails: false });
      return (JSON.parse(stdout).deployment.pending_operations ?? []).length;
    };

    /** Kills `up` in the create of reader 2. @returns the command lines of the error of the next `up`, and the compute's id */
    async function killed() {
      const { em, ws } = story;
      const before = new Set(readers().map(({ id }) => id));
      em.faults.add({ operation: { action: "start_compute", then: "never" } });
      await whileWaiting(story, ["up"], ({ pulumi }) => killProcess(pulumi));
      expect(await ws.leftBehind(15_000)).toEqual([]);
      em.faults.clear();
      await ws.pulumi(["cancel", "--yes"], { fails: false });
      const { stdout } = await ws.up({ args: SKIP, fails: true });
      const lines = stdout.split("\n").map((line) => line.trim());
      const lineOf = (command: string) =>
        lines.find((line) => line.startsWith(`npx --no compute-endpoint ${command} `));
      const [left, ...more] = readers().filter(({ id }) => !before.has(id));
      expect([more, stdout]).toEqual([[], expect.stringContaining(`compute ${left?.id} of project ${PROJECT}`)]);
      changes(em);
      // Both commands of the second step, which stand in a sentence.
      const [, settle = stdout, up = stdout] =
        /run `(pulumi refresh .*)`\. Then run `(pulumi up.*)` again/.exec(stdout) ?? [];
      expect(stdout.slice(stdout.lastIndexOf("error: compute ")).match(/--yes/g)).toHaveLength(1);
      return {
        id: left!.id,
        takeOver: lineOf("import-file") ?? stdout,
        remove: lineOf("delete") ?? stdout,
        settle,
        up,
      };
    }

    beforeAll(async () => {
      story = await startStory(engine, { program: "", before: (em) => addBranch(em, "br-pool") });
      const bin = join(story.ws.programFolder, "node_modules/.bin");
      await mkdir(bin, { recursive: true });
      await chmod(CLI, 0o755);
      await symlink(CLI, join(bin, "compute-endpoint"));
      await use([1, 3]);
      await story.ws.up({ args: SKIP });
    }, ENGINE_TEST_MS);
    afterAll(() => story?.close());

    test(
      "by deleting it: the next up makes one, and no second one",
      async () => {
        await use([1, 2, 3]);
        const { id, remove } = await killed();
        expect(remove).toBe(`npx --no compute-endpoint delete ${PROJECT}/${id}`);
        expect((await copied(remove, " --yes")).stdout).toBe(`compute ${id} is deleted\n`);
        expect(readers()).toHaveLength(2);
        await story.ws.up({ args: SKIP });
        expect(readers()).toHaveLength(3);
        await story.ws.preview({ args: ["--expect-no-changes"] });
        await use([1, 3]);
        await story.ws.up({ args: SKIP });
        expect(readers()).toHaveLength(2);
      },
      2 * ENGINE_TEST_MS,
    );

    test(
      "by taking it over: the next preview shows no change",
      async () => {
        const { em, ws } = story;
        await use([1, 2, 3]);
        const { id, takeOver, settle, up } = await killed();
        for (const text of says) expect(takeOver).toContain(text);
        // Somebody looks after another stack in the same folder. The lines are for the stack of the error.
        await ws.pulumi(["stack", "init", "other", "--non-interactive"], { fails: false });
        // One order of commands: the line's own.
        expect((await copied(takeOver)).stderr).not.toContain("Next:");
        await ws.pulumi(["stack", "select", "other"], { fails: false });
        expect(await pendingCreates()).toBeGreaterThan(0);
        await copied(settle, " --yes");
        expect(await pendingCreates()).toBe(0);
        await copied(up, " --yes");
        await ws.pulumi(["stack", "rm", "other", "--yes", "--non-interactive"], { fails: false });
        await ws.pulumi(["stack", "select", ws.stack], { fails: false });
        const ours = (await inState()).find((one) => one.id === id);
        expect(ours?.urn).toMatch(/reader-2$/);
        const { stdout, stderr } = await ws.preview({ args: ["--expect-no-changes"] });
        expect(stdout + stderr).not.toMatch(/restart|error/);
        expect([changes(em), readers().length]).toEqual([[], 3]);
      },
      2 * ENGINE_TEST_MS,
    );

    test(
      "and stays unchanged through up and refresh, as the others are, until its resource is deleted",
      async () => {
        const { em, ws } = story;
        await ws.up({ args: [...SKIP, "--expect-no-changes"] });
        await ws.refresh({ args: [...SKIP, "--clear-pending-creates"] });
        await ws.preview({ args: ["--expect-no-changes"] });
        expect([changes(em), readers().length]).toEqual([[], 3]);
        // Its state is as that of the others, and a value that the program keeps secret is encrypted.
        const kept = (await inState()).map(({ inputs, outputs, parent, provider }) => ({
          inputs: { ...inputs, __autoName: "", settings: "" },
          outputs: Object.keys(outputs ?? {}).sort(),
          adopted: outputs?.["adopted"],
          ...{ parent, provider },
        }));
        expect(JSON.stringify(await ws.export())).not.toContain("64MB");
        expect(kept).toEqual(kept.map(() => kept[0]));
        await ws.destroy({ args: SKIP });
        expect(readers()).toEqual([]);
      },
      2 * ENGINE_TEST_MS,
    );
  });
});
