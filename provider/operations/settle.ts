import { Patience } from "../api/patience.js";
import type { Redactor } from "../api/redact.js";
import { type Deadline, duration } from "../clock.js";
import { Cancelled, DeadlineExceeded, isKind, OperationFailed } from "../errors.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";
import { outcomeOf } from "./outcome.js";
import { Tracked } from "./tracked.js";
import type { News } from "./watch.js";
import { failure, leftover, nameOf, statusOf } from "./words.js";

export interface Settled {
  /** Operations the service no longer knows: look at the compute itself to learn how they ended. */
  vanished: string[];
}

/** What is left of an operation in the state: its id. The first look at it comes at once. */
export function byIds(ids: string[]): WireOperation[] {
  return ids.map((id) => ({ id, action: "unknown", status: UNSEEN }));
}

/** Stands for what nobody has looked at yet; a status that an answer leaves out reads as "unknown". */
const UNSEEN = "unseen";

/**
 * Waits until all are done, whichever compute they belong to. What the answer shows as done costs no request.
 * @throws OperationFailed at the first that failed, without waiting for the rest of its chain, which may never run;
 *   DeadlineExceeded after one look past the deadline; Cancelled at a cancel; ServiceError when the key is refused (401, 403)
 */
export async function settle(
  context: Context,
  project: string,
  operations: WireOperation[],
  deadline: Deadline,
): Promise<Settled> {
  const { clock, say, client } = context;
  const all = new Map(operations.map((operation) => [operation.id, new Tracked(operation, clock.now())]));
  const pending = () => [...all.values()].filter((one) => one.verdict === "pending");
  const patience = new Patience(clock, say);
  let trouble: Error | undefined;

  const heard = (news: News): boolean => {
    trouble = news.error;
    for (const [id, one] of all) {
      const seen = news.operations.get(id);
      if (seen) one.saw(seen, clock.now());
      else if (news.missing.has(id)) one.missed(clock.now());
    }
    throwIfFailed(context, [...all.values()]);
    const left = pending();
    if (left[0]) patience.tell((passed) => waitingFor(left, client.redactor, passed, deadline));
    return left.length === 0;
  };

  try {
    throwIfFailed(context, [...all.values()]);
    const left = pending();
    if (left.length > 0) {
      const atOnce = left.some(({ operation }) => operation.status === UNSEEN);
      const wanted = () => pending().map(({ operation }) => operation.id);
      const kind = left.map(({ operation }) => operation.action).join();
      // Each counts from its creation, so the last of a chain tells the length of all.
      const toldMs = () => Math.max(...[...all.values()].map(({ operation }) => operation.total_duration_ms ?? 0));
      const follower = { wanted, heard, kind, toldMs, atOnce, deadline };
      const end = await context.watches.follow(project, follower).catch((error: unknown) => {
        throw isKind(error, "cancelled") ? interrupted(context, pending()) : error;
      });
      if (end === "late") {
        // No time is left for the grace of one that failed.
        for (const one of pending()) if (outcomeOf(one.operation.status) === "perhaps") one.verdict = "failed";
        throwIfFailed(context, [...all.values()]);
        throw tooLate(context, pending(), deadline, trouble);
      }
    }
  } finally {
    // The work has changed the computes, whatever became of it.
    context.lists.wrote(project);
  }
  return { vanished: [...all].filter(([, one]) => one.verdict === "vanished").map(([id]) => id) };
}

function throwIfFailed({ client }: Context, all: Tracked[]): void {
  const failed = all.filter((one) => one.verdict === "failed").map((one) => one.operation);
  if (failed.length === 0) return;
  const open = all.filter((one) => one.verdict === "pending").map((one) => one.operation);
  const { redactor } = client;
  const rest =
    open.length > 0
      ? `; not over: ${open.map((one) => `${nameOf(one, redactor)} (${statusOf(one, redactor)})`).join(", ")}`
      : "";
  const ids = [...failed, ...open].map((one) => one.id);
  throw new OperationFailed(`${failed.map((one) => failure(one, redactor)).join("; ")}${redactor.redact(rest)}`, ids);
}

function tooLate(context: Context, left: Tracked[], deadline: Deadline, trouble?: Error): DeadlineExceeded {
  const { clock, client, lateAdvice } = context;
  const lines = left.map((one) => leftover(one.operation, client.redactor, clock.wall(), clock.now() - one.since));
  const last = trouble ? ` The last look failed: ${trouble.message}.` : "";
  return new DeadlineExceeded(
    client.redactor.redact(`not over after ${duration(deadline.budgetMs)}: ${lines.join("; ")}.${last} ${lateAdvice}`),
    left.map((one) => one.operation.id),
  );
}

function interrupted({ clock, client }: Context, left: Tracked[]): Cancelled {
  const lines = left.map((one) => leftover(one.operation, client.redactor, clock.wall(), clock.now() - one.since));
  return new Cancelled(
    client.redactor.redact(`interrupted: ${lines.join("; ")} ${lines.length > 1 ? "go" : "goes"} on at the service`),
    left.map((one) => one.operation.id),
  );
}

function waitingFor(left: Tracked[], redactor: Redactor, passedMs: number, deadline: Deadline): string {
  const { operation } = left[0]!;
  const more = left.length > 1 ? ` and ${left.length - 1} more` : "";
  const most = duration(deadline.budgetMs);
  return `waiting for ${nameOf(operation, redactor)}${more} (${duration(passedMs)}, ${statusOf(operation, redactor)}; at most ${most})`;
}

export { begunOn, operationsOf, pendingOf } from "./pending.js";
export { Patience };
