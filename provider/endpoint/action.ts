// Restart, start and suspend, each sent at most once: what an action is for may have come about by itself.
// POST …/endpoints/{id}/{action}

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import type { Context } from "../operations/context.js";
import { untilClear } from "../operations/lost.js";
import { begunOn, isGoing, pendingOf } from "../operations/pending.js";
import { PAGE } from "../operations/watch.js";
import { pruned } from "../rules/pruned.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { WireOperation } from "../wire/operation.js";
import { lookClosely, type Place } from "./look.js";

export type ActionName = "restart" | "start" | "suspend";

/** What an action came to; `operations` are what is still under way on the compute. */
export interface Done extends WireEndpointChange {
  /** False: there was nothing to do. */
  sent: boolean;
}

/** How a compute was at some moment: tells later whether it has been started since. */
export interface Mark {
  startedAt?: string;
  /** The project's newest operation. */
  operation?: string;
}

/** No connection is open, and whenever it runs again it is a fresh start. */
const isAsleep = (one: WireEndpoint): boolean => one.disabled === true || one.current_state !== "active";
const isAwake = (one: WireEndpoint): boolean =>
  one.current_state === "active" ? one.pending_state !== "idle" : one.pending_state === "active";
const isLulled = (one: WireEndpoint): boolean =>
  one.current_state === "idle" ? one.pending_state !== "active" : one.pending_state === "idle";

/** Whether a compute is as the action would leave it, or on its way there. */
const REACHED: { [K in ActionName]: (one: WireEndpoint) => boolean } = {
  restart: isAsleep,
  start: isAwake,
  suspend: isLulled,
};

export const isReached = (name: ActionName, one: WireEndpoint): boolean => REACHED[name](one);

/** Milliseconds between two tries: a compute whose next state is announced need not have work under way. */
export const PAUSE_MS = 2000;

/** Milliseconds: the service tells times in whole seconds, and its clock may be a minute from ours. */
const JUST_NOW_MS = 90_000;

/**
 * A mark of now. Where the service does not tell when a compute was started, or it was started so recently that a further
 * start might show the same time, the operations tell.
 */
export async function markOf(
  context: Context,
  { project }: Place,
  now: WireEndpoint,
  deadline: Deadline,
): Promise<Mark> {
  const startedAt = now.started_at;
  if (startedAt !== undefined && context.clock.wall() - Date.parse(startedAt) > JUST_NOW_MS) return { startedAt };
  const { operations } = await context.client.listOperations(project, { limit: 1 }, deadline);
  return pruned({ startedAt, operation: operations[0]?.id });
}

/** Whether a compute has been started since the mark was made, or is just being started. */
export async function wasStarted(
  { client, clock }: Context,
  { project, id }: Place,
  now: WireEndpoint,
  mark: Mark,
  deadline: Deadline,
): Promise<boolean> {
  const { startedAt, operation } = mark;
  if (startedAt !== undefined && now.started_at !== undefined && startedAt !== now.started_at) return true;
  const { operations } = await client.listOperations(project, { limit: PAGE }, deadline);
  const known = operation === undefined ? 0 : operations.findIndex((one) => one.id === operation);
  const newer = known < 0 ? operations : operations.slice(0, known);
  const starts = (one: WireOperation) => one.endpoint_id === id && one.action === "start_compute";
  return (
    newer.some((one) => starts(one) && one.status === "finished") ||
    operations.some((one) => starts(one) && isGoing(one, clock.wall()))
  );
}

/**
 * Carries an action out, unless there is nothing to do. After a lost answer it looks what the request came to before it is
 * sent again: a compute must not restart twice.
 * @param now the compute as it was just seen; @param mark made before, for a restart
 * @returns undefined where the compute is gone
 */
export async function act(
  context: Context,
  name: ActionName,
  place: Place,
  now: WireEndpoint,
  mark: Mark,
  deadline: Deadline,
): Promise<Done | undefined> {
  const { client } = context;
  const { project, id } = place;
  const byItself = async (endpoint: WireEndpoint): Promise<Done> => ({
    sent: false,
    endpoint,
    operations: endpoint.pending_state === undefined ? [] : await pendingOf(context, project, id, deadline),
  });
  if (isReached(name, now)) {
    // A list may show how the compute was before: an action must not be left out for that.
    const closer = await lookClosely(context, place, deadline);
    if (!closer) return undefined;
    if (isReached(name, closer)) return byItself(closer);
  }

  const reached = async (later: WireEndpoint, until: Deadline) =>
    isReached(name, later) || (name === "restart" && (await wasStarted(context, place, later, mark, until)));
  let wasNeedless = false;
  const needless = async () => {
    const later = await lookClosely(context, place, deadline);
    wasNeedless = later === undefined || (await reached(later, deadline));
    return wasNeedless;
  };
  let lost = false;
  const look = async (until: Deadline) => {
    const later = await lookClosely(context, place, until);
    if (!later) return "gone" as const;
    if (!(await reached(later, until))) return undefined;
    // The work of a lost request may have failed before anybody looked.
    return lost
      ? { sent: true, endpoint: later, operations: await begunOn(context, project, id, until) }
      : byItself(later);
  };
  const ask = async (): Promise<Done | "gone"> => {
    wasNeedless = false;
    // The work of the lost request may have begun in the meantime.
    const found = lost ? await look(deadline) : undefined;
    if (found) return found;
    try {
      return { sent: true, ...(await SEND[name](client, project, id, deadline, needless)) };
    } catch (error) {
      // 412, or whatever a service answers where there is nothing to do, and 404 where there is no compute.
      const status = isKind(error, "service") ? error.answer.status : 0;
      const final = status === 401 || status === 403 || status < 400 || status >= 500;
      const reason = final ? undefined : await look(deadline);
      if (reason) return reason;
      if (!wasNeedless || deadline.leftMs() <= 0) throw error;
      // What made it needless was over before the second look, and has not brought it about.
      await context.clock.sleep(PAUSE_MS);
      return ask();
    }
  };
  const done = await untilClear(context, deadline, ask, (until) => {
    lost = true;
    return look(until);
  });
  return done === "gone" ? undefined : done;
}

type Send = (
  client: Context["client"],
  project: string,
  id: string,
  deadline: Deadline,
  needless: () => Promise<boolean>,
) => Promise<WireEndpointChange>;

const SEND: { [K in ActionName]: Send } = {
  restart: (client, ...rest) => client.restartEndpoint(...rest),
  start: (client, ...rest) => client.startEndpoint(...rest),
  suspend: (client, ...rest) => client.suspendEndpoint(...rest),
};
