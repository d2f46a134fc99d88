/**
 * A branch has one primary at most. What happens where a program asks for a second one: by a replacement beside a primary that
 * stays, and by primaries that change their branches in one run.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, files, type Story, startStory } from "./support";

const SKIP = ["--skip-preview"];
const [ONE, TWO, THREE] = ["br-one", "br-two", "br-three"] as const;

describeWithEngine("a branch has one primary", (engine) => {
  let story: Story;
  const use = (...lines: string[]) => story.ws.setProgram(files(lines.join("\n")));
  const endpoint = (name: string, branchId: string, args = "", opts = "{}") =>
    `const ${name} = new Endpoint("${name}", { projectId, branchId: "${branchId}", ${args} }, ${opts});`;
  const up = (fails = false, ...args: string[]) => story.ws.up({ args: [...SKIP, ...args], fails });
  const onService = () =>
    Object.fromEntries(
      Object.values(story.em.world.endpoints)
        .filter(({ branch_id }) => [ONE, TWO, THREE].some((one) => one === branch_id))
        .map(({ branch_id, id }) => [branch_id, id]),
    );
  const methods = () => changes(story.em).map(({ line, status }) => `${line.split(" ")[0]} ${status}`);

  async function begin(...lines: string[]): Promise<Record<string, string>> {
    await story.ws.destroy({ args: SKIP });
    for (const id of Object.values(onService())) delete story.em.world.endpoints[id];
    await use(...lines);
    await up();
    changes(story.em);
    return onService();
  }

  beforeAll(async () => {
    const before = (em: Story["em"]) => {
      for (const id of [ONE, TWO, THREE]) addBranch(em, id);
    };
    story = await startStory(engine, { program: "", before });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe("a primary that stays is replaced", () => {
    const ASKS = 'replaceOnChanges: ["suspendTimeoutSeconds"]';

    test(
      "retained: the preview fails with the ways out, and the change that is taken back is no change",
      async () => {
        const { [ONE]: id } = await begin(endpoint("db", ONE, "", "{ retainOnDelete: true }"));
        await use(endpoint("db", ONE, "suspendTimeoutSeconds: 600", `{ retainOnDelete: true, ${ASKS} }`));
        const { stdout } = await story.ws.preview({ fails: true });
        expect(stdout).toMatch(
          new RegExp(`replaces compute ${id}, but ${id} stays on the service \\(the option retainOnDelete\\)`),
        );
        await up(true);
        await use(endpoint("db", ONE, "", "{ retainOnDelete: true }"));
        await up(false, "--expect-no-changes");
        expect([methods(), onService()]).toEqual([[], { [ONE]: id }]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "a replacement that got stuck is finished by the next up: the compute is taken over again",
      async () => {
        const { [ONE]: id } = await begin(endpoint("db", ONE, 'onDelete: "release"'));
        const { urn } = await story.ws.resource("db");
        // A targeted replacement is asked neither for a diff nor twice for a check, so nothing could tell before.
        await up(true, "--target-replace", urn);
        expect((await story.ws.resource("db"))["pendingReplacement"]).toBe(true);
        const { document } = await story.ws.previewJson();
        expect(document.steps?.find(({ op }) => op === "replace")?.newState?.inputs?.["restart"]).toBe("no");
        const { stdout } = await up();
        expect(stdout).toContain("is taken over again, with its host");
        expect([methods(), onService(), (await story.ws.resource("db")).id]).toEqual([[], { [ONE]: id }, id]);
        await up(false, "--expect-no-changes");
      },
      ENGINE_TEST_MS,
    );

    test(
      "with adopt: true the same compute is released and taken over again, and nothing else is promised",
      async () => {
        const { [ONE]: id } = onService();
        await use(endpoint("db", ONE, 'onDelete: "release", suspendTimeoutSeconds: 600, adopt: true', `{ ${ASKS} }`));
        const { document } = await story.ws.previewJson();
        const [step] = document.steps?.filter(({ op }) => op === "replace") ?? [];
        expect(step?.newState?.inputs?.["restart"]).toBe("no");
        await up();
        expect([methods(), onService()]).toEqual([["PATCH 200"], { [ONE]: id }]);
        expect((await story.ws.resource("db")).outputs).toMatchObject({ adopted: false, suspendTimeoutSeconds: 600 });
      },
      ENGINE_TEST_MS,
    );
  });

  describe("primaries that change their branches", () => {
    test(
      "one leaves, another one takes its place, and a new one the place of that: in whatever order they stand",
      async () => {
        const { [ONE]: a, [TWO]: b } = await begin(endpoint("a", ONE), endpoint("b", TWO));
        await use(endpoint("c", ONE), endpoint("a", TWO), endpoint("b", THREE));
        await up();
        expect(methods()).toEqual(["PATCH 200", "PATCH 200", "POST 201"]);
        expect(onService()).toMatchObject({ [THREE]: b, [TWO]: a });
      },
      ENGINE_TEST_MS,
    );

    test(
      "two change places: the preview fails, for no order works",
      async () => {
        const before = onService();
        await use(endpoint("c", ONE), endpoint("a", THREE), endpoint("b", TWO));
        const { stdout } = await story.ws.preview({ fails: true });
        expect(stdout).toMatch(/resources [ab], [ab] swap their branches.*none of them can move first/);
        await up(true);
        expect(onService()).toEqual(before);
      },
      ENGINE_TEST_MS,
    );

    test(
      "one step at a time: dependsOn makes the order",
      async () => {
        const { [ONE]: a, [TWO]: b } = await begin(endpoint("a", ONE), endpoint("b", TWO));
        await use(endpoint("b", THREE), endpoint("a", TWO, "", "{ dependsOn: [b] }"));
        await up(false, "--parallel", "1");
        expect([methods(), onService()]).toEqual([["PATCH 200", "PATCH 200"], { [TWO]: a, [THREE]: b }]);
      },
      ENGINE_TEST_MS,
    );
  });
});
