import { oneLineOf, type Redactor } from "../api/redact.js";
import { duration } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import { isKnownWord } from "./outcome.js";

/** Characters of a word of the service's that are shown. */
const LONGEST_WORD = 100;
/** Characters of a reason that are shown. */
const LONGEST_REASON = 1024;

/** An id for a message. A secret may contain an id, as a connection string does, so only whole secrets are taken out of it. */
const shownId = (id: string, redactor: Redactor): string => redactor.redact(oneLineOf(id)).slice(0, LONGEST_WORD);
/** Another word of the service's. It is redacted before it is cut: the redactor would not find half a key. */
const shown = (word: string, redactor: Redactor): string => redactor.redactForeign(word).slice(0, LONGEST_WORD);

/** "start_compute of ep-…": how an operation is called in all texts. */
export function nameOf({ action, endpoint_id, branch_id }: WireOperation, redactor: Redactor): string {
  const what = action === "unknown" ? "an operation" : shown(action, redactor);
  const subject = endpoint_id ?? branch_id;
  return subject ? `${what} of ${shownId(subject, redactor)}` : what;
}

/** The status, and whether this version knows the word. */
export function statusOf({ status }: WireOperation, redactor: Redactor): string {
  return isKnownWord(status) || status === "unknown"
    ? `status ${status}`
    : `status ${shown(status, redactor)}, a word that is not known`;
}

/** For one that was not over in time. @param waitedMs how long we know it, where the record has no time of its own */
export function leftover(operation: WireOperation, redactor: Redactor, wallMs: number, waitedMs: number): string {
  const created = Date.parse(operation.created_at ?? "");
  const age = Number.isNaN(created) ? waitedMs : Math.max(0, wallMs - created);
  const which = `operation ${shownId(operation.id, redactor)}`;
  return `${nameOf(operation, redactor)} (${which}, ${duration(age)} old, ${statusOf(operation, redactor)})`;
}

/** For one that failed, with the service's own words. Redacted before it is cut: nobody finds half a key. */
export function failure(operation: WireOperation, redactor: Redactor): string {
  const failed = operation.failures_count ?? 0;
  const attempts = failed > 0 ? `, ${failed} failed ${failed === 1 ? "attempt" : "attempts"}` : "";
  const reason = operation.error ? `: ${redactor.redactForeign(operation.error).slice(0, LONGEST_REASON)}` : "";
  const verb = operation.status === "cancelled" ? "was cancelled" : "failed";
  const which = `operation ${shownId(operation.id, redactor)}, status ${shown(operation.status, redactor)}${attempts}`;
  return `${nameOf(operation, redactor)} ${verb}${reason} (${which})`;
}
