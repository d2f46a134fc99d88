// Adopts an existing compute: the one in `adopt`, or the one that the resource had before.

import type { Deadline } from "../clock.js";
import { Stopped } from "../errors.js";
import { pendingOperationsOf } from "../operations/queries.js";
import { type Activity, sentenceNow } from "../rules/current-state.js";
import { harmlessChanges, type ImpactAssessment, type ImpactOptions, impactOf, type Reason } from "../rules/impact.js";
import { looksGenerated } from "../rules/name.js";
import {
  differingPaths,
  pick,
  type SettingValues,
  settingsByName,
  updatableValues,
  valuesByPath,
} from "../rules/paths.js";
import { refuses } from "../rules/policies.js";
import { DEFAULT_TYPE, type DesiredSettings, desiredSettings, type ObservedSettings } from "../rules/settings.js";
import { identityOf } from "../rules/urn.js";
import { lineOfAdoption } from "../rules/warnings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { activityOf } from "./activity.js";
import { findComputeDirectly, formatComputes, isPrimaryOf } from "./find.js";
import { checkPassedRestart, type DesiredState } from "./inputs.js";
import { needsCurrentValues, observedSettings } from "./mapping.js";
import type { Conflict } from "./ownership.js";
import { patch } from "./patch.js";
import type { CreateView, SharedState } from "./shared-state.js";

/** The compute that a create takes over. Undefined if a new compute must be created. @throws Stopped if neither is possible */
export const computeToAdopt = (
  view: CreateView,
  desiredState: DesiredState,
  project: string,
  computes: readonly WireEndpoint[],
): WireEndpoint | undefined =>
  computeNamedByAdopt(view, desiredState, project, computes) ?? ownComputeFromBefore(view, desiredState, computes);

/** The compute that `adopt` names. */
function computeNamedByAdopt(
  view: CreateView,
  desiredState: DesiredState,
  project: string,
  computes: readonly WireEndpoint[],
): WireEndpoint | undefined {
  const { adopt, branchId, type = DEFAULT_TYPE } = desiredState.inputs;
  if (!adopt) return undefined;
  const found = computes.find((one) => (adopt === true ? isPrimaryOf(one, branchId) : one.id === adopt));
  if (!found && adopt === true) return undefined;
  if (!found) {
    throw new Stopped(
      `adopt names ${adopt}, but project ${project} has no such compute. It has: ${formatComputes(computes)}. Nothing was changed. Set adopt to one of these, or leave it out to create a new compute`,
      undefined,
      {
        problem: `project ${project} has no compute ${adopt}, which adopt names`,
        way: "Set adopt to a compute of this project, or leave it out to create a new one",
      },
    );
  }
  if (view.claimed.has(found.id)) throw new Stopped(adoptConflict(found.id, "taken"));
  if (view.ownership?.isHeld(found.id)) throw new Stopped(adoptConflict(found.id, "held"));
  if (found.type !== undefined && found.type !== type) {
    throw new Stopped(
      `adopt names ${found.id}, which is a ${found.type} compute, while the program asks for ${type}: a compute can't change its type. Nothing was changed. Set type to ${found.type}, or set adopt to another compute`,
      undefined,
      {
        problem: `adopt names ${found.id}, which is ${found.type}, and the program asks for ${type}`,
        way: `Set type to ${found.type}, or set adopt to another compute`,
        id: found.id,
      },
    );
  }
  const name = generatedNameOfAnother(view, desiredState, found);
  if (name !== undefined) {
    throw new Stopped(
      `adopt names ${found.id}, which has the name ${name}, generated for another resource. If a state still has that resource, deleting it would delete the compute. Nothing was changed. Choose: if this resource was renamed or moved, replace adopt by the resource option aliases; otherwise take the compute out of the other state with \`pulumi state delete\`, if any has it, and set name: "${name}" here, which confirms the adoption and does not change the compute`,
      undefined,
      {
        problem: `${found.id} has the name ${name}, generated for another resource`,
        way: `Replace adopt by the option aliases if this resource was renamed or moved; otherwise set name: "${name}"`,
        id: found.id,
      },
    );
  }
  return found;
}

/**
 * The compute's name, if it was generated for another resource. A state of this or another stack may still contain that resource,
 * and deleting it would delete the compute. Only the name shows that.
 */
export function generatedNameOfAnother(
  shared: CreateView,
  { inputs, autoName }: DesiredState,
  { id, name }: WireEndpoint,
): string | undefined {
  if (inputs.name !== undefined || name === undefined || name === autoName || !looksGenerated(name)) return undefined;
  return shared.ownership?.replacedBy({ inputs, autoName })?.id === id ? undefined : name;
}

const CONFLICTS: Record<Conflict, string> = {
  taken:
    "another resource of this same run has created or taken over this compute, and a compute belongs to one resource. Nothing was changed",
  held: "another resource of this program has this compute in the state, and a compute belongs to one resource. Nothing was changed. Set another branch, adopt another compute, or remove adopt",
  deleting:
    "another resource of this same run is deleting it. Nothing was changed. Run `pulumi up` again once that has ended",
};

export const adoptConflict = (id: string, conflict: Conflict): string =>
  `compute ${id} can't be taken over: ${CONFLICTS[conflict]}`;

/**
 * The compute that this resource had before the engine began to replace it. It is still the branch's primary, so no other primary
 * can be created. For example, an earlier run failed between the release and the create. Then the engine asks for the create at
 * every `pulumi up`, even after the program has reverted the change.
 */
function ownComputeFromBefore(
  shared: CreateView,
  desiredState: DesiredState,
  computes: readonly WireEndpoint[],
): WireEndpoint | undefined {
  const own = shared.ownership?.replacedBy(desiredState);
  if (!own?.retakes || (desiredState.inputs.type ?? DEFAULT_TYPE) !== "read_write") return undefined;
  const found = computes.find((one) => one.id === own.id && isPrimaryOf(one, desiredState.inputs.branchId));
  if (!found || shared.claimed.has(found.id) || shared.ownership?.isBeingDeleted(found.id)) return undefined;
  shared.warn(
    `compute ${found.id} stayed on the service when Pulumi began to replace its resource, and is its branch's primary: it is taken over again, with its host`,
  );
  return found;
}

/** What adopting a compute changes. */
export interface Adoption {
  /** What the program asks for and a PATCH can change. */
  values: SettingValues;
  observed: ObservedSettings;
  /** The paths at which the compute differs from the program. */
  paths: string[];
  assessment: ImpactAssessment;
  /** The changes without an impact. */
  harmless: Reason[];
}

/** @param desired in a preview, with `UNKNOWN` for values that are not known yet */
export function adoptionOf(
  { inputs, secrets }: DesiredState,
  existing: WireEndpoint,
  desired: DesiredSettings = desiredSettings(inputs),
  options: ImpactOptions = {},
): Adoption {
  // Adopting a compute with `restartTriggers` does not restart it.
  const observed = { ...observedSettings(existing), restartTriggers: inputs.restartTriggers };
  const values = updatableValues(desired);
  const impactOptions = { secrets, asSize: inputs.size !== undefined, ...options };
  return {
    values,
    observed,
    paths: differingPaths(values, valuesByPath(observed)),
    assessment: impactOf(observed, desired, impactOptions),
    harmless: harmlessChanges(observed, desired, impactOptions),
  };
}

/**
 * @param activity of the compute now; undefined if not known
 * @throws Stopped if `refuse` is in force, and taking the compute over restarts it
 */
export function refuseRestart(
  { config }: Pick<CreateView, "config">,
  desiredState: DesiredState,
  existing: WireEndpoint,
  { assessment }: Adoption,
  activity?: Activity,
): void {
  // In a create, check had old inputs if the engine replaces the resource, or creates it again because its compute is gone.
  if (checkPassedRestart(desiredState)) return;
  if (!refuses(assessment.impact, desiredState.inputs.onRestart, config.onRestart)) return;
  const way = 'set onRestart: "warn" on this resource until the compute is taken over';
  // `up` refuses whatever the compute does then: an idle one may be active a moment later.
  const isIdle = activity !== undefined && activity.state !== "active";
  const idle = isIdle ? ` It is ${activity.state} now, but may be active when \`up\` runs.` : "";
  const does = `${sentenceNow(assessment, isIdle ? undefined : activity)}${idle}`;
  throw new Stopped(
    `adopting ${existing.id} would change it: ${does} onRestart is "refuse", so this compute was not changed. To go on, give the program the values that the compute has, or ${way}`,
    undefined,
    {
      problem: `takes over ${existing.id}: ${does} onRestart is "refuse"`,
      way: `Give the program the values that the compute has, or ${way}`,
      ...(activity ? { state: activity.state } : {}),
      id: existing.id,
    },
  );
}

/**
 * Takes over a compute that exists. Changes the settings that the program has, and leaves the others as they are.
 * @param isFromList whether `existing` comes from a list, which may be stale
 */
export async function adoptCompute(
  shared: SharedState,
  desiredState: DesiredState,
  existing: WireEndpoint,
  deadline: Deadline,
  isFromList = true,
): Promise<WireEndpointChange> {
  const { inputs } = desiredState;
  const project = inputs.projectId ?? "";
  // Another process of this run may have the compute: each `Provider` instance has a process of its own.
  const conflict = await shared.ownership?.claim(existing.id);
  if (conflict) throw new Stopped(adoptConflict(existing.id, conflict));
  const adoption = adoptionOf(desiredState, existing);
  refuseRestart(shared, desiredState, existing, adoption);
  const { values, paths } = adoption;
  const ref = { project, id: existing.id };
  // A stale list could hide a difference, or put old values into the PATCH.
  if (isFromList && (paths.length === 0 || needsCurrentValues(paths))) {
    const now = await findComputeDirectly(shared.context, ref, deadline);
    if (!now) throw new Stopped(deletedMeanwhile(project, existing.id));
    const { branchId } = inputs;
    // A restore of the branch has just moved this compute, which was found as the branch's primary. The PATCH would move it back.
    if (typeof inputs.adopt !== "string" && ![undefined, branchId].includes(now.branch_id)) {
      throw new Stopped(justMoved(now, branchId));
    }
    return adoptCompute(shared, desiredState, now, deadline, false);
  }
  if (paths.length > 0) {
    if (paths.some((path) => path.startsWith("settings.")) && existing.settings === undefined) {
      throw new Stopped(unknownSettings(existing.id));
    }
    const settings = settingsByName(pick(values, paths));
    warnOfTakeOver(shared, desiredState, existing, adoption);
    return patch(shared, { ...ref, last: {}, desiredState }, settings, existing, deadline);
  }
  const isBusy = existing.pending_state !== undefined || existing.current_state === "init";
  const operations = isBusy ? await pendingOperationsOf(shared.context, project, existing.id, deadline) : [];
  return { endpoint: existing, operations };
}

/** Warns that the adoption may restart the compute. A preview without a key could not say so. */
function warnOfTakeOver(
  { config, context, places, warn }: SharedState,
  { inputs, autoName }: DesiredState,
  existing: WireEndpoint,
  { assessment }: Adoption,
): void {
  if (assessment.impact === "none" || (inputs.onRestart ?? config.onRestart) === "allow") return;
  // The class prints this line at the stack, so the line has to name the resource.
  const { urn } = places?.of({ ...inputs, __autoName: autoName }) ?? {};
  const name = urn && identityOf(urn)?.name;
  const { text } = lineOfAdoption(existing.id, { assessment, changes: [] }, activityOf(existing, context.clock.wall()));
  warn(name ? `${name} ${text}` : text);
}

const unknownSettings = (id: string): string =>
  `compute ${id} can't be taken over: the service did not return its settings, and a request with one of them could drop the others. Nothing was changed. Run \`pulumi up\` again; if that fails too, first take the compute over without \`settings\` in the program`;

const deletedMeanwhile = (project: string, id: string): string =>
  `compute ${id} can't be taken over: somebody has just deleted it, and only the list of project ${project} still has it. Nothing was changed. Run \`pulumi up\` again`;

const justMoved = ({ id, branch_id: to }: WireEndpoint, branchId: string | undefined): string =>
  `compute ${id} was the primary of branch ${branchId}, but somebody has just moved it to branch ${to}. Nothing was changed. Run \`pulumi up\` again: it takes over the branch's new primary, or creates one`;
