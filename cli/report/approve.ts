// The digest by which a reviewer approves a finding: the same that the provider's check computes, from the old inputs and
// with the limits apart. Where no digest can speak for the change, the reason.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { approvalOf, approvalOfRemoval } from "../../provider/rules/approval.js";
import { impactOf, replacementOf, type Verdict } from "../../provider/rules/restart.js";
import { isHidden } from "../../provider/rules/settings.js";
import { type Compared, FELT, type Judged } from "./judge.js";
import { worse } from "./marker.js";
import { isText } from "./preview.js";
import { isReleased } from "./primaries.js";
import { isSecret } from "./settings.js";
import type { Approval } from "./types.js";

interface Digest extends Pick<Approval, "digest" | "why"> {
  /** The digest of the same change as a replacement: who approved that has approved less too, as for the check. */
  wider?: string;
}

const SECRET = "a secret value changes, which nobody can read in an approval";
const ODD = "a value in the document is not of the kind that the compute takes";
const UNKNOWN = "a value is known only after apply";
const NO_OLD = "the document does not say what the compute was asked to be before";
const NO_URN = "the document does not say which resource it is";
const NO_COMPUTE = "the document does not say which compute it is, or in which project";
const ADOPTION = "what the adopted compute has is known only after apply";
const LIVE =
  "the compute is not what was last asked, or the notice says more than its settings: run `pulumi refresh` and preview again";

export function approvalFor(digests: ReadonlySet<string>, { digest, wider, why }: Digest): Approval {
  if (digest === undefined) return { approved: false, why: why ?? NO_URN };
  return wider && digests.has(wider) ? { digest: wider, approved: true } : { digest, approved: digests.has(digest) };
}

export function digestOfDeletion({ step, hidden }: Compared): Digest {
  const { id, outputs, inputs } = step.old ?? {};
  if (hidden.has("projectId")) return { why: SECRET };
  const projectId = outputs?.["projectId"] ?? inputs?.["projectId"];
  if (id === undefined || !isText(projectId)) return { why: NO_COMPUTE };
  return { digest: approvalOfRemoval(step.urn, { id, projectId, onDelete: isReleased(step) ? "release" : "delete" }) };
}

export const digestOfCreation = (): Digest => ({ why: ADOPTION });

export function digestOf(compared: Compared, judged: Judged): Digest {
  const { step, asked, wish, hidden, odd } = compared;
  if ([...odd].some((name) => FELT.has(name))) return { why: ODD };
  if (secretChanges(compared)) return { why: SECRET };
  if (!asked) return { why: NO_OLD };
  const release = { old: step.old?.inputs, next: step.next?.inputs };
  const values = [release.old, release.next].flatMap((inputs) => [inputs?.["adopt"], inputs?.["onDelete"]]);
  if (values.includes(UNKNOWN_VALUE)) return { why: UNKNOWN };
  if (values.some(isSecret)) return { why: SECRET };
  const digestBy = (verdict: Verdict) => approvalOf(step.urn, verdict, asked, wish, hidden, release);
  const anew = replacementOf(asked, wish, { secrets: hidden });
  const verdict = step.op === "update" ? impactOf(asked, wish, { secrets: hidden }) : anew;
  const digest = digestBy(verdict);
  if (digest === undefined) return { why: UNKNOWN };
  // What is approved is what the digest says, and this change does more.
  if (worse(judged.impact, verdict.impact)) return { why: LIVE };
  const wider = digestBy(anew);
  return { digest, ...(wider === undefined ? {} : { wider }) };
}

function secretChanges({ step, marker, hidden }: Compared): boolean {
  if (marker?.properties.some((path) => isHidden(path, hidden))) return true;
  // Without a notice nothing tells whether a secret is the same.
  const mayDiffer = (name: string) => step.differing?.has(name) ?? !marker;
  // In a replacement any property may be its reason.
  return [...hidden].some((name) => (step.op !== "update" || FELT.has(name)) && mayDiffer(name));
}
