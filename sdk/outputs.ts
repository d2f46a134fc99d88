// The outputs of an `Endpoint`. This file does not compile if the class or its arguments lack a setting, or if the class declares
// an unlisted output.

import type * as pulumi from "@pulumi/pulumi";
import { rowOf, SETTING_PROPERTIES, type SettingOutput, type SettingProperty } from "../provider/rules/settings.js";
import { FIXED_OUTPUTS } from "../provider/rules/unchanged-outputs.js";
import type { Endpoint, EndpointArgs } from "./endpoint.js";

type Declared = { [K in keyof Endpoint]: Endpoint[K] extends pulumi.Output<unknown> ? K : never }[Exclude<
  keyof Endpoint,
  "id" | "urn" | "capacity"
>];

const isOutput = (name: SettingProperty): name is SettingOutput =>
  name === "size" || name === "settings" || rowOf(name).wire !== null;

const unset = <N extends Declared>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, undefined])) as Record<N, undefined>;

/** All outputs, as undefined inputs: Pulumi fills in only outputs whose names the constructor gives it. */
export const NO_OUTPUTS: Record<Declared, undefined> = unset([
  ...(SETTING_PROPERTIES satisfies readonly (keyof EndpointArgs)[]).filter(isOutput),
  ...FIXED_OUTPUTS,
  ...(["restart", "managed", "unfinished"] as const),
]);
