/** Computes inside components: whose they are, what they are called, and what moves without a change. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../../support/engine";
import { addBranch, changes, files, requests, type Story, shownInJson, startStory } from "../support";

/** A component of a type of its own, with a compute that is called the same in all of them. */
const COMPONENTS = `
const component = (type, inside = (self, name, args) => new Endpoint("compute", args, { parent: self })) =>
  class extends pulumi.ComponentResource {
    constructor(name, args, opts) {
      super("test:index:" + type, name, {}, opts);
      this.host = inside(this, name, args).host;
      this.registerOutputs({ host: this.host });
    }
  };
const at = (branchId) => ({ projectId, branchId, size: 1 });
`;

describeWithEngine("computes in components", (engine) => {
  let story: Story;
  const use = (text: string) => story.ws.setProgram(files(COMPONENTS + text));
  const up = (...args: string[]) => story.ws.up({ args: ["--skip-preview", ...args] });
  const urns = async () =>
    ((await story.ws.export()).deployment.resources ?? [])
      .filter(({ type }) => type.endsWith(":Endpoint"))
      .map(({ urn, id, outputs }) => [urn.split("::").slice(2).join("::"), id, outputs?.["name"]] as const)
      .sort();

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        for (const id of ["br-one", "br-two", "br-three"]) addBranch(em, id);
      },
    });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  const [SHOP, BLOG] = [`const Shop = component("Shop");`, `const Blog = component("Blog");`];
  const BOTH = `${SHOP}${BLOG}`;
  let before: Awaited<ReturnType<typeof urns>>;

  test(
    "children of the same name in components of two types are two computes with names of their own",
    async () => {
      await use(`${BOTH} new Shop("shop", at("br-one")); new Blog("blog", at("br-two"));`);
      await up();
      before = await urns();
      expect(before.map(([urn]) => urn)).toEqual([
        "test:index:Blog$pulumi-nodejs:dynamic/compute:Endpoint::compute",
        "test:index:Shop$pulumi-nodejs:dynamic/compute:Endpoint::compute",
      ]);
      const names = before.map(([, , name]) => name);
      expect(names).toEqual([0, 1].map(() => expect.stringMatching(/^compute-[0-9a-f]{8}$/)));
      expect(new Set(names).size).toBe(2);
      expect(changes(story.em).map(({ line }) => line.split(" ")[0])).toEqual(["POST", "POST"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a change of a component's argument is announced at the compute inside",
    async () => {
      await use(`${BOTH} new Shop("shop", { ...at("br-one"), size: 2 }); new Blog("blog", at("br-two"));`);
      const { document } = await story.ws.previewJson();
      expect(document.diagnostics).toEqual([
        expect.objectContaining({
          urn: expect.stringContaining("test:index:Shop$"),
          message: expect.stringContaining("restarts this compute"),
        }),
      ]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a component that is renamed, moved and of another type changes nothing, where aliases say so",
    async () => {
      // The child's alias follows from its component's.
      await use(`${BLOG} const Store = component("Store");
        const blog = new Blog("blog", at("br-two"));
        new Store("store", at("br-one"), { parent: blog, aliases: [{ name: "shop", type: "test:index:Shop", parent: pulumi.rootStackResource }] });`);
      expect(shownInJson((await story.ws.previewJson()).document).get("compute")?.op ?? "same").toBe("same");
      await up("--expect-no-changes");
      expect(requests(story.em)).toEqual([]);
      const now = await urns();
      expect(now.map(([urn]) => urn)).toEqual([
        "test:index:Blog$pulumi-nodejs:dynamic/compute:Endpoint::compute",
        "test:index:Blog$test:index:Store$pulumi-nodejs:dynamic/compute:Endpoint::compute",
      ]);
      expect(now.map(([, ...rest]) => rest)).toEqual(before.map(([, ...rest]) => rest));
    },
    ENGINE_TEST_MS,
  );

  test(
    "without an alias, what the move would make a second time is not made, and the old one is not deleted",
    async () => {
      await use(`${BOTH} new Blog("blog", at("br-two")); new Shop("shop", { ...at("br-one") });`);
      const { stdout } = await story.ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toMatch(/carries the name compute-[0-9a-f]{8}, which .* the resource option aliases tells Pulumi/);
      expect(changes(story.em)).toEqual([]);
      expect((await urns()).map(([, id]) => id)).toEqual(before.map(([, id]) => id));
    },
    ENGINE_TEST_MS,
  );

  test(
    "children of the same name in two components of one type are Pulumi's own error, and no second compute",
    async () => {
      await use(`${BOTH} new Blog("blog", at("br-two")); new Blog("other", at("br-three"));`);
      const { stdout } = await story.ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toMatch(/Duplicate resource URN/);
      // Which of the two the engine meets first is chance. If it is the other one, the compute moves before the error comes.
      expect(changes(story.em).filter(({ line }) => !line.startsWith("PATCH "))).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
