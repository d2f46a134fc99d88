// The compute as it is. GET …/endpoints, shared by all who read the same project.

import { Deadline } from "../clock.js";
import { isKind, Stopped } from "../errors.js";
import { outcomeOf } from "../operations/outcome.js";
import { LOOK_MS } from "../operations/watch.js";
import { differingPaths, pick, type SettingValues, valuesByPath } from "../rules/paths.js";
import { canonical } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Inputs, Program } from "./inputs.js";
import { lookForRead } from "./look.js";
import { toldBy } from "./mapping.js";
import { inputsOf, liveOfOutputs, notTakenIn, type Outputs, outputsOf } from "./outputs.js";
import { deadlineFor, type Process, UNKNOWN_OPERATION } from "./step.js";

export interface ReadAnswer {
  /** Undefined where the compute is gone. */
  id?: string;
  outputs?: Outputs;
  /** Only where something that the program manages is not, or may not be, as the state's inputs have it. */
  inputs?: Record<string, unknown>;
}

export async function read(process: Process, id: string, state: Partial<Outputs>): Promise<ReadAnswer> {
  const project = state.projectId ?? "";
  const deadline = deadlineFor(process, "update", {}, undefined);
  const found = await lookForRead(process.context, { project, id }, deadline).catch((error: unknown) => {
    throw projectProblem(error, project, id);
  });
  // Only a list that answered, and a 404 for the compute itself, can say that it is gone.
  if (!found) return {};
  const managed = state.managed ?? [];
  const refused = stillNotTaken(process, state, found);
  const before = inputsOf({ ...state, managed } as Outputs, notTakenIn(state)) as Inputs;
  const outputs: Outputs = {
    ...outputsOf(found, programIn(state, before), { adopted: state.adopted ?? false, notTaken: refused }, state),
    managed,
  };
  if (managed.includes("size") && outputs.autoscalingLimitMinCu === outputs.autoscalingLimitMaxCu) {
    if (outputs.autoscalingLimitMaxCu !== undefined) outputs.size = outputs.autoscalingLimitMaxCu;
  }
  if (state.restartOwed) outputs.restartOwed = state.restartOwed;
  const unfinished = state.unfinished?.length
    ? await stillUnfinished(process, project, state.unfinished, deadline)
    : [];
  if (unfinished.length > 0) outputs.unfinished = unfinished;

  const now = valuesByPath(liveOfOutputs(outputs));
  const drifted = differingPaths(valuesByPath(wishOf(before)), { ...now, ...refused }).length > 0;
  // A step that failed left outputs that its inputs are not: only new inputs let the next preview show the difference.
  const failed = (state.unfinished ?? []).length > 0;
  return { id, outputs, ...(drifted || failed ? { inputs: inputsOf(outputs, refused) } : {}) };
}

/** What the service did not take, and has still as it was then: so long, the inputs keep what was asked for. */
function stillNotTaken({ config }: Process, state: Partial<Outputs>, found: WireEndpoint): SettingValues {
  const asked = notTakenIn(state);
  if (config.askAgain || Object.keys(asked).length === 0) return {};
  const kept = valuesByPath(liveOfOutputs(state));
  const { values, isTold } = toldBy(found);
  const isAsThen = (path: string) => !isTold(path) || canonical(values[path]) === canonical(kept[path]);
  return pick(asked, Object.keys(asked).filter(isAsThen));
}

/** The program as far as the state remembers it. */
function programIn(state: Partial<Outputs>, inputs: Inputs): Program {
  const { __autoName: autoName, __secret: secrets = [], __retain: retained } = state;
  return {
    inputs,
    isChecked: false,
    ...(autoName === undefined ? {} : { autoName }),
    ...(retained ? { retained } : {}),
    secrets: new Set(secrets),
  };
}

/** 404 on the project, and a key that may not see it, must never look like "gone". */
export function projectProblem(error: unknown, project: string, id: string): unknown {
  if (!isKind(error, "service") || error.answer.status !== 404) return error;
  return new Stopped(
    `project ${project} does not exist, or this key can't see it, so nothing is known of compute ${id} and the state was left as it is. Check the key, the URL (it ends in /api/v2) and the project; if the project is really deleted, \`pulumi state delete\` forgets the compute (${error.message})`,
  );
}

/** Operations of an earlier step that have not ended well: they stay until they do, or until update has dealt with them. */
async function stillUnfinished(
  process: Process,
  project: string,
  ids: readonly string[],
  step: Deadline,
): Promise<string[]> {
  // To keep an id until the next time is no harm.
  const deadline = new Deadline(process.context.clock, Math.min(LOOK_MS, step.leftMs()));
  const kept = await Promise.all(
    ids.map(async (id) => {
      if (id === UNKNOWN_OPERATION) return [id];
      try {
        const operation = await process.context.client.getOperation(project, id, deadline);
        return outcomeOf(operation.status) === "done" ? [] : [id];
      } catch (error) {
        if (isKind(error, "cancelled")) throw error;
        return [id];
      }
    }),
  );
  return kept.flat();
}
