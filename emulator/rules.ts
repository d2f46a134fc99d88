import type { Faults } from "./faults.js";
import type { World } from "./world.js";

/**
 * How this control plane behaves where the service's behaviour is a matter of account, time or reading. Everything that
 * a caller can choose is here; what nobody can choose yet is a constant marked "modelling choice" where it is used.
 */
export interface Rules {
  operationMs(action: string): number;
  idleUpdate: "operations" | "none";
  restartIdleStatus: 412 | 423;
  lock: "project";
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
}
