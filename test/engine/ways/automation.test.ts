/** The Automation API: the program is a function in the user's own process, `examples/automation` included. */
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../../emulator/index.js";
import { run } from "../../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS } from "../../support/engine";
import { addBranch, changes, requests } from "../support";
import { ROOT } from "./trees";

const EXAMPLE = join(ROOT, "examples/automation");
const RESTARTS = "restarts this compute if it is active; open connections drop then";

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "compute-endpoint-automation-")));
  await cp(EXAMPLE, join(folder, "automation"), { recursive: true, filter: (path) => !path.includes("node_modules") });
  for (const name of ["state", "home", "elsewhere"]) await mkdir(join(folder, name));
  await symlink(join(ROOT, "node_modules"), join(folder, "automation/node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("every file of the example is in its README", async () => {
  const readme = await readFile(join(EXAMPLE, "README.md"), "utf8");
  const files = (await readdir(EXAMPLE)).filter((name) => name.endsWith(".ts"));
  expect(files.filter((name) => !readme.includes(`(${name})`))).toEqual([]);
});

describeWithEngine("an inline program", (engine) => {
  let em: RunningEmulator;
  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
    for (const id of ["br-one", "br-two"]) addBranch(em, id);
  });
  afterAll(() => em?.close());
  beforeEach(() => {
    em.requests.length = 0;
  });

  const node = (args: string[], more: Record<string, string> = {}, cwd = join(folder, "automation")) =>
    run(process.execPath, args, {
      cwd,
      env: {
        ...process.env,
        PATH: `${engine.binDir}${delimiter}${process.env["PATH"]}`,
        PULUMI_BACKEND_URL: `file://${folder}/state`,
        PULUMI_HOME: join(folder, "home"),
        PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        COMPUTE_API_URL: em.url,
        COMPUTE_API_KEY: em.apiKey,
        ...more,
      },
      limitMs: ENGINE_TEST_MS,
    });

  describe("examples/automation", () => {
    const primary = () => em.world.endpoints[SEED.primaryId]!;
    /** By the script's own command, as `npm run deploy` would. */
    async function deploy(args: string[] = [], env: Record<string, string> = {}) {
      const { scripts } = JSON.parse(await readFile(join(EXAMPLE, "package.json"), "utf8"));
      const [, ...flags] = scripts.deploy.split(" ") as string[];
      const { code, stdout, stderr } = await node([...flags, ...args], env);
      return { code, lines: stdout.trim().split("\n"), stderr };
    }

    test(
      "takes the primary over and tells what that may do; then there is nothing to tell, and nothing to do",
      async () => {
        const first = await deploy();
        expect(first).toMatchObject({ code: 0, stderr: "" });
        expect(first.lines).toEqual([
          expect.stringMatching(/^primary: maybe: takes over .* and sets /),
          `host: ${primary().host} {"create":2}`,
        ]);
        expect(changes(em).map(({ line }) => line)).toEqual([expect.stringMatching(/^PATCH /)]);
        expect(await deploy()).toEqual({ code: 0, lines: [`host: ${primary().host} {"same":2}`], stderr: "" });
        expect(requests(em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "reads the restart in the preview's events, and changes nothing until it is allowed",
      async () => {
        const notice = `primary: yes: autoscalingLimitMaxCu 4 → 8 ${RESTARTS}`;
        const refused = await deploy([], { MAX_CU: "8" });
        expect(refused).toEqual({
          code: 3,
          lines: [notice, expect.stringMatching(/^Nothing was changed/)],
          stderr: "",
        });
        // Not even for what is true right now: an inline program does not know the account of its computes.
        expect(requests(em)).toEqual([]);

        const { code, lines } = await deploy(["--allow-restarts"], { MAX_CU: "8" });
        expect([code, lines]).toEqual([0, [notice, `host: ${primary().host} {"same":1,"update":1}`]]);
        expect(primary()).toMatchObject({ autoscaling_limit_max_cu: 8 });
        expect((await deploy(["--destroy"])).code).toBe(0);
        expect(primary()).toMatchObject({ autoscaling_limit_max_cu: 8 });
      },
      ENGINE_TEST_MS,
    );
  });

  test(
    "examples/automation/fleet.ts: a stack for each project, with its share of the rate; one that fails stops no other",
    async () => {
      const good = [
        { projectId: SEED.projectId, branchId: SEED.branches.main },
        { projectId: SEED.second.projectId, branchId: SEED.second.branchId },
      ];
      const none = (projectId: string) => ({ projectId, branchId: "br-none" });
      const fleet = (places: object[], args: string[] = [], env = {}) =>
        node(["--require", "ts-node/register", "fleet.ts", ...args], {
          PLACES: JSON.stringify(places),
          AT_ONCE: "2",
          ...env,
        });
      // The good ones last so long that what came too early would be seen.
      for (const { projectId } of good) {
        const match = { method: "GET", path: `/projects/${projectId}/endpoints` };
        em.faults.add({ match, then: { delayMs: 4_000 } });
      }
      const first = await fleet([none("no-such-project"), ...good, none("no-other-project")]);
      expect(first.code).toBe(1);
      const hosts = good.map(({ projectId }) => {
        const own = Object.values(em.world.endpoints).filter((one) => one.project_id === projectId);
        return `${projectId}: ${own.map(({ host }) => host).find((host) => first.stdout.includes(host))}`;
      });
      expect(first.stdout.trim().split("\n").sort()).toEqual(["2 done, 2 failed", ...hosts].sort());
      expect(first.stderr.trim().split("\n").length).toBeLessThan(10);
      for (const name of ["no-such-project", "no-other-project"]) {
        expect(first.stderr).toContain(`${name} FAILED\n`);
        expect(first.stderr).toContain(`project ${name} does not exist, or this key can't see it`);
      }
      // Two at a time: the last begins when one of the good ones has ended.
      const at = em.requests.map(({ path }) => path.split("/")[2]);
      const ended = good.map(({ projectId }) => at.lastIndexOf(projectId));
      expect(Math.min(...ended)).toBeGreaterThanOrEqual(0);
      expect(at.indexOf("no-other-project")).toBeGreaterThan(Math.min(...ended));
      const kept = await readFile(join(folder, `state/.pulumi/stacks/fleet/${SEED.projectId}.json`), "utf8");
      expect(kept).toContain('"compute:requestsPerMinute":"350"');
      expect(kept).toContain('"compute:onRestart":"refuse"');
      for (const wrong of [{ AT_ONCE: "0" }, { AT_ONCE: "two" }, { PLACES: "[]" }]) {
        expect(await fleet(good, [], wrong)).toMatchObject({ code: 1, stdout: "" });
      }
      const gone = await fleet(good, ["--destroy"]);
      expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining("2 done, 0 failed") });
    },
    ENGINE_TEST_MS,
  );

  /** A script that prints what it found as JSON. */
  async function script(body: string, cwd?: string): Promise<unknown> {
    const path = join(folder, "automation/script.js");
    await writeFile(
      path,
      `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { Endpoint } = require("pulumi-compute-endpoint");
const at = { projectId: "${SEED.projectId}", type: "read_only" };
const stackOf = (stackName, program, options) =>
  LocalWorkspace.createOrSelectStack({ stackName, projectName: "inline", program }, options);
(async () => { ${body} })().then((value) => console.log(JSON.stringify(value)), (error) => {
  console.log(JSON.stringify(error.message));
});`,
    );
    const { stdout, stderr } = await node([path], {}, cwd);
    try {
      return JSON.parse(stdout.trim().split("\n").at(-1)!);
    } catch {
      throw new Error(`${stdout}\n${stderr}`);
    }
  }

  test(
    "two stacks at once in one process: each has its own warnings, and sees what is around it",
    async () => {
      const found = (await script(`
        let size = 1;
        const program = (branchId) => async () => ({ host: new Endpoint("one", { ...at, branchId, size }).host });
        const stacks = await Promise.all(["one", "two"].map((name) => stackOf(name, program("br-" + name))));
        await Promise.all(stacks.map((stack) => stack.up()));
        size = 2;
        const seen = await Promise.all(stacks.map(async (stack) => {
          const warnings = [];
          const onEvent = ({ diagnosticEvent: e }) => e?.severity === "warning" && warnings.push([e.urn, e.message]);
          const { changeSummary } = await stack.preview({ onEvent });
          return { changeSummary, warnings, outputs: await stack.outputs() };
        }));
        const same = [];
        size = 1;
        for (const stack of stacks) same.push((await stack.up()).summary.resourceChanges);
        await Promise.all(stacks.map((stack) => stack.destroy()));
        return { seen, same };`)) as {
        seen: { warnings: [string, string][]; changeSummary: object; outputs: { host: { value: string } } }[];
        same: object[];
      };
      expect(found.seen).toHaveLength(2);
      for (const [index, { warnings, changeSummary, outputs }] of found.seen.entries()) {
        expect(changeSummary).toEqual({ same: 1, update: 1 });
        const id = outputs.host.value.split(".")[0];
        expect(warnings).toEqual([
          [
            `urn:pulumi:${["one", "two"][index]}::inline::pulumi-nodejs:dynamic/compute:Endpoint::one`,
            expect.stringContaining(`${id}: size 1 → 2 ${RESTARTS}`),
          ],
        ]);
      }
      expect(found.same).toEqual([{ same: 2 }, { same: 2 }]);
      // Two stacks may meet at the project's lock: what it refuses did nothing, and is sent again.
      const done = changes(em).filter(({ status }) => status !== 423);
      const methods = done.map(({ line }) => line.split(" ")[0]);
      expect(methods.sort()).toEqual(["DELETE", "DELETE", "POST", "POST"]);
    },
    2 * ENGINE_TEST_MS,
  );

  test(
    "started in another folder, it needs main in the project's settings, for the engine looks for packages there",
    async () => {
      const work = (options: string) => `
        const program = async () => ({ host: new Endpoint("one", { ...at, branchId: "br-one", size: 1 }).host });
        const stack = await stackOf("elsewhere", program, ${options});
        const { changeSummary } = await stack.preview();
        return changeSummary;`;
      const elsewhere = join(folder, "elsewhere");
      expect(await script(work("{}"), elsewhere)).toMatch(
        /Cannot find module '@pulumi\/pulumi\/cmd\/dynamic-provider'/,
      );
      const settings = `{ projectSettings: { name: "inline", runtime: "nodejs", main: __dirname } }`;
      expect(await script(work(settings), elsewhere)).toEqual({ create: 2 });
    },
    ENGINE_TEST_MS,
  );
});
