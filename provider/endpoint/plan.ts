// What an update may send, from the program and the state. A preview shows how the program differs from the inputs of the
// last step, so that is what is sent: a value that differs from the outputs for another reason was changed by hand, was not
// taken by the service, or belongs to a step that failed.

import { differingPaths, isAsWanted, pick, type SettingValues, valuesByPath, without } from "../rules/paths.js";
import type { Wish } from "../rules/settings.js";
import { type Asked, wishOf } from "../rules/wish.js";
import { liveOfOutputs, notTakenIn, type Outputs, stillRefused } from "./outputs.js";

export interface UpdatePlan {
  /** What the program asks for and a PATCH can change. */
  desired: SettingValues;
  /** What the preview compared it with. */
  before: SettingValues;
  /** Paths that differ between the two. */
  changed: string[];
  /** Paths that the program did not manage before: only the compute itself tells whether they differ. */
  becoming: string[];
  /** Paths that a failed step may have changed, and that the program asks to be as before that step. */
  takenBack: string[];
  /** Paths that the service did not take, and that are not asked for again. */
  notTaken: string[];
  /** Paths that the service did not take, and that are asked for again, though nothing else differs. */
  askedAgain: string[];
  /** Managed paths at which the outputs are otherwise than the inputs, though no record says why. */
  unexplained: string[];
}

export interface PlanOptions {
  /** The inputs of the last step that succeeded. Without them, the outputs have to do. */
  oldInputs?: Asked;
  /** Whether to ask again for what the service did not take. */
  askAgain?: boolean;
  /** Whether the program says `size`, and not both limits. */
  asSize?: boolean;
}

export function planOf(
  olds: Partial<Outputs>,
  wish: Wish,
  { oldInputs, askAgain = false, asSize = false }: PlanOptions,
): UpdatePlan {
  const desired = changeable(wish);
  const outputs = changeable(liveOfOutputs(olds));
  const managed = oldInputs ? changeable(wishOf(oldInputs)) : pick(outputs, managedPaths(olds));
  const asked = notTakenIn(olds);
  const refused = stillRefused(desired, olds);
  const notTaken = askAgain ? [] : refused;
  const askedAgain = askAgain ? refused : [];
  // In its other form a size is shown whole, also where one of the limits is as before.
  const isReshaped = oldInputs !== undefined && (oldInputs.size !== undefined) !== asSize;
  const becoming = Object.keys(desired).filter(
    (path) => !(path in managed) || (isReshaped && LIMITS.includes(path) && !isSameSize(managed, desired)),
  );
  // A state without inputs has only its outputs, which a record explains.
  const said = { ...outputs, ...managed, ...(oldInputs ? {} : asked) };
  // The old inputs already have the value that is asked for again: compared with them, it would be no change and no restart.
  const before = { ...without(said, askedAgain), ...pick(outputs, askedAgain) };
  const differing = differingPaths(desired, before).filter((path) => !notTaken.includes(path));
  const changed = [...new Set([...differing, ...askedAgain])];
  const unlike = differingPaths(managed, outputs).filter((path) => !(path in asked));
  const failed = (olds.unfinished?.length ?? 0) > 0;
  const takenBack = failed
    ? unlike.filter((path) => path in desired && isAsWanted(path, managed[path], desired[path]))
    : [];
  return { desired, before, changed, becoming, takenBack, notTaken, askedAgain, unexplained: failed ? [] : unlike };
}

export const LIMITS = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"];
const isSameSize = (one: SettingValues, other: SettingValues): boolean =>
  LIMITS.every((path) => one[path] === other[path]);

/** The settings that a PATCH can change, by path. */
export function changeable({
  projectId: _project,
  type: _type,
  restartTriggers: _triggers,
  ...rest
}: Wish): SettingValues {
  return valuesByPath(rest);
}

/** `size` is managed as both limits. */
const managedPaths = ({ managed = [] }: Partial<Outputs>): string[] =>
  managed.flatMap((path) => (path === "size" ? LIMITS : [path]));
