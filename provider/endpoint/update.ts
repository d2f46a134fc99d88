// Sends what differs, waits, reads back. PATCH …/endpoints/{id}

import { Deadline } from "../clock.js";
import { isKind, NotReady, Stopped } from "../errors.js";
import { outcomeOf } from "../operations/outcome.js";
import { begunOn, pendingOf, settle } from "../operations/settle.js";
import { LOOK_MS } from "../operations/watch.js";
import { announces } from "../rules/notice.js";
import { isAsWanted, pick, settingsByName, valuesByPath } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import { atLeast, impactOf, sentence } from "../rules/restart.js";
import type { Live, Wish } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { unannounced } from "./diff.js";
import type { Program } from "./inputs.js";
import { look, lookClosely } from "./look.js";
import { carriesMore, liveOf, toldBy } from "./mapping.js";
import { knownAfter, liveOfOutputs, type Outputs, outputsOf } from "./outputs.js";
import { LIMITS, planOf, type UpdatePlan } from "./plan.js";
import { readBack } from "./read-back.js";
import { hasNeverStarted } from "./rest.js";
import { appliedOf, isRestartDue, markOfChange, owedOf, payRestart } from "./restart.js";
import { startAgain, startedAfter } from "./start.js";
import {
  assertRegion,
  deadlineFor,
  gone,
  kept,
  type Process,
  patch,
  settleOrKeep,
  type Target,
  UNKNOWN_OPERATION,
} from "./step.js";

export interface UpdateRequest {
  id: string;
  olds: Outputs;
  program: Program;
}

export async function update(process: Process, request: UpdateRequest): Promise<Outputs> {
  const { id, olds, program } = request;
  const { inputs } = program;
  assertRegion(program, olds.regionId, `compute ${id}`);
  const wish = wishOf(inputs);
  const plan = planOf(olds, wish, {
    oldInputs: process.checked.of(id),
    askAgain: process.config.askAgain,
    asSize: inputs.size !== undefined,
  });
  // What an earlier step did not wait for may have failed.
  const waitsNow = olds.waitForReady === false && inputs.waitForReady !== false;
  const doubtful = (olds.unfinished?.length ?? 0) > 0 || waitsNow;
  // What is to be disabled does not restart: the plan says so, and the next start is one with everything new.
  const due = wish.disabled !== true && isRestartDue(wish, liveOfOutputs(olds));
  const project = olds.projectId;
  const target: Target = { project, id, program, last: olds, adopted: olds.adopted, origin: "update" };
  if (plan.takenBack.length > 0) throw unannounced(id, plan.takenBack);
  if (!doubtful && !due && plan.changed.length === 0 && plan.becoming.length === 0) {
    return withoutRequest(olds, program, plan, id);
  }
  if (due) target.owed = owedOf(olds, program);
  const done = await process.context.turns.take(project, [id, olds.branchId, inputs.branchId], async () => {
    const deadline = deadlineFor(process, "update", program, inputs.customTimeouts);
    const now = doubtful ? undefined : await lookBefore(process, target, plan, due, deadline);
    const left = now ? pathsToSend(plan, now) : plan.changed;
    const resumes = doubtful || left.length < plan.changed.length;
    const live = resumes ? await finish(process, target, olds, deadline) : now;
    const send = live ? pathsToSend(plan, live) : left;
    if (send.length === 0 && !due && live) return { answer: live, deadline, sent: send };
    refuseUnannounced(process, target, plan, send, due, live);
    // What the restart is judged by: the compute before this change.
    const known: Live = { ...liveOfOutputs(olds), ...(live && liveOf(live)) };
    if (send.length === 0 && live) {
      return { answer: await payRestart(process, target, known, live, false, deadline), deadline, sent: send };
    }
    const part = settingsByName(pick(plan.desired, send));
    const change = await patch(process, target, part, live, deadline).catch((error: unknown) => {
      throw isKind(error, "unclear") ? inDoubt(target, olds, live, error) : error;
    });
    const changed: Target = { ...target, last: knownAfter(olds, inputs, plan.notTaken) };
    if (target.owed) changed.owed = { ...target.owed, since: markOfChange(change) };
    const after = await settleOrKeep(process, changed, change, deadline);
    // Enabled by this change, it may still lack the start that failed in an earlier step.
    const latest = { ...change, endpoint: after };
    const endpoint =
      doubtful || part.disabled === false
        ? await startedAfter(process, changed, olds, latest, deadline)
        : change.endpoint;
    if (!due) return { answer: endpoint, deadline, sent: send };
    return { answer: await payRestart(process, changed, known, endpoint, true, deadline), deadline, sent: send };
  });
  return readBack(
    process,
    target,
    done.answer,
    { sent: pick(plan.desired, done.sent), notTaken: plan.notTaken },
    done.deadline,
  );
}

/**
 * The compute before a change, where something rests on it: a setting of which the state knows nothing, a request that
 * carries more fields than the change, a restart that may have come about already.
 */
async function lookBefore(
  process: Process,
  target: Target,
  plan: UpdatePlan,
  due: boolean,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  // What goes along in the request must not come from a list: it may be behind.
  if (carriesMore([...plan.changed, ...plan.becoming])) return present(process, target, lookClosely, deadline);
  if (due || plan.becoming.length > 0) return present(process, target, look, deadline);
  const wish = settingsByName(pick(plan.desired, plan.changed));
  const { impact } = impactOf(settingsByName(plan.before), wish);
  return atLeast(impact, "may-restart") ? seen(process, target, deadline) : undefined;
}

/** The paths of the plan at which the compute is otherwise. What its answer leaves out is as the state has it. */
function pathsToSend({ desired, before, changed, becoming }: UpdatePlan, live: WireEndpoint): string[] {
  const { values: has, isTold } = toldBy(live);
  const differs = (path: string) => !isAsWanted(path, (isTold(path) ? has : before)[path], desired[path]);
  return [...new Set([...changed.filter((path) => !isTold(path) || differs(path)), ...becoming.filter(differs)])];
}

/** The compute as it is, which must be there. */
async function present(
  { context }: Process,
  target: Target,
  how: typeof look,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const now = await how(context, target, deadline);
  if (!now) throw gone(target.project, target.id);
  return now;
}

/**
 * The compute as it is, as far as that can be seen soon. An interrupted run may have made the change, and then a second
 * restart would be for nothing; but no change has to wait for a list that fails.
 */
function seen({ context }: Process, target: Target, deadline: Deadline): Promise<WireEndpoint | undefined> {
  const soon = new Deadline(context.clock, Math.min(LOOK_MS, deadline.leftMs()));
  return look(context, target, soon).catch(() => undefined);
}

/**
 * What the preview did not announce is not done. Check compares with old inputs; what the compute has may differ from them
 * after a failed update, or where a property was not managed before.
 */
function refuseUnannounced(
  process: Process,
  target: Target,
  plan: UpdatePlan,
  send: readonly string[],
  due: boolean,
  live: WireEndpoint | undefined,
): void {
  const { inputs, secrets, announced, isChecked } = target.program;
  const { restartTriggers } = inputs;
  const has = settingsByName({ ...plan.before, ...(live && valuesByPath(liveOf(live))) });
  const wish: Wish = { ...settingsByName(pick(plan.desired, send)), ...(due ? { restartTriggers } : {}) };
  const verdict = impactOf(has, wish, { secrets, asSize: inputs.size !== undefined });
  const felt = verdict.reasons.filter(({ impact }) => impact !== "none");
  // A diff that gives the size another form shows both limits, and its notice names the one that changes.
  const isResized = LIMITS.some((limit) => announced !== undefined && announces(announced, limit));
  const isSaid = (property: string) =>
    !isChecked ||
    (announced !== undefined && (announced.properties.length === 0 || announces(announced, property))) ||
    (isResized && plan.becoming.includes(property));
  const silent = felt.filter(({ property }) => !isSaid(property));
  if (silent.length > 0)
    throw unannounced(
      target.id,
      silent.map(({ property }) => property),
    );
  const refuses = (inputs.onRestart ?? process.config.onRestart) === "refuse";
  const isLetThrough = announced !== undefined && atLeast(announced.impact, "restart");
  if (!refuses || isLetThrough || !atLeast(verdict.impact, "restart")) return;
  throw new Stopped(
    `updating compute ${target.id} restarts or stops it: ${sentence(verdict)}. The preview could not know that, and onRestart is "refuse", so nothing was changed. Run \`pulumi refresh\`: the next preview shows it. Or give the program the values that the compute has, or set onRestart: "warn" for this one change`,
  );
}

/** Nobody knows whether the change was made: the state stays as it was, and the next step looks at the compute. */
function inDoubt(target: Target, olds: Outputs, live: WireEndpoint | undefined, cause: Error): NotReady {
  const { id, project, owed, program } = target;
  const unfinished = [...new Set([...(olds.unfinished ?? []), UNKNOWN_OPERATION])];
  // Only of a compute that was at rest: a start that was under way may not have met the change.
  const startedAt = live?.pending_state === undefined ? live?.started_at : undefined;
  const since = owed?.since ?? (startedAt === undefined ? undefined : { startedAt });
  const reason = `${cause.message}. Whether compute ${id} of project ${project} was changed is not known, and the state says so; run \`pulumi up\` again: it looks and finishes the work`;
  const record = {
    adopted: olds.adopted,
    unfinished,
    owed: pruned({
      applied: appliedOf(olds, program),
      wanted: owed?.wanted,
      since: owed?.wanted === undefined ? undefined : since,
    }),
  };
  // As if it were made: a program that takes it back then has something to take back.
  const outputs = outputsOf({ id }, program, record, knownAfter(olds, program.inputs), "update");
  return new NotReady(id, { ...outputs }, [reason], { cause });
}

/** Only what the state remembers of the program changes. */
function withoutRequest(olds: Outputs, program: Program, { desired, notTaken }: UpdatePlan, id: string): Outputs {
  const record = { adopted: olds.adopted, notTaken: pick(desired, notTaken) };
  return outputsOf({ id }, program, record, knownAfter(olds, program.inputs, notTaken), "update");
}

/** An earlier step did not end well: waits for what it left and tells how the compute is now. */
async function finish(process: Process, target: Target, olds: Outputs, deadline: Deadline): Promise<WireEndpoint> {
  const { context } = process;
  const { project, id } = target;
  // Also where a list says that the work is done already: it may be behind.
  const now = await present(process, target, lookClosely, deadline);
  if (target.program.inputs.waitForReady === false) return now;
  const left = await leftOver(process, target, olds, deadline);
  if (left.length > 0) {
    try {
      await settle(context, project, left, deadline);
    } catch (error) {
      if (!isKind(error, "operation-failed")) {
        const ids =
          isKind(error, "deadline") || isKind(error, "cancelled") ? error.operationIds : left.map((one) => one.id);
        throw kept(target, now, ids, error);
      }
      process.warn(
        `compute ${id}: ${error.message}. That is what an earlier run left; this run goes on from the compute as it is now`,
      );
    }
  }
  const after = left.length > 0 ? ((await lookClosely(context, target, deadline)) ?? now) : now;
  return hasNeverStarted(after) ? startAgain(process, target, olds, after, deadline) : after;
}

/** Statuses with which a service says that it has no such operation. */
const FORGOTTEN = new Set([400, 404, 422]);

/** The operations of an earlier step that still run, and those that run on the compute without our knowing. */
async function leftOver(process: Process, target: Target, olds: Outputs, deadline: Deadline): Promise<WireOperation[]> {
  const { context } = process;
  const unknown = olds.unfinished?.includes(UNKNOWN_OPERATION);
  const running = await (unknown ? begunOn : pendingOf)(context, target.project, target.id, deadline);
  const missing = (olds.unfinished ?? []).filter(
    (id) => id !== UNKNOWN_OPERATION && !running.some((one) => one.id === id),
  );
  const looked = await Promise.all(
    missing.map(async (id) => {
      try {
        return [await context.client.getOperation(target.project, id, deadline)];
      } catch (error) {
        // The service forgets old operations, and refuses ids that are none of its own: the compute itself tells.
        if (isKind(error, "service") && FORGOTTEN.has(error.answer.status)) return [];
        throw error;
      }
    }),
  );
  return [...running, ...looked.flat().filter((one) => outcomeOf(one.status) !== "done")];
}
