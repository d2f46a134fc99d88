// The digest with which a reviewer approves a finding. The provider's check computes the same one, from the old inputs and
// with `size` written as its two limits. If a change has no digest, gives the reason.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { digestOfChange } from "../../provider/rules/approval.js";
import { type Impact, type ImpactAssessment, impactOf, isWorse, replacementOf } from "../../provider/rules/impact.js";
import { type OnRestart, refuses } from "../../provider/rules/policies.js";
import { isSecret } from "../../provider/rules/settings.js";
import { type Compared, ENDANGERING, type Judged } from "./judge.js";
import { isSecretMark } from "./settings.js";
import type { Approval, Step } from "./types.js";

interface Digest extends Pick<Approval, "digest" | "why"> {
  /** The digest of the same change as a replacement. Check accepts it too: it approves more. */
  replacementDigest?: string;
}

/** Why a change has no digest. */
const WHY = {
  secret: "a secret value changes: a reviewer could not see what is approved",
  malformed: "a value in the document is not of the kind that the compute takes",
  unknown: "a value is known only after apply",
  noOldInputs: "the document does not say what the compute was asked to be before",
  noUrn: "the document does not say which resource it is",
  adopted: "the adopted compute's settings are known only during `up`",
  drift:
    "this change does more than its settings show: the compute was changed by hand, or an update failed. Run `pulumi refresh`, then preview again",
};

/** The settings of the stack that decide about refusals and approvals. */
export interface StackRules {
  /** The digests that it approves. */
  digests: ReadonlySet<string>;
  onRestart: unknown;
}

export function approvalFor(
  { digests, onRestart }: StackRules,
  step: Step,
  impact: Impact,
  { digest, replacementDigest, why }: Digest,
): Approval {
  const accepted = [digest, replacementDigest].filter((one) => one !== undefined);
  const approved = accepted.some((one) => digests.has(one));
  // The new inputs have the program's value, which counts before the stack's.
  const refused = !approved && refuses(impact, step.next?.inputs?.["onRestart"], onRestart as OnRestart);
  if (digest === undefined) return { approved, refused, accepted, why: why ?? WHY.noUrn };
  return {
    digest: replacementDigest && digests.has(replacementDigest) ? replacementDigest : digest,
    approved,
    refused,
    accepted,
  };
}

export const noDigestForCreation = (): Digest => ({ why: WHY.adopted });

export function digestOrReason(compared: Compared, judged: Judged): Digest {
  const { step, previousInputs, desired, unreadable, malformed } = compared;
  if ([...malformed].some((name) => ENDANGERING.has(name))) return { why: WHY.malformed };
  if (secretChanges(compared)) return { why: WHY.secret };
  if (!previousInputs) return { why: WHY.noOldInputs };
  const release = { old: step.old?.inputs, next: step.next?.inputs };
  const values = [release.old, release.next].flatMap((inputs) => [inputs?.["adopt"], inputs?.["onDelete"]]);
  if (values.includes(UNKNOWN_VALUE)) return { why: WHY.unknown };
  if (values.some(isSecretMark)) return { why: WHY.secret };
  const digestBy = (assessment: ImpactAssessment) =>
    digestOfChange(step.urn, assessment, previousInputs, desired, unreadable, release);
  const replacement = replacementOf(previousInputs, desired, { secrets: unreadable });
  const assessment = step.op === "update" ? impactOf(previousInputs, desired, { secrets: unreadable }) : replacement;
  const digest = digestBy(assessment);
  if (digest === undefined) return { why: WHY.unknown };
  // The digest would approve less than this change does.
  if (isWorse(judged.impact, assessment.impact)) return { why: WHY.drift };
  const replacementDigest = digestBy(replacement);
  return { digest, ...(replacementDigest === undefined ? {} : { replacementDigest }) };
}

function secretChanges({ step, notice, unreadable }: Compared): boolean {
  if (notice?.properties.some((path) => isSecret(path, unreadable))) return true;
  // Without a notice it is not known whether a secret stays the same.
  const mayDiffer = (name: string) => step.differing?.has(name) ?? !notice;
  // Any property can be the reason of a replacement.
  return [...unreadable].some((name) => (step.op !== "update" || ENDANGERING.has(name)) && mayDiffer(name));
}
