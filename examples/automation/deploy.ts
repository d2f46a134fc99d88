import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { Endpoint } from "pulumi-compute-endpoint";
import { noticesOf } from "./notices";

/** How many resources Pulumi works on at once. The default is 4 for each core, but Pulumi mostly waits for the service. */
const PARALLEL = 100;

const { PROJECT_ID = "quiet-meadow-40718263", BRANCH_ID = "br-copper-lagoon-a5n7v3hd", MAX_CU = "4" } = process.env;

/** A Pulumi program as a function of this process: it sees everything around it, such as `MAX_CU`. */
async function program() {
  const primary = new Endpoint("primary", {
    projectId: PROJECT_ID,
    branchId: BRANCH_ID,
    adopt: true,
    autoscalingLimitMinCu: 1,
    autoscalingLimitMaxCu: Number(MAX_CU),
  });
  return { host: primary.host };
}

async function deploy(): Promise<number> {
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "dev", projectName: "automation", program },
    // Where the engine finds the packages, from wherever this was started.
    { projectSettings: { name: "automation", runtime: "nodejs", main: __dirname } },
  );
  if (process.argv.includes("--destroy")) {
    await stack.destroy({ parallel: PARALLEL });
    return 0;
  }
  const notices = await noticesOf(stack);
  for (const { resource, restart } of notices) console.log(`${resource}: ${restart}`);
  const drops = notices.some(({ restart }) => restart.startsWith("yes"));
  if (drops && !process.argv.includes("--allow-restarts")) {
    console.log("Nothing was changed. To go on: npm run deploy -- --allow-restarts");
    return 3;
  }
  const { outputs, summary } = await stack.up({ parallel: PARALLEL });
  console.log(`host: ${outputs["host"]?.value} ${JSON.stringify(summary.resourceChanges)}`);
  return 0;
}

deploy().then((code) => {
  process.exitCode = code;
});
