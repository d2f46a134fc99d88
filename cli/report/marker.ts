// The computed input `restart`, which the provider's check wrote: "no", "maybe: …" or "yes: …".

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
const STOPS = effectOf({}, { disabled: true });
/** What a replacement does, in the words of the rules. */
export const NEW_HOST = effectOf({}, { projectId: "p" });
const EFFECTS = [
  STOPS,
  NEW_HOST,
  effectOf({}, { restartTriggers: [1] }),
  effectOf({}, { branchId: "b" }),
  effectOf({}, { pgSettings: { a: "b" } }),
];

/** Undefined where there is no notice, as with older versions of the package. */
export function markerOf(inputs: Raw | undefined): Marker | undefined {
  const value = inputs?.["restart"];
  if (value === "no") return { impact: "none", text: "" };
  const [, word, words] = (typeof value === "string" && /^(maybe|yes): ([\s\S]*)$/.exec(value)) || [];
  if (!word || words === undefined) return undefined;
  const effect = EFFECTS.find((one) => words.endsWith(`; ${one}`));
  const changes = effect && clean(words.slice(0, -effect.length - 2), LONGEST);
  // The word says that connections drop; how, only its text does.
  const certain = words.endsWith(NEW_HOST) ? "new-host" : words.endsWith(STOPS) ? "stop" : "restart";
  return {
    impact: word === "maybe" ? "may-restart" : certain,
    text: clean(words, LONGEST),
    ...(effect && changes ? { said: { changes, effect } } : {}),
  };
}

export const worse = (a: Impact, b: Impact): boolean => IMPACTS.indexOf(a) > IMPACTS.indexOf(b);
