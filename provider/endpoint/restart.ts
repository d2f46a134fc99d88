// Restarts that the program declares with `restartTriggers`.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { differences, fingerprint } from "../rules/equality.js";
import { impactOf, isAtLeast } from "../rules/impact.js";
import { pruned } from "../rules/pruned.js";
import { type DesiredSettings, isSecret, type ObservedSettings } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { type ActionResult, isNeedless, type LastStart, lastStartOf, runAction, wasStartedSince } from "./action.js";
import { findCompute } from "./find.js";
import type { DesiredState } from "./inputs.js";
import { observedSettings } from "./mapping.js";
import type { Outputs, PendingRestart } from "./outputs.js";
import { goneError } from "./refusals.js";
import { notReadyError, settleOrKeep, UNKNOWN_OPERATION } from "./settle-or-keep.js";
import type { SharedState, Target } from "./shared-state.js";

/** Whether the program's triggers differ from those of the last restart. */
export const triggersDiffer = (desired: DesiredSettings, before: ObservedSettings): boolean =>
  differences(desired, before).includes("restartTriggers");

const NOT_ACTIVE = "is not active: restartTriggers changed, and there was nothing to restart";
const RESTARTED_SINCE = "has been started since restartTriggers changed, and is not restarted again";

/** Stands for the fingerprint of a secret. With a real one, whoever reads the state could try values. */
const SECRET_FINGERPRINT = "secret";

/**
 * The triggers of the last restart, for the state after a failure. Undefined if they were secret before and are not now: Pulumi
 * would store them in plain text.
 */
export const appliedTriggers = (olds: Outputs, { secrets }: DesiredState): Outputs["restartTriggers"] =>
  olds.__secret?.includes("restartTriggers") && !secrets.has("restartTriggers") ? undefined : olds.restartTriggers;

/** The restart that the compute needs now, with the last start that an earlier failed step has seen. */
export function pendingRestartOf(olds: Outputs, desiredState: DesiredState): PendingRestart {
  const { inputs, secrets } = desiredState;
  const wanted = isSecret("restartTriggers", secrets) ? SECRET_FINGERPRINT : fingerprint(inputs.restartTriggers);
  const { restartOwed: before } = olds;
  return pruned({
    applied: appliedTriggers(olds, desiredState),
    wanted,
    since: before?.wanted === wanted ? before.since : undefined,
  });
}

/** The last start before the service accepted a change. A start after it has the new settings. */
export const lastStartIn = ({ endpoint, operations }: WireEndpointChange): LastStart =>
  pruned({ startedAt: endpoint.started_at, operation: operations.at(-1)?.id });

/**
 * Restarts the compute if it is active, unless it has been restarted already: by the change itself, or by an earlier step that
 * failed before it knew of the restart.
 * @param before the settings before the step; @param compute the compute as it is now, or as in the response to the change
 * @param isChanged whether this step has sent a change; then the state must record it even after a failure
 */
export async function restartForTriggers(
  shared: SharedState,
  target: Target,
  before: ObservedSettings,
  compute: WireEndpoint,
  isChanged: boolean,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { context } = shared;
  const { id } = target;
  if (isChanged && changeRestarts(before, compute)) return compute;
  const pendingRestart = target.pendingRestart ?? {};
  let lastStart = pendingRestart.since;
  let done: ActionResult | undefined;
  try {
    const now = isChanged ? await findCompute(context, target, deadline) : compute;
    if (
      now &&
      lastStart &&
      !isNeedless("restart", now) &&
      (await wasStartedSince(context, target, now, lastStart, deadline))
    ) {
      context.log(`compute ${id} ${RESTARTED_SINCE}`);
      return now;
    }
    if (now) {
      lastStart = await lastStartOf(context, target, now, deadline);
      done = await runAction(context, "restart", target, now, lastStart, deadline);
    }
  } catch (error) {
    // Where nothing was changed, the state is right as it is.
    if (!isChanged && !isKind(error, "unclear")) throw error;
    throw notReadyError(
      { ...target, pendingRestart: { ...pendingRestart, since: lastStart } },
      compute,
      [UNKNOWN_OPERATION],
      error,
    );
  }
  if (!done) throw goneError(target.project, id);
  if (!done.sent) context.log(`compute ${id} ${isNeedless("restart", done.endpoint) ? NOT_ACTIVE : RESTARTED_SINCE}`);
  await settleOrKeep(shared, { ...target, pendingRestart: { ...pendingRestart, since: lastStart } }, done, deadline);
  return done.endpoint;
}

/** Whether the settings that the service has taken restart or stop the compute. */
function changeRestarts(before: ObservedSettings, after: WireEndpoint): boolean {
  const { impact } = impactOf(before, observedSettings(after));
  return isAtLeast(impact, "restart");
}
