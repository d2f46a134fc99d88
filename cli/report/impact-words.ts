// The report's words for each impact, in all its formats.

import type { Impact } from "../../provider/rules/impact.js";
import type { Colour } from "../table.js";

interface ImpactWords {
  sign: string;
  colour: Colour;
  /** In the row of one compute: "restarts". */
  what: string;
  /** After the name of one compute. */
  one: string;
  /** After a number of computes. */
  many: string;
  /** After the number of computes that have no row. */
  cut: string;
}

const words = (
  sign: string,
  colour: Colour,
  [what, one, many, cut]: [string, string, string, string],
): ImpactWords => ({
  sign,
  colour,
  what,
  one,
  many,
  cut,
});

export const IMPACT_WORDS: Record<Impact, ImpactWords> = {
  none: words("🟢", "green", ["changes in place", "changes in place", "change in place", "without a restart"]),
  "may-restart": words("🟡", "yellow", ["may restart", "may restart", "may restart", "perhaps restarted"]),
  restart: words("🟠", "yellow", ["restarts", "restarts", "restart", "restarted"]),
  stop: words("🔴", "red", ["stops", "stops", "stop", "stopped"]),
  "new-host": words("🔴", "red", ["new host", "gets a new host", "get new hosts", "with a new host"]),
  delete: words("🔴", "red", ["is deleted", "is deleted", "are deleted", "deleted"]),
};
