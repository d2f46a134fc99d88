// What a service did not take of what it was asked for, although it accepted the request.

import { differingPaths, isAsWanted, pick, type SettingValues } from "../rules/paths.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Program } from "./inputs.js";
import { toldBy } from "./mapping.js";
import { notTakenIn, type Outputs, withoutValues, withValues } from "./outputs.js";
import { changeable } from "./plan.js";

/** The paths at which the compute is otherwise. A field that an answer leaves out is no sign of that. */
export function unlike(sent: SettingValues, one: WireEndpoint): string[] {
  const { values, isTold } = toldBy(one);
  return differingPaths(sent, values).filter(isTold);
}

/** The outputs with what the compute has at the paths that the service did not take. */
export function withRefused(known: Partial<Outputs>, one: WireEndpoint, refused: readonly string[]): Partial<Outputs> {
  const { values: has } = toldBy(one);
  const unset = refused.filter((path) => has[path] === undefined);
  return withValues(withoutValues(known, unset), pick(has, refused));
}

/** The record of an earlier step, as far as the program still asks for the same. */
export function stillRefused({ inputs }: Program, last: Partial<Outputs>): string[] {
  const asked = notTakenIn(last);
  const desired = changeable(wishOf(inputs));
  return Object.keys(asked).filter((path) => path in desired && isAsWanted(path, asked[path], desired[path]));
}
