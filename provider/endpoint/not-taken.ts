// Settings that a service did not take, although it accepted the request.

import { differingPaths, isAsWanted, pick, type SettingValues } from "../rules/paths.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Program } from "./inputs.js";
import { toldBy } from "./mapping.js";
import { notTakenIn, type Outputs, withoutValues, withValues } from "./outputs.js";
import { changeable } from "./plan.js";

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

/** The paths that the service did not take in an earlier step, and at which the program still asks for the same value. */
export function stillRefused({ inputs }: Program, last: Partial<Outputs>): string[] {
  const asked = notTakenIn(last);
  const desired = changeable(wishOf(inputs));
  return Object.keys(asked).filter((path) => path in desired && isAsWanted(path, asked[path], desired[path]));
}
