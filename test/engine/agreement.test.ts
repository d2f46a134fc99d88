/**
 * What the report calls approved, or without an impact, is what `pulumi up` lets pass under `refuse`, and the other way round. Every
 * row runs on the real engine: a soft preview, the report, `up`, the report's own command, the report and `up` again.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { run } from "../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { runPrinted } from "./printed";
import { addBranch, changes, files, type Story, startStory } from "./support";

const COMMAND = join(__dirname, "../../dist/cli/main.js");

interface Compute {
  args: string;
  options?: string;
}

interface Row {
  before?: Compute;
  after: Compute;
  /** What happens between: by hand, on the service. */
  between?: (story: Story, name: string) => Promise<void>;
  /** What the report says before anything is approved. */
  impact: "none" | "may-restart" | "restart" | "stop" | "new-host";
  /** Whether `up` passes as it is, where the report can't know: an adoption. @default only what has no impact, or may have one */
  passes?: boolean;
  /** Whether a digest can approve it. @default from a restart upwards */
  approvable?: boolean;
}

const one: Compute = { args: "size: 1" };
const ROWS: Record<string, Row> = {
  renamed: { after: { args: 'size: 1, name: "other"' }, impact: "none" },
  libraries: {
    after: { args: 'size: 1, settings: { preloadLibraries: { enabledLibraries: ["x"] } }' },
    impact: "none",
  },
  resized: { after: { args: "size: 2" }, impact: "restart" },
  limits: { after: { args: "autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2" }, impact: "restart" },
  parameters: { after: { args: 'size: 1, settings: { pgSettings: { work_mem: "64MB" } }' }, impact: "may-restart" },
  triggers: {
    before: { args: "size: 1, restartTriggers: [1]" },
    after: { args: "size: 1, restartTriggers: [2]" },
    impact: "restart",
  },
  stopped: { after: { args: "size: 1, disabled: true" }, impact: "stop" },
  branch: { after: { args: 'size: 1, branchId: "br-branch-2"' }, impact: "restart" },
  elsewhere: {
    after: { args: `size: 1, projectId: "${SEED.second.projectId}", branchId: "br-there"` },
    impact: "new-host",
  },
  typed: { before: { args: 'size: 1, type: "read_only"' }, after: { args: "size: 1" }, impact: "new-host" },
  asked: { after: { args: "size: 2", options: '{ replaceOnChanges: ["size"] }' }, impact: "new-host" },
  harmless: {
    after: { args: "size: 1, suspendTimeoutSeconds: 600", options: '{ replaceOnChanges: ["suspendTimeoutSeconds"] }' },
    impact: "new-host",
  },
  secret: {
    before: { args: "size: pulumi.secret(1)" },
    after: { args: "size: pulumi.secret(2)" },
    impact: "restart",
    approvable: false,
  },
  allowed: { after: { args: 'size: 2, onRestart: "warn"' }, impact: "restart", passes: true },
  drifted: {
    after: one,
    between: async ({ em, ws }, name) => {
      const found = Object.values(em.world.endpoints).find(({ branch_id: branch }) => branch === `br-${name}`)!;
      Object.assign(found, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
      await ws.refresh({ args: ["--skip-preview"] });
    },
    impact: "restart",
  },
  adopted: { before: undefined, after: { args: "size: 1, adopt: true" }, impact: "may-restart", passes: true },
  "adopted-other": { before: undefined, after: { args: "size: 2, adopt: true" }, impact: "may-restart", passes: false },
};
const isNew = (name: string) => name.startsWith("adopted");

describeWithEngine("the report and `up` under refuse", (engine) => {
  let story: Story;
  const current = new Map<string, Compute>();
  const use = () =>
    story.ws.setProgram(
      files(
        [...current]
          .map(([name, { args, options = "{}" }]) => {
            const all = `{ projectId, branchId: "br-${name}", ${args} }`;
            return `new Endpoint("${name}", ${all}, ${options});`;
          })
          .join("\n"),
      ),
    );

  async function report() {
    const { document } = await story.ws.previewJson({ env: { COMPUTE_ON_RESTART: "warn" } });
    const path = join(story.ws.programFolder, "preview.json");
    await writeFile(path, JSON.stringify(document));
    const { code, stdout } = await run(process.execPath, [COMMAND, "report", path, "--format", "json"], {
      cwd: story.ws.programFolder,
      env: process.env,
      limitMs: ENGINE_TEST_MS,
    });
    const [stack] = JSON.parse(stdout).stacks;
    return { code, stack, of: (name: string) => stack.computes.find((found: { name: string }) => found.name === name) };
  }

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        for (const name of [...Object.keys(ROWS), "branch-2"]) addBranch(em, `br-${name}`);
        addBranch(em, "br-there", SEED.second.branchId);
        for (const name of Object.keys(ROWS).filter(isNew)) {
          const id = `ep-${name}-a5x7w3rt`;
          const like = em.world.endpoints[SEED.primaryId]!;
          const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
          em.world.endpoints[id] = { ...structuredClone(like), id, branch_id: `br-${name}`, ...size };
        }
      },
    });
    for (const [name, { before = one }] of Object.entries(ROWS)) if (!isNew(name)) current.set(name, before);
    await use();
    await story.ws.up({ args: ["--skip-preview"] });
    await story.ws.setConfig({ "compute:onRestart": "refuse" });
    changes(story.em);
  }, 2 * ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test.each(Object.entries(ROWS))(
    "%s",
    async (name, { after, between, impact, passes, approvable }) => {
      const { ws, em } = story;
      const before = current.get(name);
      await between?.(story, name);
      changes(em);
      current.set(name, after);
      await use();
      const first = await report();
      expect(first.of(name)).toMatchObject({ impact });
      const { approval } = first.of(name);
      const isHarmless = impact === "none" || impact === "may-restart";
      expect(approval?.refused ?? false).toBe(!isHarmless && passes !== true);
      const expected = passes ?? isHarmless;
      expect(approval === undefined || approval.refused).toBe(isHarmless || !expected);
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: !expected });
      if (expected) return;
      expect(stdout).toContain('onRestart is "refuse"');
      expect(changes(em)).toEqual([]);
      if (isHarmless || approvable === false) {
        expect(approval?.digest).toBeUndefined();
        if (before) current.set(name, before);
        else current.delete(name);
        return;
      }
      await runPrinted(ws, first.stack.approveCommand.replace("npx --no compute-endpoint ", ""));
      const second = await report();
      expect([second.code, second.of(name).approval]).toEqual([
        0,
        expect.objectContaining({ approved: true, refused: false }),
      ]);
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).length).toBeGreaterThan(0);
    },
    2 * ENGINE_TEST_MS,
  );
});
