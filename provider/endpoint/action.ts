// Restart, start and suspend. An action is sent only if it would change something. POST …/endpoints/{id}/{action}

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import type { Context } from "../operations/context.js";
import { NEWEST_PAGE } from "../operations/poll.js";
import { isRunning, latestOperationsOf, pendingOperationsOf } from "../operations/queries.js";
import { retryUnlessApplied } from "../operations/retry-unless-applied.js";
import { pruned } from "../rules/pruned.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { type ComputeRef, findComputeDirectly } from "./find.js";

export type ActionName = "restart" | "start" | "suspend";

/** The compute after an action, and the operations that still run on it. */
export interface ActionResult extends WireEndpointChange {
  /** False if there was nothing to do. */
  sent: boolean;
}

/** The last start before a moment, so that a later step can tell whether the compute was started after that moment. */
export interface LastStart {
  startedAt?: string;
  /** The newest operation that the project had at that moment. */
  operation?: string;
}

/** The compute has no connections, and its next start loads all settings. */
const isInactive = (one: WireEndpoint): boolean => one.disabled === true || one.current_state !== "active";
const isStarted = (one: WireEndpoint): boolean =>
  one.current_state === "active" ? one.pending_state !== "idle" : one.pending_state === "active";
const isGoingIdle = (one: WireEndpoint): boolean =>
  one.current_state === "idle" ? one.pending_state !== "active" : one.pending_state === "idle";

const IS_NEEDLESS: { [K in ActionName]: (one: WireEndpoint) => boolean } = {
  restart: isInactive,
  start: isStarted,
  suspend: isGoingIdle,
};

/** Whether the action would change nothing: an inactive compute needs no restart, and a compute that starts needs no start. */
export const isNeedless = (name: ActionName, one: WireEndpoint): boolean => IS_NEEDLESS[name](one);

/** Milliseconds between two tries. A compute may have a pending state without an operation to wait for. */
export const PAUSE_MS = 2000;

/** Milliseconds. The service reports times in whole seconds, and its clock may be a minute from ours. */
const JUST_NOW_MS = 90_000;

/**
 * The last start before now. Its time is enough, unless the service does not report it, or it is so recent that the next start
 * may show the same time. Then the newest operation is kept too.
 */
export async function lastStartOf(
  context: Context,
  { project }: ComputeRef,
  now: WireEndpoint,
  deadline: Deadline,
): Promise<LastStart> {
  const startedAt = now.started_at;
  if (startedAt !== undefined && context.clock.wall() - Date.parse(startedAt) > JUST_NOW_MS) return { startedAt };
  const { operations } = await context.client.listOperations(project, { limit: 1 }, deadline);
  return pruned({ startedAt, operation: operations[0]?.id });
}

/** Whether the compute has been started since the last start, or is being started now. */
export async function wasStartedSince(
  { client, clock }: Context,
  { project, id }: ComputeRef,
  now: WireEndpoint,
  lastStart: LastStart,
  deadline: Deadline,
): Promise<boolean> {
  const { startedAt, operation } = lastStart;
  if (startedAt !== undefined && now.started_at !== undefined && startedAt !== now.started_at) return true;
  const { operations } = await client.listOperations(project, { limit: NEWEST_PAGE }, deadline);
  // The service lists the newest operation first. Without the operation of the last start, nothing tells which of them are newer,
  // so none counts.
  const seenAt = operation === undefined ? 0 : operations.findIndex((one) => one.id === operation);
  const newer = seenAt < 0 ? operations : operations.slice(0, seenAt);
  const starts = (one: WireOperation) => one.endpoint_id === id && one.action === "start_compute";
  return (
    newer.some((one) => starts(one) && one.status === "finished") ||
    operations.some((one) => starts(one) && isRunning(one, clock.wall()))
  );
}

/**
 * Carries an action out, unless there is nothing to do. After a lost answer it looks whether the action was carried out, before
 * it sends it again: a compute must not restart twice.
 * @param now the compute as it was just seen
 * @param lastStart before a restart: tells later whether the compute was started since. The other actions do not use it
 * @returns undefined if the compute is gone
 */
export async function runAction(
  context: Context,
  name: ActionName,
  ref: ComputeRef,
  now: WireEndpoint,
  lastStart: LastStart,
  deadline: Deadline,
): Promise<ActionResult | undefined> {
  const { client } = context;
  const { project, id } = ref;
  const notSent = async (endpoint: WireEndpoint): Promise<ActionResult> => ({
    sent: false,
    endpoint,
    operations: endpoint.pending_state === undefined ? [] : await pendingOperationsOf(context, project, id, deadline),
  });
  if (isNeedless(name, now)) {
    // `now` may come from a stale list, and an action must not be skipped because of it.
    const direct = await findComputeDirectly(context, ref, deadline);
    if (!direct) return undefined;
    if (isNeedless(name, direct)) return notSent(direct);
  }

  const hasTakenEffect = async (later: WireEndpoint, until: Deadline) =>
    isNeedless(name, later) || (name === "restart" && (await wasStartedSince(context, ref, later, lastStart, until)));
  let wasNeedless = false;
  /** The client asks this after each 423, before it repeats the request. */
  const checkNeedless = async () => {
    const later = await findComputeDirectly(context, ref, deadline);
    wasNeedless = later === undefined || (await hasTakenEffect(later, deadline));
    return wasNeedless;
  };
  let isAnswerLost = false;
  /** After a lost or refused request, looks at the compute. Undefined if the action is still to be done. */
  const look = async (until: Deadline) => {
    const later = await findComputeDirectly(context, ref, until);
    if (!later) return "gone" as const;
    if (!(await hasTakenEffect(later, until))) return undefined;
    // The operation of the lost request may have failed already: its error must be found.
    return isAnswerLost
      ? { sent: true, endpoint: later, operations: await latestOperationsOf(context, project, id, until) }
      : notSent(later);
  };
  const send = async (): Promise<ActionResult | "gone"> => {
    wasNeedless = false;
    // The lost request may have begun its work meanwhile.
    const applied = isAnswerLost ? await look(deadline) : undefined;
    if (applied) return applied;
    try {
      return { sent: true, ...(await SEND[name](client, project, id, deadline, checkNeedless)) };
    } catch (error) {
      // A service answers 412, or another 4xx, where there is nothing to do, and 404 where there is no compute.
      const status = isKind(error, "service") ? error.answer.status : 0;
      const isFinal = status === 401 || status === 403 || status < 400 || status >= 500;
      const found = isFinal ? undefined : await look(deadline);
      if (found) return found;
      if (!wasNeedless || deadline.leftMs() <= 0) throw error;
      // After the 423 the action looked unnecessary, but now it is needed again.
      await context.clock.sleep(PAUSE_MS);
      return send();
    }
  };
  const done = await retryUnlessApplied(context, deadline, send, (until) => {
    isAnswerLost = true;
    return look(until);
  });
  return done === "gone" ? undefined : done;
}

type Send = (
  client: Context["client"],
  project: string,
  id: string,
  deadline: Deadline,
  checkNeedless: () => Promise<boolean>,
) => Promise<WireEndpointChange>;

const SEND: { [K in ActionName]: Send } = {
  restart: (client, ...rest) => client.restartEndpoint(...rest),
  start: (client, ...rest) => client.startEndpoint(...rest),
  suspend: (client, ...rest) => client.suspendEndpoint(...rest),
};
