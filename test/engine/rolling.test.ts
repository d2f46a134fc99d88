/** One `up` that resizes all readers of a branch: at most one of them is down at a time, also when one does not come up again. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { mostDownAtOnce } from "../support/down-times";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, files, type Story, startStory } from "./support";

const NUMBERS = [1, 2, 3, 4];
const program = (size: number) => `
for (const n of [${NUMBERS}])
  new Endpoint("reader-" + n, { projectId, branchId: "br-pool", type: "read_only", size: ${size} });`;
const UP = ["--skip-preview", "--parallel", "16"];

describeWithEngine("readers of one branch", (engine) => {
  let story: Story;
  const readers = () => Object.values(story.em.world.endpoints).filter((one) => one.branch_id === "br-pool");
  const most = () =>
    mostDownAtOnce(
      story.em.world,
      readers().map(({ id }) => id),
    );
  const sizes = () =>
    readers()
      .map((one) => one.autoscaling_limit_max_cu)
      .sort();

  beforeAll(async () => {
    // Only the branch locks: nothing but the provider keeps other branches apart.
    const rules = { operationMs: 300, lock: "branch" } as const;
    story = await startStory(engine, { program: program(1), before: (em) => addBranch(em, "br-pool"), ...rules });
    await story.ws.up({ args: UP });
  }, ENGINE_TEST_MS);
  beforeEach(() => {
    story.em.world.operations.length = 0;
  });
  afterAll(() => story?.close());

  test(
    "are resized one after the other",
    async () => {
      await story.ws.setProgram(files(program(2)));
      await story.ws.up({ args: UP });
      expect([sizes(), most()]).toEqual([[2, 2, 2, 2], 1]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "stay up behind one that fails, also with --continue-on-error, and the next up goes on",
    async () => {
      const { em, ws } = story;
      await ws.setProgram(files(program(4)));
      em.faults.add({ operation: { action: "apply_config", then: "error" } });
      const { stdout } = await ws.up({ args: [...UP, "--continue-on-error"], fails: true });
      const heldBack = stdout.matchAll(
        /compute (ep-\S+) was not changed: in this run the change of compute ep-\S+, on the same/g,
      );
      expect(new Set([...heldBack].map(([, id]) => id)).size).toBe(3);
      expect([sizes(), most()]).toEqual([[2, 2, 2, 4], 1]);
      em.world.operations.length = 0;
      await ws.up({ args: UP });
      expect([sizes(), most()]).toEqual([[4, 4, 4, 4], 1]);
      await ws.preview({ args: ["--expect-no-changes"] });
    },
    ENGINE_TEST_MS,
  );
});
