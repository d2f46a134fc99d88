// How the report says whether a change is approved, in all its formats.

import { shortDigest } from "../../provider/rules/approval.js";
import type { Finding } from "./types.js";

/** The state of a change's approval. None where nobody asks for one, or where `up` fails with it too. */
const approvalOf = ({ approval, upFails }: Finding) => (upFails ? undefined : approval);

/** Whether somebody can approve the change, and nobody has. */
export function isApprovable(finding: Finding): boolean {
  const approval = approvalOf(finding);
  return approval?.digest !== undefined && !approval.approved;
}

/** Whether an approval counts in the sentence on top. */
export const needsApproval = (finding: Finding): boolean => approvalOf(finding) !== undefined;

/** "approved (892732bba34f…)", for lines of text. */
export function approvalText(finding: Finding): string | undefined {
  const approval = approvalOf(finding);
  if (!approval) return undefined;
  const { digest, approved, refused, why } = approval;
  if (approved) return `approved${digest === undefined ? "" : ` (${shortDigest(digest)})`}`;
  const state = `not approved${refused ? ": `pulumi up` refuses it" : ""}`;
  return digest === undefined ? `${state}; can't be approved by digest: ${why}` : `${state} (${shortDigest(digest)})`;
}

/** The same for a cell of a table. @param show the digest */
export function approvalCell(finding: Finding, show: (text: string) => string): string {
  const approval = approvalOf(finding);
  if (!approval) return "";
  const { digest, approved, why } = approval;
  if (digest === undefined) return `not possible: ${why}`;
  return approved ? `✅ approved, ${show(shortDigest(digest))}` : show(shortDigest(digest));
}
