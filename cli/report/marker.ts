// The computed input `restart`, which the provider's check wrote: "no", "maybe: …" or "yes: …".

import { NEW_HOST, readMarker } from "../../provider/rules/marker.js";
import { IMPACTS, type Impact, impactOf } from "../../provider/rules/restart.js";
import type { Live, Wish } from "../../provider/rules/settings.js";
import { clean } from "./clean.js";
import type { Raw } from "./types.js";

export interface Marker {
  impact: Impact;
  /** What stands behind the first word. */
  text: string;
  /** Its changes and what they do, where it is in the words of these rules. */
  said?: { changes: string; effect: string };
}

const LONGEST = 600;
const effectOf = (old: Live, wish: Wish): string => impactOf(old, wish).reasons[0]!.effect;
const EFFECTS = [
  effectOf({}, { disabled: true }),
  NEW_HOST,
  effectOf({}, { restartTriggers: [1] }),
  effectOf({}, { branchId: "b" }),
  effectOf({}, { pgSettings: { a: "b" } }),
];

/** Undefined where there is no notice, as with older versions of the package. */
export function markerOf(inputs: Raw | undefined): Marker | undefined {
  const read = readMarker(inputs?.["restart"]);
  if (!read) return undefined;
  const { impact, text } = read;
  const effect = EFFECTS.find((one) => text.endsWith(`; ${one}`));
  const changes = effect && clean(text.slice(0, -effect.length - 2), LONGEST);
  return { impact, text: clean(text, LONGEST), ...(effect && changes ? { said: { changes, effect } } : {}) };
}

export const worse = (a: Impact, b: Impact): boolean => IMPACTS.indexOf(a) > IMPACTS.indexOf(b);
