// Reads a compute that a state is to take over. GET …/endpoints

import { type ComputeRef, findComputeRecent } from "./find.js";
import { argsOf } from "./import-arguments.js";
import { desiredStateOf } from "./inputs.js";
import { outputsOf } from "./outputs.js";
import type { ReadAnswer } from "./read.js";
import { projectProblem } from "./refusals.js";
import { readDeadline, type SharedState } from "./shared-state.js";

/** The compute's settings become the inputs. As with `adopt`, the program did not create the compute, so a deletion releases it. */
export async function readForImport(shared: SharedState, ref: ComputeRef): Promise<ReadAnswer> {
  const { project, id } = ref;
  const deadline = readDeadline(shared);
  const found = await findComputeRecent(shared.context, ref, deadline).catch((error: unknown) => {
    throw projectProblem(error, project, id);
  });
  if (!found) return {};
  const notes: string[] = [];
  const args = argsOf(found, project, notes);
  for (const note of notes) shared.warn(note);
  const outputs = outputsOf(found, desiredStateOf({ ...args }), { adopted: true });
  return { id, outputs, inputs: { ...args, restart: "no" } };
}
