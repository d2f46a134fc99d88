/** Look-ups in programs that the engine runs: previews, secrets, and what depends on an answer. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { files, requests, SEED, type Story, shownInJson, startStory } from "./support";

const HOST = `${SEED.primaryId}.us-east-2.aws.neon.tech`;

const USE = `const sdk = require("pulumi-compute-endpoint");\n`;
/** A primary that is taken over, a replica that is made, and questions about both. */
const program = ({ max = 2, more = "" } = {}) => `${USE}
const primary = new Endpoint("primary", {
  projectId, branchId, adopt: true, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: ${max},
});
const replica = new Endpoint("replica", { projectId, branchId, type: "read_only", size: 1 });
const role = { projectId, databaseName: "neondb", roleName: "neondb_owner" };
const uri = sdk.getConnectionUriOutput({ ...role, endpointId: primary.id, pooled: true });
new Dependant("on-uri", { on: uri });
new Dependant("on-host", { on: sdk.getEndpointOutput({ projectId, id: primary.id }).host });
exports.uri = uri;
exports.state = sdk.getEndpointOutput({ projectId, id: replica.id }).currentState;
exports.all = sdk.listEndpointsOutput({ projectId }, { dependsOn: [replica] }).length;
exports.started = sdk.listOperationsOutput({ projectId, limit: 20 }, { dependsOn: replica }).apply((all) => {
  const { action, label } = all.find(({ endpointId }) => endpointId !== "${SEED.primaryId}");
  return { action, label };
});
${more}`;

describeWithEngine("look-ups", (engine) => {
  let story: Story;
  /** What a command printed that was told to show secrets. */
  let shown = "";
  const use = (text: string) => story.ws.setProgram(files(text));
  const password = () => story.em.world.branches[SEED.branches.main]!.roles[0]!.password;
  const values = async () => JSON.parse((await story.ws.pulumi(["stack", "output", "--json"])).stdout);

  beforeAll(async () => {
    story = await startStory(engine, { program: program() });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "ask nothing about what a preview does not know yet",
    async () => {
      const { document } = await story.ws.previewJson();
      expect(document.changeSummary).toEqual({ create: 5 });
      expect(requests(story.em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "are asked when what they need is there: after a create, not beside it",
    async () => {
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await values()).toEqual({
        uri: "[secret]",
        state: "active",
        all: 2,
        started: { action: "start_compute", label: "OK" },
      });
    },
    ENGINE_TEST_MS,
  );

  test(
    "hand a connection URI to a resource as a secret that nobody sees",
    async () => {
      const before = story.printed().length;
      const { resources } = (await story.ws.export({ args: ["--show-secrets"] })).deployment;
      shown = story.printed().slice(before);
      const onUri = resources?.find(({ urn }) => urn.endsWith("::on-uri"));
      const uri = `:${password()}@${HOST.replace(".", "-pooler.")}/neondb?sslmode=require`;
      expect(onUri?.inputs?.["on"]).toMatchObject({ plaintext: expect.stringContaining(uri) });
      expect(JSON.stringify(await story.ws.export())).not.toContain(password());
    },
    ENGINE_TEST_MS,
  );

  test(
    "leave what depends on an answer as it is where the answer stays",
    async () => {
      await use(program({ max: 4 }));
      const { document } = await story.ws.previewJson();
      const steps = shownInJson(document);
      const ops = ["primary", "replica", "on-uri", "on-host"].map((name) => steps.get(name)?.op ?? "same");
      expect(ops).toEqual(["update", "same", "same", "same"]);
      await story.ws.up({ args: ["--skip-preview"] });
      requests(story.em);
      await story.ws.up({ args: ["--expect-no-changes", "--skip-preview"] });
      expect(requests(story.em).filter((line) => !line.startsWith("GET "))).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "in their promise form are awaited by a program, and read pages as far as it wants",
    async () => {
      await use(`${USE}
module.exports = async () => {
  const { id, lastActive } = await sdk.getEndpoint({ projectId, id: "${SEED.primaryId}" });
  const actions = [];
  for await (const { action, durationMs } of sdk.listOperations({ projectId })) {
    actions.push([action, typeof durationMs]);
    if (actions.length === 2) break;
  }
  const uri = await sdk.getConnectionUri({ projectId, databaseName: "neondb", roleName: "neondb_owner" });
  return { id, actions, uri };
};`);
      requests(story.em);
      await story.ws.preview();
      expect(requests(story.em)).toEqual([
        `GET /projects/${SEED.projectId}/endpoints/${SEED.primaryId}`,
        `GET /projects/${SEED.projectId}/operations?limit=100`,
        `GET /projects/${SEED.projectId}/connection_uri?database_name=neondb&role_name=neondb_owner`,
      ]);
      await story.ws.up({ args: ["--skip-preview"] });
      expect(await values()).toMatchObject({
        id: SEED.primaryId,
        actions: [
          [expect.any(String), "number"],
          [expect.any(String), "number"],
        ],
        uri: "[secret]",
      });
    },
    ENGINE_TEST_MS,
  );

  test.each([
    [
      "a compute that is not there",
      `exports.state = sdk.getEndpointOutput({ projectId, id: "ep-not-there" }).currentState;`,
      `compute ep-not-there is not in project ${SEED.projectId}, which has ${SEED.primaryId} (GET`,
    ],
    [
      "a role that is not there, in an async program",
      `module.exports = async () => { await sdk.getConnectionUri({ projectId, databaseName: "neondb", roleName: "x" }); };`,
      "no connection URI for role x and database neondb",
    ],
    [
      "a project that this key can't see, in the middle of a loop",
      `module.exports = async () => { for await (const _ of sdk.listOperations({ projectId: "no-such-1" })) ; };`,
      "project no-such-1 does not exist, or the key (from COMPUTE_API_KEY (environment)) can't see it",
    ],
  ])(
    "fail a preview for %s, in one plain message",
    async (_, text, message) => {
      await use(USE + text);
      const { stdout } = await story.ws.preview({ fails: true });
      expect(stdout).toContain(`error: ${message}`);
      expect(stdout).not.toMatch(/unhandled exception|\n\s+at /);
    },
    ENGINE_TEST_MS,
  );

  test(
    "take key and URL from the stack's config as the provider does",
    async () => {
      const env = { COMPUTE_API_KEY: undefined, COMPUTE_API_URL: undefined };
      await use(`${USE}exports.all = sdk.listEndpointsOutput({ projectId }).length;
exports.again = sdk.listEndpoints({ projectId }).then(({ length }) => length);`);
      // Once, however many look-ups there are.
      const [, diagnostics = ""] = (await story.ws.preview({ env, fails: true })).stdout.split("Diagnostics:");
      expect(diagnostics.match(/error: .*/g)).toEqual([
        expect.stringMatching(/^error: no API key: set COMPUTE_API_KEY/),
      ]);
      await story.ws.setConfig({ "compute:apiUrl": story.em.url }, { "compute:apiKey": story.em.apiKey });
      requests(story.em);
      await story.ws.preview({ env });
      expect(requests(story.em)).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
    },
    ENGINE_TEST_MS,
  );

  test("print neither a key nor a password", () => {
    const hidden = story.printed().replace(shown, "");
    for (const secret of [password(), story.em.apiKey]) expect(hidden).not.toContain(secret);
  });
});
