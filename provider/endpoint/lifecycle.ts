// The steps that send requests, as the engine calls them. This file adds to each error what the state contains and what to do next.

import { isKind } from "../errors.js";
import { afterDeparture, branchMovedTo, whileLeaving } from "./branch-handover.js";
import { branchKeyOf } from "./branch-moves.js";
import { create as createCompute } from "./create.js";
import type { ComputeRef } from "./find.js";
import { readForImport as readImported } from "./import.js";
import type { StepRequest } from "./inputs.js";
import type { Outputs } from "./outputs.js";
import { read as readCompute } from "./read.js";
import { remove as removeCompute } from "./remove.js";
import type { SharedState } from "./shared-state.js";
import { update as updateCompute } from "./update.js";

type Step = "create" | "read" | "update" | "delete";

/** Advice after a lost answer. An update writes its own (NotReady). */
const OUTCOME_UNKNOWN: Partial<Record<Step, string>> = {
  create:
    "It is not known whether a compute was created. The state does not contain it. Run `pulumi up` again: it looks for the compute first, and stops with its id if it finds it",
  delete:
    "Whether the compute is deleted is not known, and it is still in the state. Run the command again: it is no error if the compute is gone; or run `pulumi refresh`, which shows whether it is gone",
};

/** After a plain error the state is as before. A step that has something to keep throws `NotReady`, which says so itself. */
const FAILED: Record<Step, string> = {
  create:
    "The state has nothing of this compute. Fix the cause, and run `pulumi up` again: it looks at what is there before it creates anything",
  read: "The state was left as it was. Fix the cause, and run `pulumi refresh` again",
  update: "The state was left as it was. Fix the cause, and run `pulumi up` again",
  delete:
    "The compute is still in the state. Fix the cause, and run the command again: it is no error if the compute is gone",
};

/** After an interruption. A step that has begun something throws `NotReady`, which keeps it. */
const INTERRUPTED: Record<Step, (subject: string) => string> = {
  create: (project) => `No compute was created in ${project}, and the state has nothing of it. Run \`pulumi up\` again`,
  read: (compute) => `The state has ${compute} as before. Run \`pulumi refresh\` again`,
  update: (compute) => `The state has ${compute} as it was. \`pulumi up\` finishes the change`,
  delete: (compute) => `The state still has ${compute}. Run the command again: it is no error if the compute is gone`,
};

const KINDS_NEEDING_ADVICE = ["service", "unclear", "deadline", "cancelled", "operation-failed"] as const;

/** @param subject what the step is about: "compute ep-…" */
async function withAdvice<T>(step: Step, subject: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const kind = KINDS_NEEDING_ADVICE.find((one) => isKind(error, one));
    if (!kind) throw error;
    const { message } = error as Error;
    const advice =
      kind === "cancelled" ? INTERRUPTED[step](subject) : (kind === "unclear" && OUTCOME_UNKNOWN[step]) || FAILED[step];
    // The error itself stays as it is: several steps may share it, as after a list that failed.
    throw Object.create(error as Error, { message: { value: `${message}. ${advice}`, writable: true } });
  }
}

type Create = Parameters<typeof createCompute>;
type Read = Parameters<typeof readCompute>;
type Update = Parameters<typeof updateCompute>;
type Remove = [shared: SharedState, id: string, state: Outputs, request?: StepRequest];

export const create = (...args: Create) => {
  const [shared, { inputs }] = args;
  const step = () => afterDeparture(shared, { branchKey: branchKeyOf(inputs) }, () => createCompute(...args));
  return withAdvice("create", `project ${inputs.projectId}`, step());
};
export const read = (...args: Read) => withAdvice("read", `compute ${args[1]}`, readCompute(...args));
/** @public */
export const readForImport = (shared: SharedState, ref: ComputeRef) =>
  withAdvice("read", `compute ${ref.id}`, readImported(shared, ref));
export const update = (...args: Update) => {
  const [shared, { id, olds, desiredState }] = args;
  const branchKey = branchMovedTo(olds, desiredState.inputs);
  const step = () => afterDeparture(shared, { branchKey, id }, () => updateCompute(...args));
  return withAdvice("update", `compute ${id}`, whileLeaving(shared, id, step));
};
export const remove = (...args: Remove) => {
  const [shared, id] = args;
  return withAdvice(
    "delete",
    `compute ${id}`,
    whileLeaving(shared, id, () => removeCompute(...args)),
  );
};
