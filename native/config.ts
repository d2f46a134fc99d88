// Reads the configuration: from the stack's config for the default provider, from its arguments for an explicit provider.

import type { StackConfig } from "../provider/config.js";
import { INSTANCE } from "../provider/rules/config-names.js";
import type { StackSettings } from "../provider/rules/config-warnings.js";
import type { Props, Values } from "./values.js";

const NAMESPACE = "compute:";
/** What the engine adds to the arguments. */
const OF_THE_ENGINE = ["version", "pluginDownloadURL", "parameterization"];
/** The name of a provider that the engine makes by itself, from the stack's config: "default", "default_0_1_0". */
const DEFAULT_PROVIDER = /^default(_|$)/;

/** Whether the engine has made the provider by itself, so that its arguments are the stack's config. */
export const isDefaultProvider = (name: string | undefined): boolean =>
  name === undefined || DEFAULT_PROVIDER.test(name);

/** The stack's settings, by their names. @param args the arguments of a default provider */
export function settingsOf({ props, secrets }: Values, project: string | undefined): StackSettings {
  const values = Object.fromEntries(
    Object.entries(props).flatMap(([name, value]) => (OF_THE_ENGINE.includes(name) ? [] : [[name, textOf(value)]])),
  );
  return { values, isPlainKey: values["apiKey"] !== undefined && !secrets.has("apiKey"), project };
}

/**
 * @param args the arguments that Configure gets, without their namespace
 * @param name the provider's name; undefined if an old engine does not say it
 */
export function stackConfig(args: Props, name: string | undefined): StackConfig {
  const values: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [`${NAMESPACE}${key}`, textOf(value)]),
  );
  const { [`${NAMESPACE}apiKey`]: apiKey, [`${NAMESPACE}apiUrl`]: apiUrl, ...rest } = values;
  // Without a key of its own, an explicit provider has the account of the environment.
  if (isDefaultProvider(name) || (apiKey === undefined && apiUrl === undefined)) return { get: (key) => values[key] };
  const ofInstance: Record<string, string | undefined> = {
    ...rest,
    [INSTANCE.name]: name,
    [INSTANCE.apiKey]: apiKey,
    [INSTANCE.apiUrl]: apiUrl,
    // Only a program can make an explicit provider. A stack's file can't.
    [INSTANCE.byProgram]: "true",
  };
  return { get: (key) => ofInstance[key] };
}

/** Values other than strings arrive as JSON text or unchanged. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
