// Gives a program the outputs that an update leaves as they are, while a preview calls all of them unknown.

import * as pulumi from "@pulumi/pulumi";
import { FIXED_OUTPUTS, OPTIONAL_SETTINGS } from "../provider/rules/unchanged-outputs.js";
import type { Props } from "./hook-values.js";

/** Outputs that changes leave as they are, by URN: filled by the hook before the program knows the URN. */
export type UnchangedOutputs = Map<string, Props>;

/**
 * In the preview of an update, gives dependent resources the old output values that stay valid. Pulumi marks all as unknown. Each
 * is made when it is asked for, since most programs ask for one or two, and sixteen cost more than the compute itself.
 */
export function keepOutputs(resource: pulumi.CustomResource, unchanged: UnchangedOutputs): void {
  if (!pulumi.runtime.isDryRun()) return;
  const outputs = resource as unknown as Record<string, pulumi.Output<unknown>>;
  for (const name of [...FIXED_OUTPUTS, ...OPTIONAL_SETTINGS]) {
    const fromEngine = outputs[name];
    const get = () => resource.urn.apply((urn) => unchanged.get(urn)?.[name] ?? fromEngine);
    Object.defineProperty(resource, name, { get, enumerable: true, configurable: true });
  }
}
