// The failures of check under `onRestart: "refuse"`. The last failure ends with the approve command on its own line: programs
// find the digest there, and people can copy it.

import { type Approvals, approveCommand } from "../rules/approval-list.js";
import { atLeast, changeOf, sentence, type Verdict } from "../rules/impact.js";
import type { OnRestart } from "../rules/policies.js";
import { REFUSED } from "../rules/texts.js";
import { identityOf } from "../rules/urn.js";
import type { Problem } from "./inputs.js";

/** What approves a refused change. */
export interface ApprovalOffer {
  /** The digest; undefined where none can approve the change. */
  digest?: string;
  /** The digest that approves the change as a replacement too. */
  wider?: string;
  /**
   * Why the change may become a replacement: the option `replaceOnChanges` (true), or transforms that may add it later ("rules").
   */
  mayReplace?: unknown;
}

export interface RefusedChange {
  verdict: Verdict;
  urn: string | undefined;
  /** `onRestart` of the resource, where it has one. */
  own: OnRestart | undefined;
  offer: ApprovalOffer;
  approvals: Approvals;
  /** The file that `--config-file` names. */
  configFile?: string;
}

export function refusalsOf(change: RefusedChange): Problem[] {
  const { verdict, own } = change;
  const where = own ? "on this resource" : "compute:onRestart in the stack's config";
  const refused = `${REFUSED} (${where}), so the compute is left as it is.\n${waysOn(change).join("\n")}`;
  const reasons = verdict.reasons.filter((reason) => atLeast(reason.impact, "restart"));
  if (reasons.length === 0) return [{ property: "restart", reason: `${sentence(verdict)}. ${refused}` }];
  // The advice is the same for all reasons, so only the last one has it.
  return reasons.map((reason, index) => ({
    property: reason.property,
    reason: `${changeOf(reason)}: ${reason.effect}${index === reasons.length - 1 ? `. ${refused}` : ""}`,
  }));
}

/** Not `pulumi config set compute:onRestart warn`: it would switch the guard off for all computes, and for good. */
function waysOn({ urn, offer, approvals, configFile }: RefusedChange): string[] {
  const isAsked = offer.mayReplace === true && offer.wider !== undefined;
  const digest = isAsked ? offer.wider : offer.digest;
  const others = `To see all changes, preview with COMPUTE_ON_RESTART=warn in the environment. To keep what the compute has, give the program the old value. To let this change pass without an approval, set onRestart: "warn" on this resource for this one change.`;
  if (digest === undefined) return [`It can't be approved: a value is secret, or not known yet. ${others}`];
  const mayBeAsked = offer.mayReplace === "rules" && offer.wider !== undefined;
  const [ended] = [isAsked || mayBeAsked ? offer.wider : undefined, offer.digest].flatMap(
    (one) => approvals.ended.get(one ?? "") ?? [],
  );
  const wider = isAsked
    ? " replaceOnChanges may give the compute a new host: the approval is for that too."
    : mayBeAsked
      ? ` If a rule of the program (transforms, transformations) adds replaceOnChanges, the compute gets a new host: then approve ${offer.wider} instead, which is for both.`
      : "";
  return [
    `${others}${ended === undefined ? "" : ` Its approval ended on ${ended}.`}${wider}`,
    "To approve exactly this change, run this in the program's folder, and commit the stack's file:",
    approveCommand([digest], { stack: urn && identityOf(urn)?.stack, configFile }),
  ];
}
