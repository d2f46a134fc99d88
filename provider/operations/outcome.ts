/** The meaning of a status word for a caller that waits. After `may-retry` the service may try the failed operation again. */
export type Outcome = "pending" | "done" | "failed" | "may-retry";

/** The service's console shows one of these labels for a status word. */
export type OperationLabel = "OK" | "Scheduling" | "In progress" | "Error";

// The known statuses. An unknown status counts as pending, and the wait ends at the deadline.
const STATUSES = new Map<string, [Outcome, OperationLabel]>([
  ["scheduling", ["pending", "Scheduling"]],
  ["running", ["pending", "In progress"]],
  ["cancelling", ["pending", "In progress"]],
  ["finished", ["done", "OK"]],
  ["skipped", ["done", "OK"]],
  ["failed", ["may-retry", "Error"]],
  ["error", ["failed", "Error"]],
  ["cancelled", ["failed", "Error"]],
]);

export const outcomeOf = (status: string): Outcome => STATUSES.get(status)?.[0] ?? "pending";

/** Undefined for a word that this version does not know. */
export const labelOf = (status: string): OperationLabel | undefined => STATUSES.get(status)?.[1];

export const isKnownStatus = (status: string): boolean => STATUSES.has(status);
