// The shared state of all steps of a provider process.

import { Deadline } from "../clock.js";
import type { ProviderConfig } from "../config.js";
import type { Context } from "../operations/context.js";
import { type DesiredState, type Inputs, millisecondsOf, type StepRequest } from "./inputs.js";
import type { OldInputs } from "./old-inputs.js";
import type { Origin, Outputs, PendingRestart } from "./outputs.js";
import type { Ownership } from "./ownership.js";
import type { Places } from "./places.js";
import type { Rollout } from "./rollout.js";

/** Minutes a step may take when the program sets no `customTimeouts`. */
export const DEFAULT_STEP_MINUTES = 10;

/** What all steps of one provider process share. */
export interface SharedState {
  context: Context;
  config: ProviderConfig;
  /**
   * Computes that this process has created or taken over: the id, and a name for messages. A delete in this process spares
   * them.
   */
  claimed: Map<string, string>;
  /** Ids of computes in the state that diff has seen. They are not leftovers of interrupted runs. */
  idsInState: Set<string>;
  /** The old inputs that check got, for diff and update. */
  oldInputs: OldInputs;
  /** Which resources of the run hold which computes, in this process and in others. */
  ownership?: Ownership;
  /** URNs and parents of the resources, for errors that name commands. */
  places?: Places;
  rollout: Rollout;
  warn: (line: string) => void;
}

/**
 * The part of the shared state that decides which compute a create adopts, or why it stops. A preview can build this part too.
 */
export interface CreateView extends Pick<SharedState, "claimed" | "idsInState" | "warn" | "places"> {
  config: Pick<ProviderConfig, "onRestart"> & Partial<Pick<ProviderConfig, "account" | "instance">>;
  ownership?: Pick<Ownership, "isHeld" | "isBeingDeleted" | "replacedBy" | "resourceWith">;
}

/** One compute in one step. */
export interface Target {
  project: string;
  id: string;
  desiredState: DesiredState;
  /** What the state had before the step. */
  last: Partial<Outputs>;
  adopted: boolean;
  /** The kind of step. It decides whether a setting in the state comes from the program or from the service. */
  origin: Origin;
  /** A restart that this step has to make. After a failure the state keeps it. */
  pendingRestart?: PendingRestart;
}

/**
 * @param request the engine's request. Its timeout counts first, because `transforms` change it after the constructor
 * @param limits the timeouts that the constructor saw. They count where the request has none, as for an imported state or a 0.1.0 state (docs/design.md)
 */
export function deadlineFor(
  shared: Pick<SharedState, "context">,
  step: "create" | "update" | "delete",
  { timeoutMs }: StepRequest,
  limits: Inputs["customTimeouts"],
): Deadline {
  const budgetMs = timeoutMs || millisecondsOf(limits?.[step]) || DEFAULT_STEP_MINUTES * 60_000;
  return new Deadline(shared.context.clock, budgetMs);
}

/** Pulumi sets no time limit for a read, so the default counts. It is the same for all steps. */
export const readDeadline = (shared: Pick<SharedState, "context">): Deadline =>
  deadlineFor(shared, "update", {}, undefined);
