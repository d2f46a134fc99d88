// The steps that send requests, as an engine gets them: an error also says what the state now holds and what to do.

import { isKind } from "../errors.js";
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
const INTERRUPTED: Record<Step, string> = {
  create: "No compute was made, and the state holds nothing of it. Run `pulumi up` again",
  read: "The state was left as it is. Run `pulumi refresh` again",
  update: "The state was left as it was. `pulumi up` finishes the change",
  delete: "The compute is still in the state. Run the command again: what is gone by then is no error",
};

const UNTOLD = ["service", "unclear", "deadline", "cancelled", "operation-failed"] as const;

async function told<T>(step: Step, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const kind = UNTOLD.find((one) => isKind(error, one));
    if (!kind) throw error;
    const { message } = error as Error;
    const held = kind === "cancelled" ? INTERRUPTED[step] : (kind === "unclear" && IN_DOUBT[step]) || HELD[step];
    // Not written into the error itself: one list that failed fails all who asked for it.
    throw Object.create(error as Error, { message: { value: `${message}. ${held}`, writable: true } });
  }
}

export const create = (...args: Parameters<typeof createCompute>) => told("create", createCompute(...args));
export const read = (...args: Parameters<typeof readCompute>) => told("read", readCompute(...args));
export const update = (...args: Parameters<typeof updateCompute>) => told("update", updateCompute(...args));
export const remove = (...args: Parameters<typeof removeCompute>) => told("delete", removeCompute(...args));
