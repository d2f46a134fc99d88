// Finds the impact of one step on its compute. The step's `op` decides first. For an update, the worst of three results counts:
// the notice in the document, the rules with the old inputs, and the rules with the old outputs. Diagnostics are not read here:
// see message-facts.ts.

import {
  endangers,
  type Fate,
  type Impact,
  type ImpactAssessment,
  impactOf,
  isWorse,
  replacementOf,
} from "../../provider/rules/impact.js";
import { EFFECT_BY_IMPACT, type ImpactNotice, readNotice, withoutFirstWord } from "../../provider/rules/notice.js";
import {
  type DesiredSettings,
  isSecret,
  rowOf,
  SETTING_NAMES,
  SIZE_FORMS,
  topLevelPropertyOf,
  UNKNOWN,
} from "../../provider/rules/settings.js";
import { CLAUSES, EFFECTS, FATES, VALUES } from "../../provider/rules/texts.js";
import { cleanLine, quote } from "./clean.js";
import { listOf } from "./preview.js";
import { desiredWithout, type Values, valuesOf } from "./settings.js";
import type { Cause, Raw, Step } from "./types.js";
import { worstFirst } from "./verdict.js";

/** The notice in a step's new inputs, which the provider's check wrote. */
export interface StepNotice extends ImpactNotice {
  /**
   * The sentence of the notice, for display; empty without an impact. Without `__notice` (0.1.0, see docs/design.md), the impact is
   * read from it.
   */
  text: string;
}

/** A step and its values, prepared for the rules. */
export interface Compared {
  step: Step;
  notice: StepNotice | undefined;
  /** Top-level names of values that can't be read: secret ones, and malformed ones. */
  unreadable: ReadonlySet<string>;
  unknown: ReadonlySet<string>;
  /** Names of values that are not of the kind that this package writes. */
  malformed: ReadonlySet<string>;
  /** The settings in the old inputs; undefined if the document lacks them. */
  previousInputs: DesiredSettings | undefined;
  /** The settings in the old outputs of the state; undefined if the document does not have them. */
  recorded: DesiredSettings | undefined;
  desired: DesiredSettings;
  /** Whether the program says `size`. */
  asSize: boolean;
}

export interface Judged {
  impact: Impact;
  causes: Cause[];
  /** How many causes are left out of `causes`. */
  moreCauses?: number;
  /** The changes that the notice lists, if the values can't be compared. */
  noticeChanges?: string;
  /** The properties that the notice names: the paths in `noticeChanges`, and those that it leaves out. */
  noticeProperties?: readonly string[];
  effect?: string;
  notes: string[];
}

export function compare(step: Step): Compared {
  const { old, next } = step;
  const states = [old?.inputs, old?.outputs, next?.inputs];
  const [previousInputs, recorded, desired] = states.map(valuesOf) as [Values, Values, Values];
  const unreadable = new Set([...previousInputs.unreadable, ...recorded.unreadable, ...desired.unreadable]);
  const asSize = desired.settings.size !== undefined || desired.unknown.has("size");
  return {
    step,
    notice: noticeIn(next?.inputs),
    unreadable,
    unknown: desired.unknown,
    malformed: new Set([...previousInputs.malformed, ...recorded.malformed, ...desired.malformed]),
    previousInputs: old?.inputs && desiredWithout(previousInputs, unreadable),
    recorded: old?.outputs && desiredWithout(recorded, unreadable),
    desired: desiredWithout(desired, unreadable),
    asSize,
  };
}

/** Properties at the top of a program whose change can drop connections. */
export const ENDANGERING: ReadonlySet<string> = new Set(
  SETTING_NAMES.filter((name) => endangers(name, UNKNOWN)).flatMap((name) =>
    rowOf(name).sizeLimit ? SIZE_FORMS : [topLevelPropertyOf(name)],
  ),
);

const MISSING =
  "the notice is missing: an older version of the package made this preview, or the key of its provider was not known yet";

export function judgeUpdate(compared: Compared): Judged {
  const { previousInputs, recorded, desired, asSize, notice, unreadable, step } = compared;
  const assessFrom = (old: DesiredSettings | undefined) =>
    old ? impactOf(old, desired, { asSize, secrets: unreadable, showsStrings: true }) : undefined;
  const [byInputs, byOutputs] = [assessFrom(previousInputs), assessFrom(recorded)];
  const assessment = byOutputs && (!byInputs || isWorse(byOutputs.impact, byInputs.impact)) ? byOutputs : byInputs;
  const judged = withCauses(assessment, compared);
  if (!notice) {
    judged.notes.push(MISSING);
    raiseToMayRestart(judged, "no setting needs a restart, but the notice that could tell of other reasons is missing");
  } else if (disagree(compared, byInputs)) {
    judged.notes.push("the notice in the preview and this report disagree: they are of different versions");
  }
  if (byInputs && assessment !== byInputs) {
    judged.notes.push("the compute differs from the last inputs: an update failed, or somebody changed it by hand");
  }
  noteInterruption(step, judged);
  // The engine says that a secret differs, but its values are not in the document.
  const differs = (name: string) => step.differing?.has(name) ?? compared.malformed.has(name);
  const risky = [...unreadable].filter((name) => ENDANGERING.has(name) && differs(name));
  if (risky.length > 0)
    raiseToMayRestart(judged, `${risky.join(" and ")} can't be read, and may change what restarts the compute`);
  return judged;
}

export function judgeReplacement(compared: Compared): Judged {
  const { previousInputs, recorded, desired, asSize, notice, unreadable } = compared;
  const options = { asSize, secrets: unreadable, showsStrings: true };
  const assessment = replacementOf(previousInputs ?? recorded ?? {}, desired, options);
  const { causes, noticeChanges, noticeProperties, effect, notes } = withCauses(
    previousInputs || recorded ? assessment : undefined,
    compared,
  );
  const isSaid = causes.length > 0 || notice?.impact === "new-host";
  const asks = "an option asks for the replacement: replaceOnChanges, --replace, --target-replace or a taint";
  return {
    impact: "new-host",
    causes,
    ...(noticeChanges === undefined ? {} : { noticeChanges, noticeProperties }),
    effect: notice?.replaces ? newHostOf(notice.replaces.fate) : (effect ?? EFFECTS.newHost),
    notes: isSaid ? notes : [...notes, asks],
  };
}

/** What a replacement does, with what becomes of the old compute. */
const newHostOf = (fate: Fate): string => (fate === "kept" ? EFFECTS.newHost : `${CLAUSES.replace}; ${FATES[fate]}`);

/** A creation drops nothing, unless it adopts a compute that exists. */
export function judgeCreation({ notice, step }: Compared): Judged {
  const adopt = step.next?.inputs?.["adopt"];
  const { impact, text } = notice ?? { impact: "none" as const, text: "" };
  const judged: Judged = { impact, causes: [], ...(text === "" ? {} : { effect: quote(text) }), notes: [] };
  if (adopt !== undefined && adopt !== false && !notice) {
    judged.notes.push(MISSING);
    raiseToMayRestart(judged, "adopts a compute: if its values differ from the program's, it may restart");
  }
  return judged;
}

/** The impact and its causes: from the assessment, or from the notice if that is worse. */
function withCauses(assessment: ImpactAssessment | undefined, { notice, unreadable }: Compared): Judged {
  if (notice && (!assessment || isWorse(notice.impact, assessment.impact))) {
    const { impact, properties, text } = notice;
    const notes = notesOf(assessment);
    if (properties.length === 0) return { impact, causes: [], ...(text === "" ? {} : { effect: quote(text) }), notes };
    const noticeChanges = properties
      .slice(0, MOST_CAUSES)
      .map((path) => `${path} ${isSecret(path, unreadable) ? `${VALUES.oldSecret} → ${VALUES.newSecret}` : "changes"}`);
    const noticeProperties = properties;
    const effect = impact === "may-restart" && text !== "" ? quote(text) : EFFECT_BY_IMPACT[impact];
    return {
      impact,
      causes: [],
      noticeChanges: cleanLine(noticeChanges.join(", "), LONGEST),
      noticeProperties,
      ...(effect ? { effect } : {}),
      notes,
    };
  }
  if (!assessment) return { impact: "none", causes: [], notes: [] };
  const cause = assessment.reasons.find(({ impact }) => impact === assessment.impact);
  const reasons = [...assessment.reasons].sort(worstFirst);
  const more = reasons.length - MOST_CAUSES;
  return {
    impact: assessment.impact,
    causes: reasons.slice(0, MOST_CAUSES).map((reason) => ({
      property: cleanLine(reason.property),
      old: cleanLine(reason.old),
      new: cleanLine(reason.new),
      ...(reason.words ? { words: cleanLine(reason.words) } : {}),
      impact: reason.impact,
      effect: reason.effect,
    })),
    ...(more > 0 ? { moreCauses: more } : {}),
    ...(cause ? { effect: cause.effect } : {}),
    notes: [...notesOf(assessment), ...(more > 0 ? [`${more} more properties change`] : [])],
  };
}

const MOST_CAUSES = 100;
const LONGEST = 600;
const notesOf = (assessment: ImpactAssessment | undefined): string[] => [...(assessment?.notes ?? [])];

function raiseToMayRestart(judged: Judged, effect: string): void {
  if (judged.impact !== "none") return;
  judged.impact = "may-restart";
  judged.effect = effect;
}

const certaintyOf = (impact: Impact) => (impact === "none" ? "no" : impact === "may-restart" ? "maybe" : "yes");

/** With values that can't be compared, nothing follows from a difference. */
function disagree({ notice, unreadable, unknown }: Compared, assessment: ImpactAssessment | undefined): boolean {
  if (!notice || !assessment || unreadable.size > 0 || unknown.size > 0) return false;
  return certaintyOf(notice.impact) !== certaintyOf(assessment.impact);
}

function noteInterruption({ old }: Step, judged: Judged): void {
  const isLeft = listOf((old?.outputs as Raw | undefined)?.["unfinished"]).length > 0;
  if (!isLeft && listOf(old?.raw["initErrors"]).length === 0) return;
  judged.notes.push("finishes a change that was interrupted or failed");
  if (isLeft) raiseToMayRestart(judged, "sends the missing part of an earlier change; then the compute may restart");
}

/** Undefined if there is no notice that can be read. */
function noticeIn(inputs: Raw | undefined): StepNotice | undefined {
  const notice = readNotice(inputs);
  if (notice === undefined) return undefined;
  const text = notice.impact === "none" ? "" : cleanLine(withoutFirstWord(inputs?.["restart"]), LONGEST);
  return { ...notice, text };
}
