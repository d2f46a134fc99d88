/**
 * What everything else in this folder rests on, shown with a throwaway provider in the form that ours has: a literal
 * in the state, from which the engine's shim loads the code from the program's folder.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";

const LITERAL = 'exports.handler = () => require("throwaway").provider;';

/** A package in the program's `node_modules`: remembers nothing, tells on stdout what it is asked. */
const PACKAGE = {
  "node_modules/throwaway/package.json": JSON.stringify({ name: "throwaway", version: "1.0.0", main: "index.js" }),
  "node_modules/throwaway/index.js": `
    exports.provider = {
      async diff(id, olds, news) { return olds.size === news.size ? { changes: false } : {}; },
      async create(inputs) { console.log("throwaway: create"); return { id: "thing-1", outs: inputs }; },
      async update(id, olds, news) { console.log("throwaway: update"); return { outs: news }; },
      async read(id, props) { return { id, props, inputs: props }; },
      async delete(id) { console.log("throwaway: delete"); },
    };`,
};

const program = {
  ...PACKAGE,
  "index.js": `
    const pulumi = require("@pulumi/pulumi");
    const hook = new pulumi.ResourceHook("notice", async (args) => {
      const text = "size " + args.oldOutputs.size + " becomes " + args.newInputs.size;
      void pulumi.log.warn(text, { urn: pulumi.output(args.urn) });
    }, { onDryRun: true });
    class Thing extends pulumi.CustomResource {
      constructor(name, args, opts) {
        super("pulumi-nodejs:dynamic/throwaway:Thing", name, { ...args, __provider: ${JSON.stringify(LITERAL)} }, opts);
      }
    }
    const thing = new Thing("thing", { size: 1 }, { hooks: { beforeUpdate: [hook] } });
    exports.id = thing.id;`,
};

describeWithEngine("the engine runs a provider given as a literal", (engine) => {
  let ws: Workspace;

  beforeAll(async () => {
    ws = await Workspace.create(engine, { project: "smoke", program });
  }, ENGINE_TEST_MS);
  afterAll(() => ws?.close());

  test(
    "preview, up, export, refresh, a warning of a hook, update, destroy; nothing is left running",
    async () => {
      const first = await ws.preview();
      expect(first.stdout).toContain("pulumi-nodejs:dynamic/throwaway:Thing thing create");
      expect(first.stdout).not.toContain("throwaway: create");

      const created = await ws.up();
      expect(created.stdout).toContain("throwaway: create");
      expect(created.stdout + created.stderr).not.toMatch(/warning|plugin/i);
      expect(await ws.outputs()).toEqual({ id: "thing-1" });
      const thing = await ws.resource("thing");
      expect(thing).toMatchObject({ id: "thing-1", inputs: { size: 1, __provider: LITERAL } });
      expect(thing.outputs).toMatchObject({ __provider: LITERAL });

      expect((await ws.refresh()).stdout).toMatch(/2 unchanged/);
      await ws.preview({ args: ["--expect-no-changes"] });

      await ws.edit("index.js", (text) => text.replace("size: 1", "size: 4"));
      const { document } = await ws.previewJson();
      expect(document.steps?.map(({ op }) => op)).toEqual(["same", "update"]);
      expect(document.diagnostics).toEqual([
        expect.objectContaining({
          urn: thing.urn,
          severity: "warning",
          message: expect.stringContaining("size 1 becomes 4"),
        }),
      ]);
      expect((await ws.previewDiff()).stdout).toMatch(/~ size: 1 => 4/);
      expect((await ws.up()).stdout).toContain("throwaway: update");

      expect((await ws.destroy()).stdout).toContain("throwaway: delete");
      expect((await ws.export()).deployment.resources ?? []).toEqual([]);
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
