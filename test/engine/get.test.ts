/** `Endpoint.get`: a compute that exists is read, whole, and nothing is managed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { files, requests, SEED, type Story, shownInJson, startStory } from "./support";

const HOST = `${SEED.primaryId}.us-east-2.aws.neon.tech`;

const program = ({ id = `"${SEED.primaryId}"`, project = "projectId", more = "" } = {}) => `
${more}
const there = Endpoint.get("there", ${id}, { projectId: ${project} });
new Dependant("on-there", { on: there.host });
exports.host = there.host;
exports.poolerHost = there.poolerHost;
exports.limits = pulumi.all([there.autoscalingLimitMinCu, there.autoscalingLimitMaxCu]);
exports.type = there.type;
exports.branchId = there.branchId;
exports.connections = there.capacity.maxConnections;
`;

describeWithEngine("Endpoint.get", (engine) => {
  let story: Story;
  const use = (text: string) => story.ws.setProgram(files(text));
  const primary = () => story.em.world.endpoints[SEED.primaryId]!;

  beforeAll(async () => {
    story = await startStory(engine, { program: program() });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "reads already in the preview, with everything that the service tells",
    async () => {
      const { document } = await story.ws.previewJson();
      const step = (name: string) => document.steps?.find(({ urn }) => urn.endsWith(`::${name}`));
      expect(step("there")).toMatchObject({ op: "read" });
      expect(step("on-there")).toMatchObject({ op: "create", newState: { inputs: { on: HOST } } });
      expect(document.diagnostics ?? []).toEqual([]);
      expect(requests(story.em)).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "keeps in the state what it read, and of ours only the provider's text",
    async () => {
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await story.ws.outputs()).toEqual({
        host: HOST,
        poolerHost: HOST.replace(".", "-pooler."),
        limits: [0.25, 0.25],
        type: "read_write",
        branchId: SEED.branches.main,
        connections: 112,
      });
      const { external, inputs = {}, outputs = {} } = await story.ws.resource("there");
      expect(external).toBe(true);
      expect(Object.keys(inputs).sort()).toEqual(["__provider", "projectId"]);
      expect(Object.keys(outputs).filter((name) => name.startsWith("__"))).toEqual(["__provider"]);
      expect(outputs).toMatchObject({ managed: [], adopted: false, restart: "no" });
      expect(Object.keys(outputs)).not.toContain("currentState");
    },
    ENGINE_TEST_MS,
  );

  test(
    "follows what somebody changes, and never changes it back",
    async () => {
      Object.assign(primary(), {
        autoscaling_limit_min_cu: 1,
        autoscaling_limit_max_cu: 4,
        suspend_timeout_seconds: 600,
      });
      requests(story.em);
      const { document } = await story.ws.previewJson();
      expect(document.steps?.filter(({ op }) => op !== "same").map(({ op }) => op)).toEqual(["read"]);
      expect(document.diagnostics ?? []).toEqual([]);
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await story.ws.outputs()).toMatchObject({ limits: [1, 4], connections: 1802, host: HOST });
      await story.ws.refresh({ args: ["--skip-preview"] });
      expect(requests(story.em).filter((line) => !line.startsWith("GET "))).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "waits for an id that is made in the same program",
    async () => {
      const more = `const made = new Endpoint("made", { projectId, branchId, type: "read_only", size: 1 });`;
      await use(program({ id: "made.id", more }));
      const { document } = await story.ws.previewJson();
      expect(shownInJson(document).get("made")).toMatchObject({ op: "create" });
      await story.ws.up({ args: ["--skip-preview"] });
      const { id } = await story.ws.resource("made");
      expect(await story.ws.outputs()).toMatchObject({ host: `${id}.us-east-2.aws.neon.tech`, type: "read_only" });
      await use(program());
      await story.ws.up({ args: ["--skip-preview"] });
      expect(Object.keys(story.em.world.endpoints)).toEqual([SEED.primaryId]);
    },
    ENGINE_TEST_MS,
  );

  test.each([
    [
      "a compute that is not there",
      { id: `"ep-not-there"` },
      `compute ep-not-there is not in project ${SEED.projectId}: the project's list of computes does not have it`,
    ],
    [
      "a project that is not there, or not for this key",
      { project: `"no-such-project-1"` },
      "project no-such-project-1 does not exist, or this key can't see it",
    ],
    [
      "a project that is not there and is secret",
      { project: `pulumi.secret("no-such-project-1")` },
      "project [secret] does not exist, or this key can't see it",
    ],
    [
      "a look-up of a secret project that is not there",
      {
        more: `require("pulumi-compute-endpoint").listEndpointsOutput({ projectId: pulumi.secret("no-such-project-1") });`,
      },
      "project [secret] does not exist, or the key",
    ],
    ["something that is no project", { project: `"../other"` }, `"../other" is not a project id`],
  ])(
    "fails the preview for %s",
    async (_, args, message) => {
      await use(program(args));
      const { stdout } = await story.ws.preview({ fails: true });
      expect(stdout).toContain(message);
      if (message.includes("[secret]")) expect(stdout).not.toContain("no-such-project");
      await use(program());
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy leaves it alone",
    async () => {
      requests(story.em);
      await story.ws.destroy({ args: ["--skip-preview"] });
      expect(requests(story.em)).toEqual([]);
      expect(primary()).toMatchObject({ autoscaling_limit_max_cu: 4 });
    },
    ENGINE_TEST_MS,
  );

  test(
    "one that has gone since fails the next preview, is dropped by a refresh, and can be left out",
    async () => {
      await story.ws.up({ args: ["--skip-preview"] });
      const { [SEED.primaryId]: kept } = story.em.world.endpoints;
      delete story.em.world.endpoints[SEED.primaryId];
      expect((await story.ws.preview({ fails: true })).stdout).toContain(`compute ${SEED.primaryId} is not in project`);
      await story.ws.refresh({ args: ["--skip-preview"] });
      const urns = (await story.ws.export()).deployment.resources?.map(({ urn }) => urn.split("::").at(-1));
      expect(urns).not.toContain("there");
      await use("");
      await story.ws.up({ args: ["--skip-preview"] });
      story.em.world.endpoints[SEED.primaryId] = kept!;
    },
    ENGINE_TEST_MS,
  );
});
