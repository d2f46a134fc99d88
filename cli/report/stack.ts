// One document -> one stack's part of the report.

import { shortDigest } from "../../provider/rules/approval.js";
import {
  type ApprovalEntry,
  type Approvals,
  MOST_NAMED,
  readApprovals,
  shortEntriesText,
} from "../../provider/rules/approval-list.js";
import { someOf } from "../../provider/rules/some-of.js";
import { identityOf } from "../../provider/rules/urn.js";
import { staleOf, unmatched } from "../approve/plan.js";
import { cleanLine, quote } from "./clean.js";
import { errorDiagnosticsIn, errorLinesOf, refusalsIn, refusedDigestsIn, whyIncomplete } from "./errors.js";
import { approvalFloor, type FailOn } from "./fail-on.js";
import { findingsOf } from "./findings.js";
import { factsIn } from "./message-facts.js";
import { isText, previewOf } from "./preview.js";
import type { Finding, Preview, Raw, StackReport } from "./types.js";

export interface StackOptions {
  source: string;
  failOn: FailOn;
  folder: string;
  nowMs: number;
  /** Digests that were approved after the preview. */
  approved?: readonly string[];
}

export const UNKNOWN_NAME = "unknown";

export function stackReport(document: Raw, { source, failOn, folder, nowMs, approved }: StackOptions): StackReport {
  const preview = previewOf(document);
  const { project = UNKNOWN_NAME, stack = UNKNOWN_NAME } = identityIn(preview) ?? {};
  const approvals = readApprovals(approvalText(preview.config["compute:approve"]), nowMs);
  const { findings, problems } = findingsOf(preview.steps, {
    rules: {
      digests: new Set([...approvals.digests, ...(approved ?? [])]),
      onRestart: preview.config["compute:onRestart"],
    },
    facts: factsIn(preview.diagnostics),
    floor: approvalFloor(failOn),
    folder,
  });
  const errors = errorDiagnosticsIn(preview.diagnostics);
  const incomplete = [...(errors.length > 0 ? [whyIncomplete(errors)] : []), ...preview.problems, ...problems];
  return {
    source: cleanLine(source),
    project: cleanLine(project),
    stack: cleanLine(stack),
    findings,
    incomplete,
    errors: errorLinesOf(errors),
    remarks: [
      ...(approvals.problem
        ? [
            `compute:approve can't be used, so nothing counts as approved until it is corrected: ${quote(cleanLine(approvals.problem, 300))}`,
          ]
        : []),
      ...(approved ? [] : staleTexts(approvals, incomplete.length === 0 ? neededBy(findings) : undefined)),
    ],
    approvals,
    refusedDigests: refusedDigestsIn(errors),
    refusedCount: new Set(refusalsIn(errors).map(({ urn }) => urn)).size,
  };
}

/** All digests that approve something in this preview. */
export const neededBy = (findings: readonly Finding[]): ReadonlySet<string> =>
  new Set(findings.flatMap(({ approval }) => approval?.accepted ?? []));

/** Entries that could be taken out. An incomplete preview does not tell which ones it needs. */
function staleTexts(approvals: Approvals, needed: ReadonlySet<string> | undefined): string[] {
  const stale = staleOf(approvals.entries, needed);
  const of = (state: ApprovalEntry["state"]) => stale.filter(({ entry }) => entry.state === state);
  const short = shortEntriesText(approvals);
  const ended = of("ended").map(({ entry: { digest, day } }) => `${shortDigest(digest)} (${day})`);
  const unused = of("valid").map(({ entry: { digest } }) => shortDigest(digest));
  return [
    ...(short === undefined ? [] : [short]),
    ...(ended.length > 0 ? [`compute:approve: the last day of ${someOf(ended, MOST_NAMED)} is over. ${TIDY}`] : []),
    ...(unused.length > 0
      ? [`compute:approve: ${someOf(unused, MOST_NAMED)} ${unmatched(unused.length)}. ${TIDY}`]
      : []),
  ];
}
const TIDY =
  "`npx --no compute-endpoint report PREVIEW --approve FILE --tidy` takes such entries out, and approves what the report names";

/** As Pulumi hands it to the provider: a text, or a list as JSON. Any other value approves nothing. */
function approvalText(value: unknown): string | undefined {
  if (value === undefined || isText(value)) return value;
  // A nested value is no approval, and may be too deep to be written.
  return JSON.stringify(Array.isArray(value) ? value.map((one) => (typeof one === "object" ? null : one)) : null);
}

function identityIn({ steps, diagnostics }: Preview) {
  for (const { urn } of [...steps, ...diagnostics]) {
    const identity = urn === undefined ? undefined : identityOf(urn);
    if (identity) return identity;
  }
  return undefined;
}
