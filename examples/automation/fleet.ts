// Many projects, a stack for each: so many at a time, each with its share of the account's rate.
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { Endpoint } from "pulumi-compute-endpoint";

/** What the fleet consists of: in real life from a file, or from the service. */
interface Place {
  projectId: string;
  branchId: string;
}

const PLACES: Place[] = JSON.parse(process.env["PLACES"] ?? "[]");
const AT_ONCE = Number(process.env["AT_ONCE"] ?? 2);
if (PLACES.length === 0) throw new Error("PLACES lists no project");
if (!Number.isInteger(AT_ONCE) || AT_ONCE < 1) throw new Error("AT_ONCE is a whole number from 1");
/** What the service allows one account; each process keeps within its part of it. */
const REQUESTS_PER_MINUTE = 700;

async function stackFor({ projectId, branchId }: Place): Promise<Stack> {
  const program = async () => {
    const primary = new Endpoint("primary", { projectId, branchId, adopt: true, suspendTimeoutSeconds: 300 });
    return { host: primary.host };
  };
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: projectId, projectName: "fleet", program },
    { projectSettings: { name: "fleet", runtime: "nodejs", main: __dirname } },
  );
  await stack.setConfig("compute:requestsPerMinute", { value: String(Math.floor(REQUESTS_PER_MINUTE / AT_ONCE)) });
  return stack;
}

/** Works through the list with so many at once; one that fails does not stop the others. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<unknown[]> {
  const queue = [...all];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      await work(one).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return failures;
}

async function main(): Promise<void> {
  const failures = await each(PLACES, async (place) => {
    const stack = await stackFor(place);
    if (process.argv.includes("--destroy")) {
      await stack.destroy();
      return;
    }
    const { outputs } = await stack.up();
    console.log(`${place.projectId}: ${outputs["host"]?.value}`);
  });
  for (const failure of failures) console.error(String(failure));
  process.exitCode = failures.length > 0 ? 1 : 0;
}

void main();
