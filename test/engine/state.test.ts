/** Twenty computes in one project: what stands in the state, what is asked of the service, and Pulumi's own options. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { addBranch, changes, files, nameOf, requests, SEED, type Story, shownInJson, startStory } from "./support";

const REPLICAS = Array.from({ length: 14 }, (_, index) => `replica-${index}`);
/** One compute for each option. */
const OPTIONS: Record<string, string> = {
  guarded: "{ protect: true }",
  kept: "{ retainOnDelete: true }",
  ignoring: '{ ignoreChanges: ["size", "suspendTimeoutSeconds"] }',
  renamed: "{}",
};

interface Change {
  /** Arguments of a compute, instead of `size: 1`. */
  args?: Record<string, string>;
  options?: Record<string, string>;
  without?: string[];
  /** The resource's name, where it is not the one above. */
  names?: Record<string, string>;
}

const program = ({ args = {}, options = {}, without = [], names = {} }: Change = {}) => `
new Endpoint("primary", { projectId, branchId, adopt: true, ${args["primary"] ?? ""} });
class Service extends pulumi.ComponentResource {
  constructor(name) {
    super("test:index:Service", name);
    this.compute = new Endpoint("child", { projectId, branchId: "br-child", size: 1 }, { parent: this });
    this.registerOutputs({ host: this.compute.host });
  }
}
const service = new Service("service");
new Dependant("dns", { on: service.compute.host }, { dependsOn: service });
${[...REPLICAS, ...Object.keys(OPTIONS)]
  .filter((name) => !without.includes(name))
  .map((name) => {
    const all = `{ projectId, branchId, type: "read_only", ${args[name] ?? "size: 1"} }`;
    return `new Endpoint("${names[name] ?? name}", ${all}, ${options[name] ?? OPTIONS[name] ?? "{}"});`;
  })
  .join("\n")}`;

/** A refresh takes `propertyDependencies` out of the state; the next update puts them back. That is the engine's. */
const known = ({ urn, id, inputs, outputs }: StateResource) => ({ urn, id, inputs, outputs });

const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");

describeWithEngine("twenty computes in one project", (engine) => {
  let story: Story;
  const use = (change?: Change) => story.ws.setProgram(files(program(change)));
  const computes = async () => ((await story.ws.export()).deployment.resources ?? []).filter(isEndpoint);
  const idOf = async (name: string) => (await story.ws.resource(name)).id!;

  beforeAll(async () => {
    story = await startStory(engine, { program: program(), before: (em) => addBranch(em, "br-child") });
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "all are made although the project takes one change at a time, also the child of a component",
    async () => {
      const posts = changes(story.em);
      expect(posts).toHaveLength(19);
      expect(posts.every(({ line, status }) => line.startsWith("POST") && status === 201)).toBe(true);
      const all = await computes();
      expect(all).toHaveLength(20);
      expect(all.find(({ urn }) => nameOf(urn) === "child")?.urn).toContain("test:index:Service$");
      expect(all.find(({ urn }) => nameOf(urn) === "primary")).toMatchObject({
        id: SEED.primaryId,
        outputs: { adopted: true },
      });
    },
    ENGINE_TEST_MS,
  );

  test(
    "the provider's text is the same in all, and at most 128 bytes",
    async () => {
      const texts = (await computes()).flatMap(({ inputs, outputs }) =>
        [inputs, outputs].map((one) => one?.["__provider"]),
      );
      expect(texts).toHaveLength(40);
      expect(new Set(texts).size).toBe(1);
      expect(Buffer.byteLength(texts[0] as string)).toBeLessThanOrEqual(128);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a second up does nothing and sends no request",
    async () => {
      expect((await story.ws.up()).stdout).toMatch(/Resources:\n {4}23 unchanged/);
      expect(requests(story.em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a refresh sends at most three requests and finds nothing",
    async () => {
      const before = (await computes()).map(known);
      expect((await story.ws.refresh({ args: ["--skip-preview"] })).stdout).toMatch(/Resources:\n {4}23 unchanged/);
      expect(requests(story.em).length).toBeLessThanOrEqual(3);
      expect((await computes()).map(known)).toEqual(before);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a refresh shows what drifted and only that, and the next up puts it right",
    async () => {
      const { ws, em } = story;
      const [resized, gone] = [await idOf("replica-0"), await idOf("replica-1")];
      Object.assign(em.world.endpoints[resized]!, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
      // Not managed by the program, so no drift.
      Object.assign(em.world.endpoints[await idOf("replica-2")]!, { suspend_timeout_seconds: 3600 });
      delete em.world.endpoints[gone];
      const before = await computes();
      await ws.refresh({ args: ["--skip-preview"] });
      const changed = (await computes()).filter(({ urn, inputs }) => {
        const was = before.find((one) => one.urn === urn)!;
        return JSON.stringify(was.inputs) !== JSON.stringify(inputs);
      });
      expect(changed.map(({ urn, inputs }) => [nameOf(urn), inputs?.["size"]])).toEqual([["replica-0", 4]]);
      expect(await computes()).toHaveLength(19);

      const shown = shownInJson((await ws.previewJson()).document);
      expect(
        [...shown]
          .filter(([, { op }]) => op !== "same")
          .map(([name, { op }]) => [name, op])
          .sort(),
      ).toEqual([
        ["replica-0", "update"],
        ["replica-1", "create"],
      ]);
      expect(shown.get("replica-0")?.restart?.[1]).toMatch(/^yes: size 4 → 1 restarts this compute /);
      em.requests.length = 0;
      await ws.up({ args: ["--skip-preview"] });
      expect(
        changes(em)
          .map(({ line }) => line.replace(/ep-.*/, ""))
          .sort(),
      ).toEqual([`PATCH /projects/${SEED.projectId}/endpoints/`, `POST /projects/${SEED.projectId}/endpoints`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "ignoreChanges and a new name with an alias change nothing",
    async () => {
      const { ws, em } = story;
      const id = await idOf("renamed");
      await use({
        args: { ignoring: "size: 4, suspendTimeoutSeconds: 600" },
        names: { renamed: "other-name" },
        options: { renamed: '{ aliases: [{ name: "renamed" }] }' },
      });
      await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
      expect(requests(em)).toEqual([]);
      expect(await ws.resource("other-name")).toMatchObject({
        id,
        outputs: { name: expect.stringMatching(/^renamed-/) },
      });
    },
    ENGINE_TEST_MS,
  );

  test(
    "retainOnDelete leaves the compute on the service",
    async () => {
      const { ws, em } = story;
      const id = await idOf("kept");
      await use({ without: ["kept", "renamed"], names: {} });
      const dropped = await idOf("other-name");
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line)).toEqual([`DELETE /projects/${SEED.projectId}/endpoints/${dropped}`]);
      expect(em.world.endpoints[id]).toBeDefined();
    },
    ENGINE_TEST_MS,
  );

  test(
    "protect stops a replacement and a deletion before any request",
    async () => {
      const { ws, em } = story;
      await use({ without: ["kept", "renamed", "guarded"] });
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toMatch(/cannot be deleted\s+because it is protected/);
      await use({
        without: ["kept", "renamed"],
        args: { guarded: `size: 1, type: "read_write", branchId: "${SEED.branches.dev}"` },
      });
      expect((await ws.up({ args: ["--skip-preview"], fails: true })).stdout).toMatch(
        /unable to replace .*guarded"\s+as it is currently marked for protection/,
      );
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy deletes what was made here, and releases what was taken over",
    async () => {
      const { ws, em } = story;
      const ids = (await computes()).map(({ id }) => id!).filter((id) => id !== SEED.primaryId);
      await ws.pulumi(["state", "unprotect", "--all", "--yes"], { fails: false });
      const { stdout } = await ws.destroy({ args: ["--skip-preview"] });
      expect(stdout).toContain(`compute ${SEED.primaryId} leaves the state and stays as it is on the service`);
      expect(
        changes(em)
          .map(({ line }) => line.split("/").at(-1)!)
          .sort(),
      ).toEqual(ids.sort());
      expect(await computes()).toEqual([]);
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
