/**
 * What depends on a compute in the ways that programs do: it stays as it is in the preview of an update, whose outputs
 * Pulumi calls unknown, and behaves as ever at the first update and at a replacement.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, files, nameOf, type Shown, type Story, shownInJson, startStory } from "./support";

/** By how they take the host. `replica` is a compute itself, and `opts` takes nothing. */
const ON_HOST = ["interpolated", "all", "secret", "service-dns", "of-component", "of-replica"];
const ON_SIZE = ["limit", "capacity"];
const UNTOUCHED = ["id", "opts", "project", "timeout"];
const ALL = [...ON_HOST, ...ON_SIZE, ...UNTOUCHED];

const ENDPOINT = "pulumi-nodejs:dynamic/compute:Endpoint";
const PRIMARY = `urn:pulumi:dev::test::${ENDPOINT}::primary`;

/** `source` gives the project as an output that a preview does not know while `source` changes. */
const program = (args: string, { options = "{}", projectId = "projectId", source = 1 } = {}) => `
const source = new Dependant("source", { on: ${source}, echo: undefined });
const primary = new Endpoint("primary", { projectId: ${projectId}, branchId: "br-primary", ${args} }, ${options});
const replica = new Endpoint("replica", {
  projectId: primary.projectId, branchId: primary.branchId, type: "read_only", size: 1,
});
new Dependant("interpolated", { on: pulumi.interpolate\`postgres://\${primary.host}/db\` });
new Dependant("all", { on: pulumi.all([primary.poolerHost, primary.regionId, replica.host]) });
new Dependant("secret", { on: pulumi.secret(primary.host) });
new Dependant("id", { on: primary.id });
new Dependant("opts", { on: 1 }, { dependsOn: [primary] });
new Dependant("project", { on: primary.projectId });
new Dependant("limit", { on: primary.autoscalingLimitMaxCu });
new Dependant("capacity", { on: primary.capacity });
new Dependant("timeout", { on: primary.disabled });
new Dependant("of-replica", { on: replica.host });
class Service extends pulumi.ComponentResource {
  constructor(name, args) {
    super("test:index:Service", name);
    this.host = new Endpoint(name + "-compute", { projectId, ...args }, { parent: this }).host;
    new Dependant(name + "-dns", { on: this.host }, { parent: this });
    this.registerOutputs({ host: this.host });
  }
}
const service = new Service("service", { branchId: "br-service", ${args} });
new Dependant("of-component", { on: service.host });
exports.host = primary.host;
exports.uri = pulumi.secret(pulumi.interpolate\`postgres://\${primary.host}/db\`);
`;

describeWithEngine("what depends on a compute", (engine) => {
  let story: Story;
  const use = (args: string, more?: Parameters<typeof program>[1]) => story.ws.setProgram(files(program(args, more)));

  async function preview(...args: string[]): Promise<Map<string, Shown>> {
    const { document } = await story.ws.previewJson({ args });
    return shownInJson(document);
  }
  const ops = (shown: Map<string, Shown>, names: readonly string[] = [...shown.keys()]) =>
    Object.fromEntries(names.map((name) => [name, shown.get(name)?.op ?? "same"]));
  const allAre = (op: string, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, op]));
  async function inputsOf(names: readonly string[]) {
    const { resources = [] } = (await story.ws.export({ args: ["--show-secrets"] })).deployment;
    return Object.fromEntries(
      names.map((name) => [name, resources.find(({ urn }) => nameOf(urn) === name)?.inputs?.["on"]]),
    );
  }

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        for (const id of ["br-primary", "br-service"]) addBranch(em, id);
      },
    });
    story.ws.env["PULUMI_EXPERIMENTAL"] = "true"; // for update plans
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "is created after it with the values that it then has",
    async () => {
      await use("size: 1");
      expect(ops(await preview(), ALL)).toEqual(allAre("create", ALL));
      await story.ws.up({ args: ["--skip-preview"] });
      const { interpolated, capacity } = await inputsOf(ALL);
      const host = Object.values(story.em.world.endpoints).find(({ branch_id }) => branch_id === "br-primary")!.host;
      expect(interpolated).toBe(`postgres://${host}/db`);
      expect(capacity).toMatchObject({ vcpu: 1, maxConnections: 450 });
    },
    ENGINE_TEST_MS,
  );

  test(
    "stays as it is in the preview of a harmless change",
    async () => {
      await use("size: 1, suspendTimeoutSeconds: 600");
      const shown = await preview();
      expect(ops(shown)).toEqual({ "test-dev": "same", ...allAre("update", ["primary", "service-compute"]) });
    },
    ENGINE_TEST_MS,
  );

  test(
    "stays as it is in the preview of a restart, but for what takes the size",
    async () => {
      await use("size: 4");
      await preview("--save-plan", "to-4.json");
      await use("size: 2");
      const shown = await preview("--save-plan", "to-2.json");
      expect(ops(shown)).toEqual({
        "test-dev": "same",
        // The sum of both computes has no resource.
        "": "same",
        ...allAre("update", ["primary", "service-compute", ...ON_SIZE]),
      });
    },
    ENGINE_TEST_MS,
  );

  test(
    "stays as it is with --target, and where ignoreChanges holds the change back",
    async () => {
      expect(ops(await preview("--target", PRIMARY), ["primary", "service-compute", ...ALL])).toEqual({
        ...allAre("same", ["service-compute", ...ALL]),
        primary: "update",
      });
      await use("size: 2", { options: `{ ignoreChanges: ["size"] }` });
      const ignored = await preview();
      expect(ops(ignored)).toEqual({ "test-dev": "same", "service-compute": "update" });
      expect(ignored.get("primary")?.warnings ?? []).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "does not break an update plan, and a plan holds only from the values that it was made for",
    async () => {
      const { ws, em } = story;
      const before = await inputsOf(ALL);
      await use("size: 2");
      em.requests.length = 0;
      await ws.up({ args: ["--plan", "to-2.json"] });
      expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["PATCH", "PATCH"]);
      expect(await inputsOf(ALL)).toEqual({ ...before, limit: 2, capacity: expect.objectContaining({ vcpu: 2 }) });

      await use("size: 4");
      const refused = await ws.up({ args: ["--plan", "to-4.json"], fails: true });
      expect(refused.stdout + refused.stderr).toMatch(/violates plan/);
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "stays as it is when the compute is refreshed",
    async () => {
      await use("size: 2");
      await story.ws.preview({ args: ["--refresh", "--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "changes at a replacement; a replica that only uses the primary's projectId does not",
    async () => {
      const { ws, em } = story;
      await use(`size: 2, type: "read_only"`);
      const shown = await preview();
      const taking = ["interpolated", "all", "secret", "service-dns", "of-component", "id"];
      expect(ops(shown, ["primary", "service-compute", "replica", ...ALL])).toEqual({
        ...allAre("same", ["replica", ...ALL]),
        ...allAre("update", taking),
        // Whatever the compute says of itself is the service's to say anew.
        ...allAre("update", [...ON_SIZE, "timeout"]),
        ...allAre("replace", ["primary", "service-compute"]),
      });
      const before = await inputsOf(ALL);
      em.requests.length = 0;
      await ws.up({ args: ["--skip-preview"] });
      const lines = changes(em).map(({ line }) => line.split(" ")[0]);
      expect(lines.sort()).toEqual(["DELETE", "DELETE", "POST", "POST"]);
      const after = await inputsOf(ALL);
      for (const name of taking) expect(after[name], name).not.toEqual(before[name]);
      for (const name of ["of-replica", ...ON_SIZE, "timeout"]) expect(after[name], name).toEqual(before[name]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "shows as unknown while the project is not known, and stays when it is the same one after all",
    async () => {
      const { ws, em } = story;
      const known = "size: 2, type: 'read_only'";
      await use(known, { projectId: "source.echo.apply(() => projectId)", source: 2 });
      const shown = await preview();
      expect(shown.get("primary")).toMatchObject({
        op: "update",
        restart: [
          expect.stringMatching(/^yes: /),
          expect.stringMatching(/^maybe: projectId → known after apply may replace/),
        ],
        warnings: [expect.stringMatching(/^ep-\S+: projectId .* may replace this compute/)],
      });
      expect(ops(shown, ["interpolated", "all", "secret"])).toEqual(
        allAre("update", ["interpolated", "all", "secret"]),
      );
      const before = await inputsOf(ALL);
      em.requests.length = 0;
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em)).toEqual([]);
      expect(await inputsOf(ALL)).toEqual(before);
    },
    ENGINE_TEST_MS,
  );
});
