// The report for programs. Its form is described by report.schema.json, and changes only together with `formatVersion`.

import { inertJson } from "../visible.js";
import { plain } from "./clean.js";
import type { Finding, Report, StackReport } from "./types.js";
import { findingsIn, sentenceOf, stops } from "./verdict.js";
import { commandsOf } from "./words.js";

export const FORMAT_VERSION = 1;

export function json(report: Report): string {
  const { stacks, unusable, failOn, exitCode } = report;
  const complete =
    unusable.length === 0 && stacks.every(({ incomplete }) => incomplete.length === 0) && stacks.length > 0;
  const value = {
    formatVersion: FORMAT_VERSION,
    verdict: sentenceOf(findingsIn(stacks), !complete, failOn),
    failOn,
    exitCode,
    complete,
    unusable: unusable.map(plain),
    stacks: stacks.map((stack) => stackOf(stack, report)),
  };
  return inertJson(value);
}

function stackOf(stack: StackReport, { failOn }: Report) {
  const commands = new Map(commandsOf(stack).map(({ finding, command }) => [finding, command]));
  const complete = stack.incomplete.length === 0;
  return {
    project: stack.project,
    stack: stack.stack,
    source: stack.source,
    complete,
    verdict: sentenceOf(stack.findings, !complete, failOn),
    incomplete: stack.incomplete.map(plain),
    errors: stack.errors.map(plain),
    remarks: stack.remarks.map(plain),
    computes: stack.findings.map((finding) => computeOf(finding, commands.get(finding), stops(finding, failOn))),
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
    said,
    others,
    effect,
    notes,
    before,
    after,
    oldHost,
    approval,
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
    said,
    others,
    effect: effect === undefined ? undefined : plain(effect),
    notes: notes.map(plain),
    before,
    after,
    oldHost,
    approval: approval && { ...approval, command },
    position,
  };
}
