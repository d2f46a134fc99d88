// Settings that the service did not apply, although it accepted the request.

import { differingPaths, pick, type SettingValues } from "../rules/paths.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { reportedBy } from "./mapping.js";
import { type Outputs, withoutValues, withValues } from "./outputs.js";

/** The paths at which the compute differs from the values that were sent. A field that the answer leaves out does not count. */
export function unappliedPaths(sent: SettingValues, one: WireEndpoint): string[] {
  const { values, isReported } = reportedBy(one);
  return differingPaths(sent, values).filter(isReported);
}

/** The outputs, with the compute's own values at the paths that the service did not apply. */
export function withActualValues(
  known: Partial<Outputs>,
  one: WireEndpoint,
  unapplied: readonly string[],
): Partial<Outputs> {
  const { values: actual } = reportedBy(one);
  const unset = unapplied.filter((path) => actual[path] === undefined);
  return withValues(withoutValues(known, unset), pick(actual, unapplied));
}
