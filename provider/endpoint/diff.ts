// Compares the state with the program. No request: the engine runs diffs one by one.

import { Stopped } from "../errors.js";
import { canonical } from "../rules/equality.js";
import { desiredSettings, pathsOf, settingsIn, settingsWhere, UNKNOWN } from "../rules/settings.js";
import { isUnfinished } from "../rules/unfinished.js";
import type { BranchMoves } from "./branch-moves.js";
import { type ChangeSetOptions, changeSetOf } from "./change-set.js";
import { checkInputs } from "./inputs.js";
import { KEPT_OPTIONS, managedOf, type Outputs } from "./outputs.js";
import { unannouncedError } from "./refusals.js";
import { whyItStays } from "./replacement.js";

export interface DiffAnswer {
  /**
   * `false`: nothing differs. Absent: inputs differ; for the class, the engine computes the details. `true`: only outputs
   * differ, which the engine can't see.
   */
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
}

export interface DiffOptions extends ChangeSetOptions {
  id: string;
  /** The resource's URN; absent if no check came before. */
  urn?: string;
  /** The primaries of this run. */
  branches?: BranchMoves;
  /** Called with the values that the service did not apply and that are not sent again. */
  unapplied?: (line: string) => void;
}

/** @throws Stopped if the update would change something that this preview does not show */
export function diff(olds: Outputs, news: Record<string, unknown>, options: DiffOptions): DiffAnswer {
  const { inputs, unknown } = checkInputs(news);
  const desired = desiredSettings(inputs, unknown);
  const recorded = settingsIn(olds);
  const { id, branches, oldInputs = {} } = options;
  // With ignoreChanges: ["*"] the engine removes the URN from the inputs. Then the id stands for it. A compute that was
  // compared already is not noted again: its first comparison counts.
  const urn = options.urn ?? (branches?.knows(id) ? undefined : id);
  const conflict = urn && branches?.noteDiff(urn, id, olds, desired, whyItStays(olds, { ...oldInputs }) !== undefined);
  if (conflict) throw new Stopped(conflict);
  // An unknown value replaces nothing: when a compute is replaced, the engine also diffs the resources that use its outputs, with
  // unknown values. A replica with `projectId: primary.projectId` would be deleted too.
  const replaces = REPLACING.filter(
    (name) => desired[name] !== undefined && desired[name] !== UNKNOWN && desired[name] !== recorded[name],
  );
  if (replaces.length > 0) return { replaces: [...replaces], deleteBeforeReplace: true };

  const changeSet = changeSetOf(olds, desired, { ...options, asSize: news["size"] !== undefined });
  if (changeSet.reverted.length > 0) throw unannouncedError(options.id, changeSet.reverted);
  if (changeSet.unapplied.length > 0) options.unapplied?.(notAskedText(options.id, changeSet.unapplied));
  if (isUnfinished(olds)) return { changes: true };
  if (changeSet.changed.some((path) => !changeSet.askedAgain.includes(path))) return {};
  if (Object.values(desired).includes(UNKNOWN) || recordDiffers(olds, inputs, unknown)) return {};
  // An update clears a restart that is no longer wanted.
  const onlyOutputsDiffer =
    changeSet.askedAgain.length > 0 || changeSet.unexplained.length > 0 || olds.restartOwed !== undefined;
  return { changes: onlyOutputsDiffer };
}

/** Settings that only a new compute can have. */
const REPLACING = settingsWhere({ changedBy: "replacement" });

const notAskedText = (id: string, paths: readonly string[]): string =>
  `the service did not apply ${paths.join(", ")} of compute ${id} in an earlier run, and the provider does not send it again. To send it again, run \`pulumi config set compute:askAgain true\``;

/**
 * Whether an update would change what the state records about the program. The state has `adopt` and `onRestart` as well.
 * They are not compared, since a program that drops them must show no change. Drawback: after a refresh with drift, the next
 * preview shows them as removed.
 */
function recordDiffers(olds: Outputs, inputs: ReturnType<typeof checkInputs>["inputs"], unknown: ReadonlySet<string>) {
  const keptDiffers = COMPARED.some(
    (name) => olds[name] !== inputs[name] && canonical(olds[name]) !== canonical(inputs[name]),
  );
  return keptDiffers || managedKey([...managedOf(inputs), ...unknown]) !== managedKey(olds.managed ?? []);
}

const COMPARED = [...KEPT_OPTIONS, ...settingsWhere({ changedBy: "restart" })] as const;

/** `size: 2` and both limits 2 mean the same. */
const managedKey = (managed: readonly string[]): string => [...new Set(managed.flatMap(pathsOf))].sort().join(" ");
