// A scenario: programs, commands, and what goes wrong beside them. Plain data, so that fast-check can shrink it.

import type { EmulatorOptions } from "../../emulator/index";
import type { Fault } from "./faults/fault";
import type { ManualChange } from "./manual-changes";
import type { ResourceSpec } from "./program";

/** How the service behaves where its behaviour is not documented, or differs by account and time. */
export interface Service extends Omit<EmulatorOptions, "time"> {
  skewMs: number;
  /** Milliseconds for which the branch `dev` is not ready. */
  branchReadyMs: number;
  /** It answers `65536kB` where it was told `64MB`. */
  respells: boolean;
}

/** A service without surprises. */
export const DEFAULT_SERVICE: Service = {
  operationMs: 500,
  lock: "project",
  failed: "final",
  failedRetryMs: 1000,
  idleUpdate: "operations",
  restartIdleStatus: 412,
  settingsPatch: "replace",
  listOrder: "newest",
  availabilityCheckMs: 0,
  retryAfter: "none",
  suspendDefaultSeconds: 300,
  rateLimit: {},
  ignoredFields: [],
  skewMs: 0,
  branchReadyMs: 0,
  respells: false,
};

export interface Kill {
  /** The number of the request at which the process dies. */
  request: number;
  /** Whether it dies before the request is sent, or after its answer. */
  when: "before" | "after";
  laterMs: number;
}

export type CommandName = "up" | "preview" | "refresh" | "refresh+up" | "destroy";

export type Edit =
  /** The slot holds another resource, or none. */
  | { slot: number; to: ResourceSpec | null }
  /** The resource changes some values. */
  | { slot: number; change: Partial<ResourceSpec> }
  | { slot: number; rename: true }
  /** The last edit is taken back. */
  | { slot: number; back: true };

export interface Round {
  stack: number;
  edits: Edit[];
  command: CommandName;
  /** The other stack runs `up` at the same time. */
  both: boolean;
  kill: Kill | null;
  /** The number of the request at which one Ctrl-C comes. */
  interrupt: number | null;
  faults: Fault[];
  manualChanges: ManualChange[];
  /** Milliseconds that pass before the round. */
  waitMs: number;
}

export interface Scenario {
  /** Decides ids, pauses and the order of lists. */
  seed: number;
  service: Service;
  /** Both stacks have the same name, in two backends, so their generated names are equal. */
  twins: boolean;
  programs: (ResourceSpec | null)[][];
  rounds: Round[];
  end: "up" | "refresh+up" | "destroy";
}

/** A round with these properties. Everything else is absent: no edits, faults or manual changes. */
export const roundWith = (given: Partial<Round>): Round => ({
  stack: 0,
  edits: [],
  command: "up",
  both: false,
  kill: null,
  interrupt: null,
  faults: [],
  manualChanges: [],
  waitMs: 0,
  ...given,
});
