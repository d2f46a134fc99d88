// Sends what differs, waits, reads back. PATCH …/endpoints/{id}

import { Deadline } from "../clock.js";
import { isKind, NotReady, Stopped } from "../errors.js";
import { outcomeOf } from "../operations/outcome.js";
import { begunOn, pendingOf, settle } from "../operations/settle.js";
import { LOOK_MS } from "../operations/watch.js";
import { pruned } from "../rules/pruned.js";
import { atLeast, impactOf, sentence } from "../rules/restart.js";
import type { Live, Wish } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import type { Program } from "./inputs.js";
import { look, lookClosely } from "./look.js";
import { liveOf, needsLiveSettings } from "./mapping.js";
import { knownAfter, liveOfOutputs, type Outputs, recordOf } from "./outputs.js";
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
  readBack,
  settleOrKeep,
  type Target,
  toChange,
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
  // What an earlier step did not wait for may have failed.
  const waitsNow = olds.waitForReady === false && inputs.waitForReady !== false;
  const doubtful = (olds.unfinished?.length ?? 0) > 0 || waitsNow;
  // What is to be disabled does not restart: the plan says so, and the next start is one with everything new.
  const due = wish.disabled !== true && isRestartDue(wish, liveOfOutputs(olds));
  const planned = toChange(wish, liveOfOutputs(olds));
  if (!doubtful && !due && planned.length === 0) return withoutRequest(olds, program);
  const isFelt = atLeast(impactOf(liveOfOutputs(olds), wish).impact, "may-restart");

  const project = olds.projectId;
  const target: Target = { project, id, program, last: olds, adopted: olds.adopted };
  if (due) target.owed = owedOf(olds, program);
  const done = await process.context.turns.take(project, [id, olds.branchId, inputs.branchId], async () => {
    const deadline = deadlineFor(process, inputs.customTimeouts, "update");
    // The settings that the compute has go along in the request, and a list may be behind.
    const how = needsLiveSettings(planned) ? lookClosely : look;
    const now = doubtful
      ? undefined
      : due
        ? await present(process, target, how, deadline)
        : isFelt
          ? await seen(process, target, how, deadline)
          : undefined;
    const leftOf = (one: WireEndpoint | undefined) =>
      one ? planned.filter((name) => toChange(wish, liveOf(one)).includes(name)) : planned;
    const resumes = doubtful || leftOf(now).length < planned.length;
    const live = resumes ? await finish(process, target, olds, deadline) : now;
    // What somebody changed by hand is none of this update's business, unless it has to find out what became of one.
    const known = live && doubtful ? { ...liveOfOutputs(olds), ...liveOf(live) } : liveOfOutputs(olds);
    const names = doubtful ? toChange(wish, known) : leftOf(live);
    if (names.length === 0 && !due && live) return { answer: live, deadline };
    refuseUnannounced(process, target, known, wish);
    if (names.length === 0 && live) {
      return { answer: await payRestart(process, target, known, live, false, deadline), deadline };
    }
    const change = await patch(process, target, wish, names, live, deadline).catch((error: unknown) => {
      throw isKind(error, "unclear") ? inDoubt(target, olds, live, error) : error;
    });
    const changed: Target = { ...target, last: knownAfter(olds, inputs) };
    if (target.owed) changed.owed = { ...target.owed, since: markOfChange(change) };
    const after = await settleOrKeep(process, changed, change, deadline);
    // Enabled by this change, it still lacks the start that failed in the earlier step.
    const latest = { ...change, endpoint: after };
    const endpoint = doubtful ? await startedAfter(process, changed, olds, latest, deadline) : change.endpoint;
    if (!due) return { answer: endpoint, deadline };
    const before = { ...known, ...(live && liveOf(live)) };
    return { answer: await payRestart(process, changed, before, endpoint, true, deadline), deadline };
  });
  return readBack(process, target, done.answer, done.deadline);
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
function seen(
  { context }: Process,
  target: Target,
  how: typeof look,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const soon = new Deadline(context.clock, Math.min(LOOK_MS, deadline.leftMs()));
  return how(context, target, soon).catch(() => undefined);
}

/**
 * Check compares with old inputs: after a failed update, or where a property was not managed before, they do not say
 * what the compute has, and `refuse` has to hold there as well. What the plan said, and was let through, goes on.
 */
function refuseUnannounced(process: Process, { id, program }: Target, known: Live, wish: Wish): void {
  const { inputs, secrets, announced } = program;
  if ((inputs.onRestart ?? process.config.onRestart) !== "refuse") return;
  const verdict = impactOf(known, wish, { secrets, asSize: inputs.size !== undefined });
  const felt = verdict.reasons.filter(({ impact }) => atLeast(impact, "restart"));
  if (felt.every(({ property }) => tells(announced, property))) return;
  throw new Stopped(
    `updating compute ${id} would do more than the plan could tell: ${sentence(verdict)}. onRestart is "refuse", so nothing was changed. To go on, give the program the values that the compute has, or set onRestart: "warn" for this one change`,
  );
}

/** Whether the plan's notice, "yes: size 1 → 2, disabled false → true; …", names the property among its changes. */
const tells = (notice: string | undefined, property: string): boolean =>
  notice !== undefined && `, ${notice.slice("yes: ".length)}`.includes(`, ${property} `);

/** Nobody knows whether the change was made: the state stays as it was, and the next step looks at the compute. */
function inDoubt(target: Target, olds: Outputs, live: WireEndpoint | undefined, cause: Error): NotReady {
  const { id, project, owed, program } = target;
  const unfinished = [...new Set([...(olds.unfinished ?? []), UNKNOWN_OPERATION])];
  // Only of a compute that was at rest: a start that was under way may not have met the change.
  const startedAt = live?.pending_state === undefined ? live?.started_at : undefined;
  const since = owed?.since ?? (startedAt === undefined ? undefined : { startedAt });
  const restartOwed = owed?.wanted === undefined ? undefined : pruned({ wanted: owed.wanted, since });
  const reason = `${cause.message}. Whether compute ${id} of project ${project} was changed is not known, and the state holds it as it was before; run \`pulumi up\` again: it looks and finishes the work`;
  const outputs = { ...olds, restartTriggers: appliedOf(olds, program), unfinished, restartOwed };
  return new NotReady(id, pruned(outputs), [reason], { cause });
}

/** Only what the state remembers of the program changes. */
function withoutRequest(olds: Outputs, program: Program): Outputs {
  const { inputs, secrets } = program;
  const { unfinished, notTaken, onDelete, waitForReady, customTimeouts, size, ...rest } = olds;
  const { autoscalingLimitMinCu: min = size, autoscalingLimitMaxCu: max = size, ...others } = rest;
  return pruned({
    ...others,
    size: inputs.size !== undefined && min === max ? max : undefined,
    // Under another name than the program's, Pulumi would not hide them.
    ...(secrets.has("size") ? {} : { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max }),
    ...recordOf(program, { adopted: olds.adopted }),
  });
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
        const ids = isKind(error, "deadline") ? error.operationIds : left.map((one) => one.id);
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
        // The service forgets old operations: that is no failure, the compute itself tells.
        if (isKind(error, "service") && error.answer.status === 404) return [];
        throw error;
      }
    }),
  );
  return [...running, ...looked.flat().filter((one) => outcomeOf(one.status) !== "done")];
}
