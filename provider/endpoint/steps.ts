// The steps that send requests, as an engine gets them: an error also says what the state now holds and what to do.

import { isKind } from "../errors.js";
import { arriving, leaving, moveOf } from "./arrival.js";
import { placeOf } from "./branches.js";
import { create as createCompute } from "./create.js";
import { read as readCompute } from "./read.js";
import { remove as removeCompute } from "./remove.js";
import { update as updateCompute } from "./update.js";

type Step = "create" | "read" | "update" | "delete";

/** After a lost answer. An update that is in doubt keeps its state, and says so itself. */
const IN_DOUBT: Partial<Record<Step, string>> = {
  create:
    "Whether a compute was made is not known, and the state holds nothing of it. Run `pulumi up` again: it looks first, and where it finds the compute it stops with its id",
  delete:
    "Whether the compute is deleted is not known, and it is still in the state. Run the command again: what is gone by then is no error; or `pulumi refresh`, which tells",
};

/** After a plain error nothing new is kept; what a step has to keep comes with an error that says so itself. */
const HELD: Record<Step, string> = {
  create:
    "The state holds nothing of it. Once the cause is mended, run `pulumi up` again: it looks at what is there before it makes anything",
  read: "The state was left as it is. Run `pulumi refresh` again once the cause is mended",
  update: "The state was left as it was. Run `pulumi up` again once the cause is mended",
  delete:
    "The compute is still in the state. Run the command again once the cause is mended: what is gone by then is no error",
};

/** After an interruption. What a step has begun and must not be forgotten comes with an error that keeps it. */
const INTERRUPTED: Record<Step, (what: string) => string> = {
  create: (project) => `No compute was made in ${project}, and the state holds nothing of it. Run \`pulumi up\` again`,
  read: (compute) => `The state has ${compute} as before. Run \`pulumi refresh\` again`,
  update: (compute) => `The state has ${compute} as it was. \`pulumi up\` finishes the change`,
  delete: (compute) => `The state still has ${compute}. Run the command again: what is gone by then is no error`,
};

const UNTOLD = ["service", "unclear", "deadline", "cancelled", "operation-failed"] as const;

/** @param what the step is about: "compute ep-…" */
async function told<T>(step: Step, what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const kind = UNTOLD.find((one) => isKind(error, one));
    if (!kind) throw error;
    const { message } = error as Error;
    const held = kind === "cancelled" ? INTERRUPTED[step](what) : (kind === "unclear" && IN_DOUBT[step]) || HELD[step];
    // Not written into the error itself: one list that failed fails all who asked for it.
    throw Object.create(error as Error, { message: { value: `${message}. ${held}`, writable: true } });
  }
}

type Create = Parameters<typeof createCompute>;
type Read = Parameters<typeof readCompute>;
type Update = Parameters<typeof updateCompute>;
type Remove = Parameters<typeof removeCompute>;

export const create = (...args: Create) => {
  const [process, { inputs }] = args;
  const step = () => arriving(process, { place: placeOf(inputs) }, () => createCompute(...args));
  return told("create", `project ${inputs.projectId}`, step());
};
export const read = (...args: Read) => told("read", `compute ${args[1]}`, readCompute(...args));
export const update = (...args: Update) => {
  const [process, { id, olds, program }] = args;
  const place = moveOf(olds, program.inputs);
  const step = () => arriving(process, { place, id }, () => updateCompute(...args));
  return told("update", `compute ${id}`, leaving(process, id, step));
};
export const remove = (...args: Remove) => {
  const [process, id] = args;
  return told(
    "delete",
    `compute ${id}`,
    leaving(process, id, () => removeCompute(...args)),
  );
};
