// One document -> one stack's part of the report.

import { identityOf, readApprovals, shortEntriesText } from "../../provider/rules/approval.js";
import { atLeast, type Impact } from "../../provider/rules/restart.js";
import { REFUSED } from "../../provider/rules/texts.js";
import { clean, prose, quote } from "./clean.js";
import { findingsOf } from "./findings.js";
import { isText, previewOf } from "./preview.js";
import type { Diagnostic, Preview, Raw, StackReport } from "./types.js";

export interface StackOptions {
  source: string;
  failOn: Impact;
  folder: string;
  nowMs: number;
}

export const UNKNOWN_NAME = "unknown";
const MOST_ERRORS = 20;

export function stackReport(document: Raw, { source, failOn, folder, nowMs }: StackOptions): StackReport {
  const preview = previewOf(document);
  const { project = UNKNOWN_NAME, stack = UNKNOWN_NAME } = place(preview) ?? {};
  const approvals = readApprovals(approvalText(preview.config["compute:approve"]), nowMs);
  const { findings, problems } = findingsOf(preview.steps, {
    digests: approvals.digests,
    floor: atLeast(failOn, "restart") || failOn === "none" ? "restart" : failOn,
    folder,
  });
  const short = shortEntriesText(approvals);
  const failures = preview.diagnostics.filter(({ severity }) => !QUIET.has(severity));
  return {
    source: clean(source),
    project: clean(project),
    stack: clean(stack),
    findings,
    incomplete: [...(failures.length > 0 ? [failureOf(failures)] : []), ...preview.problems, ...problems],
    errors: errorsOf(failures),
    remarks: [
      ...(approvals.problem
        ? [
            `compute:approve can't be used, so nothing counts as approved until it is corrected: ${quote(clean(approvals.problem, 300))}`,
          ]
        : []),
      ...(short === undefined ? [] : [short]),
    ],
    approvals,
  };
}

/** As Pulumi hands it to the provider: a text, or a list as JSON. What is neither approves nothing. */
function approvalText(value: unknown): string | undefined {
  if (value === undefined || isText(value)) return value;
  // What is nested in it is no approval, and may be too deep to be written.
  return JSON.stringify(Array.isArray(value) ? value.map((one) => (typeof one === "object" ? null : one)) : null);
}

function place({ steps, diagnostics }: Preview) {
  for (const { urn } of [...steps, ...diagnostics]) {
    const identity = urn === undefined ? undefined : identityOf(urn);
    if (identity) return identity;
  }
  return undefined;
}

/** What is none of these counts as an error: a failure must not be missed for a word that is new. */
const QUIET = new Set(["debug", "info", "info#err", "warning"]);

function failureOf(failures: readonly Diagnostic[]): string {
  const refused = failures.filter(({ message }) => message.includes(REFUSED));
  const names = [...new Set(refused.map(({ urn }) => quote(clean((urn && identityOf(urn)?.name) ?? "a compute"))))];
  if (names.length === 0) return "the preview failed: what comes after the failure, deletions among it, is not in it";
  return `the preview refused the change of ${names.slice(0, 5).join(", ")} and stopped there: what comes after it is not in it. For a full report let the pipeline preview with \`--config compute:onRestart=warn\`, in a checkout that is thrown away`;
}

const VALUE_BEGINS = /property \S+ value \{/;
const VALUE_ENDS = "} has a problem: ";
const LEAD = /^Running program '.*' failed with an unhandled exception:$/;

/** What check says repeats the value, also that of a secret. Both ends are looked for once: a message may be very long. */
function withoutValue(message: string): string {
  const begins = VALUE_BEGINS.exec(message);
  if (!begins) return message;
  const end = message.indexOf(VALUE_ENDS, begins.index + begins[0].length);
  if (end < 0) return message;
  const property = begins[0].slice(0, -" value {".length);
  return `${message.slice(0, begins.index)}${property} ${message.slice(end + "} ".length)}`;
}

/** The first line that says something, once each. */
function errorsOf(failures: readonly Diagnostic[]): string[] {
  const lines = failures.flatMap(({ message, urn }) => {
    const text = withoutValue(message.replace(/^error: /, ""));
    const longest = text.includes(REFUSED) ? 1000 : 300;
    const line = text
      .split("\n")
      .map((one) => prose(one, longest))
      .find((one) => one !== "" && !LEAD.test(one));
    if (!line || line === "preview failed") return [];
    const name = urn === undefined ? undefined : identityOf(urn)?.name;
    return [name === undefined ? quote(line) : `${quote(clean(name))}: ${quote(line)}`];
  });
  const unique = [...new Set(lines)];
  const more = unique.length - MOST_ERRORS;
  return more > 0 ? [...unique.slice(0, MOST_ERRORS), `and ${more} more`] : unique;
}
