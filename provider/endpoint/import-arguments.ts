// For imports: a compute's settings, in the form of a program's arguments.

import { inputOf, rowOf, type SettingName, SIZE_FORMS } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { checkInputs, type Inputs } from "./inputs.js";
import { observedSettings } from "./mapping.js";

/**
 * The arguments with which a program keeps a compute as it is. Settings that have the service's defaults stay unmanaged.
 * @param notes gets a line for each setting that a program can't express
 */
export function argsOf(endpoint: WireEndpoint, projectId: string, notes: string[]): Inputs {
  const live = observedSettings(endpoint);
  const set = Object.fromEntries(Object.entries(live).filter(([name, value]) => isSet(name as SettingName, value)));
  const args = { projectId, branchId: live.branchId, ...inputOf({ ...set, projectId }) } as Inputs;
  const { problems, sizeProblems } = checkInputs({ ...args });
  for (const { property, reason } of [...problems, ...sizeProblems]) {
    if (SIZE_FORMS.some((name) => name === property)) {
      notes.push(`${endpoint.id}: ${reason}; \`pulumi config set compute:sizes unchecked\` lets it pass`);
    } else {
      delete args[property.split(".")[0] as keyof Inputs];
      notes.push(`${endpoint.id}: ${property} is left out and stays as it is (${reason})`);
    }
  }
  return args;
}

/** Whether somebody has set the value: it is neither empty nor the default. */
function isSet(name: SettingName, value: unknown): boolean {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return !isEmpty && value !== rowOf(name).default;
}
