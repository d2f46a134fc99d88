import { oneLine, type Redactor } from "../api/redact.js";
import { duration } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import { isKnownWord } from "./outcome.js";

/** Characters of a word of the service's that are shown. */
const LONGEST_WORD = 100;
/** Characters of a reason that are shown. */
const LONGEST_REASON = 1024;

/** The ellipsis says that a word was cut: only so is the beginning of a secret known in it. */
function shown(word: string): string {
  const line = oneLine(word);
  return line.length > LONGEST_WORD ? `${line.slice(0, LONGEST_WORD)}…` : line;
}

/** "start_compute of ep-…": how an operation is called in all texts. */
export function nameOf({ action, endpoint_id, branch_id }: WireOperation): string {
  const what = action === "unknown" ? "an operation" : shown(action);
  const subject = endpoint_id ?? branch_id;
  return subject ? `${what} of ${shown(subject)}` : what;
}

/** The status, and whether this version knows the word. */
export function statusOf({ status }: WireOperation): string {
  return isKnownWord(status) || status === "unknown"
    ? `status ${status}`
    : `status ${shown(status)}, a word that is not known`;
}

/** For one that was not over in time. @param waitedMs how long we know it, where the record has no time of its own */
export function leftover(operation: WireOperation, wallMs: number, waitedMs: number): string {
  const created = Date.parse(operation.created_at ?? "");
  const age = Number.isNaN(created) ? waitedMs : Math.max(0, wallMs - created);
  return `${nameOf(operation)} (operation ${shown(operation.id)}, ${duration(age)} old, ${statusOf(operation)})`;
}

/** For one that failed, with the service's own words. Redacted before it is cut: nobody finds half a key. */
export function failure(operation: WireOperation, redactor: Redactor): string {
  const failed = operation.failures_count ?? 0;
  const attempts = failed > 0 ? `, ${failed} failed ${failed === 1 ? "attempt" : "attempts"}` : "";
  const reason = operation.error ? `: ${redactor.redactForeign(operation.error).slice(0, LONGEST_REASON)}` : "";
  const verb = operation.status === "cancelled" ? "was cancelled" : "failed";
  const which = `operation ${shown(operation.id)}, status ${shown(operation.status)}${attempts}`;
  return redactor.redact(`${nameOf(operation)} ${verb}${reason} (${which})`);
}
