/** Drift enters the state by a refresh alone, and what no preview shows is not sent. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { changes, files, type Story, shownInJson, shownInPlain, startStory } from "./support";

const SKIP = { args: ["--skip-preview"] };
type Props = Record<string, unknown>;

describeWithEngine("the state is one truth", (engine) => {
  let story: Story;
  let id: string;
  const use = (args: string, options = "") =>
    story.ws.setProgram(files(`new Endpoint("db", { projectId, branchId, adopt: true, ${args} }, { ${options} });`));
  const plain = async () => shownInPlain((await story.ws.pulumi(["preview"])).stdout).of("db");
  const sent = () => changes(story.em).map(({ body }) => body);
  const live = () => story.em.world.endpoints[id]!;
  const json = async () => shownInJson((await story.ws.previewJson()).document).get("db");

  beforeAll(async () => {
    story = await startStory(engine, { program: "" });
    await use("size: 1, suspendTimeoutSeconds: 300");
    await story.ws.up(SKIP);
    id = (await story.ws.resource("db")).id!;
    changes(story.em);
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "a size that somebody changed by hand stays as it is through a harmless update, and a refresh shows it",
    async () => {
      Object.assign(live(), { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
      await use("size: 1, suspendTimeoutSeconds: 600");
      await story.ws.up(SKIP);
      expect(sent()).toEqual([{ endpoint: { suspend_timeout_seconds: 600 } }]);
      expect((await story.ws.resource("db")).outputs).toMatchObject({ size: 1, suspendTimeoutSeconds: 600 });
      // With and without refuse: nothing is asked, so nothing is shown, refused or sent.
      await story.ws.setConfig({ "compute:onRestart": "refuse" });
      expect(await plain()).toMatchObject({ op: "same", warnings: [] });
      await story.ws.up(SKIP);
      expect([sent(), live().autoscaling_limit_max_cu]).toEqual([[], 2]);
      await story.ws.pulumi(["refresh", "--yes", "--skip-preview"]);
      expect((await story.ws.resource("db")).inputs).toMatchObject({ size: 2 });
      const refused = await story.ws.pulumi(["preview"], { fails: true });
      expect(refused.stdout + refused.stderr).toMatch(/size 2 → 1/);
      await story.ws.setConfig({ "compute:onRestart": "warn" });
      await story.ws.up(SKIP);
      expect(sent()).toEqual([{ endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 } }]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "what ignoreChanges keeps out of a preview keeps its live value: one limit, one Postgres setting",
    async () => {
      const args = (min: number, work: string) =>
        `autoscalingLimitMinCu: ${min}, autoscalingLimitMaxCu: 4, settings: { pgSettings: { work_mem: "${work}", jit: "off" } }`;
      const ignored = 'ignoreChanges: ["autoscalingLimitMaxCu", "settings.pgSettings.jit"]';
      await use(args(1, "4MB"));
      await story.ws.up(SKIP);
      changes(story.em);
      Object.assign(live(), { autoscaling_limit_max_cu: 8 });
      live().settings = { pg_settings: { work_mem: "4MB", jit: "on", theirs: "1" } };
      await use(args(2, "8MB"), ignored);
      await story.ws.up(SKIP);
      expect(sent()).toEqual([
        {
          endpoint: {
            autoscaling_limit_min_cu: 2,
            autoscaling_limit_max_cu: 8,
            settings: { pg_settings: { work_mem: "8MB", jit: "on", theirs: "1" } },
          },
        },
      ]);
      expect(await plain()).toMatchObject({ op: "same" });
    },
    ENGINE_TEST_MS,
  );

  test(
    "what the service does not take is asked for once, told in a line, and asked for again on demand",
    async () => {
      story.em.faults.add({ ignore: { fields: ["suspend_timeout_seconds"], times: 9 } });
      await use('suspendTimeoutSeconds: 900, name: "one"');
      const first = await story.ws.up(SKIP);
      expect(first.stdout).toContain("did not apply suspendTimeoutSeconds");
      changes(story.em);
      await use('suspendTimeoutSeconds: 900, name: "two"');
      await story.ws.up(SKIP);
      expect(sent()).toEqual([{ endpoint: { name: "two" } }]);
      const again = await story.ws.pulumi(["preview", "--expect-no-changes"]);
      // Pulumi prints each line of a provider twice.
      expect(again.stdout.match(/does not send it again/g)).toHaveLength(2);
      // What the program asked for may be secret by a rule of the program.
      const { __asked } = (await story.ws.resource("db")).outputs as Props;
      expect(JSON.stringify(__asked)).toContain("ciphertext");
      await story.ws.pulumi(["refresh", "--yes", "--skip-preview"]);
      expect(await plain()).toMatchObject({ op: "same" });
      story.em.faults.clear();
      await story.ws.setConfig({ "compute:askAgain": "true" });
      expect(await json()).toMatchObject({
        op: "update",
        restart: [expect.anything(), expect.stringMatching(/^maybe: compute:askAgain/)],
        // A timeout restarts nothing: the outputs tell what is asked for again.
        warnings: [expect.stringContaining("suspendTimeoutSeconds is sent again")],
      });
      await story.ws.up(SKIP);
      expect(sent()).toEqual([{ endpoint: { suspend_timeout_seconds: 900 } }]);
      await story.ws.removeConfig("compute:askAgain");
      expect(await plain()).toMatchObject({ op: "same" });
    },
    ENGINE_TEST_MS,
  );

  test(
    "a state of 0.1.0 that took drift into its outputs is healed without a request",
    async () => {
      await use('size: 1, name: "two"');
      await story.ws.up(SKIP);
      changes(story.em);
      const state = await story.ws.export();
      const resource = state.deployment.resources!.find((one) => one.urn.endsWith("::db"))!;
      Object.assign(resource.outputs as Props, {
        size: 2,
        autoscalingLimitMinCu: 2,
        autoscalingLimitMaxCu: 2,
        notTaken: { autoscalingLimitMaxCu: "0123456789ab" },
      });
      await story.ws.pulumi(["stack", "import"], { input: JSON.stringify(state) });
      const preview = await plain();
      expect(preview.warnings).toEqual([]);
      await story.ws.up(SKIP);
      expect(sent()).toEqual([]);
      const { outputs } = await story.ws.resource("db");
      expect(outputs).toMatchObject({ size: 1, autoscalingLimitMaxCu: 1 });
      expect((outputs as Props)["notTaken"]).toBeUndefined();
    },
    ENGINE_TEST_MS,
  );
});
