/**
 * How much the emulator holds and looks at. All of it is far beyond what a test needs: the bounds keep a loop that went wrong,
 * or a client that means harm, from filling the memory or blocking the emulator.
 */
export const BOUNDS = {
  /** Characters of a path, without the query. A longer one is refused (414). */
  path: 2048,
  /** Levels of a JSON body. `JSON.stringify` fails at some thousands, also for everything that contains such a value. */
  depth: 100,
  /** Requests that are recorded; the oldest are dropped. */
  requests: 100_000,
  /** Characters of the recorded requests together. */
  requestCharacters: 100_000_000,
  /** Fault rules that wait. */
  faults: 1000,
  /** Characters of all waiting rules as JSON. */
  faultCharacters: 50_000_000,
  /** Characters of the pattern of a rule's path, and how many wildcards it has. */
  pattern: 500,
  wildcards: 10,
  /** Headers, or fields, of one rule. */
  listed: 100,
  /** Answers that a rule delays at the same time. */
  delayed: 10_000,
  /** Attempts of an operation that fail. */
  failures: 1000,
  /** Operations that are kept; the oldest that are done are dropped. */
  operations: 20_000,
  /** Computes that one request may ask for. */
  computes: 100,
  /** Availability checks by the service that are made up for after a long time without a request. */
  checks: 1000,
} as const;
