/** What a status word means to somebody who waits. `perhaps` failed: the service may try it again. */
export type Outcome = "pending" | "done" | "failed" | "perhaps";

/** What the service's console shows for a status word. */
export type OperationLabel = "OK" | "Scheduling" | "In progress" | "Error";

// A closed table for an open vocabulary: an unknown word is never success and never failure, so the deadline decides.
const WORDS = new Map<string, [Outcome, OperationLabel]>([
  ["scheduling", ["pending", "Scheduling"]],
  ["running", ["pending", "In progress"]],
  ["cancelling", ["pending", "In progress"]],
  ["finished", ["done", "OK"]],
  ["skipped", ["done", "OK"]],
  ["failed", ["perhaps", "Error"]],
  ["error", ["failed", "Error"]],
  ["cancelled", ["failed", "Error"]],
]);

export const outcomeOf = (word: string): Outcome => WORDS.get(word)?.[0] ?? "pending";

/** Undefined for a word that is not known: nobody can tell what it means. */
export const labelOf = (word: string): OperationLabel | undefined => WORDS.get(word)?.[1];

export const isKnownWord = (word: string): boolean => WORDS.has(word);
