/**
 * The vendor's own configuration as code as a judge that is not ours: what a `neon.ts` says of a compute is what our
 * `pulumi up` made of it if `neon config plan` sees nothing to do. It only plans, and never applies.
 */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { DEV, MAIN, Neon, PROJECT, type Printed } from "./neon";

interface Computes {
  main: object;
  dev: object;
}

/** The primary that the project came with, taken over, and one that we made on another branch. */
const program = ({ main, dev }: Computes) => `
  const { Endpoint } = require("pulumi-compute-endpoint");
  const projectId = "${PROJECT}";
  new Endpoint("main", { projectId, branchId: "${MAIN}", adopt: true, ...${JSON.stringify(main)} });
  new Endpoint("dev", { projectId, branchId: "${DEV}", ...${JSON.stringify(dev)} });`;

const policy = (computes: Computes) => `
  import { defineConfig } from "@neon/config/v1";
  const computes = ${JSON.stringify(computes)};
  export default defineConfig({
    branch: ({ name }) => ({ postgres: { computeSettings: computes[name] } }),
  });`;

/** The same settings for our program and for theirs. */
const STEPS: [what: string, ours: Computes, theirs: Computes][] = [
  [
    "limits and a timeout, and a fixed size that never suspends",
    {
      main: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4, suspendTimeoutSeconds: 600 },
      dev: { size: 2, suspendTimeoutSeconds: -1 },
    },
    {
      main: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4, suspendTimeout: "10m" },
      dev: { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, suspendTimeout: false },
    },
  ],
  [
    "a large fixed size, and a timeout of a week",
    { main: { size: 18, suspendTimeoutSeconds: -1 }, dev: { size: 0.25, suspendTimeoutSeconds: 604_800 } },
    {
      main: { autoscalingLimitMinCu: 18, autoscalingLimitMaxCu: 18, suspendTimeout: false },
      dev: { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 0.25, suspendTimeout: "1w" },
    },
  ],
];

describeWithEngine("neon config plan after our pulumi up", (engine) => {
  let neon: Neon;
  let ws: Workspace;
  let folder: string;

  beforeAll(async () => {
    neon = await Neon.start();
    folder = join(neon.home, "policy");
    const config = dirname(dirname(require.resolve("@neon/config/v1")));
    await mkdir(join(folder, "node_modules/@neon"), { recursive: true });
    await symlink(config, join(folder, "node_modules/@neon/config"));
    const env = { COMPUTE_API_KEY: neon.em.apiKey, COMPUTE_API_URL: neon.em.url };
    ws = await Workspace.create(engine, { program: program({ main: {}, dev: {} }), env });
    await ws.setConfig({ "compute:pollSeconds": "0.2" });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await neon?.close();
  });

  /** What the plan would change on each branch: `main: update computeSettings`. It asks, and changes nothing. */
  async function planned(wanted: Computes, ...branches: string[]): Promise<string[]> {
    await writeFile(join(folder, "neon.ts"), policy(wanted));
    neon.em.requests.length = 0;
    const plan = (branch: string) => neon.json(["config", "plan", "--branch", branch], { cwd: folder });
    const plans: Printed[] = await Promise.all(branches.map(plan));
    expect(neon.em.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    return plans.flatMap(({ branchName, applied, conflicts }) => [
      ...applied
        .filter(({ action }: Printed) => action !== "noop")
        .map(({ action, details }: Printed) => `${branchName}: ${action} ${details.field}`),
      ...conflicts.map(({ reason }: Printed) => `${branchName}: ${reason}`),
    ]);
  }

  /** What the vendor reads off a branch, in the words of its file. */
  const read = async (branch: string) =>
    (await neon.json(["config", "status", "--branch", branch])).config.branch.postgres.computeSettings;

  test(
    "sees no change where its file says the same, and one where it does not",
    async () => {
      let before: Computes | undefined;
      for (const [what, ours, theirs] of STEPS) {
        await ws.setProgram(program(ours));
        await ws.up({ args: ["--skip-preview"] });
        expect(await planned(theirs, "main", "dev"), what).toEqual([]);
        // It does look: what the file said before is no longer so.
        if (before) expect(await planned(before, "main"), what).toEqual(["main: update computeSettings"]);
        else expect(await read("main"), what).toEqual(theirs.main);
        before = theirs;
      }
    },
    ENGINE_TEST_MS,
  );
});
