/** What a policy pack with our policies sees, warns about and blocks, on the real engine. */
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, files, type Story, startStory } from "./support";

const ROOT = resolve(__dirname, "../..");
const PACKAGES = ["@pulumi/policy", "@pulumi/pulumi"];

/** "level policy compute" of each line under Policies, sorted. */
const violationsIn = (stdout: string): string[] =>
  [...stdout.matchAll(/^ +- \[(\w+)\] +(\S+) +\(\S+: (\S+)\)$/gm)].map(([, ...words]) => words.join(" ")).sort();

const on = (name: string, args: string) => `new Endpoint("${name}", { projectId, branchId: "br-${name}", ${args} });`;

type Computes = Record<string, string>;
const BEFORE: Computes = {
  resized: on("resized", "size: 1"),
  secret: on("secret", "size: pulumi.secret(1)"),
  tuned: on("tuned", "size: 1"),
  unknown: on("unknown", "size: 1"),
  stopped: on("stopped", "size: 1"),
  moved: on("moved", "size: 1"),
  deleted: on("deleted", "size: 1"),
  renamed: on("renamed", 'size: 1, name: "before"'),
};
const AFTER: Computes = {
  resized: on("resized", "size: 2"),
  secret: on("secret", "size: pulumi.secret(2)"),
  tuned: on("tuned", 'size: 1, settings: { pgSettings: { work_mem: "64MB" } }'),
  unknown: on("unknown", "size: source.echo.apply(() => 4)"),
  stopped: on("stopped", "size: 1, disabled: true"),
  moved: on("moved", "size: 1").replace("projectId", 'projectId: "other-project-12345678"'),
  deleted: "",
  renamed: on("renamed", 'size: 1, name: "after"'),
  created: on("created", "size: 1"),
};

const program = (computes: Computes, source = 1) =>
  files(
    [`const source = new Dependant("source", { on: ${source}, echo: undefined });`, ...Object.values(computes)].join(
      "\n",
    ),
  );

describeWithEngine("the policies", (engine) => {
  let story: Story;
  let pack: string[];

  /** A folder as `npm install` in it would leave it. */
  async function packFolder(name: string, packages: string[]): Promise<string> {
    const folder = join(story.ws.folder, name);
    for (const one of packages) {
      await mkdir(dirname(join(folder, "node_modules", one)), { recursive: true });
      await symlink(join(ROOT, "node_modules", one), join(folder, "node_modules", one));
    }
    await symlink(ROOT, join(folder, "node_modules/pulumi-compute-endpoint"));
    return folder;
  }

  /** The flags that configure the pack. */
  async function configured(config: object): Promise<string[]> {
    const file = join(story.ws.folder, "policy-config.json");
    await writeFile(file, JSON.stringify(config));
    return [...pack, "--policy-pack-config", file];
  }

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        for (const name of Object.keys(AFTER)) addBranch(em, `br-${name}`);
      },
    });
    const folder = await packFolder("pack", PACKAGES);
    await writeFile(
      join(folder, "PulumiPolicy.yaml"),
      "version: 1.0.0\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
    );
    await writeFile(join(folder, "package.json"), '{ "name": "pack", "version": "1.0.0", "main": "index.js" }');
    await writeFile(
      join(folder, "index.js"),
      `const { PolicyPack } = require("@pulumi/policy");
       const { computePolicies } = require("pulumi-compute-endpoint/policy");
       new PolicyPack("pack", { policies: computePolicies({ exceptResources: ["secret"] }) });`,
    );
    pack = ["--policy-pack", folder];
    await story.ws.setProgram(program(BEFORE));
    await story.ws.up({ args: ["--skip-preview"] });
    await story.ws.setProgram(program(AFTER, 2));
    changes(story.em);
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "warn about every kind of harm once, and about nothing else; what the arguments except passes",
    async () => {
      const { stdout } = await story.ws.preview({ args: pack });
      expect(violationsIn(stdout)).toEqual([
        "advisory compute-may-restart tuned",
        "advisory compute-may-restart unknown",
        "advisory compute-new-host moved",
        "advisory compute-restart resized",
        "advisory compute-stop stopped",
      ]);
      expect(stdout).toMatch(/^ +size 1 → 2 restarts this compute .* in exceptResources, in the config/m);
    },
    ENGINE_TEST_MS,
  );

  test.each<[what: string, config: object, violations: string[]]>([
    [
      "a level, and an exception in place of the arguments'",
      {
        "compute-restart": { enforcementLevel: "mandatory", exceptResources: ["resized"] },
        "compute-may-restart": "disabled",
        "compute-new-host": "disabled",
        "compute-stop": "disabled",
      },
      ["mandatory compute-restart secret"],
    ],
    [
      "only these computes, by URN",
      {
        all: "mandatory",
        "compute-restart": { enforcementLevel: "mandatory", resources: ["urn:pulumi:dev::test::*"] },
      },
      [
        "mandatory compute-may-restart tuned",
        "mandatory compute-may-restart unknown",
        "mandatory compute-new-host moved",
        "mandatory compute-restart resized",
        "mandatory compute-stop stopped",
      ],
    ],
  ])(
    "take from the pack's config %s; mandatory fails the preview",
    async (_what, config, violations) => {
      const { stdout } = await story.ws.preview({ args: await configured(config), fails: true });
      expect(violationsIn(stdout)).toEqual(violations);
    },
    ENGINE_TEST_MS,
  );

  test(
    "that are mandatory fail the update, and nothing of it is sent",
    async () => {
      const { ws, em } = story;
      await ws.setProgram(program({ ...BEFORE, resized: AFTER["resized"]! }));
      const { stdout } = await ws.up({
        args: [...(await configured({ all: "mandatory" })), "--skip-preview"],
        fails: true,
      });
      expect(violationsIn(stdout)).toEqual(["mandatory compute-restart resized"]);
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "let a stack pass that is excepted",
    async () => {
      const { ws, em } = story;
      const config = { "compute-restart": { enforcementLevel: "mandatory", exceptStacks: ["test/d*"] } };
      const { stdout } = await ws.up({ args: [...(await configured(config)), "--skip-preview"] });
      expect(violationsIn(stdout)).toEqual([]);
      expect(changes(em)).toHaveLength(1);
    },
    ENGINE_TEST_MS,
  );

  test(
    "see no deletion, and no replacement that only a flag asks for; with --target they repeat what was last said of the others",
    async () => {
      const { ws } = story;
      await ws.setProgram(program({ ...BEFORE, resized: AFTER["resized"]!, deleted: "" }));
      const urnOf = (name: string) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;
      const deletion = await ws.preview({ args: pack });
      expect([violationsIn(deletion.stdout), deletion.stdout]).toEqual([[], expect.stringMatching(/1 to delete/)]);
      const replacement = await ws.preview({ args: [...pack, "--target-replace", urnOf("moved")] });
      expect(replacement.stdout).toMatch(/1 to replace/);
      // Not of `moved`. That of the other one is from its last update: the engine shows what it leaves as it was.
      expect(violationsIn(replacement.stdout)).toEqual(["advisory compute-restart resized"]);
      const target = await ws.preview({ args: [...pack, "--target", urnOf("tuned")] });
      expect(violationsIn(target.stdout)).toEqual(["advisory compute-restart resized"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "of the example block in production, and warn elsewhere",
    async () => {
      const { ws } = story;
      const folder = await packFolder("example", [...PACKAGES, "typescript", "ts-node", "@types/node"]);
      await cp(join(ROOT, "examples/policy"), folder, {
        recursive: true,
        filter: (path) => !path.includes("node_modules"),
      });
      await ws.setProgram(program({ ...BEFORE, resized: on("resized", "size: 4") }));
      const dev = await ws.preview({ args: ["--policy-pack", folder] });
      expect(violationsIn(dev.stdout)).toEqual(["advisory compute-restart resized"]);
      await ws.pulumi(["stack", "rename", "prod"], { fails: false });
      const prod = await ws.preview({ args: ["--policy-pack", folder], fails: true });
      expect(violationsIn(prod.stdout)).toEqual(["mandatory production-restart resized"]);
    },
    ENGINE_TEST_MS,
  );
});
