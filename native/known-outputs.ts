// The outputs that a preview already knows. Pulumi treats a missing output as absent, so unknown outputs must be listed as
// unknown.

import { checkInputs, UNKNOWN_VALUE } from "../provider/endpoint/inputs.js";
import { managedOf } from "../provider/endpoint/outputs.js";
import { FIXED_OUTPUTS, OPTIONAL_SETTINGS, unchangedOutputs } from "../provider/rules/unchanged-outputs.js";
import type { Change } from "../provider/rules/warnings.js";
import { inputDiff, programInputs } from "./detailed-diff.js";
import { REQUIRED_OUTPUTS } from "./schema.js";
import type { Props, Values } from "./values.js";

/** The outputs of a create: the program's values. */
export function outputsOfCreation(news: Values): Props {
  return { ...allUnknown(), ...programValues(news), settings: UNKNOWN_VALUE };
}

/** The outputs of an update: the program's values, and what the update leaves as it is. @param olds the outputs before it */
export function outputsOfUpdate(olds: Props, oldInputs: Props, news: Values, { before, desired }: Change): Props {
  const paths = [...inputDiff(oldInputs, news.props).keys()];
  const settings = paths.some((path) => path === "settings" || path.startsWith("settings."))
    ? UNKNOWN_VALUE
    : olds["settings"];
  const unchanged = unchangedOutputs(olds, before, desired, news.props);
  return { ...allUnknown(), ...unchanged, ...programValues(news), settings };
}

/** Also those that a compute may lack, such as the name. */
const allUnknown = (): Props =>
  Object.fromEntries(
    [...REQUIRED_OUTPUTS, ...FIXED_OUTPUTS, ...OPTIONAL_SETTINGS].map((name) => [name, UNKNOWN_VALUE]),
  );

function programValues({ props, secrets }: Values): Props {
  const { inputs, unknown } = checkInputs(props);
  const { size, ...rest } = programInputs(props);
  // Pulumi does not hide a limit where the size is secret. The state then has no limits either.
  const limit = secrets.has("size") ? undefined : size;
  const limits = size === undefined ? {} : { size, autoscalingLimitMinCu: limit, autoscalingLimitMaxCu: limit };
  return { ...rest, ...limits, restart: "no", managed: unknown.size > 0 ? UNKNOWN_VALUE : managedOf(inputs) };
}
