// Starts a compute whose first start has failed. POST …/endpoints/{id}/start

import type { Deadline } from "../clock.js";
import { isKind, NotReady } from "../errors.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { act, PAUSE_MS } from "./action.js";
import { look } from "./look.js";
import { type Outputs, outputsOf } from "./outputs.js";
import { hasNeverStarted } from "./rest.js";
import { gone, kept, messageOf, type Process, settleOrKeep, type Target } from "./step.js";

/** The compute after a change that was waited for: one that never started, and of which the change began no work, is started. */
export function startedAfter(
  process: Process,
  target: Target,
  olds: Partial<Outputs>,
  { endpoint, operations }: WireEndpointChange,
  deadline: Deadline,
): WireEndpoint | Promise<WireEndpoint> {
  const idle = operations.length === 0 && hasNeverStarted(endpoint);
  return idle ? startAgain(process, target, olds, endpoint, deadline) : endpoint;
}

/** Its first start failed, and nobody else will try: we ask for another one. */
export async function startAgain(
  process: Process,
  target: Target,
  olds: Partial<Outputs>,
  now: WireEndpoint,
  deadline: Deadline,
): Promise<WireEndpoint> {
  const { context } = process;
  const { project, id } = target;
  try {
    context.say(`compute ${id} has never started: starting it again`);
    for (let seen = now; ; ) {
      const done = await act(context, "start", target, seen, {}, deadline);
      if (!done) throw gone(project, id);
      await settleOrKeep(process, target, done, deadline, done.sent ? "started" : undefined);
      if (target.program.inputs.waitForReady === false) return done.endpoint;
      if (done.sent && done.operations.length > 0) return done.endpoint;
      // An answer without operations may mean that the service did nothing. And the operation that was under way (the service's
      // own check, say) may have been no start.
      const after = await look(context, target, deadline);
      if (!after) throw gone(project, id);
      if (!hasNeverStarted(after)) return after;
      if (done.sent)
        throw new Error("the service accepted the start, began no operation, and the compute has not started");
      if (deadline.leftMs() <= 0) throw new Error("what was under way on it has ended without starting it");
      await context.clock.sleep(PAUSE_MS);
      seen = after;
    }
  } catch (error) {
    if (isKind(error, "not-ready") || isKind(error, "stopped")) throw error;
    if (isKind(error, "cancelled")) throw kept(target, now, olds.unfinished ?? [], error);
    const { adopted, owed, origin } = target;
    const outputs = outputsOf(now, target.program, { adopted, unfinished: olds.unfinished, owed }, olds, origin);
    throw new NotReady(id, { ...outputs }, [
      `compute ${id} of project ${project} is still in state init, its first start failed, and starting it again did not work: ${messageOf(error)}. It is kept in the state. Run \`pulumi up\` again later; or replace it, \`pulumi up --target-replace\` with its URN (a new host)`,
    ]);
  }
}
