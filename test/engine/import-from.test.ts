/** `pulumi import --from compute`: whole projects at once, with the code of the program. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithYaml, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, PROJECT } from "./support";
import { startYaml, type YamlStory, yamlProgram } from "./yaml-stories";

const PLUGIN = resolve(__dirname, "../../plugin");

describeWithYaml("a project with computes that nobody manages", (engine, host) => {
  let story: YamlStory;
  beforeAll(async () => {
    story = await startYaml(engine, host, "{}");
    addBranch(story.em, "br-second");
    const [primary] = Object.values(story.em.world.endpoints);
    for (const [id, more] of Object.entries({
      "ep-second-a5x7w3rt": {
        branch_id: "br-second",
        name: "second one",
        settings: { pg_settings: { work_mem: "64MB" } },
      },
      "ep-reader-a5x7w3rt": { type: "read_only" as const },
    })) {
      story.em.world.endpoints[id] = {
        ...structuredClone(primary!),
        id,
        host: `${id}.us-east-2.aws.neon.tech`,
        ...more,
      };
    }
    story.ws.env["PATH"] = `${PLUGIN}:${story.ws.env["PATH"]}`;
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  const computes = () => Object.values(story.em.world.endpoints).filter(({ project_id }) => project_id === PROJECT);

  test(
    "is imported with one command; with the code that it writes the next preview shows no change",
    async () => {
      const args = ["import", "--from", "compute", PROJECT, "--yes", "--protect=false", "--out", "code.yaml"];
      const imported = await story.ws.pulumi(args, { fails: false });
      expect(imported.stdout).toContain(`${computes().length} imported`);
      const code = await readFile(`${story.ws.programFolder}/code.yaml`, "utf8");
      expect(code).toContain("work_mem: 64MB");
      const { ["Pulumi.yaml"]: head } = yamlProgram("");
      await story.ws.setProgram({ "Pulumi.yaml": head!.replace(/resources:[\s\S]*/, code) });
      await story.ws.preview({ args: ["--expect-no-changes"] });
      const ids = ((await story.ws.export()).deployment.resources ?? []).flatMap(({ id, type }) =>
        type === "compute:index:Endpoint" ? [id] : [],
      );
      expect(ids.sort()).toEqual(
        computes()
          .map(({ id }) => id)
          .sort(),
      );
      expect(changes(story.em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "that does not exist, or no project at all, is an error in words",
    async () => {
      const one = await story.ws.pulumi(["import", "--from", "compute", "other-project-12345678", "--yes"], {
        fails: true,
      });
      expect(one.stdout + one.stderr).toMatch(
        /project other-project-12345678 does not exist, or the key .* can't see it/,
      );
      const none = await story.ws.pulumi(["import", "--from", "compute", "--yes"], { fails: true });
      expect(none.stdout + none.stderr).toMatch(/which computes\? `pulumi import --from compute PROJECT`/);
    },
    ENGINE_TEST_MS,
  );
});
