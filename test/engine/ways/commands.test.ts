/** What `pulumi` commands have in flags, on one stack: what each shows, and what it sends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../../support/engine";
import { addBranch, changes, files, nameOf, requests, SEED, type Story, shownInJson, startStory } from "../support";

interface Change {
  size?: number;
  first?: string;
  options?: string;
  more?: string;
}

/** `first` comes into being after `second`, which depends on it; `apart` has to do with none of them. */
const program = ({ size = 1, first = "", options = "{}", more = "" }: Change = {}) => `
const replica = { projectId, type: "read_only", size: ${size} };
const later = new Promise((resolve) => setTimeout(resolve, 100)).then(() =>
  new Endpoint("first", { ...replica, branchId: "br-one", ${first} }, ${options}));
const second = new Endpoint("second", { ...replica, branchId: "br-one" }, { dependsOn: [later] });
const apart = new Endpoint("apart", { ...replica, branchId: "br-two" });
new Dependant("dns", { on: apart.host });
${more}`;

const TIMEOUT = "suspendTimeoutSeconds: 600";
const urn = (name: string) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;

describeWithEngine("the flags of commands", (engine) => {
  let story: Story;
  const use = (change: Change) => story.ws.setProgram(files(program(change)));
  const rowOf = new Map<string, string>();

  /** The changes so far as "METHOD name", in order; a POST has the name that the compute got. */
  const sent = () =>
    changes(story.em).map(({ line, body }) => {
      const [method, path] = line.split(" ") as [string, string];
      const name = (body as { endpoint?: { name?: string } } | undefined)?.endpoint?.name;
      return `${method} ${name?.replace(/-[0-9a-f]{8}$/, "") ?? rowOf.get(path.split("/").at(-1)!) ?? path}`;
    });

  async function know(): Promise<void> {
    for (const { urn, id } of (await story.ws.export()).deployment.resources ?? []) {
      if (id) rowOf.set(id, nameOf(urn));
    }
  }

  async function preview(...args: string[]) {
    story.em.requests.length = 0;
    const shown = shownInJson((await story.ws.previewJson({ args })).document);
    const changed = [...shown].filter(([, { op }]) => op !== "same");
    return {
      ops: Object.fromEntries(changed.map(([name, { op }]) => [name, op])),
      marked: changed.flatMap(([name, { restart }]) => (restart && restart[1] !== "no" ? [name] : [])).sort(),
      warned: changed.flatMap(([name, { warnings }]) => warnings.map(() => name)).sort(),
      shown,
    };
  }
  const up = (...args: string[]) => story.ws.up({ args: ["--skip-preview", ...args] });

  beforeAll(async () => {
    story = await startStory(engine, {
      program: program(),
      before: (em) => {
        for (const id of ["br-one", "br-two"]) addBranch(em, id);
      },
    });
    story.ws.env["PULUMI_EXPERIMENTAL"] = "true"; // for update plans
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "dependsOn: what is depended on is made first, and is ready by then",
    async () => {
      await up();
      const lines = sent();
      expect(lines.indexOf("POST first")).toBeLessThan(lines.indexOf("POST second"));
      expect(lines).toHaveLength(3);
      await know();
    },
    ENGINE_TEST_MS,
  );

  test(
    "--target: one compute is announced and changed, the others wait",
    async () => {
      await use({ size: 2 });
      const { ops, marked, warned } = await preview("--target", urn("apart"));
      expect([ops, marked, warned]).toEqual([{ apart: "update" }, ["apart"], ["apart"]]);
      expect(requests(story.em)).toEqual([]);
      await up("--target", urn("apart"));
      expect(sent()).toEqual(["PATCH apart"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "--target-dependents: with what depends on it",
    async () => {
      const args = ["--target", urn("first"), "--target-dependents"];
      const { ops, warned } = await preview(...args);
      expect([ops, warned]).toEqual([{ first: "update", second: "update" }, ["first", "second"]]);
      await up(...args);
      expect(sent()).toEqual(["PATCH first", "PATCH second"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "--exclude: all but one, which the next up finds unchanged in its turn",
    async () => {
      await use({ size: 3 });
      const { ops, warned } = await preview("--exclude", urn("apart"));
      expect([ops, warned]).toEqual([{ first: "update", second: "update" }, ["first", "second"]]);
      await up("--exclude", urn("apart"));
      expect(sent()).toEqual(["PATCH first", "PATCH second"]);
      const rest = await preview();
      expect([rest.ops, rest.warned]).toEqual([{ apart: "update" }, ["apart"]]);
      await up();
      expect(sent()).toEqual(["PATCH apart"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "--refresh: one list, and what somebody changed by hand is announced as the restart that it will be",
    async () => {
      const { em } = story;
      const [id] = [...rowOf].find(([, name]) => name === "apart")!;
      Object.assign(em.world.endpoints[id]!, { autoscaling_limit_min_cu: 8, autoscaling_limit_max_cu: 8 });
      const { ops, shown } = await preview("--refresh");
      expect(requests(em)).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
      expect(ops).toMatchObject({ apart: "update" });
      expect(shown.get("apart")?.restart?.[1]).toMatch(/^yes: size 8 → 3 restarts this compute /);
      expect(shown.get("apart")?.warnings).toEqual([
        expect.stringContaining(`${id}: size 8 → 3 restarts this compute`),
      ]);
      await up("--refresh");
      expect(sent()).toEqual(["PATCH apart"]);
      await up("--refresh", "--expect-no-changes");
      expect(requests(em)).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "--plan: a plan with all kinds of steps holds; another change than the plan's is refused before any request",
    async () => {
      const { ws, em } = story;
      const plan = ["--save-plan", "plan.json"];
      const [first, more] = [TIMEOUT, `new Endpoint("new", { ...replica, branchId: "br-two" });`];
      await use({ size: 4, first, options: `{ replaceOnChanges: ["suspendTimeoutSeconds"] }`, more });
      const { ops, marked } = await preview(...plan);
      expect(ops).toMatchObject({ first: "replace", second: "update", apart: "update", new: "create" });
      expect(marked).toEqual(["apart", "first", "second"]);
      await up("--plan", "plan.json");
      expect(sent().sort()).toEqual(["DELETE first", "PATCH apart", "PATCH second", "POST first", "POST new"]);
      await know();

      await use({ size: 5, first, more });
      await preview(...plan);
      await use({ size: 6, first, more });
      const { stdout, stderr } = await ws.up({ args: ["--skip-preview", "--plan", "plan.json"], fails: true });
      expect(stdout + stderr).toMatch(/violates plan: properties changed: .*size/);
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "--target-replace: a new compute in place of the old one",
    async () => {
      await use({ size: 4, first: TIMEOUT });
      const before = await story.ws.resource("first");
      const args = ["--target-replace", urn("first")];
      const { ops, marked, warned } = await preview(...args);
      // The step says it, and it was asked for by name: the engine tells nobody else that this is no creation.
      expect([ops, marked, warned]).toEqual([{ first: "replace" }, [], []]);
      await up(...args);
      expect(sent()).toEqual(["DELETE first", "POST first"]);
      expect((await story.ws.resource("first")).id).not.toBe(before.id);
      await know();
    },
    ENGINE_TEST_MS,
  );

  test(
    "protect: a restart passes, a replacement fails the preview",
    async () => {
      const { ws, em } = story;
      await use({ size: 4, first: TIMEOUT, options: "{ protect: true }" });
      await up();
      await use({ size: 5, first: TIMEOUT, options: "{ protect: true }" });
      expect((await preview()).ops).toMatchObject({ first: "update" });
      await use({ size: 4, first: `type: "read_write"`, options: "{ protect: true }" });
      const { document } = await ws.previewJson({ fails: true });
      expect(document.diagnostics?.map(({ message }) => message).join()).toContain("marked for protection");
      expect(changes(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "the option import fails with the ways that work",
    async () => {
      await use({ options: `{ import: "${SEED.primaryId}" }` });
      const { stdout } = await story.ws.preview({ fails: true });
      expect(stdout).toContain('Endpoint "first": the option import can\'t work for a dynamic resource.');
      expect(stdout).toContain('Use the argument adopt: "ep-…" instead, or `npx --no compute-endpoint import-file`');
      expect(stdout).not.toMatch(/\n\s+at /);
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy --target: one compute; and destroy does what depends on others first",
    async () => {
      const { ws } = story;
      await ws.pulumi(["state", "unprotect", "--all", "--yes"], { fails: false });
      changes(story.em);
      await ws.destroy({ args: ["--skip-preview", "--target", urn("second")] });
      expect(sent()).toEqual(["DELETE second"]);
      await ws.destroy({ args: ["--skip-preview"] });
      expect(sent().sort()).toEqual(["DELETE apart", "DELETE first"]);
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
