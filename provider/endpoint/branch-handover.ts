// In one run, one resource's primary moves to a branch that another resource's primary leaves. The engine asks for the two steps
// in the order in which the resources were registered, which is not always the order of the program. So the step of the arriving
// primary waits until the other primary has left.

import { isKind, Stopped } from "../errors.js";
import { branchKeyOf } from "./branch-moves.js";
import type { Outputs } from "./outputs.js";
import type { SharedState } from "./shared-state.js";

/** How long to wait for the engine to compare a resource that was registered a moment later, in milliseconds. */
const COMPARE_MS = 1_000;
/**
 * How long to wait for the leaving primary's step to begin. With `--parallel 1` it never begins, because the engine runs our step
 * first.
 */
const BEGIN_MS = 10_000;
/** How long to wait for the other step to end. The other step's own deadline almost always ends it sooner. */
const END_MS = 15 * 60_000;
const PAUSE_MS = 50;

interface Arrival {
  branchKey: string | undefined;
  /** The compute that moves; absent if one is created. */
  id?: string;
}

/** Runs a step that may move a compute away from its branch, and records when it begins and ends. */
export async function whileLeaving<T>({ ownership }: SharedState, id: string, step: () => Promise<T>): Promise<T> {
  ownership?.branchMoves.begins(id);
  try {
    return await step();
  } finally {
    ownership?.branchMoves.ends(id);
  }
}

/** Runs the step of a compute that comes to a branch, after the primary there has left it in this run. */
export async function afterDeparture<T>(shared: SharedState, arrival: Arrival, step: () => Promise<T>): Promise<T> {
  const { branchKey } = arrival;
  const branches = shared.ownership?.branchMoves;
  if (!branches || branchKey === undefined) return step();
  await waitForDeparture(shared, arrival);
  try {
    return await step();
  } catch (error) {
    if (!isKind(error, "stopped") || error.reason !== "occupied") throw error;
    await until(shared, COMPARE_MS, () => branches.leaverOf(branchKey, arrival.id) !== undefined);
    if (await waitForDeparture(shared, arrival)) return step();
    const leaver = branches.leaverOf(branchKey, arrival.id);
    throw leaver === undefined ? error : new Stopped(`${error.message}. ${neverBegan(shared, leaver)}`);
  }
}

/** Why waiting did not help. The other resource depends on this one, or the engine runs one step at a time. */
const neverBegan = ({ ownership }: SharedState, id: string): string => {
  const name = ownership?.resourceWith(id) ?? id;
  return `Resource ${name} leaves this branch in the same run, but its step has not begun. Set the resource option dependsOn: [${name}] here (${name} must then not depend on this resource), or change ${name} first, in a \`pulumi up\` of its own`;
};

/**
 * Waits for the step of the primary that leaves.
 * @returns whether that step has begun; false if no primary leaves
 */
async function waitForDeparture(shared: SharedState, { branchKey, id }: Arrival): Promise<boolean> {
  const branches = shared.ownership?.branchMoves;
  const leaver = branchKey === undefined ? undefined : branches?.leaverOf(branchKey, id);
  if (!branches || leaver === undefined) return false;
  await until(shared, BEGIN_MS, () => branches.stepOf(leaver) !== undefined);
  if (branches.stepOf(leaver) === undefined) return false;
  await until(shared, END_MS, () => branches.stepOf(leaver) === "ended");
  return true;
}

async function until({ context: { clock } }: SharedState, limitMs: number, isSo: () => boolean): Promise<void> {
  for (const end = clock.now() + limitMs; !isSo() && clock.now() < end; ) await clock.sleep(PAUSE_MS);
}

/** The branch to which an update moves a primary; undefined if it moves none. */
export const branchMovedTo = (
  olds: Partial<Outputs>,
  inputs: { branchId?: string; projectId?: string },
): string | undefined =>
  olds.type === "read_write" && olds.branchId !== inputs.branchId ? branchKeyOf({ ...inputs }) : undefined;
