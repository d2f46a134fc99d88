/**
 * The plugin as a program in one language has it: the whole life of computes, and what each command shows. The stack is one for all
 * stories, which build on each other.
 */
import { readFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inJson } from "../../cli/report/support";
import { describeWithLanguage, ENGINE_TEST_MS } from "../../support/engine";
import { addBranch, changes, PROJECT, SEED } from "../support";
import { type Compute, FIRST_TIME_MS, type Language, Ref } from "./program";
import { compute, type LanguageStory, NATIVE, startLanguage } from "./start";

const BRANCH = SEED.branches.dev;
const PLUGIN_FOLDER = resolve(__dirname, "../../../plugin");

export function playStories(language: Language): void {
  describeWithLanguage(language.name, `computes of a program in the language ${language.name}`, (engine, support) => {
    let story: LanguageStory;
    const primary = (more: Compute["properties"] = {}) => compute("primary", { branchId: BRANCH, size: 1, ...more });
    /** Its name comes from the primary's host. */
    const name = new Ref("primary", "host");
    const reader = compute("reader", { branchId: BRANCH, type: "read_only", size: 1, name });
    const outputs = { host: new Ref("primary", "host") };
    const idOf = async (one: string) => (await story.ws.resource(one)).id!;
    const use = (...computes: Compute[]) => story.use({ computes, outputs });
    const computesOfProject = () =>
      Object.values(story.em.world.endpoints).filter(({ project_id }) => project_id === PROJECT);

    beforeAll(async () => {
      story = await startLanguage(engine, support, language, { computes: [primary(), reader], outputs });
      // Without any config. It is there afterwards.
      await story.ws.up({ limitMs: FIRST_TIME_MS });
      await story.ws.setConfig({ "compute:pollSeconds": "0.2" });
      story.em.requests.splice(0);
    }, 2 * FIRST_TIME_MS);
    afterAll(() => story?.close());

    test(
      "are made, with an output; the next preview shows no change and asks nothing",
      async () => {
        expect(await story.ws.outputs()).toEqual({ host: `${await idOf("primary")}.us-east-2.aws.neon.tech` });
        const { type, inputs } = await story.ws.resource("primary");
        expect(type).toBe(NATIVE);
        expect(inputs).toMatchObject({ branchId: BRANCH, size: 1, restart: "no" });
        expect(inputs).not.toHaveProperty("__provider");
        const { stdout } = await story.ws.preview({ args: ["--expect-no-changes"] });
        expect(stdout).toContain("3 unchanged");
        expect(story.em.requests).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "a preview of a restart says so in the diff, at the resource and in the report; what depends on the host stays",
      async () => {
        await use(primary({ size: 2 }), reader);
        const { document } = await story.ws.previewJson();
        const [step, ...more] = (document.steps ?? []).filter(({ op }) => op !== "same");
        expect(more).toEqual([]);
        expect(step).toMatchObject({
          op: "update",
          detailedDiff: { size: { kind: "update", inputDiff: true }, restart: { kind: "update" } },
          newState: { inputs: { restart: expect.stringMatching(/^yes: size 1 → 2 restarts this compute/) } },
        });
        const said = document.diagnostics?.filter(({ urn }) => urn === step!.urn);
        expect(said).toMatchObject([{ severity: "warning", message: expect.stringContaining("It is active") }]);
        const { stacks, exitCode } = await inJson(JSON.stringify(document));
        expect(exitCode).toBe(3);
        expect(stacks[0].computes).toMatchObject([{ name: "primary", impact: "restart", seen: { state: "active" } }]);
        expect(changes(story.em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "refuse fails the preview; the approval that the report offers lets exactly this change pass",
      async () => {
        const { document } = await story.ws.previewJson();
        await story.ws.setConfig({ "compute:onRestart": "refuse" });
        const refused = await story.ws.preview({ fails: true });
        expect(refused.stdout).toContain('onRestart is "refuse"');
        const soft = await story.ws.previewJson({ env: { COMPUTE_ON_RESTART: "warn" } });
        expect(JSON.stringify(soft.document.diagnostics)).toContain("`pulumi up` refuses this unless it is approved");
        await story.ws.up({ fails: true, env: { COMPUTE_ON_RESTART: "warn" } });
        expect(changes(story.em)).toEqual([]);

        const { stacks } = await inJson(JSON.stringify(document));
        const { digest } = stacks[0].computes[0].approval;
        await story.ws.pulumi(["config", "set", "--path", "compute:approve[0]", digest], { fails: false });
        const { stdout } = await story.ws.up();
        expect(stdout).toContain("Approved.");
        expect(changes(story.em)).toMatchObject([{ line: expect.stringMatching(/^PATCH /), status: 200 }]);
        await story.ws.removeConfig("compute:onRestart", "compute:approve");
        await story.ws.up();
      },
      ENGINE_TEST_MS,
    );

    test(
      "a refresh brings what somebody changed by hand, without a false warning; the next preview takes it back",
      async () => {
        const id = await idOf("primary");
        Object.assign(story.em.world.endpoints[id]!, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
        const refreshed = await story.ws.refresh();
        expect(refreshed.stdout).toContain("~ 1 updated");
        expect(refreshed.stdout + refreshed.stderr).not.toMatch(/warning: ep-/);
        const { stdout } = await story.ws.previewDiff();
        expect(stdout).toMatch(/~ size\s*: 4 => 2/);
        expect(stdout).toContain("size 4 → 2 restarts this compute");
        await story.ws.up();
      },
      ENGINE_TEST_MS,
    );

    test(
      "a compute that exists is imported by command and by option, and the next preview shows no change",
      async () => {
        const there = Object.values(story.em.world.endpoints).find((one) => one.branch_id === SEED.branches.main)!;
        const place = `${there.project_id}/${there.id}`;
        const imported = await story.ws.pulumi(["import", NATIVE, "main", place, "--yes", "--protect=false"], {
          fails: false,
        });
        expect(imported.stdout).toMatch(language.importedCode);
        const main = { branchId: there.branch_id, size: there.autoscaling_limit_min_cu };
        await use(primary({ size: 2 }), reader, compute("main", main));
        await story.ws.preview({ args: ["--expect-no-changes"] });
        expect(await idOf("main")).toBe(there.id);

        await story.ws.pulumi(["state", "delete", (await story.ws.resource("main")).urn, "--yes"], { fails: false });
        await use(primary({ size: 2 }), reader, compute("main", main, { import: place }));
        const { document } = await story.ws.previewJson();
        const { stacks, exitCode } = await inJson(JSON.stringify(document));
        expect(exitCode).toBe(0);
        expect(stacks[0].computes).toMatchObject([{ name: "main", impact: "none" }]);
        await story.ws.up();
        expect(await idOf("main")).toBe(there.id);
        expect(changes(story.em).filter(({ line }) => line.includes(there.id))).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "one Ctrl-C ends a create that waits; the state has the id, and the next up finishes the work",
      async () => {
        addBranch(story.em, "br-late");
        story.em.faults.add({ operation: { action: "start_compute", then: "never" } });
        await use(primary({ size: 2 }), reader, compute("late", { branchId: "br-late", size: 1 }));
        let isAsked = false;
        await story.ws.up({
          args: ["--skip-preview", "--target", `**::late`],
          fails: true,
          onStart: (child) => {
            const look = setInterval(() => {
              if (isAsked || !story.em.requests.some(({ path }) => path.includes("/operations"))) return;
              isAsked = true;
              clearInterval(look);
              child.kill("SIGINT");
            }, 50);
            child.once("close", () => clearInterval(look));
          },
        });
        expect(isAsked).toBe(true);
        const kept = await story.ws.resource("late");
        expect(kept).toMatchObject({
          id: expect.stringMatching(/^ep-/),
          initErrors: [expect.stringContaining("interrupted")],
        });
        story.em.faults.clear();
        await story.ws.up();
        const [one, ...more] = computesOfProject().filter(({ branch_id }) => branch_id === "br-late");
        expect([one!.id, more]).toEqual([kept.id, []]);
        expect(await story.ws.leftBehind()).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "destroy deletes what was made, and leaves what was imported",
      async () => {
        const before = Object.keys(story.em.world.endpoints);
        await story.ws.destroy();
        const left = Object.values(story.em.world.endpoints);
        expect(left.map(({ branch_id }) => branch_id)).not.toContain(BRANCH);
        expect(left.map(({ branch_id }) => branch_id)).toContain(SEED.branches.main);
        expect(left.length).toBeLessThan(before.length);
      },
      ENGINE_TEST_MS,
    );

    test(
      "a project is imported with one command; with the code that it writes the next preview shows no change",
      async () => {
        const [there] = computesOfProject();
        story.em.world.endpoints["ep-second-a5x7w3rt"] = {
          ...structuredClone(there!),
          id: "ep-second-a5x7w3rt",
          host: "ep-second-a5x7w3rt.us-east-2.aws.neon.tech",
          type: "read_only",
          name: "second one",
          settings: { pg_settings: { work_mem: "64MB" } },
        };
        changes(story.em);
        const args = ["import", "--from", "compute", PROJECT, "--yes", "--protect=false", "--out", "code"];
        const env = { PATH: `${PLUGIN_FOLDER}${delimiter}${story.ws.env["PATH"]}` };
        const imported = await story.ws.pulumi(args, { fails: false, env });
        expect(imported.stdout).toContain(`${computesOfProject().length} imported`);
        const code = await readFile(join(story.ws.programFolder, "code"), "utf8");
        expect(code).toContain("64MB");
        await story.ws.setProgram(language.imported(code));
        await story.ws.preview({ args: ["--expect-no-changes"] });
        const kept = ((await story.ws.export()).deployment.resources ?? []).filter(({ type }) => type === NATIVE);
        expect(kept.map(({ id }) => id).sort()).toEqual(
          computesOfProject()
            .map(({ id }) => id)
            .sort(),
        );
        expect(changes(story.em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
}
