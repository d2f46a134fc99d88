// Writes the sentence of a warning: the change, and the compute's state during the preview.

import { type ImpactAssessment, sentence, sentenceKindOf, subjectOf } from "./impact.js";
import { type Activity, NOW, type SentenceKind, type Subject } from "./texts.js";

export type { Activity } from "./texts.js";

const WHAT: Record<SentenceKind, (subject: Subject, isActive: boolean) => string> = {
  restart: (subject, isActive) => (isActive ? NOW.restarts(subject) : NOW.later(subject)),
  resize: (subject, isActive) => (isActive ? NOW.restarts(subject) : NOW.later(subject)),
  branch: (subject) => NOW.moves(subject),
  stop: (subject) => NOW.stops(subject),
  replace: (subject) => NOW.replaces(subject),
};

/**
 * "size 2 → 4 restarts this compute. It is active (last used 12 s ago): open connections drop."
 * @param activity undefined if not known
 */
export function sentenceNow(assessment: ImpactAssessment, activity: Activity | undefined): string {
  if (activity === undefined) return `${sentence(assessment)}.`;
  const subject = subjectOf(assessment);
  const what = WHAT[sentenceKindOf(assessment)](subject, activity.state === "active");
  return `${what} ${stateNow(activity, subject.isPossible)}`;
}

export const stateNow = (activity: Activity, isPossible = false): string =>
  NOW.state(activity, isPossible ? NOW.dropsThen : NOW.drops);
