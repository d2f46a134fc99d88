// Reads a compute, for refresh, import and `Endpoint.get`. GET …/endpoints, which all reads of a project share.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { outcomeOf } from "../operations/outcome.js";
import { POLL_TIMEOUT_MS } from "../operations/poll.js";
import { canonical } from "../rules/equality.js";
import { differingPaths, pick, type SettingValues, valuesByPath } from "../rules/paths.js";
import { desiredSettings, settingsIn } from "../rules/settings.js";
import { isUnfinished } from "../rules/unfinished.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { findComputeRecent } from "./find.js";
import type { DesiredState, Inputs } from "./inputs.js";
import { reportedBy } from "./mapping.js";
import { inputsOf, type Outputs, outputsOf, unappliedValues } from "./outputs.js";
import { projectProblem } from "./refusals.js";
import { UNKNOWN_OPERATION } from "./settle-or-keep.js";
import { readDeadline, type SharedState } from "./shared-state.js";

export interface ReadAnswer {
  /** Undefined if the compute does not exist any more. */
  id?: string;
  outputs?: Outputs;
  /** Only where a setting that the program manages differs, or may differ, from the state's inputs. */
  inputs?: Record<string, unknown>;
}

export async function read(shared: SharedState, id: string, state: Partial<Outputs>): Promise<ReadAnswer> {
  const project = state.projectId ?? "";
  const deadline = readDeadline(shared);
  const found = await findComputeRecent(shared.context, { project, id }, deadline).catch((error: unknown) => {
    throw projectProblem(error, project, id);
  });
  // A compute is gone only if the list does not contain it and its own route does not return it (404, 405, 501 or another id).
  if (!found) return {};
  const managed = state.managed ?? [];
  const unapplied = unchangedUnapplied(shared, state, found);
  const before = inputsOf({ ...state, managed } as Outputs, unappliedValues(state)) as Inputs;
  const outputs: Outputs = {
    ...outputsOf(found, desiredStateIn(state, before), { adopted: state.adopted ?? false, unapplied }, state),
    managed,
  };
  // `before` has no size where the limits differed in the state. They may be equal again.
  if (managed.includes("size") && outputs.autoscalingLimitMinCu === outputs.autoscalingLimitMaxCu) {
    if (outputs.autoscalingLimitMaxCu !== undefined) outputs.size = outputs.autoscalingLimitMaxCu;
  }
  if (state.restartOwed) outputs.restartOwed = state.restartOwed;
  const unfinished = state.unfinished?.length ? await stillUnfinished(shared, project, state.unfinished, deadline) : [];
  if (unfinished.length > 0) outputs.unfinished = unfinished;

  const now = valuesByPath(settingsIn(outputs));
  const drifted = differingPaths(valuesByPath(desiredSettings(before)), { ...now, ...unapplied }).length > 0;
  // A step that failed has left outputs that differ from its inputs. With new inputs, the next preview shows the difference.
  const failed = isUnfinished(state);
  return { id, outputs, ...(drifted || failed ? { inputs: inputsOf(outputs, unapplied) } : {}) };
}

/** Settings that the service did not apply, and that are still as they were then. The inputs keep the program's values of these. */
function unchangedUnapplied({ config }: SharedState, state: Partial<Outputs>, found: WireEndpoint): SettingValues {
  const asked = unappliedValues(state);
  if (config.askAgain || Object.keys(asked).length === 0) return {};
  const kept = valuesByPath(settingsIn(state));
  const { values, isReported } = reportedBy(found);
  const isAsThen = (path: string) => !isReported(path) || canonical(values[path]) === canonical(kept[path]);
  return pick(asked, Object.keys(asked).filter(isAsThen));
}

/** The program, as far as the state knows it. */
function desiredStateIn(state: Partial<Outputs>, inputs: Inputs): DesiredState {
  const { __autoName: autoName, __secret: secrets = [], __retain: retained } = state;
  return {
    inputs,
    isChecked: false,
    ...(autoName === undefined ? {} : { autoName }),
    ...(retained ? { retained } : {}),
    secrets: new Set(secrets),
  };
}

/**
 * Operations of an earlier step that have not ended well. They stay in the state until they do, or until an update deals with
 * them.
 */
async function stillUnfinished(
  shared: SharedState,
  project: string,
  ids: readonly string[],
  step: Deadline,
): Promise<string[]> {
  // An id that can't be looked up in time stays in the state, which does no harm.
  const deadline = step.atMost(POLL_TIMEOUT_MS);
  const kept = await Promise.all(
    ids.map(async (id) => {
      if (id === UNKNOWN_OPERATION) return [id];
      try {
        const operation = await shared.context.client.getOperation(project, id, deadline);
        return outcomeOf(operation.status) === "done" ? [] : [id];
      } catch (error) {
        if (isKind(error, "cancelled")) throw error;
        return [id];
      }
    }),
  );
  return kept.flat();
}
