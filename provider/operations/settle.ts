import type { Redactor } from "../api/redact.js";
import { type Deadline, formatDuration } from "../clock.js";
import { Cancelled, DeadlineExceeded, isKind, OperationFailed } from "../errors.js";
import { ProgressReporter } from "../progress.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";
import { formatFailure, formatStatus, formatUnfinished, operationName } from "./format.js";
import { outcomeOf } from "./outcome.js";
import type { PollResult } from "./poll.js";
import { TrackedOperation } from "./tracked-operation.js";
import type { WaitProgress } from "./waiter.js";

export interface Settled {
  /** Operations that the service no longer knows. Only the compute itself can tell how they ended. */
  vanished: string[];
}

/**
 * Waits until all operations are done, whichever compute they belong to. Operations that are done already cost no request. The
 * deadline of a lifecycle step is 10 minutes by default (`endpoint/shared-state.ts`).
 * @throws OperationFailed at the first failed operation: the operations after it may never run. DeadlineExceeded after one poll
 * past the deadline. Cancelled at a cancel. ServiceError when the key is refused (401, 403)
 */
export async function settle(
  context: Context,
  project: string,
  operations: WireOperation[],
  deadline: Deadline,
): Promise<Settled> {
  const { clock, log, client } = context;
  const tracked = new Map(operations.map((operation) => [operation.id, new TrackedOperation(operation, clock)]));
  const all = [...tracked.values()];
  const pending = () => all.filter((one) => one.state === "pending");
  const progress = new ProgressReporter(clock, log);
  let lastError: Error | undefined;
  let answeredAt = clock.now();

  const onResult = (result: PollResult): WaitProgress => {
    lastError = result.error;
    if (!lastError) answeredAt = clock.now();
    let wasRetried = false;
    for (const [id, one] of tracked) {
      const operation = result.operations.get(id);
      if (operation) wasRetried = one.observe(operation) || wasRetried;
      else if (result.missing.has(id)) one.observeMissing();
    }
    throwIfFailed(context, all);
    const left = pending();
    if (left[0]) {
      const silence = lastError && ` (no answer for ${formatDuration(clock.now() - answeredAt)}: ${lastError.message})`;
      progress.report((elapsedMs) => waitingFor(left, client.redactor, elapsedMs, deadline) + (silence ?? ""));
    }
    if (left.length === 0) return "done";
    return wasRetried ? "retried" : "pending";
  };

  try {
    throwIfFailed(context, all);
    const left = pending();
    if (left.length > 0) {
      const waiter = {
        pendingIds: () => pending().map(({ operation }) => operation.id),
        onResult,
        pauseMs: (planned: number) => Math.min(...pending().map((one) => one.pauseMs(planned))),
        workKind: left.map(({ operation }) => operation.action).join(),
        // Each duration counts from the operation's creation, so the last one of a chain is the duration of the chain.
        reportedMs: () => Math.max(...all.map(({ operation }) => operation.total_duration_ms ?? 0)),
        deadline,
      };
      const end = await context.pollers.waitFor(project, waiter).catch((error: unknown) => {
        throw isKind(error, "cancelled") ? interrupted(context, pending()) : error;
      });
      if (end === "late") {
        // No time is left in which the service could retry a failed operation.
        for (const one of pending()) if (outcomeOf(one.operation.status) === "may-retry") one.state = "failed";
        throwIfFailed(context, all);
        throw tooLate(context, pending(), deadline, lastError);
      }
    }
  } finally {
    // The operations have changed the computes, however they ended.
    context.lists.invalidate(project);
  }
  return { vanished: all.filter((one) => one.state === "vanished").map(({ operation }) => operation.id) };
}

function throwIfFailed({ client: { redactor } }: Context, all: readonly TrackedOperation[]): void {
  const inState = (state: TrackedOperation["state"]) =>
    all.filter((one) => one.state === state).map((one) => one.operation);
  const failed = inState("failed");
  if (failed.length === 0) return;
  const pending = inState("pending");
  const notFinished = pending
    .map((one) => `${operationName(one, redactor)} (${formatStatus(one, redactor)})`)
    .join(", ");
  const failures = failed.map((one) => formatFailure(one, redactor)).join("; ");
  throw new OperationFailed(
    `${failures}${notFinished ? redactor.redact(`; not finished: ${notFinished}`) : ""}`,
    [...failed, ...pending].map((one) => one.id),
  );
}

function tooLate(context: Context, left: TrackedOperation[], deadline: Deadline, lastError?: Error): DeadlineExceeded {
  const { client, timeoutAdvice } = context;
  const lines = unfinishedLines(context, left).join("; ");
  const last = lastError
    ? `The last poll failed: ${lastError.message}. The operation may still run at the service`
    : "The operation still runs at the service";
  return new DeadlineExceeded(
    client.redactor.redact(
      `not finished after ${formatDuration(deadline.budgetMs)}: ${lines}. ${last}. ${timeoutAdvice}`,
    ),
    left.map((one) => one.operation.id),
  );
}

function interrupted(context: Context, left: TrackedOperation[]): Cancelled {
  const lines = unfinishedLines(context, left);
  const goOn = lines.length > 1 ? "go on" : "goes on";
  return new Cancelled(
    context.client.redactor.redact(`interrupted: ${lines.join("; ")} ${goOn} at the service`),
    left.map((one) => one.operation.id),
  );
}

const unfinishedLines = ({ clock, client }: Context, left: readonly TrackedOperation[]): string[] =>
  left.map(({ operation, since }) => formatUnfinished(operation, client.redactor, clock.wall(), clock.now() - since));

function waitingFor(left: TrackedOperation[], redactor: Redactor, elapsedMs: number, deadline: Deadline): string {
  const { operation } = left[0]!;
  const more = left.length > 1 ? ` and ${left.length - 1} more` : "";
  const most = formatDuration(deadline.budgetMs);
  return `waiting for ${operationName(operation, redactor)}${more} (${formatDuration(elapsedMs)}, ${formatStatus(operation, redactor)}; at most ${most})`;
}
