import type { Faults } from "./faults.js";
import type { World } from "./world.js";

/**
 * How this control plane behaves where the service's behaviour is a matter of account, time or reading, with all
 * defaults filled in (`options.ts` tells what each means). What nobody can choose yet is marked "modelling choice"
 * where it is used.
 */
export interface Rules {
  operationMs(action: string): number;
  lock: "project" | "branch";
  failed: "final" | "retried";
  failedRetryMs: number;
  idleUpdate: "operations" | "none";
  restartIdleStatus: 412 | 423;
  branchReadyMs: number;
  branchNotReadyStatus: 422 | 423;
  settingsPatch: "replace" | "merge";
  ignoredFields: string[];
  listOrder: "newest" | "random";
  restoredBranch: "new" | "same";
  availabilityCheckMs: number;
  rateLimit: { perMinute?: number; perRouteAndSecond?: number };
  retryAfter: "none" | "seconds" | "date";
  suspendDefaultSeconds: number;
}

/** What a handler works on: the world, brought up to `now`. */
export interface Site {
  world: World;
  rules: Rules;
  faults: Faults;
  random: () => number;
  /** Milliseconds since the epoch: the moment of this request. */
  now: number;
  /** When the service last looked after each compute by itself; `from` for those that it has not looked at yet. */
  checks: { from: number; last: Map<string, number> };
}
