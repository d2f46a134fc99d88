// Promise 3: stacks that share a project take turns. None is kept out while the other makes one change after the other.

import { OF_THE_SERVICE } from "../faults/kinds";
import { type Judge, type Report, Violation } from "./judge";

/** A fair order lets a stack in after one change of its neighbour, or two where the neighbour did not know of it. */
const MOST_TURNS = 2;

const BY_ITSELF = new Set<string>(Object.values(OF_THE_SERVICE));

export function judgeNeighbour({ history }: Judge, { both, stack, steps, interruptedAt, killed, hits }: Report): void {
  // A fault keeps out whoever it hits. What the service does by itself, such as a 423, is no fault.
  const isFaulty = [...hits].some((kind) => !BY_ITSELF.has(kind));
  if (!both || killed || interruptedAt !== undefined || isFaulty) return;
  for (const { error, turns, to, op, name } of steps) {
    const from = turns.at(-1)?.from;
    if (from === undefined || to === undefined || !/answered 423\b/.test(error?.message ?? "")) continue;
    const theirs = history.changeRequests.filter(
      (one) => one.stack !== stack && one.operations.length > 0 && one.at >= from && one.at <= to,
    );
    if (theirs.length <= MOST_TURNS) continue;
    const detail = `${op} of ${name} gave up while the other stack began ${theirs.length} changes`;
    throw new Violation("kept waiting by another stack", `${detail}: ${error!.message}`);
  }
}
