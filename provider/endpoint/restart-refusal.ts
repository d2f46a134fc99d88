// The failures of check under `onRestart: "refuse"`. The first line of the last failure ends with the refusal as data, for the
// report. Its last line is the approve command, for people to copy.

import { type Approvals, approveCommandLine } from "../rules/approval-list.js";
import { changeOf, type ImpactAssessment, isAtLeast, type Reason, sentence } from "../rules/impact.js";
import { refusalTail } from "../rules/message-data.js";
import type { OnRestart } from "../rules/policies.js";
import { SIZE_FORMS } from "../rules/settings.js";
import { REFUSED } from "../rules/texts.js";
import { identityOf } from "../rules/urn.js";
import type { Problem } from "./inputs.js";

/** What approves a refused change. */
export interface ApprovalOffer {
  /** The digest; undefined if none can approve the change. */
  digest?: string;
  /** The digest that approves the change as a replacement too. */
  replacementDigest?: string;
  /**
   * Why the change may become a replacement: the option `replaceOnChanges` (true), or transforms that may add it later
   * ("transforms").
   */
  mayReplace?: true | "transforms";
}

export interface RefusedChange {
  assessment: ImpactAssessment;
  urn: string | undefined;
  /** `onRestart` of the resource, where it has one. */
  own: OnRestart | undefined;
  offer: ApprovalOffer;
  approvals: Approvals;
  /** Whether the program says `size`: Pulumi prints the value of the property that a failure names. */
  asSize: boolean;
  /** The file that `--config-file` names. */
  configFile?: string;
}

export function refusalsOf(change: RefusedChange): Problem[] {
  const { assessment, own, asSize } = change;
  const where = own ? "on this resource" : "compute:onRestart in the stack's config";
  const tail = refusalTail(digestToApprove(change.offer));
  const refused = `${REFUSED} (${where}), so the compute is left as it is. ${tail}\n${remediesFor(change).join("\n")}`;
  const reasons = assessment.reasons.filter((reason) => isAtLeast(reason.impact, "restart"));
  if (reasons.length === 0) return [{ property: "restart", reason: `${sentence(assessment)}. ${refused}` }];
  const byProperty = new Map<string, Reason[]>();
  for (const reason of reasons) {
    const property = asSize && (SIZE_FORMS as readonly string[]).includes(reason.property) ? "size" : reason.property;
    byProperty.set(property, [...(byProperty.get(property) ?? []), reason]);
  }
  // The advice is the same for all properties, so only the last one has it.
  return [...byProperty].map(([property, some], index) => ({
    property,
    reason: `${some.map(changeOf).join(", ")}: ${some[0]!.effect}${index === byProperty.size - 1 ? `. ${refused}` : ""}`,
  }));
}

/** Whether the option `replaceOnChanges` may turn the change into a replacement. */
const asksReplacement = ({ mayReplace, replacementDigest }: ApprovalOffer): boolean =>
  mayReplace === true && replacementDigest !== undefined;

/** The digest to approve. */
const digestToApprove = (offer: ApprovalOffer): string | undefined =>
  asksReplacement(offer) ? offer.replacementDigest : offer.digest;

/**
 * What the user can do. It does not name `pulumi config set compute:onRestart warn`, which would switch `refuse` off for all
 * computes, and for good.
 */
function remediesFor({ urn, offer, approvals, configFile }: RefusedChange): string[] {
  const isAsked = asksReplacement(offer);
  const digest = digestToApprove(offer);
  const others = `To see all changes, preview with COMPUTE_ON_RESTART=warn in the environment. To keep what the compute has, give the program the old value. To let this change pass without an approval, set onRestart: "warn" on this resource for this one change.`;
  if (digest === undefined) return [`It can't be approved: a value is secret, or not known yet. ${others}`];
  const mayBeAsked = offer.mayReplace === "transforms" && offer.replacementDigest !== undefined;
  const [ended] = [isAsked || mayBeAsked ? offer.replacementDigest : undefined, offer.digest].flatMap(
    (one) => approvals.ended.get(one ?? "") ?? [],
  );
  const forReplacement = isAsked
    ? " replaceOnChanges may give the compute a new host: the approval is for that too."
    : mayBeAsked
      ? ` If the option replaceOnChanges is set for this compute (a transform may add it), it gets a new host: then approve ${offer.replacementDigest} instead, which is for both.`
      : "";
  const { stack, name } = (urn && identityOf(urn)) || {};
  return [
    `${ended === undefined ? "" : `The approval of this change ended on ${ended}. `}${others}${forReplacement}`,
    "To approve exactly this change, run this in the program's folder, and commit the stack's file:",
    approveCommandLine([{ digest, name }], { stack, configFile }),
  ];
}
