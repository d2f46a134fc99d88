// Declared restarts: `restartTriggers` that are others than at the last time.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { pruned } from "../rules/pruned.js";
import { atLeast, impactOf } from "../rules/restart.js";
import { differences, digest, isHidden, type Live, type Wish } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { act, type Done, isReached, type Mark, markOf, wasStarted } from "./action.js";
import type { Program } from "./inputs.js";
import { look } from "./look.js";
import { liveOf } from "./mapping.js";
import type { Outputs, Owed } from "./outputs.js";
import { gone, kept, type Process, settleOrKeep, type Target, UNKNOWN_OPERATION } from "./step.js";

/** Whether the program's triggers ask for a restart of a compute that was last restarted for these. */
export const isRestartDue = (wish: Wish, live: Live): boolean => differences(wish, live).includes("restartTriggers");

const NOT_ACTIVE = "is not active: restartTriggers changed, and there was nothing to restart";
const RESTARTED_SINCE = "has been started since restartTriggers changed, and is not restarted again";

/** Stands for the digest of a secret: whoever reads the state could try values. */
const SECRET_DIGEST = "secret";

/**
 * The triggers of the last restart, fit to be kept after a failure. Pulumi hides an output whose input is secret now: values
 * that were secret only before would stand in clear.
 */
export const appliedOf = (olds: Outputs, { secrets }: Program): Outputs["restartTriggers"] =>
  olds.__secret?.includes("restartTriggers") && !secrets.has("restartTriggers") ? undefined : olds.restartTriggers;

/** A restart that is due now, with what an earlier step that failed knew of it. */
export function owedOf(olds: Outputs, program: Program): Owed {
  const { inputs, secrets } = program;
  const wanted = isHidden("restartTriggers", secrets) ? SECRET_DIGEST : digest(inputs.restartTriggers);
  const { restartOwed: before } = olds;
  return pruned({
    applied: appliedOf(olds, program),
    wanted,
    since: before?.wanted === wanted ? before.since : undefined,
  });
}

/** A mark of the moment in which a service accepted a change: a start after it is one with the new settings. */
export const markOfChange = ({ endpoint, operations }: WireEndpointChange): Mark =>
  pruned({ startedAt: endpoint.started_at, operation: operations.at(-1)?.id });

/**
 * Restarts the compute if it is active, unless that has come about already: by the change itself, or in an earlier step
 * that could not tell.
 * @param before what the compute had; @param live the compute as it is, or as the change was answered
 * @param changed whether this step has sent a change, which the state must then keep whatever happens
 */
export async function payRestart(
  process: Process,
  target: Target,
  before: Live,
  live: WireEndpoint,
  changed: boolean,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { context } = process;
  const { id } = target;
  if (changed && restartsBy(before, live)) return live;
  const owed = target.owed ?? {};
  let mark = owed.since;
  let done: Done | undefined;
  try {
    const now = changed ? await look(context, target, deadline) : live;
    if (now && mark && !isReached("restart", now) && (await wasStarted(context, target, now, mark, deadline))) {
      context.say(`compute ${id} ${RESTARTED_SINCE}`);
      return now;
    }
    if (now) {
      mark = await markOf(context, target, now, deadline);
      done = await act(context, "restart", target, now, mark, deadline);
    }
  } catch (error) {
    // Nothing was changed: the state is right as it stands.
    if (!changed && !isKind(error, "unclear")) throw error;
    throw kept({ ...target, owed: { ...owed, since: mark } }, live, [UNKNOWN_OPERATION], error);
  }
  if (!done) throw gone(target.project, id);
  if (!done.sent) context.say(`compute ${id} ${isReached("restart", done.endpoint) ? NOT_ACTIVE : RESTARTED_SINCE}`);
  await settleOrKeep(process, { ...target, owed: { ...owed, since: mark } }, done, deadline);
  return done.endpoint;
}

/** Whether what the service took of a change restarts or stops the compute by itself. */
function restartsBy(before: Live, after: WireEndpoint): boolean {
  const { impact } = impactOf(before, liveOf(after));
  return atLeast(impact, "restart");
}
