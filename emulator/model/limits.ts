/**
 * Limits of the emulator itself, far beyond the needs of a test. They keep a runaway loop or a hostile client from filling the
 * memory or blocking the emulator.
 */
export const LIMITS = {
  /** Characters of a path, without the query. A longer one is refused (414). */
  pathCharacters: 2048,
  /**
   * Levels of a JSON body. With thousands, `JSON.stringify` would fail on the body and on each list that contains it.
   */
  jsonDepth: 100,
  /** Recorded requests. The oldest are dropped. */
  recordedRequests: 100_000,
  /** Characters of all recorded requests together. A value in a body counts as 32 more. */
  recordedCharacters: 100_000_000,
  /**
   * The most requests and operations in a response of `GET /_emulator/changes` (the newest), and the most characters of their
   * texts.
   */
  shownRequests: 1000,
  shownOperations: 1000,
  shownCharacters: 1000,
  /** The most characters of an action, and of a method in a fault rule. */
  nameCharacters: 100,
  /** Fault rules that are not used up. */
  faultRules: 1000,
  /** Characters of all active fault rules, as JSON. */
  faultCharacters: 50_000_000,
  /** Characters and wildcards of the path pattern of a rule. */
  patternCharacters: 500,
  patternWildcards: 10,
  /** Headers of one rule, or its fields. */
  faultRuleEntries: 100,
  /** Responses that are delayed at the same time. */
  delayedResponses: 10_000,
  /** Failed attempts of one operation. */
  failedAttempts: 1000,
  /** Operations in the world. The oldest that are done are dropped. */
  operations: 20_000,
  /** Computes that one request may ask for. */
  computesPerRequest: 100,
  /** The most availability checks to catch up after a long time without a request. */
  missedChecks: 1000,
} as const;
