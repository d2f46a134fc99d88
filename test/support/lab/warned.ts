import { type Impact, impactOf } from "../../../provider/rules/impact.js";
import { readNotice, withNotice } from "../../../provider/rules/notice.js";
import { comparedWith } from "../../../provider/rules/paths.js";
import { desiredSettings, type ObservedSettings, type SettingsInput } from "../../../provider/rules/settings.js";
import type { Resource } from "./engine.js";
import type { Props } from "./resource-options.js";

/** The impact that the hook computes from old outputs and new inputs, as `provider/rules/warnings.ts` does. */
export function warned({ inputs: oldInputs, outputs: oldOutputs }: Resource, inputs: Props, askAgain: boolean): Impact {
  const again = askAgain ? ((oldOutputs["notTaken"] ?? []) as string[]) : [];
  const live = oldOutputs["unfinished"]
    ? (desiredSettings(oldOutputs as SettingsInput) as ObservedSettings)
    : comparedWith(oldInputs as SettingsInput, oldOutputs as SettingsInput, again);
  const own = impactOf(live, desiredSettings(inputs as SettingsInput));
  if (!oldOutputs["unfinished"]) return withNotice(own, readNotice(inputs)).impact;
  return own.impact === "none" ? "may-restart" : own.impact;
}
