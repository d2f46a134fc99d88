import { settingsByName, valuesByPath, without } from "./paths.js";
import type { Live } from "./settings.js";
import { type Asked, wishOf } from "./wish.js";

/**
 * What a preview compares a program with: the inputs of the last step, and for what these do not say, the outputs. Outputs
 * that differ from the inputs hold what the service did not take, which is not asked for again by itself.
 * @param again paths of what the service did not take and is asked for again
 */
export function comparedWith(oldInputs: Asked, oldOutputs: Asked, again: readonly string[] = []): Live {
  const outputs = valuesByPath(wishOf(oldOutputs));
  // Triggers are compared with those of the last restart.
  const { restartTriggers: _triggers, ...inputs } = valuesByPath(wishOf(oldInputs));
  return settingsByName({ ...outputs, ...without(inputs, again) });
}
