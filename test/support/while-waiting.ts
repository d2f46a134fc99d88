/** Commands that are stopped in the middle: while the provider waits for an operation of the service. */
import { setTimeout as sleep } from "node:timers/promises";
import { commandOf, processesWith } from "../../tools/engine/processes";
import type { Run } from "../../tools/engine/run";
import type { Story } from "../engine/support";

/** What runs when the wait has begun. */
export interface CommandProcesses {
  /** The command itself. */
  pulumi: number;
  /** The provider processes. If there is only one, that one waits. */
  providers: number[];
}

/** Part of the path of a request that only a waiting process sends: a poll of one operation. */
const LOOK = "/operations/";

/**
 * Begins a command, and calls `then` with its processes as soon as it polls an operation.
 * @param sign part of the path of another request that shows that the command waits
 */
export async function whileWaiting(
  { ws, em }: Story,
  args: readonly string[],
  then: (running: CommandProcesses) => unknown,
  sign = LOOK,
): Promise<Run> {
  em.requests.length = 0;
  let pulumi = 0;
  const run = ws.pulumi([...args, "--yes", "--skip-preview"], {
    onStart: (child) => {
      pulumi = child.pid ?? 0;
    },
  });
  const isWaiting = () => em.requests.some(({ path }) => path.includes(sign));
  const over = run.then(
    () => true,
    () => true,
  );
  while (!isWaiting()) {
    if (await Promise.race([over, sleep(25, false)])) break;
  }
  if (!isWaiting()) throw new Error(`the command ended before it waited: ${JSON.stringify(await run)}`);
  const providers = processesWith("PULUMI_HOME", ws.env["PULUMI_HOME"] ?? "").filter((pid) =>
    /^\S*node .*dynamic-provider/.test(commandOf(pid)),
  );
  await then({ pulumi, providers });
  return run;
}

/** A process is stopped as if its machine had been switched off. */
export const killProcess = (pid: number): void => void process.kill(pid, "SIGKILL");
