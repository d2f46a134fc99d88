/** Rules of the program (transforms, transformations) come after the constructor: what the engine registers counts. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { report } from "../cli/report/support";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { digestsIn, printedIn, runPrinted } from "./printed";
import { addBranch, files, type Story, shownInJson, shownInPlain, startStory } from "./support";

const KINDS = ["stack-transform", "stack-transformation", "own-transform", "own-transformation", "in-component"];
const SKIP = ["--skip-preview"];

const program = (token: string, size = 1) => `
const name = pulumi.secret("hidden-name");
const settings = { pgSettings: { "app.token": pulumi.secret("${token}"), work_mem: "4MB" } };
const secretly = ({ props, opts }) => ({ props: { ...props, name, settings }, opts });
pulumi.runtime.registerStackTransform((one) => (one.name === "stack-transform" ? secretly(one) : undefined));
pulumi.runtime.registerStackTransformation((one) => (one.name === "stack-transformation" ? secretly(one) : undefined));
class Group extends pulumi.ComponentResource {
  constructor(opts) {
    super("test:index:Group", "group", {}, opts);
    new Endpoint("in-component", { projectId, branchId: "br-in-component" }, { parent: this });
  }
}
new Group({ transforms: [(one) => (one.name === "in-component" ? secretly(one) : undefined)] });
for (const name of ["stack-transform", "stack-transformation"]) new Endpoint(name, { projectId, branchId: "br-" + name });
new Endpoint("own-transform", { projectId, branchId: "br-own-transform" }, { transforms: [secretly] });
new Endpoint("own-transformation", { projectId, branchId: "br-own-transformation" }, { transformations: [secretly] });
const replaces = ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { replaceOnChanges: ["size"] }) });
new Endpoint("replaced", { projectId, branchId: "br-replaced", size: ${size}, onRestart: "refuse" }, { transforms: [replaces] });`;

describeWithEngine("rules of the program", (engine) => {
  let story: Story;

  beforeAll(async () => {
    story = await startStory(engine, {
      program: program("hidden-one"),
      before: (em) => {
        for (const name of [...KINDS, "replaced"]) addBranch(em, `br-${name}`);
      },
    });
    await story.ws.up({ args: SKIP });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "a value that they made secret is in no notice, no warning, no report and no state, and reaches the service",
    async () => {
      const { ws, em } = story;
      await ws.setProgram(files(program("hidden-two")));
      const plain = shownInPlain((await ws.preview()).stdout);
      await ws.previewDiff();
      const { document } = await ws.previewJson();
      const json = shownInJson(document);
      for (const name of KINDS) {
        expect(plain.get(name)).toMatchObject({
          op: "update",
          changed: expect.arrayContaining(["restart", "settings"]),
        });
        expect(json.get(name)?.restart).toEqual([
          "no",
          expect.stringMatching(/^maybe: settings\.pgSettings\.app\.token \(changes\) may restart this compute/),
        ]);
        expect(json.get(name)?.warnings).toEqual([
          expect.stringMatching(/: settings\.pgSettings a secret value → another may restart this compute;/),
        ]);
      }
      const texts = ["markdown", "text", "json", "github"].map((format) =>
        report(["--format", format], JSON.stringify(document)),
      );
      for (const { stdout, stderr } of await Promise.all(texts)) expect(stdout + stderr).not.toContain("hidden-");
      await ws.up({ args: SKIP });
      const computes = Object.values(em.world.endpoints).filter(({ name }) => name === "hidden-name");
      expect(computes.map(({ settings }) => settings.pg_settings?.["app.token"])).toEqual(
        KINDS.map(() => "hidden-two"),
      );
      expect(JSON.stringify(await ws.export())).not.toContain("hidden-");
      expect(JSON.stringify(document)).not.toContain("hidden-");
      expect(story.printed()).not.toContain("hidden-");
    },
    ENGINE_TEST_MS,
  );

  test(
    "where they add replaceOnChanges, the refusal names both digests, and the wider one is enough",
    async () => {
      const { ws } = story;
      await ws.setProgram(files(program("hidden-two", 2)));
      const { stdout, stderr } = await ws.preview({ fails: true });
      const said = /then approve ([0-9a-f]+) instead, which is for both\.$/m.exec(stdout + stderr);
      const [, wider] = said ?? [];
      expect(digestsIn(printedIn(stdout + stderr))).not.toContain(wider);
      await runPrinted(ws, `approve --stack ${ws.stack} ${wider}`);
      const { document } = await ws.previewJson();
      expect(shownInJson(document).get("replaced")?.op).toBe("replace");
      expect((await report(["--format", "json"], JSON.stringify(document))).code).toBe(0);
    },
    ENGINE_TEST_MS,
  );
});
