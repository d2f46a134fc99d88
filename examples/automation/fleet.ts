// Many projects, a stack for each: so many at a time, each with its share of the account's rate.
import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import { Endpoint } from "pulumi-compute-endpoint";
import { stacksAtOnce } from "./at-once";

/** What the fleet consists of: in real life from a file, or from the service. */
interface Place {
  projectId: string;
  branchId: string;
}

const PLACES: Place[] = JSON.parse(process.env["PLACES"] ?? "[]");
const AT_ONCE = Number(process.env["AT_ONCE"] ?? stacksAtOnce());
if (PLACES.length === 0) throw new Error("PLACES lists no project");
if (!Number.isInteger(AT_ONCE) || AT_ONCE < 1) throw new Error("AT_ONCE is a whole number from 1");
/** What the service allows one account; each process keeps within its part of it. */
const REQUESTS_PER_MINUTE = 700;

/** Pulumi is looked for once, not once for each stack. */
let pulumi: Promise<PulumiCommand> | undefined;

async function stackFor({ projectId, branchId }: Place): Promise<Stack> {
  pulumi ??= PulumiCommand.get();
  const program = async () => {
    const primary = new Endpoint("primary", { projectId, branchId, adopt: true, suspendTimeoutSeconds: 300 });
    return { host: primary.host };
  };
  // Nobody reads a preview of each: what would drop connections is refused, and says so.
  const onRestart = process.argv.includes("--allow-restarts") ? "warn" : "refuse";
  const config = {
    "compute:requestsPerMinute": String(Math.floor(REQUESTS_PER_MINUTE / AT_ONCE)),
    "compute:onRestart": onRestart,
  };
  return LocalWorkspace.createOrSelectStack(
    { stackName: projectId, projectName: "fleet", program },
    {
      projectSettings: { name: "fleet", runtime: "nodejs", main: __dirname },
      // Given here, so that Pulumi need not run a command for each setting.
      stackSettings: { [projectId]: { config } },
      pulumiCommand: await pulumi,
    },
  );
}

/** What one stack came to, in a line. */
async function runStack(place: Place): Promise<string> {
  const stack = await stackFor(place);
  if (process.argv.includes("--destroy")) {
    await stack.destroy();
    return "destroyed; a compute that was taken over is still there";
  }
  // The history is read after each `up`. Nobody needs its secrets here, and to decrypt them takes a quarter of a second.
  const { outputs } = await stack.up({ showSecrets: false });
  return String(outputs["host"]?.value);
}

/** Of all that a failed command printed, the lines that say what is wrong. */
function reasonsOf(error: unknown): string {
  const lines = String(error).match(/(?<=^ *error: ).*/gm) ?? [String(error)];
  const reasons = new Set(lines.filter((line) => line !== "update failed"));
  return [...reasons].join("\n  ");
}

async function main(): Promise<void> {
  const queue = [...PLACES];
  let failed = 0;
  const worker = async () => {
    for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
      try {
        console.log(`${place.projectId}: ${await runStack(place)}`);
      } catch (error) {
        failed++;
        console.error(`${place.projectId} FAILED\n  ${reasonsOf(error)}`);
      }
    }
  };
  // One that fails does not stop the others.
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.log(`${PLACES.length - failed} done, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

void main();
