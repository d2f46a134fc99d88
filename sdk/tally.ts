// How many computes a preview touches: one line at the stack, since people do not count warnings.

import type { Activity } from "../provider/rules/current-state.js";
import type { Impact } from "../provider/rules/impact.js";

type Effect = "restart" | "drops-nothing" | "restart-if-active" | "may-restart" | "stop" | "new-host";

/** The effect of a change, given the compute's current state. */
export function effectOn(impact: Impact, activity: Activity | undefined): Effect | undefined {
  if (impact === "stop" || impact === "new-host") return impact;
  if (impact !== "restart" && impact !== "may-restart") return undefined;
  if (activity !== undefined && activity.state !== "active") return "drops-nothing";
  if (impact === "may-restart") return impact;
  return activity === undefined ? "restart-if-active" : "restart";
}

/** Worst first. "12 active computes restart" */
const WORDS: Record<Effect, (count: number) => string> = {
  "new-host": (n) => `${computes(n)} ${n === 1 ? "gets" : "get"} a new host`,
  stop: (n) => `${computes(n)} ${n === 1 ? "stops" : "stop"}`,
  restart: (n) => `${computes(n, "active ")} ${n === 1 ? "restarts" : "restart"}`,
  "restart-if-active": (n) => `${computes(n)} ${n === 1 ? "restarts" : "restart"} if active`,
  "may-restart": (n) => `${computes(n)} may restart`,
  // Idle or disabled. Not all of these changes wait for the next start: a move to another branch does not.
  "drops-nothing": (n) => `${computes(n, "inactive ")} ${n === 1 ? "changes" : "change"} without dropping connections`,
};

const computes = (count: number, kind = ""): string => `${count} ${kind}${count === 1 ? "compute" : "computes"}`;

export class Tally {
  readonly #effects = new Map<string, Effect>();
  #said = "";

  note(urn: string, effect: Effect | undefined): void {
    if (effect) this.#effects.set(urn, effect);
  }

  /** The line; undefined for fewer than two computes, or if it was printed before. */
  line(): string | undefined {
    if (this.#effects.size < 2) return undefined;
    const all = [...this.#effects.values()];
    const parts = (Object.keys(WORDS) as Effect[]).flatMap((effect) => {
      const count = all.filter((one) => one === effect).length;
      return count === 0 ? [] : [WORDS[effect](count)];
    });
    const line = `${parts.join(", ")}.`;
    if (line === this.#said) return undefined;
    this.#said = line;
    return line;
  }
}
