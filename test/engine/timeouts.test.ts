/** `customTimeouts` that a rule of the program adds after the constructor: what Pulumi registers counts, in each command. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, type Story, startStory } from "./support";

const SKIP = ["--skip-preview"];
const PROGRAM = `
const customTimeouts = { create: "2s", update: "3s", delete: "4s" };
pulumi.runtime.registerStackTransform(({ props, opts }) => ({ props, opts: { ...opts, customTimeouts } }));
new Endpoint("db", { projectId, branchId: "br-db", size: Number(process.env.SIZE ?? 1) });`;

describeWithEngine("customTimeouts from a transform", (engine) => {
  let story: Story;
  beforeAll(async () => {
    story = await startStory(engine, { program: PROGRAM, before: (em) => addBranch(em, "br-db") });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "limit create, update and delete, also in a destroy, which runs no program",
    async () => {
      const { em, ws } = story;
      const spoil = (action: string) => {
        em.faults.clear();
        em.faults.add({ operation: { action, then: "never" } });
      };
      spoil("start_compute");
      expect((await ws.up({ args: SKIP, fails: true })).stdout).toContain("not finished after 2 s: start_compute");
      em.faults.clear();
      await ws.up({ args: SKIP });
      spoil("apply_config");
      const update = await ws.up({ args: SKIP, env: { SIZE: "2" }, fails: true });
      expect(update.stdout).toContain("not finished after 3 s: apply_config");
      em.faults.clear();
      spoil("suspend_compute");
      expect((await ws.destroy({ args: SKIP })).stdout).toContain("not finished after 4 s: suspend_compute");
    },
    ENGINE_TEST_MS,
  );
});
