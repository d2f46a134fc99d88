// A primary comes to a branch that another resource leaves in the same run. The engine asks for the two steps in the order in
// which the resources happened to be registered, which is not always the program's.

import { isKind, Stopped } from "../errors.js";
import { placeOf } from "./branches.js";
import type { Outputs } from "./outputs.js";
import type { Process } from "./step.js";

/** Milliseconds in which the engine has compared a resource that was registered a moment later. */
const COMPARE_MS = 1_000;
/** Milliseconds in which the step of a compared resource begins, unless it has to wait for this one: `--parallel 1`. */
const BEGIN_MS = 10_000;
/** Milliseconds for the other step, whose own deadline is nearly always earlier. */
const END_MS = 15 * 60_000;
const PAUSE_MS = 50;

interface Arrival {
  place: string | undefined;
  /** Of the compute that moves; absent where one is made. */
  id?: string;
}

/** The step of a compute that may leave its branch. */
export async function leaving<T>({ ownership }: Process, id: string, step: () => Promise<T>): Promise<T> {
  ownership?.branches.begins(id);
  try {
    return await step();
  } finally {
    ownership?.branches.ends(id);
  }
}

/** Lets the primary leave that is there, as far as it leaves in this run. */
export async function arriving<T>(process: Process, arrival: Arrival, step: () => Promise<T>): Promise<T> {
  const { place } = arrival;
  const branches = process.ownership?.branches;
  if (!branches || place === undefined) return step();
  await hasLeft(process, arrival);
  try {
    return await step();
  } catch (error) {
    if (!isKind(error, "stopped") || error.reason !== "occupied") throw error;
    await until(process, COMPARE_MS, () => branches.leaverOf(place, arrival.id) !== undefined);
    if (await hasLeft(process, arrival)) return step();
    const leaver = branches.leaverOf(place, arrival.id);
    throw leaver === undefined ? error : new Stopped(`${error.message}. ${inVain(process, leaver)}`);
  }
}

/** The engine asks for the other step only after this one: it depends on this resource, or one step runs at a time. */
const inVain = ({ ownership }: Process, id: string): string => {
  const name = ownership?.resourceWith(id) ?? id;
  return `Resource ${name} leaves this branch in the same run, but its step has not begun. Set the resource option dependsOn: [${name}] here (then ${name} must not depend on this resource), or change ${name} in a \`pulumi up\` of its own before`;
};

/** @returns whether there was one to wait for */
async function hasLeft(process: Process, { place, id }: Arrival): Promise<boolean> {
  const branches = process.ownership?.branches;
  const leaver = place === undefined ? undefined : branches?.leaverOf(place, id);
  if (!branches || leaver === undefined) return false;
  await until(process, BEGIN_MS, () => branches.stepOf(leaver) !== undefined);
  if (branches.stepOf(leaver) === undefined) return false;
  await until(process, END_MS, () => branches.stepOf(leaver) === "ended");
  return true;
}

async function until({ context: { clock } }: Process, limitMs: number, isSo: () => boolean): Promise<void> {
  for (const end = clock.now() + limitMs; !isSo() && clock.now() < end; ) await clock.sleep(PAUSE_MS);
}

/** The branch to which an update moves a primary; undefined where it moves none. */
export const moveOf = (
  olds: Partial<Outputs>,
  inputs: { branchId?: string; projectId?: string },
): string | undefined =>
  olds.type === "read_write" && olds.branchId !== inputs.branchId ? placeOf({ ...inputs }) : undefined;
