// The notice of a step's new inputs, which the provider's check wrote, and its text to be shown.

import { type ImpactNotice, readNotice, withoutFirstWord } from "../../provider/rules/notice.js";
import { IMPACTS, type Impact } from "../../provider/rules/restart.js";
import { clean } from "./clean.js";
import type { Raw } from "./types.js";

export interface Marker extends ImpactNotice {
  /** What the preview said of it. For display: nothing is found out from it. */
  text: string;
}

const LONGEST = 600;

/** Undefined where there is no notice that can be read. */
export function markerOf(inputs: Raw | undefined): Marker | undefined {
  const notice = readNotice(inputs);
  if (notice === undefined) return undefined;
  const text = notice.impact === "none" ? "" : clean(withoutFirstWord(inputs?.["restart"]), LONGEST);
  return { ...notice, text };
}

export const worse = (a: Impact, b: Impact): boolean => IMPACTS.indexOf(a) > IMPACTS.indexOf(b);
