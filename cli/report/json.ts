// The report for programs. Its form is described by report.schema.json, and changes only together with `formatVersion`.

import { escapedJson } from "../escape.js";
import { withoutQuoteMarks } from "./clean.js";
import { failOnWords, failsReport } from "./fail-on.js";
import { approvableIn, commandFor } from "./format.js";
import type { Finding, Report, StackReport } from "./types.js";
import { isIncomplete, sentenceOf } from "./verdict.js";

const FORMAT_VERSION = 1;

export function json(report: Report): string {
  const { stacks, unusable, failOn, exitCode } = report;
  const complete = !isIncomplete(report);
  const value = {
    formatVersion: FORMAT_VERSION,
    verdict: sentenceOf(stacks, !complete, failOn),
    failOn: failOnWords(failOn),
    exitCode,
    complete,
    unusable: unusable.map(withoutQuoteMarks),
    stacks: stacks.map((stack) => stackOf(stack, report)),
  };
  return escapedJson(value);
}

function stackOf(stack: StackReport, { failOn }: Report) {
  const complete = stack.incomplete.length === 0;
  const open = new Map(
    approvableIn(stack).map((finding) => [finding, commandFor({ ...stack, refusedChanges: [] }, [finding])]),
  );
  return {
    project: stack.project,
    stack: stack.stack,
    source: stack.source,
    complete,
    verdict: sentenceOf([stack], !complete, failOn),
    incomplete: stack.incomplete.map(withoutQuoteMarks),
    errors: stack.errors.map(withoutQuoteMarks),
    remarks: stack.remarks.map(withoutQuoteMarks),
    approveCommand: commandFor(stack),
    computes: stack.findings.map((finding) => computeOf(finding, open.get(finding), failsReport(finding, failOn))),
  };
}

function computeOf(finding: Finding, command: string | undefined, fails: boolean) {
  const {
    name,
    urn,
    id,
    op,
    impact,
    what,
    causes,
    noticeChanges,
    others,
    otherChanges,
    effect,
    notes,
    before,
    after,
    oldHost,
    approval,
    upFails,
    seen,
    position,
  } = finding;
  return {
    name,
    urn,
    id,
    op,
    impact,
    what,
    fails,
    changes: causes,
    said: noticeChanges,
    others,
    otherChanges,
    effect: effect === undefined ? undefined : withoutQuoteMarks(effect),
    notes: notes.map(withoutQuoteMarks),
    before,
    after,
    oldHost,
    approval: approval && { ...approval, accepted: undefined, command },
    upFails: upFails && { ...upFails, why: withoutQuoteMarks(upFails.why) },
    seen,
    position,
  };
}
