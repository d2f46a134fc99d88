// All kinds of faults: of requests, of operations, and the service's own refusals.

import fc from "fast-check";
import type { FaultRule, OperationFault } from "../../../emulator/index";
import type { Fault, Target } from "./fault";
import { INTERCEPTORS } from "./interceptors";

/** After such an answer the provider can't know what was left out, so the judge does not expect it to. */
export const INCOMPLETE_ANSWERS = new Set([
  "null fields",
  "missing fields",
  "unknown status words",
  "operation vanishes (404)",
  "empty body",
]);

const ENDS: Record<string, OperationFault["operation"]["then"]> = {
  "operation fails": "failed",
  "operation fails and recovers": "failed-then-finished",
  "operation ends in error": "error",
  "operation is cancelled": "cancelled",
  "operation never ends": "never",
};

export const VANISHES = "operation vanishes (404)";
const IGNORED = "setting silently ignored";
export const SERVICE_WORK = "423 for the service's own work";

/** What the emulator does without a fault. It is counted when a request meets it. */
export const OF_THE_SERVICE = {
  lock: "423 for work under way",
  rate: "429 of the rate limit",
  notReady: "422 branch not ready",
  random: "list in random order",
  spelling: "a value spelled otherwise",
} as const;

export const FAULT_KINDS = [
  ...Object.keys(INTERCEPTORS),
  ...Object.keys(ENDS),
  VANISHES,
  IGNORED,
  SERVICE_WORK,
  ...Object.values(OF_THE_SERVICE),
];

/** The answers to a key that lost its access to the project. */
const KEYS = ["404 of the project", "403"];

const targets = fc.constantFrom<Target>(
  "any",
  "any",
  "list",
  "list",
  "operations",
  "POST",
  "PATCH",
  "DELETE",
  "change",
  "change",
);

export const faults: fc.Arbitrary<Fault> = fc.record({
  // A kind that is listed several times comes more often.
  kind: fc.constantFrom(
    ...Object.keys(INTERCEPTORS),
    ...Object.keys(INTERCEPTORS),
    ...Object.keys(ENDS),
    ...Object.keys(ENDS),
    ...Object.keys(ENDS),
    ...KEYS,
    ...KEYS,
    VANISHES,
    IGNORED,
    SERVICE_WORK,
  ),
  on: targets,
  skip: fc.constantFrom(0, 0, 0, 1, 2),
  times: fc.constantFrom(1, 1, 2, 3, 60),
  salt: fc.integer({ min: 0, max: 999 }),
});

const IGNORABLE = ["autoscaling_limit_max_cu", "suspend_timeout_seconds", "disabled", "settings", "pooler_enabled"];
const ACTIONS = ["start_compute", "apply_config", "suspend_compute"];

/** The emulator's own rules for a fault. */
export function rulesOf({ kind, times, salt }: Fault): FaultRule[] {
  const then = ENDS[kind];
  const action = ACTIONS[salt % ACTIONS.length]!;
  if (then) return [{ operation: { action, then, times: Math.min(times, 3) } }];
  if (kind !== IGNORED) return [];
  return [{ ignore: { fields: [IGNORABLE[salt % IGNORABLE.length]!], times: Math.min(times, 3) } }];
}
