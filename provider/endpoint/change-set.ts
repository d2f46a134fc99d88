// Computes what an update may send: the difference between the program and the last inputs, as the preview showed it. The outputs
// may also differ because somebody changed a value by hand, because the service did not apply it, or because a step failed.

import {
  comparisonBase,
  differingPaths,
  isAsDesired,
  pick,
  type SettingValues,
  updatableValues,
} from "../rules/paths.js";
import {
  type DesiredSettings,
  desiredSettings,
  pathsOf,
  type SettingsInput,
  SIZE_LIMITS,
  settingsIn,
} from "../rules/settings.js";
import { isUnfinished } from "../rules/unfinished.js";
import { type Outputs, stillUnapplied, unappliedValues } from "./outputs.js";

export interface ChangeSet {
  /** What the program asks for and a PATCH can change. */
  desired: SettingValues;
  /** What the preview compared it with. */
  before: SettingValues;
  /** Paths that differ between the two. */
  changed: string[];
  /** Paths that the program did not manage before: only the compute itself tells whether they differ. */
  newlyManaged: string[];
  /** Paths that a failed step may have changed and that the program has reverted. */
  reverted: string[];
  /** Paths that the service did not apply, and that are not sent again. */
  unapplied: string[];
  /**
   * Paths that the service did not apply, and that are sent again because of `compute:askAgain`, although the program did not
   * change them.
   */
  askedAgain: string[];
  /** Managed paths whose output differs from the input without a known reason. */
  unexplained: string[];
}

export interface ChangeSetOptions {
  /** The inputs of the last successful step. Without them, the outputs are used. */
  oldInputs?: SettingsInput;
  /** Whether to send again what the service did not apply. */
  askAgain?: boolean;
  /** Whether the program sets `size`, and not both limits. */
  asSize?: boolean;
}

export function changeSetOf(
  olds: Partial<Outputs>,
  settings: DesiredSettings,
  { oldInputs, askAgain = false, asSize = false }: ChangeSetOptions,
): ChangeSet {
  const desired = updatableValues(settings);
  const outputs = updatableValues(settingsIn(olds));
  const managedBefore = oldInputs
    ? updatableValues(desiredSettings(oldInputs))
    : pick(outputs, (olds.managed ?? []).flatMap(pathsOf));
  const unappliedBefore = unappliedValues(olds);
  const notApplied = stillUnapplied(desired, olds);
  const unapplied = askAgain ? [] : notApplied;
  const askedAgain = askAgain ? notApplied : [];
  // If the program switches between `size` and limits, the diff shows both limits even if only one changes.
  const isReshaped = oldInputs !== undefined && (oldInputs.size !== undefined) !== asSize;
  const newlyManaged = Object.keys(desired).filter(
    (path) => !(path in managedBefore) || (isReshaped && isLimit(path) && !isSameSize(managedBefore, desired)),
  );
  // The values of `askedAgain` are compared with the outputs, which have the compute's values: the old inputs already contain the
  // desired ones, so they would show no change and no restart. If there are no old inputs, the outputs take their place, together with
  // the values that the service did not apply.
  const before = comparisonBase(oldInputs ? managedBefore : unappliedBefore, outputs, askedAgain);
  const differing = differingPaths(desired, before).filter((path) => !unapplied.includes(path));
  const changed = [...new Set([...differing, ...askedAgain])];
  const differingFromOutputs = differingPaths(managedBefore, outputs).filter((path) => !(path in unappliedBefore));
  const failed = isUnfinished(olds);
  const reverted = failed
    ? differingFromOutputs.filter((path) => path in desired && isAsDesired(path, managedBefore[path], desired[path]))
    : [];
  return {
    desired,
    before,
    changed,
    newlyManaged,
    reverted,
    unapplied,
    askedAgain,
    unexplained: failed ? [] : differingFromOutputs,
  };
}

const isLimit = (path: string): boolean => (SIZE_LIMITS as readonly string[]).includes(path);
const isSameSize = (one: SettingValues, other: SettingValues): boolean =>
  SIZE_LIMITS.every((path) => one[path] === other[path]);
