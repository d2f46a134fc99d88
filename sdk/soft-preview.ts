// COMPUTE_ON_RESTART=warn: previews show the changes that `onRestart: "refuse"` stops; updates still refuse them.

import * as pulumi from "@pulumi/pulumi";
import { type ApprovalState, approvalStateOf } from "../provider/rules/approval.js";
import { readApprovals } from "../provider/rules/approval-list.js";
import { softensPreviews } from "../provider/rules/policies.js";
import { isInlineProgram } from "./engine-environment.js";
import { desiredIn, type Props, plain } from "./hook-values.js";

/** An inline program does not see the environment of its engine, which may have the variable. */
const maySoften = (): boolean => pulumi.runtime.isDryRun() && (softensPreviews(process.env) || isInlineProgram());

/** Tells check that this is a preview, if it may need to know. Check removes it again. */
export const previewHint = (): { __preview?: true } => (maySoften() ? { __preview: true } : {});

/** Whether a change that needs an approval has one. @param news in plain form; @param secrets the names of the secret ones */
export async function approvalIn(
  { urn, oldInputs }: pulumi.ResourceHookArgs,
  news: Props,
  secrets: ReadonlySet<string>,
): Promise<ApprovalState> {
  const known = new Set(secrets);
  const olds = oldInputs && (await plain(oldInputs, known));
  const { digests } = readApprovals(new pulumi.Config("compute").get("approve"), Date.now());
  const isSoftened = maySoften();
  return approvalStateOf({ urn, oldInputs: olds, news, desired: desiredIn(news), secrets: known, digests, isSoftened });
}
