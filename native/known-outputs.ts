// The outputs that a preview already knows. Pulumi takes a missing output for absent, so the outputs that are not known yet are listed as
// unknown.

import { checkInputs, UNKNOWN_VALUE } from "../provider/endpoint/inputs.js";
import { managedOf } from "../provider/endpoint/outputs.js";
import { unchangedOutputs } from "../provider/rules/unchanged-outputs.js";
import type { Change } from "../provider/rules/warnings.js";
import { inputDiff, programInputs } from "./detailed-diff.js";
import { REQUIRED_OUTPUTS } from "./schema.js";
import type { Props } from "./values.js";

/** The outputs of a create: the program's values. */
export function outputsOfCreation(news: Props): Props {
  return { ...allUnknown(), ...programValues(news), settings: UNKNOWN_VALUE };
}

/** The outputs of an update: the program's values, and what the update leaves as it is. @param olds the outputs before it */
export function outputsOfUpdate(olds: Props, oldInputs: Props, news: Props, { before, desired }: Change): Props {
  const paths = [...inputDiff(oldInputs, news).keys()];
  const settings = paths.some((path) => path === "settings" || path.startsWith("settings."))
    ? UNKNOWN_VALUE
    : olds["settings"];
  const unchanged = unchangedOutputs(olds, before, desired, news);
  return { ...allUnknown(), ...unchanged, ...programValues(news), settings };
}

const allUnknown = (): Props => Object.fromEntries(REQUIRED_OUTPUTS.map((name) => [name, UNKNOWN_VALUE]));

function programValues(news: Props): Props {
  const { inputs, unknown } = checkInputs(news);
  const { size, ...rest } = programInputs(news);
  const limits = size === undefined ? {} : { size, autoscalingLimitMinCu: size, autoscalingLimitMaxCu: size };
  return { ...rest, ...limits, restart: "no", managed: unknown.size > 0 ? UNKNOWN_VALUE : managedOf(inputs) };
}
