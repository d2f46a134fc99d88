/** What a preview says beside the diff, which shows it without its reason or not at all. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { files, type Story, shownInJson, startStory } from "./support";

describeWithEngine("a preview warns", (engine) => {
  let story: Story;
  const use = (args: string) =>
    story.ws.setProgram(files(`new Endpoint("db", { projectId, branchId, adopt: true, ${args} });`));
  const warnings = async () => shownInJson((await story.ws.previewJson()).document).get("db")?.warnings;

  beforeAll(async () => {
    story = await startStory(engine, { program: "" });
    await use('name: "one", onDelete: "delete"');
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "when a setting is asked for again that the service did not apply",
    async () => {
      const { ws, em } = story;
      await use('name: "two", onDelete: "delete"');
      em.faults.add({ ignore: { fields: ["name"], times: 9 } });
      expect(await warnings()).toEqual([]);
      await ws.up({ args: ["--skip-preview"] });
      expect(await warnings()).toBeUndefined();
      await ws.setConfig({ "compute:askAgain": "true" });
      expect(await warnings()).toContain("name is sent again: the service did not apply it last time");
      em.faults.clear();
      await ws.up({ args: ["--skip-preview"] });
      await ws.removeConfig("compute:askAgain");
    },
    ENGINE_TEST_MS,
  );

  test(
    "when `up` will refuse a restart that compute:askAgain brings",
    async () => {
      const { ws, em } = story;
      const sized = (size: number) => use(`name: "two", onDelete: "delete", size: ${size}`);
      await sized(0.25);
      await ws.up({ args: ["--skip-preview"] });
      em.faults.add({ ignore: { fields: ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"], times: 9 } });
      await sized(2);
      await ws.up({ args: ["--skip-preview"] });
      em.faults.clear();
      await ws.setConfig({ "compute:askAgain": "true", "compute:onRestart": "refuse" });
      const told = await warnings();
      expect(told![0]).toMatch(
        /size 0.25 → 2 restarts .* onRestart is "refuse": `up` will fail\. Set onRestart: "warn"/,
      );
      await ws.up({ args: ["--skip-preview"], fails: true });
      await ws.removeConfig("compute:askAgain");
      await ws.removeConfig("compute:onRestart");
      await use('name: "two", onDelete: "delete"');
      await ws.up({ args: ["--skip-preview"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "when a compute that was to be deleted is released from now on",
    async () => {
      await use('name: "two"');
      expect(await warnings()).toEqual([
        expect.stringMatching(/^without onDelete this compute, .* will be released with this resource, not deleted\. /),
      ]);
      await use('name: "two", onDelete: "release"');
      expect(await warnings()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "when a compute that was to be released is deleted from now on",
    async () => {
      const replica = (args: string) =>
        story.ws.setProgram(files(`new Endpoint("db", { projectId, branchId, type: "read_only", size: 1, ${args} });`));
      await replica('onDelete: "release"');
      await story.ws.up({ args: ["--skip-preview"] });
      await replica("");
      expect(await warnings()).toEqual([
        'without onDelete this compute, which was created for this resource, will be deleted with it, not released. To keep it as it was, set onDelete: "release"',
      ]);
      await replica('onDelete: "delete"');
      expect(await warnings()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
