// Deletes a compute, or lets go of it. DELETE …/endpoints/{id}

import type { Deadline } from "../clock.js";
import { isKind, Stopped } from "../errors.js";
import { untilClear } from "../operations/lost.js";
import { pendingOf, settle } from "../operations/settle.js";
import type { WireOperation } from "../wire/operation.js";
import type { StepRequest } from "./inputs.js";
import type { Outputs } from "./outputs.js";
import { projectProblem } from "./read.js";
import { deadlineFor, look, messageOf, type Process } from "./step.js";

const BELONGS = "belongs to another resource of the program as well (an earlier run took it over)";

export async function remove(process: Process, id: string, state: Outputs, request: StepRequest = {}): Promise<void> {
  const project = state.projectId;
  const inThisRun = process.created.has(id);
  if (inThisRun || process.wanted?.byAnother(id, state)) {
    const how = inThisRun ? "was taken over or made by another resource in this same run" : BELONGS;
    process.warn(`compute ${id} ${how}, so it was not deleted: only the old name of it leaves the state`);
    return;
  }
  if ((state.onDelete ?? (state.adopted ? "release" : "delete")) === "release") {
    process.context.say(`compute ${id} leaves the state and stays as it is on the service (onDelete: "release")`);
    return;
  }
  await process.context.turns.take(project, [id, state.branchId], async () => {
    // A state that was imported or is old tells the engine no timeout, and may have one from the class.
    const told = request.timeoutMs ? request : {};
    const deadline = deadlineFor(process, "delete", told, state.customTimeouts);
    const operations = await send(process, project, id, deadline);
    if (operations.length === 0 || state.waitForReady === false) return;
    try {
      await settle(process.context, project, operations, deadline);
    } catch (error) {
      if (isKind(error, "cancelled")) throw error;
      if (await look(process, project, id, deadline)) throw error;
      process.warn(`compute ${id} is deleted, but not everything that followed went well: ${messageOf(error)}`);
    }
  });
}

/** Asks until the service has deleted it or the list says that it is gone. */
function send(process: Process, project: string, id: string, deadline: Deadline): Promise<WireOperation[]> {
  const { client } = process.context;
  let lost = false;
  // What stops the compute goes on although the answer that names it was lost.
  const stopping = (until: Deadline) => pendingOf(process.context, project, id, until).catch(() => []);
  const ask = async () => {
    const removal = await client.deleteEndpoint(project, id, deadline);
    // 404 may also mean that the project can't be seen: only its list can tell that the compute is gone.
    if (removal.status === 404 && (await listed(process, project, id, deadline))) {
      throw new Stopped(
        `DELETE of compute ${id} answered 404, but the list of project ${project} still has it. Nothing was changed, and the compute stays in the state: check that the key may delete it, and run the command again`,
      );
    }
    return lost && removal.missing ? stopping(deadline) : removal.operations;
  };
  const find = async (until: Deadline) => {
    lost = true;
    return (await listed(process, project, id, until)) ? undefined : stopping(until);
  };
  return untilClear(process.context, deadline, ask, find);
}

async function listed(process: Process, project: string, id: string, deadline: Deadline) {
  const found = await look(process, project, id, deadline).catch((error: unknown) => {
    throw projectProblem(error, project, id);
  });
  return found !== undefined;
}
