import type { Faults } from "./faults.js";
import type { Behavior } from "./options.js";
import type { World } from "./world.js";

/** The simulated control plane at the moment of one request: its world, brought up to `now`, and how it behaves. */
export interface Simulation {
  world: World;
  behavior: Behavior;
  faults: Faults;
  random: () => number;
  /** Milliseconds since the epoch. */
  now: number;
  /** The time of the last availability check of each compute. A compute without one counts from `from`. */
  availabilityChecks: { from: number; last: Map<string, number> };
}
