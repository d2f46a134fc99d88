// Compares the state with the program. No request: the engine runs diffs one by one.

import { canonical, differences, propertyOf, type SettingName, UNKNOWN } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import { checkInputs } from "./inputs.js";
import { isNotTaken, liveOfOutputs, managedOf, type Outputs } from "./outputs.js";

export interface DiffAnswer {
  /**
   * `false`: nothing differs. Absent: inputs differ, and the engine finds out which (only then does it show the
   * details). `true`: only the outputs differ from the wish, which the engine can't see by itself.
   */
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
}

export function diff(olds: Outputs, news: Record<string, unknown>): DiffAnswer {
  const { inputs, unknown } = checkInputs(news);
  const wish = wishOf(inputs, unknown);
  const live = liveOfOutputs(olds);
  // Never for a value that is not known: when a compute is replaced, the engine asks what becomes of all that takes a
  // value from it, with that value unknown. A replica with `projectId: primary.projectId` would be deleted too.
  const replaces = (["projectId", "type"] as const).filter(
    (name) => wish[name] !== undefined && wish[name] !== UNKNOWN && wish[name] !== live[name],
  );
  if (replaces.length > 0) return { replaces: [...replaces], deleteBeforeReplace: true };

  if (olds.unfinished?.length) return { changes: true };
  const differing = differences(wish, live);
  const wanted = wish as Record<string, unknown>;
  const alreadyAsked = (name: SettingName) => isNotTaken(olds.notTaken?.[propertyOf(name)], wanted[name]);
  if (!differing.every(alreadyAsked)) return {};
  if (Object.values(wish).includes(UNKNOWN) || recordDiffers(olds, inputs, unknown)) return {};
  // What is owed for values that the program has taken back is forgotten by an update.
  return { changes: differing.length > 0 || olds.restartOwed !== undefined };
}

/** What is no setting of the compute but is known to delete and read only through the state. */
function recordDiffers(olds: Outputs, inputs: ReturnType<typeof checkInputs>["inputs"], unknown: ReadonlySet<string>) {
  const echoed = (["onDelete", "waitForReady", "customTimeouts", "restartTriggers"] as const).some(
    (name) => olds[name] !== inputs[name] && canonical(olds[name]) !== canonical(inputs[name]),
  );
  return echoed || sameForm([...managedOf(inputs), ...unknown]) !== sameForm(olds.managed ?? []);
}

/** `size: 2` and both limits 2 are the same wish. */
const sameForm = (managed: readonly string[]): string =>
  [...new Set(managed.flatMap((path) => (path === "size" ? LIMITS : [path])))].sort().join(" ");
const LIMITS = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"];
