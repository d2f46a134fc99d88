// One step of one compute -> what happens to it. The op decides first, then the worst of the notice in the document and of
// what the rules say of the old inputs and of the old outputs. Diagnostics decide nothing.

import { EFFECT_OF } from "../../provider/rules/notice.js";
import { type Impact, impactOf, replacementOf, type Verdict, worst } from "../../provider/rules/restart.js";
import { isHidden, type Wish } from "../../provider/rules/settings.js";
import { EFFECTS, VALUES } from "../../provider/rules/texts.js";
import { clean, quote } from "./clean.js";
import { type Marker, markerOf, worse } from "./marker.js";
import { listOf } from "./preview.js";
import { type Values, valuesOf, wishWithout } from "./settings.js";
import type { Cause, Raw, Step } from "./types.js";

/** A step, with all that is known of its values. */
export interface Compared {
  step: Step;
  marker: Marker | undefined;
  hidden: ReadonlySet<string>;
  unknown: ReadonlySet<string>;
  /** Names of values that no version of ours writes. */
  odd: ReadonlySet<string>;
  /** What the program asked before; undefined where the document does not say. */
  asked: Wish | undefined;
  /** What the service had; undefined where the document does not say. */
  had: Wish | undefined;
  wish: Wish;
  /** Whether the program says `size`. */
  asSize: boolean;
}

export interface Judged {
  impact: Impact;
  causes: Cause[];
  /** The changes by the notice of the preview, where they can't be compared. */
  said?: string;
  /** Top-level names of the properties in `said`. */
  told?: readonly string[];
  effect?: string;
  notes: string[];
}

export function compare(step: Step): Compared {
  const { old, next } = step;
  const [asked, had, news] = [old?.inputs, old?.outputs, next?.inputs].map(valuesOf) as [Values, Values, Values];
  const hidden = new Set([...asked.hidden, ...had.hidden, ...news.hidden]);
  const asSize = news.asked.size !== undefined || news.unknown.has("size");
  return {
    step,
    marker: markerOf(next?.inputs),
    hidden,
    unknown: news.unknown,
    odd: new Set([...asked.odd, ...had.odd, ...news.odd]),
    asked: old?.inputs && wishWithout(asked, hidden),
    had: old?.outputs && wishWithout(had, hidden),
    wish: wishWithout(news, hidden),
    asSize,
  };
}

/** Properties whose change may be felt. */
export const FELT: ReadonlySet<string> = new Set([
  ...["projectId", "type", "branchId", "disabled", "settings", "restartTriggers"],
  ...["size", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"],
]);

const MISSING =
  "the notice is missing: an older version of the package made this preview, or the key of its provider was not known yet";

export function judgeUpdate(compared: Compared): Judged {
  const { asked, had, wish, asSize, marker, hidden, step } = compared;
  const verdictOf = (old: Wish | undefined) =>
    old ? impactOf(old, wish, { asSize, secrets: hidden, showsStrings: true }) : undefined;
  const [first, second] = [verdictOf(asked), verdictOf(had)];
  const verdict = second && (!first || worse(second.impact, first.impact)) ? second : first;
  const judged = worseOf(verdict, compared);
  if (!marker) {
    judged.notes.push(MISSING);
    atLeastMay(judged, "the settings show no reason for a restart, and the notice that would say so is missing");
  } else if (disagree(compared, first)) {
    judged.notes.push("the notice in the preview says otherwise than the rules of this report: their versions differ");
  }
  if (first && verdict !== first) {
    judged.notes.push("what the compute has is not what was last asked: an update failed, or it was changed by hand");
  }
  interruption(step, judged);
  // A secret that differs, by the engine's account, is not there to be judged either.
  const differs = (name: string) => step.differing?.has(name) ?? compared.odd.has(name);
  const odd = [...hidden].filter((name) => FELT.has(name) && differs(name));
  if (odd.length > 0)
    atLeastMay(judged, `${odd.join(" and ")} can't be read, and may change what restarts the compute`);
  return judged;
}

export function judgeReplacement(compared: Compared): Judged {
  const { asked, had, wish, asSize, marker, hidden } = compared;
  const verdict = replacementOf(asked ?? had ?? {}, wish, { asSize, secrets: hidden, showsStrings: true });
  const { causes, said, told, effect, notes } = worseOf(asked || had ? verdict : undefined, compared);
  const isSaid = causes.length > 0 || marker?.impact === "new-host";
  const asks = "an option asks for the replacement: replaceOnChanges, --replace, --target-replace or a taint";
  return {
    impact: "new-host",
    causes,
    ...(said === undefined ? {} : { said, told }),
    effect: effect ?? EFFECTS.newHost,
    notes: isSaid ? notes : [...notes, asks],
  };
}

/** A creation drops nothing, unless it takes a compute over that exists. */
export function judgeCreation({ marker, step }: Compared): Judged {
  const adopt = step.next?.inputs?.["adopt"];
  const { impact, text } = marker ?? { impact: "none" as const, text: "" };
  const judged: Judged = { impact, causes: [], ...(text === "" ? {} : { effect: quote(text) }), notes: [] };
  if (adopt !== undefined && adopt !== false && !marker) {
    judged.notes.push(MISSING);
    atLeastMay(judged, "adopts a compute: where it has other values than the program it may restart");
  }
  return judged;
}

/** The verdict's account of it, unless the notice says worse. */
function worseOf(verdict: Verdict | undefined, { marker, hidden }: Compared): Judged {
  if (marker && (!verdict || worse(marker.impact, verdict.impact))) {
    const { impact, properties, text } = marker;
    const notes = notesOf(verdict);
    if (properties.length === 0) return { impact, causes: [], ...(text === "" ? {} : { effect: quote(text) }), notes };
    const said = properties
      .slice(0, MOST_CAUSES)
      .map((path) => `${path} ${isHidden(path, hidden) ? `${VALUES.oldSecret} → ${VALUES.newSecret}` : "changes"}`);
    const told = properties.map((path) => path.split(".")[0]!);
    const effect = impact === "may-restart" && text !== "" ? quote(text) : EFFECT_OF[impact];
    return { impact, causes: [], said: clean(said.join(", "), LONGEST), told, ...(effect ? { effect } : {}), notes };
  }
  if (!verdict) return { impact: "none", causes: [], notes: [] };
  const cause = verdict.reasons.find(({ impact }) => impact === verdict.impact);
  const worstFirst = [...verdict.reasons].sort(
    (a, b) => Number(worse(b.impact, a.impact)) - Number(worse(a.impact, b.impact)),
  );
  const more = worstFirst.length - MOST_CAUSES;
  return {
    impact: verdict.impact,
    causes: worstFirst.slice(0, MOST_CAUSES).map((reason) => ({
      property: clean(reason.property),
      old: clean(reason.old),
      new: clean(reason.new),
      ...(reason.words ? { words: clean(reason.words) } : {}),
      impact: reason.impact,
      effect: reason.effect,
    })),
    ...(cause ? { effect: cause.effect } : {}),
    notes: [...notesOf(verdict), ...(more > 0 ? [`${more} more properties change`] : [])],
  };
}

const MOST_CAUSES = 100;
const LONGEST = 600;
const notesOf = (verdict: Verdict | undefined): string[] => [...(verdict?.notes ?? [])];

function atLeastMay(judged: Judged, effect: string): void {
  if (judged.impact !== "none") return;
  judged.impact = "may-restart";
  judged.effect = effect;
}

const wordOf = (impact: Impact) => (impact === "none" ? "no" : impact === "may-restart" ? "maybe" : "yes");

/** Values that can't be compared explain every difference. */
function disagree({ marker, hidden, unknown }: Compared, verdict: Verdict | undefined): boolean {
  if (!marker || !verdict || hidden.size > 0 || unknown.size > 0) return false;
  return wordOf(marker.impact) !== wordOf(verdict.impact);
}

function interruption({ old }: Step, judged: Judged): void {
  const isLeft = listOf((old?.outputs as Raw | undefined)?.["unfinished"]).length > 0;
  if (!isLeft && listOf(old?.raw["initErrors"]).length === 0) return;
  judged.notes.push("finishes a change that was interrupted or failed");
  if (isLeft) atLeastMay(judged, "sends again what is missing of an earlier change; then the compute may restart");
}

export const worstOf = (judged: readonly { impact: Impact }[]): Impact => worst(judged.map(({ impact }) => impact));
