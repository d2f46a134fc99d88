import { duration } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import { isKnownWord } from "./outcome.js";

/** "start_compute of ep-…": how an operation is called in all texts. */
export function nameOf({ action, endpoint_id, branch_id }: WireOperation): string {
  const what = action === "unknown" ? "an operation" : action;
  const subject = endpoint_id ?? branch_id;
  return subject ? `${what} of ${subject}` : what;
}

/** The status, and whether this version knows the word. */
export function statusOf({ status }: WireOperation): string {
  return isKnownWord(status) || status === "unknown"
    ? `status ${status}`
    : `status ${status}, a word that is not known`;
}

/** For one that was not over in time. @param waitedMs how long we know it, where the record has no time of its own */
export function leftover(operation: WireOperation, wallMs: number, waitedMs: number): string {
  const created = Date.parse(operation.created_at ?? "");
  const age = Number.isNaN(created) ? waitedMs : Math.max(0, wallMs - created);
  return `${nameOf(operation)} (operation ${operation.id}, ${duration(age)} old, ${statusOf(operation)})`;
}

/** For one that failed, with the service's own words. */
export function failure(operation: WireOperation): string {
  const failed = operation.failures_count ?? 0;
  const attempts = failed > 0 ? `, ${failed} failed ${failed === 1 ? "attempt" : "attempts"}` : "";
  const reason = operation.error ? `: ${operation.error.replace(/\s+/g, " ").trim().slice(0, 1024)}` : "";
  const verb = operation.status === "cancelled" ? "was cancelled" : "failed";
  return `${nameOf(operation)} ${verb}${reason} (operation ${operation.id}, status ${operation.status}${attempts})`;
}
