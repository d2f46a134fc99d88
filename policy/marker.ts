// The computed input `restart`, which the provider's check writes: "no", "maybe: …" or "yes: …".

import { type Impact, impactOf } from "../provider/rules/restart.js";

export type NoticedImpact = Exclude<Impact, "none" | "delete">;

/** In the words of the rules, which end every notice. */
const STOPS = impactOf({}, { disabled: true }).reasons[0]!.effect;
const NEW_HOST = impactOf({}, { projectId: "p" }).reasons[0]!.effect;

/** Undefined where the change does no harm, and where nothing is said. */
export function impactOfMarker(marker: unknown): { impact: NoticedImpact; text: string } | undefined {
  const [, word, text] = (typeof marker === "string" && /^(maybe|yes): ([\s\S]*)$/.exec(marker)) || [];
  if (!word || text === undefined) return undefined;
  // The word says that connections drop; how, only its text does.
  const certain = text.endsWith(NEW_HOST) ? "new-host" : text.endsWith(STOPS) ? "stop" : "restart";
  return { impact: word === "maybe" ? "may-restart" : certain, text };
}
