/**
 * What must never delete, replace or take over a compute that the program still wants under its id, and what Pulumi means
 * by delete and create: then exactly the old one goes, and exactly one is made.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource, Workspace } from "../support/engine";
import { addBranch, changes, files, PROJECT, SEED, type Story, startStory } from "./support";

/** The primary of a branch of its own, and a replica beside the seeded primary. */
const PRIMARY = { projectId: PROJECT, branchId: "br-db", size: 1 };
const REPLICA = { projectId: PROJECT, branchId: SEED.branches.main, type: "read_only", size: 1 };

interface Say {
  name?: string;
  args?: object;
  options?: string;
}

/** An Endpoint of the program. */
const endpoint = (kind: object, { name = "db", args = {}, options = "{}" }: Say = {}) =>
  `new Endpoint("${name}", ${JSON.stringify({ ...kind, ...args })}, ${options});`;

const COMPONENTS = `
class Shop extends pulumi.ComponentResource { constructor(name) { super("test:index:Shop", name); } }
class Store extends pulumi.ComponentResource { constructor(name) { super("test:index:Store", name); } }
const shop = new Shop("shop"), store = new Store("store");
`;
const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");
const SKIP = ["--skip-preview"];

describeWithEngine("a compute that the program still wants", (engine) => {
  let story: Story;
  const use = (program: string) => story.ws.setProgram(files(COMPONENTS + program));
  const inState = async () => ((await story.ws.export()).deployment.resources ?? []).filter(isEndpoint);
  const idsInState = async () => (await inState()).map(({ id }) => id).sort();
  const onService = () =>
    Object.keys(story.em.world.endpoints)
      .filter((id) => id !== SEED.primaryId)
      .sort();

  /** Before each: this one compute is in the state and on the service, and nothing else. */
  async function begin(kind: object, name = "db"): Promise<string> {
    story.em.faults.clear();
    await story.ws.destroy({ args: SKIP });
    await use(endpoint(kind, { name }));
    await story.ws.up({ args: SKIP });
    expect(await idsInState()).toEqual(onService());
    expect(onService()).toHaveLength(1);
    changes(story.em);
    return onService()[0]!;
  }

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        addBranch(em, "br-db");
        em.world.branches["br-there"] = {
          ...structuredClone(em.world.branches["br-db"]!),
          id: "br-there",
          project_id: SEED.second.projectId,
        };
      },
    });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe("the primary of a branch", () => {
    let id: string;
    beforeAll(async () => {
      id = await begin(PRIMARY);
    }, ENGINE_TEST_MS);
    beforeEach(() => void changes(story.em));

    test.each([
      ["renamed", endpoint(PRIMARY, { name: "database" })],
      ["moved into a component", endpoint(PRIMARY, { options: "{ parent: shop }" })],
    ])(
      "%s without an alias: the run stops and names it, and it stays what it was",
      async (_what, program) => {
        await use(program);
        const { stdout } = await story.ws.up({ args: SKIP, fails: true });
        expect(stdout).toContain(`already has its primary compute, ${id}, and a branch has only one`);
        expect(changes(story.em)).toEqual([]);
        expect(await idsInState()).toEqual([id]);
      },
      ENGINE_TEST_MS,
    );

    test.each([
      ["renamed", { name: "database", options: '{ aliases: [{ name: "db" }] }' }],
      [
        "moved into a component",
        { name: "database", options: "{ parent: shop, aliases: [{ parent: pulumi.rootStackResource }] }" },
      ],
    ])(
      "%s with an alias: it keeps its id, and nothing is asked of the service",
      async (_what, say) => {
        await use(endpoint(PRIMARY, say));
        await story.ws.up({ args: [...SKIP, "--expect-no-changes"] });
        expect(changes(story.em)).toEqual([]);
        expect(await idsInState()).toEqual([id]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "renamed with `adopt`, in a run that fails elsewhere: the old name alone leaves the state, then and later",
      async () => {
        // The name says that one knows whose compute it is.
        const { name } = story.em.world.endpoints[id]!;
        const renamed = endpoint(PRIMARY, { name: "renamed", args: { adopt: id, name, onDelete: "delete" } });
        const fails = `new Endpoint("fails", { projectId: "no-such-project-12345678", branchId: "br-none" });`;
        await use(renamed + fails);
        await story.ws.up({ args: SKIP, fails: true });
        expect(await idsInState()).toEqual([id, id]);
        await use(renamed);
        await story.ws.up({ args: SKIP });
        expect(changes(story.em)).toEqual([]);
        expect(onService()).toEqual([id]);
        expect(await idsInState()).toEqual([id]);
      },
      ENGINE_TEST_MS,
    );
  });

  describe("where Pulumi means delete and create, exactly the old one goes and one is made", () => {
    const there = { projectId: SEED.second.projectId, branchId: "br-there" };
    test.each<[string, object, Say, "first" | "last", boolean]>([
      ["a replica renamed without an alias", REPLICA, { name: "copy" }, "last", false],
      ["a replica moved into a component without an alias", REPLICA, { options: "{ parent: shop }" }, "last", false],
      ["--target-replace of a primary", PRIMARY, {}, "first", true],
      ["--target-replace of a replica", REPLICA, {}, "first", true],
      ["another project", PRIMARY, { args: there }, "first", false],
    ])(
      "%s",
      async (_what, kind, say, deleted, byTarget) => {
        const old = await begin(kind);
        await use(endpoint(kind, say));
        const [{ urn }] = (await inState()) as [StateResource];
        await story.ws.up({ args: [...SKIP, ...(byTarget ? ["--target-replace", urn] : [])] });
        const lines = changes(story.em).map(({ line }) => line);
        const removal = `DELETE /projects/${PROJECT}/endpoints/${old}`;
        expect(lines).toHaveLength(2);
        expect(lines[deleted === "first" ? 0 : 1]).toBe(removal);
        expect(lines[deleted === "first" ? 1 : 0]).toMatch(/^POST /);
        expect(onService()).toHaveLength(1);
        expect(onService()).not.toEqual([old]);
        expect(await idsInState()).toEqual(onService());
      },
      ENGINE_TEST_MS,
    );
  });

  test(
    "two components whose children have the same name have a compute each, and only that one goes which is taken out",
    async () => {
      await begin(REPLICA);
      const [inShop, inStore] = ["shop", "store"].map((parent) =>
        endpoint(REPLICA, { options: `{ parent: ${parent} }` }),
      );
      await use(`${inShop}${inStore}`);
      await story.ws.up({ args: SKIP });
      expect(onService()).toHaveLength(2);
      expect(await idsInState()).toEqual(onService());
      changes(story.em);
      const kept = (await inState()).find(({ urn }) => urn.includes("Store$"))!.id;
      await use(inStore!);
      await story.ws.up({ args: SKIP });
      expect(changes(story.em)).toHaveLength(1);
      expect(onService()).toEqual([kept]);
      expect(await idsInState()).toEqual([kept]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "another backend with the same project, stack and names stops at it, takes over only what is asked for, and lets go",
    async () => {
      const id = await begin(REPLICA);
      const { em, ws } = story;
      const { COMPUTE_API_KEY, COMPUTE_API_URL } = ws.env;
      const adopting = `new Endpoint("primary", { projectId, branchId, adopt: true });`;
      const other = await Workspace.create(engine, {
        program: files(endpoint(REPLICA)),
        env: { COMPUTE_API_KEY, COMPUTE_API_URL },
      });
      try {
        const { stdout } = await other.up({ args: SKIP, fails: true });
        expect(stdout).toMatch(
          new RegExp(`compute ${id} of project ${PROJECT} carries the name db-\\w{8}, .*not touched`),
        );
        await other.setProgram(files(adopting));
        await other.up({ args: SKIP });
        await other.destroy({ args: SKIP });
      } finally {
        await other.close();
      }
      expect(changes(em)).toEqual([]);
      expect(onService()).toEqual([id]);
      await ws.up({ args: [...SKIP, "--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );

  test.each([404, 403])(
    "a key to which everything is %i now: no command changes the state, and a good one finds all as it was",
    async (status) => {
      const id = await begin(PRIMARY);
      const { em, ws } = story;
      em.faults.add({ match: {}, times: 10_000, then: { status, body: { code: "", message: "not for you" } } });
      await use(endpoint(PRIMARY, { args: { size: 2 } }) + endpoint(REPLICA, { name: "more" }));
      for (const args of [["refresh"], ["up"], ["destroy"]]) {
        const { stdout } = await ws.pulumi([...args, "--yes", ...SKIP], { fails: true });
        expect(stdout).toMatch(new RegExp(`the service answered ${status}: not for you`));
        expect(stdout).not.toMatch(/ {4}- 1 deleted/);
      }
      expect(await idsInState()).toEqual([id]);
      em.faults.clear();
      changes(em);
      await use(endpoint(PRIMARY));
      await ws.up({ args: [...SKIP, "--refresh"] });
      expect(changes(em)).toEqual([]);
      expect(onService()).toEqual([id]);
    },
    ENGINE_TEST_MS,
  );
});
