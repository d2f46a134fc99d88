/**
 * Two resources of one program mean one compute, and each has a provider process of its own. What one of them took over, a
 * delete by the other spares.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { addBranch, changes } from "./support";

const SKIP = ["--skip-preview"];
const DEFAULT = "{}";
const FIRST = "{ provider: first() }";
const SECOND = "{ provider: second() }";

describeWithEngine("one compute, two provider processes", (engine) => {
  let account: Account;
  let stack: Stack;
  const program = (...lines: string[]) => `
const accountOf = (name, apiUrl) => new Provider(name, { apiKey: "${account.key.key}", apiUrl });
const first = () => accountOf("first", "${account.url}");
const second = () => accountOf("second", "${account.url.replace("127.0.0.1", "localhost")}");
const at = { projectId, branchId: "br-db", name: "shared" };
${lines.join("\n")}`;
  const endpoint = (name: string, args: string, opts: string) =>
    `new Endpoint("${name}", { ...at, ${args} }, ${opts});`;
  const onService = () =>
    Object.values(account.em.world.endpoints).flatMap((one) => (one.branch_id === "br-db" ? [one.id] : []));

  /** What was taken over stays on the service after a destroy. */
  async function clear(): Promise<void> {
    await stack.ws.destroy({ args: SKIP });
    for (const id of onService()) delete account.em.world.endpoints[id];
  }

  /** `a` has made the branch's primary, and nothing else exists. */
  async function begin(opts: string): Promise<string> {
    await clear();
    await stack.use(program(endpoint("a", "", opts)));
    await stack.ws.up({ args: SKIP });
    changes(account.em);
    expect(onService()).toHaveLength(1);
    return onService()[0]!;
  }

  beforeAll(async () => {
    account = await startAccount("key-of-shared");
    addBranch(account.em, "br-db");
    stack = await startStack(engine, { COMPUTE_API_KEY: account.key.key, COMPUTE_API_URL: account.url });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await stack?.ws.close();
    await account?.em.close();
  });

  test.each([
    ["from the default provider to an instance", DEFAULT, FIRST],
    ["from an instance to the default provider", FIRST, DEFAULT],
    ["from one instance to another", FIRST, SECOND],
  ])(
    "%s: `b` takes over what `a` made, `a` leaves the program, and the compute stays",
    async (_what, from, to) => {
      const id = await begin(from);
      await stack.use(program(endpoint("b", "adopt: true", to)));
      const { stdout } = await stack.ws.up({ args: SKIP });
      expect(stdout).toContain(`compute ${id} was taken over or created by another resource in this same run`);
      expect(changes(account.em)).toEqual([]);
      expect([onService(), (await stack.ws.resource("b")).id]).toEqual([[id], id]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "both have it in the state, since the run failed elsewhere: a later run deletes only the old name of it",
    async () => {
      const id = await begin(DEFAULT);
      const both = endpoint("b", "adopt: true", FIRST);
      const fails = `new Endpoint("fails", { projectId: "no-such-project-12345678", branchId: "br-none" });`;
      await stack.use(program(both, fails));
      await stack.ws.up({ args: SKIP, fails: true });
      await stack.use(program(both));
      const { stdout } = await stack.ws.up({ args: SKIP });
      expect(stdout).toContain(`compute ${id} also belongs to another resource of the program`);
      expect([changes(account.em), onService()]).toEqual([[], [id]]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "`a` moves to an instance and back without a change: nothing is asked of the service",
    async () => {
      const id = await begin(DEFAULT);
      for (const opts of [FIRST, SECOND, DEFAULT]) {
        await stack.use(program(endpoint("a", "", opts)));
        await stack.ws.up({ args: SKIP });
        expect([changes(account.em), onService()]).toEqual([[], [id]]);
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "`a` moves to an instance and to another branch's project: the old compute goes, and one is made",
    async () => {
      const id = await begin(DEFAULT);
      await stack.use(program(endpoint("a", 'type: "read_only"', FIRST)));
      await stack.ws.up({ args: SKIP });
      expect(changes(account.em).map(({ line }) => line.split(" ")[0])).toEqual(["DELETE", "POST"]);
      expect(onService()).not.toEqual([id]);
    },
    ENGINE_TEST_MS,
  );

  describe("a compute with a generated name", () => {
    const anonymous = (name: string, args: string, opts: string) =>
      `new Endpoint("${name}", { projectId, branchId: "br-db", ${args} }, ${opts});`;

    test(
      "is not taken over under another name, so that no later run, and no --target, deletes it; `aliases` renames it",
      async () => {
        await clear();
        await stack.use(program(anonymous("a", "", DEFAULT)));
        await stack.ws.up({ args: SKIP });
        const [id] = onService();
        changes(account.em);
        await stack.use(program(anonymous("b", "adopt: true", FIRST)));
        const { stdout } = await stack.ws.up({
          args: [...SKIP, "--target", "**b", "--target-dependents"],
          fails: true,
        });
        expect(stdout).toMatch(new RegExp(`adopt names ${id}, which has the name a-[0-9a-f]{8}`));
        await stack.ws.up({ args: SKIP, fails: true });
        await stack.use(program(anonymous("b", "adopt: true", '{ provider: first(), aliases: [{ name: "a" }] }')));
        await stack.ws.up({ args: SKIP });
        expect([changes(account.em), onService()]).toEqual([[], [id]]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "is taken over with a name, once the other resource has left the state",
      async () => {
        const [id] = onService();
        const { urn, outputs } = await stack.ws.resource("b");
        await stack.ws.pulumi(["state", "delete", urn, "--yes"], { fails: false });
        await stack.use(program(anonymous("c", `adopt: true, name: "${outputs?.["name"]}"`, DEFAULT)));
        await stack.ws.up({ args: SKIP });
        expect([changes(account.em), (await stack.ws.resource("c")).id]).toEqual([[], id]);
      },
      ENGINE_TEST_MS,
    );
  });
});
