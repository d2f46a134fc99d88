/** What a status word means to somebody who waits. `perhaps` failed: the service may try it again. */
export type Outcome = "pending" | "done" | "failed" | "perhaps";

// A closed table for an open vocabulary: an unknown word is never success and never failure, so the deadline decides.
const OUTCOME = new Map<string, Outcome>([
  ["scheduling", "pending"],
  ["running", "pending"],
  ["cancelling", "pending"],
  ["finished", "done"],
  ["skipped", "done"],
  ["failed", "perhaps"],
  ["error", "failed"],
  ["cancelled", "failed"],
]);

export const outcomeOf = (word: string): Outcome => OUTCOME.get(word) ?? "pending";

export const isKnownWord = (word: string): boolean => OUTCOME.has(word);
