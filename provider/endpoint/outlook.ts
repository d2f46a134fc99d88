// Predicts for a preview what a step will do, from one list of the project. It uses the step's own rules.

import { isKind, type Stopped } from "../errors.js";
import type { Activity } from "../rules/current-state.js";
import type { ForeseenFailure } from "../rules/foreseen-failure.js";
import { changeOf, type ImpactAssessment } from "../rules/impact.js";
import type { ReplacedCompute } from "../rules/notice.js";
import type { OnRestart } from "../rules/policies.js";
import { desiredSettings } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { activityOf } from "./activity.js";
import { adoptionOf, computeToAdopt, refuseRestart } from "./adopt.js";
import { refuseDuplicate } from "./create-conflicts.js";
import { isPrimaryOf } from "./find.js";
import { checkInputs, desiredStateOf } from "./inputs.js";
import { branchTaken } from "./patch.js";
import { assertRegion, goneError } from "./refusals.js";
import type { CreateView } from "./shared-state.js";

/** What `up` will do. The words of `kind` are also written at the end of a warning, for the report (`rules/message-data.ts`). */
export type Outlook =
  | { kind: "makes" }
  | {
      kind: "adopts";
      compute: WireEndpoint;
      assessment: ImpactAssessment;
      changes: readonly string[];
      activity?: Activity;
    }
  | { kind: "fails"; foreseen: ForeseenFailure };

/** If one of these inputs is unknown, there is no prediction. */
const DECIDING = ["projectId", "branchId", "type", "adopt", "name", "regionId"];

/**
 * What a create will do.
 * @param raw the inputs that check has made
 * @param listed the project's computes, without those that leave before the create
 * @param nowMs when the service was asked
 * @returns undefined if not known yet
 */
export function outlookOnCreate(
  view: CreateView,
  raw: Record<string, unknown>,
  listed: readonly WireEndpoint[],
  nowMs: number,
): Outlook | undefined {
  const { unknown } = checkInputs(raw);
  if (DECIDING.some((name) => unknown.has(name))) return undefined;
  const desiredState = desiredStateOf(raw);
  const { inputs } = desiredState;
  const project = inputs.projectId ?? "";
  return unlessStopped(() => {
    if (listed[0]) assertRegion(desiredState, listed[0].region_id, `project ${project}`);
    const compute = computeToAdopt(view, desiredState, project, listed);
    if (!compute) {
      refuseDuplicate(view, desiredState, project, listed);
      return { kind: "makes" };
    }
    const desired = desiredSettings(inputs, unknown);
    const adoption = adoptionOf(desiredState, compute, desired, { showsStrings: true });
    const activity = activityOf(compute, nowMs);
    refuseRestart(view, desiredState, compute, adoption, activity);
    const { assessment, harmless } = adoption;
    const changes = harmless.map(changeOf);
    return { kind: "adopts", compute, assessment, changes, ...(activity ? { activity } : {}) };
  });
}

/** The part of the run that a preview knows: the replaced compute, and no other resources. */
export function viewOf(replaces: ReplacedCompute | undefined, onRestart: OnRestart | undefined): CreateView {
  const replaced = replaces && { id: replaces.id, adopted: false, retakes: replaces.fate === "kept" };
  return {
    claimed: new Map(),
    idsInState: new Set(replaces && [replaces.id]),
    warn: () => {},
    config: { onRestart },
    ownership: {
      isHeld: () => false,
      isBeingDeleted: () => false,
      replacedBy: () => replaced,
      resourceWith: () => undefined,
    },
  };
}

/** Why an update will fail; undefined if the list does not tell. @param branchId the branch to which it moves a primary */
export function outlookOnUpdate(
  { project, id, branchId }: { project: string; id: string; branchId?: string },
  listed: readonly WireEndpoint[],
): Outlook | undefined {
  return unlessStopped(() => {
    if (!listed.some((one) => one.id === id)) throw goneError(project, id);
    const there = branchId === undefined ? undefined : listed.find((one) => isPrimaryOf(one, branchId));
    if (!there || there.id === id) return undefined;
    return { kind: "fails", foreseen: { ...branchTaken(branchId, there.id), id: there.id } };
  });
}

function unlessStopped(work: () => Outlook | undefined): Outlook | undefined {
  try {
    return work();
  } catch (error) {
    if (!isKind(error, "stopped")) throw error;
    const { foreseen }: Stopped = error;
    return foreseen && { kind: "fails", foreseen };
  }
}
