// Deletes a compute, or lets go of it. DELETE …/endpoints/{id}

import { type Deadline, duration } from "../clock.js";
import { DeadlineExceeded, isKind, Stopped } from "../errors.js";
import { untilClear } from "../operations/lost.js";
import { outcomeOf } from "../operations/outcome.js";
import { pendingOf, settle } from "../operations/settle.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import type { StepRequest } from "./inputs.js";
import { lookAfterDelete } from "./look.js";
import type { Outputs } from "./outputs.js";
import { projectProblem } from "./read.js";
import { deadlineFor, messageOf, type Process } from "./step.js";

const BELONGS = "belongs to another resource of the program as well (an earlier run took it over)";
const IN_THIS_RUN = "was taken over or made by another resource in this same run";

/** Milliseconds in which a compute that was deleted, and on which nothing is under way, has to disappear. */
const STAYS_MS = 30_000;
/** Milliseconds between two looks at a compute that has not disappeared yet: the first, and the longest. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 5_000;

/** One delete of one compute. */
interface Removing {
  process: Process;
  project: string;
  id: string;
  state: Outputs;
  request: StepRequest;
}

/** What a DELETE came to. */
interface Sent {
  operations: WireOperation[];
  /** Whether the answer has named this compute. */
  named: boolean;
  /** Whether the answer said that there is no such compute. */
  missing: boolean;
}

export async function remove(process: Process, id: string, state: Outputs, request: StepRequest = {}): Promise<void> {
  const project = state.projectId;
  const removing: Removing = { process, project, id, state, request };
  // What other processes have told so far may be half of it: they are asked again right before a delete is sent.
  if (process.created.has(id) || process.ownership?.isKnownHere(id, state)) return spare(removing);
  if ((state.onDelete ?? (state.adopted ? "release" : "delete")) === "release") {
    process.context.say(`compute ${id} leaves the state and stays as it is on the service (onDelete: "release")`);
    return;
  }
  const { removals, lists } = process.context;
  const first = await removals.during(project, () => inTurn(removing));
  if (!first) return spare(removing);
  // One list tells of all that are deleted together.
  await removals.gathered(project, first.deadline);
  await confirm(removing, first);
  lists.deleted(id);
}

function spare({ process, id }: Removing): void {
  const how = process.created.has(id) || process.ownership?.isTaken(id) ? IN_THIS_RUN : BELONGS;
  process.warn(`compute ${id} ${how}, so it was not deleted: only the old name of it leaves the state`);
}

interface Ended extends Sent {
  deadline: Deadline;
  /** What went wrong with the work that the DELETE began. */
  trouble?: unknown;
}

/**
 * Sends the DELETE in a turn of its own, and waits for what it began.
 * @returns undefined where another resource has the compute by now, also one in another process
 */
function inTurn(removing: Removing, before?: Ended): Promise<Ended | undefined> {
  const { process, project, id, state, request } = removing;
  const { context } = process;
  return context.turns.take(project, [id, state.branchId], async () => {
    if (process.created.has(id) || (await process.ownership?.mayDelete(id, state)) === false) return undefined;
    const deadline = before?.deadline ?? deadlineFor(process, "delete", request, state.customTimeouts);
    const sent = await send(removing, deadline, before);
    if (sent.operations.length === 0 || state.waitForReady === false) return { ...sent, deadline };
    try {
      await settle(context, project, sent.operations, deadline);
      return { ...sent, deadline };
    } catch (trouble) {
      if (isKind(trouble, "cancelled")) throw trouble;
      return { ...sent, deadline, trouble };
    }
  });
}

/** Asks until the service has accepted it, or does not have the compute any more. */
function send({ process, project, id }: Removing, deadline: Deadline, before?: Sent): Promise<Sent> {
  const { context } = process;
  let lost = false;
  // What stops the compute goes on although the answer that names it was lost.
  const stopping = (until: Deadline) => pendingOf(context, project, id, until).catch(() => []);
  const isThere = async (until: Deadline) => (await seen({ process, project, id }, false, until)) !== undefined;
  const ask = async () => {
    const { status, missing, named, operations } = await context.client.deleteEndpoint(project, id, deadline);
    // 404 may also mean that the project can't be seen: only its list can tell that the compute is gone.
    if (status === 404 && !before?.named && (await isThere(deadline))) {
      throw new Stopped(
        `DELETE of compute ${id} answered 404, but the list of project ${project} still has it. Nothing was changed, and the compute stays in the state: check that the key may delete it, and run the command again`,
      );
    }
    return { operations: lost && missing ? await stopping(deadline) : operations, named: named === id, missing };
  };
  const find = async (until: Deadline) => {
    lost = true;
    return (await isThere(until)) ? undefined : { operations: await stopping(until), named: false, missing: true };
  };
  return untilClear(context, deadline, ask, find);
}

/**
 * Believes the answer to a DELETE only after a look: a proxy, or a server that is not quite the same, may answer a success
 * and delete nothing, and then the compute would be in no state and go on.
 */
async function confirm(removing: Removing, first: Ended): Promise<void> {
  const { process, project, id, state } = removing;
  const { clock, removals } = process.context;
  const { deadline } = first;
  let { named, operations, trouble } = first;
  let restingSince: number | undefined;
  let pauseMs = FIRST_LOOK_MS;
  for (let tries = 1; ; ) {
    const now = await seen(removing, named, deadline);
    if (!now && trouble !== undefined) {
      process.warn(`compute ${id} is deleted, but not everything that followed went well: ${messageOf(trouble)}`);
    }
    if (!now) return;
    if (trouble !== undefined) throw trouble;
    const isUnderWay = now.pending_state !== undefined;
    if (state.waitForReady === false) {
      // Nobody waits for the end of work that the service has announced.
      if (isUnderWay || operations.some((one) => outcomeOf(one.status) === "pending")) return;
      throw stillThere(removing, "after a look at it");
    }
    restingSince = isUnderWay ? undefined : (restingSince ?? clock.now());
    if (deadline.leftMs() <= 0) throw late(removing, now, deadline);
    if (restingSince === undefined || clock.now() - restingSince < STAYS_MS) {
      await removals.tick(project, Math.min(pauseMs, deadline.leftMs()));
      pauseMs = Math.min(LONGEST_LOOK_MS, pauseMs * 2);
      continue;
    }
    if (tries > 1) throw stillThere(removing, `${duration(STAYS_MS)} after a second DELETE`);
    tries++;
    restingSince = undefined;
    pauseMs = FIRST_LOOK_MS;
    const again = await inTurn(removing, first);
    // Somebody else has it now: the compute is there, and stays.
    if (!again) return spare(removing);
    // The service has deleted it and knows no such compute any more: only its list still has it.
    if (first.named && again.missing) return;
    ({ named, operations, trouble } = again);
  }
}

function seen(
  { process, project, id }: Pick<Removing, "process" | "project" | "id">,
  named: boolean,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  return lookAfterDelete(process.context, { project, id }, named, deadline).catch((error: unknown) => {
    throw projectProblem(error, project, id);
  });
}

const stillThere = ({ project, id }: Removing, when: string): Stopped =>
  new Stopped(
    `the service accepted the DELETE of compute ${id}, but project ${project} still has it ${when}, and nothing is under way on it. The compute stays in the state. Run the command again; if it stays, delete it in the service's console, and then run the command again`,
  );

const late = ({ project, id }: Removing, now: WireEndpoint, deadline: Deadline): DeadlineExceeded =>
  new DeadlineExceeded(
    `the service accepted the DELETE of compute ${id}, but project ${project} still has it after ${duration(deadline.budgetMs)}${now.pending_state === undefined ? "" : `, on its way to ${now.pending_state}`}. \`customTimeouts\` gives it more time`,
  );
