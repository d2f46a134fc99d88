// Starts a compute whose first start has failed. POST …/endpoints/{id}/start

import type { Deadline } from "../clock.js";
import { isKind, messageOf, NotReady } from "../errors.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { PAUSE_MS, runAction } from "./action.js";
import { findCompute } from "./find.js";
import { type Outputs, outputsOf } from "./outputs.js";
import { goneError } from "./refusals.js";
import { notReadyError, settleOrKeep } from "./settle-or-keep.js";
import type { SharedState, Target } from "./shared-state.js";
import { hasNeverStarted } from "./stabilize.js";

/** Starts a compute that has never started, where the change began no work on it. @returns the compute after that */
export function startIfNeverStarted(
  shared: SharedState,
  target: Target,
  olds: Partial<Outputs>,
  { endpoint, operations }: WireEndpointChange,
  deadline: Deadline,
): WireEndpoint | Promise<WireEndpoint> {
  const mustStart = operations.length === 0 && hasNeverStarted(endpoint);
  return mustStart ? retryStart(shared, target, olds, endpoint, deadline) : endpoint;
}

/** Starts a compute whose first start has failed: the service does not try again. */
export async function retryStart(
  shared: SharedState,
  target: Target,
  olds: Partial<Outputs>,
  now: WireEndpoint,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { context } = shared;
  const { project, id } = target;
  try {
    context.log(`compute ${id} has not started: retrying its start`);
    for (let seen = now; ; ) {
      const done = await runAction(context, "start", target, seen, {}, deadline);
      if (!done) throw goneError(project, id);
      await settleOrKeep(shared, target, done, deadline, done.sent ? "started" : undefined);
      if (target.desiredState.inputs.waitForReady === false) return done.endpoint;
      if (done.sent && done.operations.length > 0) return done.endpoint;
      // A response without operations may mean that nothing was started. A running operation may be the service's own check, not
      // a start.
      const after = await findCompute(context, target, deadline);
      if (!after) throw goneError(project, id);
      if (!hasNeverStarted(after)) return after;
      if (done.sent)
        throw new Error("the service accepted the start, began no operation, and the compute has not started");
      if (deadline.leftMs() <= 0) throw new Error("the running operations ended without a start");
      await context.clock.sleep(PAUSE_MS);
      seen = after;
    }
  } catch (error) {
    if (isKind(error, "not-ready") || isKind(error, "stopped")) throw error;
    if (isKind(error, "cancelled")) throw notReadyError(target, now, olds.unfinished ?? [], error);
    const { adopted, pendingRestart, origin } = target;
    const outputs = outputsOf(
      now,
      target.desiredState,
      { adopted, unfinished: olds.unfinished, pendingRestart },
      olds,
      origin,
    );
    throw new NotReady(id, { ...outputs }, [
      `compute ${id} of project ${project} has not started, and retrying its start failed: ${messageOf(error)}. It is kept in the state. Run \`pulumi up\` again later; or replace it, \`pulumi up --target-replace\` with its URN (a new host)`,
    ]);
  }
}
