// Compares the state with the program. No request: the engine runs diffs one by one.

import { Stopped } from "../errors.js";
import { canonical, UNKNOWN } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { Branches } from "./branches.js";
import { checkInputs } from "./inputs.js";
import { liveOfOutputs, managedOf, type Outputs } from "./outputs.js";
import { type PlanOptions, planOf } from "./plan.js";
import { whyItStays } from "./replacement.js";

export interface DiffAnswer {
  /**
   * `false`: nothing differs. Absent: inputs differ, and the engine finds out which (only then does it show the
   * details). `true`: only the outputs differ from the wish, which the engine can't see by itself.
   */
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
}

export interface DiffOptions extends PlanOptions {
  id: string;
  /** The resource, and the primaries of the others; absent where no check came before. */
  urn?: string;
  branches?: Branches;
  /** Hears what the service did not take, and is not asked for again. */
  notTaken?: (line: string) => void;
}

/** @throws Stopped where the update would have to send what this preview can't show */
export function diff(olds: Outputs, news: Record<string, unknown>, options: DiffOptions): DiffAnswer {
  const { inputs, unknown } = checkInputs(news);
  const wish = wishOf(inputs, unknown);
  const live = liveOfOutputs(olds);
  const { id, branches, oldInputs = {} } = options;
  // With ignoreChanges: ["*"] the engine takes our hint of the URN out as well.
  const urn = options.urn ?? (branches?.knows(id) ? undefined : id);
  const conflict = urn && branches?.compare(urn, id, olds, wish, whyItStays(olds, { ...oldInputs }) !== undefined);
  if (conflict) throw new Stopped(conflict);
  // Never for a value that is not known: when a compute is replaced, the engine asks what becomes of all that takes a
  // value from it, with that value unknown. A replica with `projectId: primary.projectId` would be deleted too.
  const replaces = (["projectId", "type"] as const).filter(
    (name) => wish[name] !== undefined && wish[name] !== UNKNOWN && wish[name] !== live[name],
  );
  if (replaces.length > 0) return { replaces: [...replaces], deleteBeforeReplace: true };

  const plan = planOf(olds, wish, { ...options, asSize: news["size"] !== undefined });
  if (plan.takenBack.length > 0) throw unannounced(options.id, plan.takenBack);
  if (plan.notTaken.length > 0) options.notTaken?.(notAskedText(options.id, plan.notTaken));
  if (olds.unfinished?.length) return { changes: true };
  if (plan.changed.some((path) => !plan.askedAgain.includes(path))) return {};
  if (Object.values(wish).includes(UNKNOWN) || recordDiffers(olds, inputs, unknown)) return {};
  // What is owed for values that the program has taken back is forgotten by an update.
  const silent = plan.askedAgain.length > 0 || plan.unexplained.length > 0 || olds.restartOwed !== undefined;
  return { changes: silent };
}

/** Stops before a change that the preview has not shown. A refresh brings it into the state, and so into the next preview. */
export const unannounced = (id: string, paths: readonly string[]): Stopped =>
  new Stopped(
    `updating compute ${id} would change ${paths.join(", ")}, which this preview does not show: an earlier update failed, or the compute was changed since. Nothing was changed, and the state was left as it was. Run \`pulumi up --refresh\`: it reads the compute first, and its preview shows what changes`,
  );

const notAskedText = (id: string, paths: readonly string[]): string =>
  `the service did not take ${paths.join(", ")} of compute ${id} in an earlier run, and it is not asked for again. To ask again, run \`pulumi config set compute:askAgain true\``;

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
