// Sends what differs, waits, reads back. PATCH …/endpoints/{id}

import type { Deadline } from "../clock.js";
import { isKind, NotReady } from "../errors.js";
import { POLL_TIMEOUT_MS } from "../operations/poll.js";
import { impactOf, isAtLeast } from "../rules/impact.js";
import { isAsDesired, pick, settingsByName } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import { desiredSettings, type ObservedSettings, settingsIn } from "../rules/settings.js";
import { isUnfinished } from "../rules/unfinished.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { type ChangeSet, changeSetOf } from "./change-set.js";
import { findCompute, findComputeDirectly } from "./find.js";
import type { DesiredState } from "./inputs.js";
import { needsCurrentValues, observedSettings, reportedBy } from "./mapping.js";
import { knownAfter, type Outputs, outputsOf } from "./outputs.js";
import { patch } from "./patch.js";
import { readBack } from "./read-back.js";
import { assertRegion, unannouncedError } from "./refusals.js";
import { appliedTriggers, lastStartIn, pendingRestartOf, restartForTriggers, triggersDiffer } from "./restart.js";
import { finishEarlierStep, mustBeThere } from "./resume.js";
import { settleOrKeep, UNKNOWN_OPERATION } from "./settle-or-keep.js";
import { deadlineFor, type SharedState, type Target } from "./shared-state.js";
import { startIfNeverStarted } from "./start.js";
import { assessPatch, type PendingPatch, refuseUnannounced } from "./unannounced.js";

export interface UpdateRequest {
  id: string;
  olds: Outputs;
  desiredState: DesiredState;
}

/** An update of one compute, and the decisions made before its first request. */
interface Update {
  shared: SharedState;
  target: Target;
  olds: Outputs;
  changeSet: ChangeSet;
  /** Whether an earlier step failed or did not wait, so its operations may still run. */
  mustFinish: boolean;
  /** The program's `restartTriggers` ask for a restart. */
  needsRestart: boolean;
}

export async function update(shared: SharedState, request: UpdateRequest): Promise<Outputs> {
  const { id, olds, desiredState } = request;
  const { inputs } = desiredState;
  assertRegion(desiredState, olds.regionId, `compute ${id}`);
  const desired = desiredSettings(inputs);
  const changeSet = changeSetOf(olds, desired, {
    oldInputs: shared.oldInputs.of(id),
    askAgain: shared.config.askAgain,
    asSize: inputs.size !== undefined,
  });
  if (changeSet.reverted.length > 0) throw unannouncedError(id, changeSet.reverted);
  const waitsNow = olds.waitForReady === false && inputs.waitForReady !== false;
  const mustFinish = isUnfinished(olds) || waitsNow;
  // A compute that becomes disabled is not restarted: its next start has everything new. The preview says so.
  const needsRestart = desired.disabled !== true && triggersDiffer(desired, settingsIn(olds));
  if (!mustFinish && !needsRestart && changeSet.changed.length === 0 && changeSet.newlyManaged.length === 0) {
    return withoutRequest(olds, desiredState, changeSet, id);
  }
  const project = olds.projectId;
  const target: Target = { project, id, desiredState, last: olds, adopted: olds.adopted, origin: "update" };
  if (needsRestart) target.pendingRestart = pendingRestartOf(olds, desiredState);
  const keys = [id, olds.branchId, inputs.branchId];
  const { answer, sent, deadline } = await shared.context.mutations.run(project, keys, async () => {
    const deadline = deadlineFor(shared, "update", desiredState, inputs.customTimeouts);
    const applied = await apply({ shared, target, olds, changeSet, mustFinish, needsRestart }, deadline);
    return { ...applied, deadline };
  });
  const asked = { sent: pick(changeSet.desired, sent), unapplied: changeSet.unapplied };
  return readBack(shared, target, answer, asked, deadline);
}

/** @returns the compute as the service answered last, and the paths that were sent */
async function apply(step: Update, deadline: Deadline): Promise<Applied> {
  const { shared, target, olds, changeSet, needsRestart } = step;
  const { project, id, desiredState } = target;
  const branches = [olds.branchId, desiredState.inputs.branchId];
  /** Records a failure of this work: the compute may then be down. */
  const notingFailure = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (isKind(error, "not-ready")) shared.rollout.noteFailed(project, branches, id);
      throw error;
    });
  const compute = await notingFailure(computeBefore(step, deadline));
  const paths = compute ? pathsToSend(changeSet, compute) : changeSet.changed;
  if (compute && paths.length === 0 && !needsRestart) return { answer: compute, sent: paths };
  const change = { changeSet, paths, needsRestart, compute };
  refuseUnannounced(shared, target, change);
  const isActive = compute === undefined || compute.current_state === "active";
  const dropsConnections = isActive && isAtLeast(assessPatch(desiredState, change).impact, "may-restart");
  if (!dropsConnections) return send(step, change, deadline);
  shared.rollout.assertGoesOn(project, branches, id);
  return notingFailure(send(step, change, deadline));
}

interface Applied {
  answer: WireEndpoint;
  sent: string[];
}

async function send(step: Update, { paths: sent, compute }: PendingPatch, deadline: Deadline): Promise<Applied> {
  const { shared, target, olds, changeSet, needsRestart } = step;
  /** Tells later whether the change itself restarts the compute. */
  const before: ObservedSettings = { ...settingsIn(olds), ...(compute && observedSettings(compute)) };
  if (compute && sent.length === 0) {
    return { answer: await restartForTriggers(shared, target, before, compute, false, deadline), sent };
  }
  const settings = settingsByName(pick(changeSet.desired, sent));
  const change = await patch(shared, target, settings, compute, deadline).catch((error: unknown) => {
    throw isKind(error, "unclear") ? unknownChange(target, olds, compute, error) : error;
  });
  const changed: Target = { ...target, last: knownAfter(olds, target.desiredState.inputs, changeSet.unapplied) };
  if (target.pendingRestart) changed.pendingRestart = { ...target.pendingRestart, since: lastStartIn(change) };
  const answer = await settleChange(step, changed, settings, change, deadline);
  if (!needsRestart) return { answer, sent };
  return { answer: await restartForTriggers(shared, changed, before, answer, true, deadline), sent };
}

/**
 * Waits for the change. A change that enables the compute, or that follows a failed step, also starts the compute if it has never
 * started.
 */
async function settleChange(
  { shared, olds, mustFinish }: Update,
  target: Target,
  settings: ObservedSettings,
  change: WireEndpointChange,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const endpoint = await settleOrKeep(shared, target, change, deadline);
  const mayNeedStart = mustFinish || settings.disabled === false;
  if (!mayNeedStart) return change.endpoint;
  return startIfNeverStarted(shared, target, olds, { ...change, endpoint }, deadline);
}

/** The compute before the change, after the work of an earlier step. Undefined if the change does not depend on it. */
async function computeBefore(step: Update, deadline: Deadline): Promise<WireEndpoint | undefined> {
  const { shared, target, olds, changeSet, mustFinish } = step;
  if (!mustFinish) {
    const compute = await look(step, deadline);
    // Where fewer paths differ than planned, an interrupted run has sent a part of the change, and its work may still run.
    if (!compute || pathsToSend(changeSet, compute).length >= changeSet.changed.length) return compute;
  }
  return finishEarlierStep(shared, target, olds, deadline);
}

/**
 * Gets the compute if the update needs it: for a setting without a value in the state, for a request with unchanged fields, or to
 * see whether a restart has happened already.
 */
async function look(
  { shared, target, changeSet, needsRestart }: Update,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  // A list may be stale, so values that go along in the request do not come from one.
  if (needsCurrentValues([...changeSet.changed, ...changeSet.newlyManaged])) {
    return mustBeThere(target, await findComputeDirectly(shared.context, target, deadline));
  }
  if (needsRestart || changeSet.newlyManaged.length > 0) {
    return mustBeThere(target, await findCompute(shared.context, target, deadline));
  }
  const { impact } = impactOf(
    settingsByName(changeSet.before),
    settingsByName(pick(changeSet.desired, changeSet.changed)),
  );
  return isAtLeast(impact, "may-restart") ? lookBriefly(shared, target, deadline) : undefined;
}

/**
 * Gets the compute with a short timeout. An interrupted run may have made the change already, and a second restart would be
 * wasted. A failing list must not block the change.
 */
function lookBriefly({ context }: SharedState, target: Target, deadline: Deadline): Promise<WireEndpoint | undefined> {
  const soon = deadline.atMost(POLL_TIMEOUT_MS);
  return findCompute(context, target, soon).catch(() => undefined);
}

/** The paths of the change set at which the compute differs. If the response has no value, the state's value counts. */
function pathsToSend({ desired, before, changed, newlyManaged }: ChangeSet, compute: WireEndpoint): string[] {
  const { values: has, isReported } = reportedBy(compute);
  const differs = (path: string) => !isAsDesired(path, (isReported(path) ? has : before)[path], desired[path]);
  return [
    ...new Set([...changed.filter((path) => !isReported(path) || differs(path)), ...newlyManaged.filter(differs)]),
  ];
}

/** Nobody knows whether the change was made. The state says so, and the next step looks at the compute. */
function unknownChange(target: Target, olds: Outputs, compute: WireEndpoint | undefined, cause: Error): NotReady {
  const { id, project, pendingRestart, desiredState } = target;
  const unfinished = [...new Set([...(olds.unfinished ?? []), UNKNOWN_OPERATION])];
  // A start in progress may not include the change, so only the time of a finished start is kept.
  const startedAt = compute?.pending_state === undefined ? compute?.started_at : undefined;
  const since = pendingRestart?.since ?? (startedAt === undefined ? undefined : { startedAt });
  const reason = `${cause.message}. It is not known whether compute ${id} of project ${project} was changed, and the state records that. Run \`pulumi up\` again: it checks the compute and finishes the change`;
  const record = {
    adopted: olds.adopted,
    unfinished,
    pendingRestart: pruned({
      applied: appliedTriggers(olds, desiredState),
      wanted: pendingRestart?.wanted,
      since: pendingRestart?.wanted === undefined ? undefined : since,
    }),
  };
  // The state shows the change as made. Otherwise a program that takes the change back would not differ from the state.
  const outputs = outputsOf({ id }, desiredState, record, knownAfter(olds, desiredState.inputs), "update");
  return new NotReady(id, { ...outputs }, [reason], { cause });
}

/** No setting of the compute differs: only what the state remembers of the program changes. */
function withoutRequest(
  olds: Outputs,
  desiredState: DesiredState,
  { desired, unapplied }: ChangeSet,
  id: string,
): Outputs {
  const record = { adopted: olds.adopted, unapplied: pick(desired, unapplied) };
  return outputsOf({ id }, desiredState, record, knownAfter(olds, desiredState.inputs, unapplied), "update");
}
