/** The native form, as a YAML program has it: the whole life of computes, and what each command shows. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inJson } from "../cli/report/support";
import { describeWithYaml, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, SEED } from "./support";
import { compute, NATIVE, ref, startYaml, type YamlStory, yamlProgram } from "./yaml-stories";

const BRANCH = SEED.branches.dev;

describeWithYaml("computes of a YAML program", (engine, host) => {
  let story: YamlStory;
  const primary = (more: object = {}) => compute("primary", { branchId: BRANCH, size: 1, ...more });
  /** Its name comes from the primary's host. */
  const reader = compute("reader", { branchId: BRANCH, type: "read_only", size: 1, name: ref("primary.host") });
  const outputs = `outputs:\n  host: ${ref("primary.host")}`;
  const idOf = async (name: string) => (await story.ws.resource(name)).id!;
  const use = (...resources: string[]) => story.use(resources.join("\n"), outputs);

  beforeAll(async () => {
    story = await startYaml(engine, host, `${primary()}\n${reader}`, outputs);
    await story.ws.up();
    story.em.requests.splice(0);
  }, ENGINE_TEST_MS);
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
      expect(imported.stdout).toMatch(/type: compute:Endpoint\n\s+properties:\n\s+branchId: /);
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
      const late = compute("late", { branchId: "br-late", size: 1 });
      await use(primary({ size: 2 }), reader, late);
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
      const [one, ...more] = Object.values(story.em.world.endpoints).filter(({ branch_id }) => branch_id === "br-late");
      expect([one!.id, more]).toEqual([kept.id, []]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a host in the stack's config in plain text is refused; encrypted it is not, nor told to be plain",
    async () => {
      const bound = "https://keys.example.com/api/v2#key-of-theirs";
      await story.ws.setConfig({ "compute:apiKey": bound });
      const refused = await story.ws.preview({ fails: true });
      expect(refused.stdout + refused.stderr).toContain("names a host in plain text");
      await story.ws.setConfig({}, { "compute:apiKey": bound });
      const { stdout, stderr } = await story.ws.preview();
      expect(stdout + stderr).not.toContain("plain text");
      await story.ws.setConfig({ "compute:apiKey": story.em.apiKey });
      expect((await story.ws.preview()).stdout).toContain("compute:apiKey stands in plain text");
      await story.ws.removeConfig("compute:apiKey");
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
    "the engine accepts the schema",
    async () => {
      const { stdout } = await story.ws.pulumi(
        ["package", "get-schema", "./node_modules/pulumi-compute-endpoint/plugin"],
        {
          fails: false,
        },
      );
      expect(JSON.parse(stdout)).toMatchObject({
        name: "compute",
        resources: { [NATIVE]: { requiredInputs: ["branchId", "projectId"] } },
      });
      await writeFile(
        join(story.ws.programFolder, "Pulumi.yaml"),
        yamlProgram(compute("a", { branch: "b" }))["Pulumi.yaml"]!,
      );
      const wrong = await story.ws.preview({ fails: true });
      expect(wrong.stdout + wrong.stderr).toMatch(/branch/);
    },
    ENGINE_TEST_MS,
  );
});
