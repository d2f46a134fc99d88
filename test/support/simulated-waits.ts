/** Waits for operations of given durations in virtual time: how late each end is noticed, and when the service is asked. */
import { Deadline } from "../../provider/clock.js";
import { settle } from "../../provider/operations/settle.js";
import { operationRow } from "./scripted-operations.js";
import { scripted } from "./scripted-service.js";

export interface SimulatedWait {
  durationMs: number;
  /** @default 0 */
  startsAtMs?: number;
  /** @default the same for all */
  action?: string;
}

export interface SimulatedWaits {
  /** Milliseconds from the end of each operation to the end of its wait. */
  lateMs: number[];
  /** Virtual milliseconds of all polls. */
  polledAt: number[];
}

const DEADLINE_MS = 3_600_000;

/** One project for each wait, and one process for all. */
export async function simulateWaits(
  waits: readonly SimulatedWait[],
  options: { seed?: number; requestsPerMinute?: number; pollSeconds?: number } = {},
): Promise<SimulatedWaits> {
  const s = scripted(({ line }) => {
    const index = Number(/\/projects\/p(\d+)\/operations/.exec(line)?.[1]);
    const { durationMs, startsAtMs = 0, action } = waits[index]!;
    const isDone = s.clock.now() >= startsAtMs + durationMs;
    const operation = operationRow(`op${index}`, isDone ? "finished" : "running", action ? { action } : {});
    return { status: 200, body: { operation } };
  }, options);
  const lateMs = await s.clock.run(
    Promise.all(
      waits.map(async ({ durationMs, startsAtMs = 0, action }, index) => {
        await s.clock.sleep(startsAtMs);
        const operation = operationRow(`op${index}`, "running", action ? { action } : {});
        await settle(s.context, `p${index}`, [operation], new Deadline(s.clock, DEADLINE_MS));
        return s.clock.now() - startsAtMs - durationMs;
      }),
    ),
  );
  return { lateMs, polledAt: s.times() };
}
