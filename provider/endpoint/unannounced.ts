// Refuses an update whose restart the preview did not announce, or announced for other values.

import { Stopped } from "../errors.js";
import { driftInChange } from "../rules/drift.js";
import { type ImpactAssessment, impactOf, sentence } from "../rules/impact.js";
import { announces } from "../rules/notice.js";
import { pick, settingsByName, valuesByPath } from "../rules/paths.js";
import { refuses } from "../rules/policies.js";
import { type DesiredSettings, SIZE_LIMITS } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { ChangeSet } from "./change-set.js";
import { checkPassedRestart, type DesiredState } from "./inputs.js";
import { observedSettings } from "./mapping.js";
import { unannouncedError } from "./refusals.js";
import type { SharedState, Target } from "./shared-state.js";

/** A change that is about to be sent. */
export interface PendingPatch {
  changeSet: ChangeSet;
  /** Paths that will be sent. */
  paths: string[];
  /** Whether `restartTriggers` restart the compute. */
  needsRestart: boolean;
  /** The compute as it is now, where the step has looked. */
  compute: WireEndpoint | undefined;
}

/** The impact of the change on the compute's current settings. */
export function assessPatch(
  { inputs, secrets }: DesiredState,
  { changeSet, paths, needsRestart, compute }: PendingPatch,
): ImpactAssessment {
  const { restartTriggers } = inputs;
  const current = settingsByName({ ...changeSet.before, ...(compute && valuesByPath(observedSettings(compute))) });
  const next: DesiredSettings = {
    ...settingsByName(pick(changeSet.desired, paths)),
    ...(needsRestart ? { restartTriggers } : {}),
  };
  return impactOf(current, next, { secrets, asSize: inputs.size !== undefined });
}

/**
 * The preview compares the program with the old inputs. The compute may differ from them after a failed update, or in a property
 * that the program did not manage before. Then a change may restart it although the preview said otherwise.
 */
export function refuseUnannounced({ config }: SharedState, target: Target, change: PendingPatch): void {
  const { id, desiredState } = target;
  const { inputs, announced, isChecked } = desiredState;
  const { changeSet } = change;
  const assessment = assessPatch(desiredState, change);
  // If the program switches between `size` and two limits, the diff shows both limits, but the notice names only the limit that
  // changes. Such a notice also announces `size` and the other limit.
  const isResized = SIZE_LIMITS.some((limit) => announced !== undefined && announces(announced, limit));
  // A notice without properties comes from an option of the resource or from `compute:askAgain`, and announces every change.
  const isAnnounced = (property: string) =>
    !isChecked ||
    (announced !== undefined && (announced.properties.length === 0 || announces(announced, property))) ||
    (isResized && (property === "size" || changeSet.newlyManaged.includes(property)));
  const unannounced = assessment.reasons.filter(({ impact, property }) => impact !== "none" && !isAnnounced(property));
  if (unannounced.length > 0) {
    throw unannouncedError(
      id,
      unannounced.map(({ property }) => property),
    );
  }
  if (!refuses(assessment.impact, inputs.onRestart, config.onRestart)) return;
  if (checkPassedRestart(desiredState)) {
    assertAsApproved(target, change);
    return;
  }
  throw new Stopped(
    `updating compute ${id} restarts or stops it: ${sentence(assessment)}. The preview could not know that, and onRestart is "refuse", so this compute was not changed. Run \`pulumi refresh\`: the next preview shows it. Or give the program the values that the compute has, or set onRestart: "warn" for this one change`,
  );
}

/** An approval covers the change from the values in the state. */
function assertAsApproved({ id, desiredState, last }: Target, { changeSet, compute }: PendingPatch): void {
  if (compute === undefined) return;
  const options = { secrets: desiredState.secrets, asSize: desiredState.inputs.size !== undefined };
  const changes = driftInChange(changeSet, last, observedSettings(compute), options);
  if (changes.length === 0) return;
  throw new Stopped(
    `somebody has changed ${changes.join(", ")} of compute ${id} since the state was recorded. The approval covers the change from the value in the state, and onRestart is "refuse", so this compute was not changed. Run \`pulumi refresh\`: the next preview shows the current change, which you can approve`,
  );
}
