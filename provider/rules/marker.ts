// Reads the computed input `restart` back: "no", "maybe: …" or "yes: …", as `markerOf` writes it.

import { type Impact, impactOf } from "./restart.js";

/** What a marker says. `delete` is said by none. */
export interface Said {
  impact: Exclude<Impact, "delete">;
  /** What stands behind the first word. */
  text: string;
}

/** The words of the rules, which end every marker. */
const STOPS = impactOf({}, { disabled: true }).reasons[0]!.effect;
export const NEW_HOST = impactOf({}, { projectId: "p" }).reasons[0]!.effect;

/** Undefined for what is no marker, as in states of older versions. */
export function readMarker(marker: unknown): Said | undefined {
  if (marker === "no") return { impact: "none", text: "" };
  const [, word, text] = (typeof marker === "string" && /^(maybe|yes): ([\s\S]*)$/.exec(marker)) || [];
  if (!word || text === undefined) return undefined;
  // The word says that connections drop; how, only its text does.
  const certain = text.endsWith(NEW_HOST) ? "new-host" : text.endsWith(STOPS) ? "stop" : "restart";
  return { impact: word === "maybe" ? "may-restart" : certain, text };
}
