// Formats operations for error and progress messages.

import { oneLineOf, type Redactor } from "../api/redact.js";
import { formatDuration } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import { isKnownStatus } from "./outcome.js";

/** Characters of an id, an action or a status that are shown. */
const LONGEST_WORD = 100;
/** Characters of a failure's reason that are shown. */
const LONGEST_REASON = 1024;

/** Redacts only whole secrets in an id. A secret may contain the id, as a connection string contains a host. */
const shownId = (id: string, redactor: Redactor): string => redactor.redact(oneLineOf(id)).slice(0, LONGEST_WORD);
/** A word from the service, such as a status. Redact before cutting: the redactor does not find half a key. */
const shownWord = (word: string, redactor: Redactor): string => redactor.redactExternal(word).slice(0, LONGEST_WORD);

/** "start_compute of ep-…", in all messages. */
export function operationName({ action, endpoint_id, branch_id }: WireOperation, redactor: Redactor): string {
  const what = action === "unknown" ? "an operation" : shownWord(action, redactor);
  const subject = endpoint_id ?? branch_id;
  return subject ? `${what} of ${shownId(subject, redactor)}` : what;
}

/** "status running", or "unknown status …" if this version does not know the word. */
export function formatStatus({ status }: WireOperation, redactor: Redactor): string {
  return isKnownStatus(status) || status === "unknown"
    ? `status ${status}`
    : `unknown status ${shownWord(status, redactor)}`;
}

/** Describes an operation that did not end in time. @param waitedMs used as the age if the record has no time */
export function formatUnfinished(
  operation: WireOperation,
  redactor: Redactor,
  wallMs: number,
  waitedMs: number,
): string {
  const created = Date.parse(operation.created_at ?? "");
  const age = Number.isNaN(created) ? waitedMs : Math.max(0, wallMs - created);
  const which = `operation ${shownId(operation.id, redactor)}`;
  return `${operationName(operation, redactor)} (${which}, ${formatDuration(age)} old, ${formatStatus(operation, redactor)})`;
}

/** For an operation that failed, with the service's own words. */
export function formatFailure(operation: WireOperation, redactor: Redactor): string {
  const failed = operation.failures_count ?? 0;
  const attempts = failed > 0 ? `, ${failed} failed ${failed === 1 ? "attempt" : "attempts"}` : "";
  const reason = operation.error ? `: ${redactor.redactExternal(operation.error).slice(0, LONGEST_REASON)}` : "";
  const verb = operation.status === "cancelled" ? "was cancelled" : "failed";
  const which = `operation ${shownId(operation.id, redactor)}, status ${shownWord(operation.status, redactor)}${attempts}`;
  return `${operationName(operation, redactor)} ${verb}${reason} (${which})`;
}
