// The steps of a command: how they follow each other, and what is noted of each.

import type { Outlook } from "../../../provider/lookup/live.js";
import type { VirtualClock } from "../virtual-clock.js";
import type { Plan, Processes } from "./engine.js";
import type { Sent } from "./network.js";
import type { ProcessLife } from "./process-life.js";

/** One step of a command. Times are virtual milliseconds. */
export interface Step {
  name: string;
  op: Plan["op"] | "refresh" | "delete";
  from: number;
  /** When the mutation queue let it work on its project. */
  turns: { from: number; to?: number }[];
  /** Absent where the process was killed before. */
  to?: number;
  error?: Error;
}

/** What a command said and sent, with all its resources together. */
export interface Run {
  warnings: string[];
  said: string[];
  sent: Sent[];
  /** In the order in which they began. */
  steps: Step[];
}

/** What a command planned and did for one resource. */
export interface Outcome extends Run, Plan {
  error?: Error;
  /** What the preview foresees of a creation. */
  outlook?: Outlook;
}

/** In which order steps begin, and how many run at once. */
export interface StepOrder {
  /** Names of resources; without it, in the order of the program. */
  order?: string[];
  /** Steps at once. @default 8 */
  parallel?: number;
}

/** As many steps as the engine has at once on two cores. */
const PARALLEL = 8;

/** Runs one step, and records when it began, had its turn and ended. */
export async function timedStep<T>(
  clock: VirtualClock,
  processes: Processes,
  run: Run,
  { name, op }: Pick<Step, "name" | "op">,
  work: (processes: Processes) => Promise<T>,
): Promise<T> {
  const step: Step = { name, op, from: clock.now(), turns: [] };
  run.steps.push(step);
  try {
    return await work((provider) => processes(provider).noting(step, clock));
  } catch (error) {
    step.error = error as Error;
    throw error;
  } finally {
    step.to = clock.now();
  }
}

/** Runs the work for all items in their order, several at once. If one fails, the others still end. */
export async function together<T>(
  life: ProcessLife,
  items: readonly T[],
  work: (item: T) => Promise<void>,
  parallel = PARALLEL,
): Promise<void> {
  const queue = [...items];
  const errors: unknown[] = [];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined && !life.stopping; item = queue.shift()) {
      await work(item).catch((error) => void errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  if (errors.length > 0) throw errors[0];
}
