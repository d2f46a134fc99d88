// Settings that a service did not take, although it accepted the request.

import { differingPaths, pick, type SettingValues } from "../rules/paths.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { toldBy } from "./mapping.js";
import { type Outputs, withoutValues, withValues } from "./outputs.js";

/** The paths at which the compute differs from what was sent. A field that the answer leaves out is no difference. */
export function unlike(sent: SettingValues, one: WireEndpoint): string[] {
  const { values, isTold } = toldBy(one);
  return differingPaths(sent, values).filter(isTold);
}

/** The outputs, with the compute's own values at the paths that the service did not take. */
export function withRefused(known: Partial<Outputs>, one: WireEndpoint, refused: readonly string[]): Partial<Outputs> {
  const { values: has } = toldBy(one);
  const unset = refused.filter((path) => has[path] === undefined);
  return withValues(withoutValues(known, unset), pick(has, refused));
}
