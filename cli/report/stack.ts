// Builds the report of one stack from one document.

import { readApprovals } from "../../provider/rules/approval-list.js";
import { someOf } from "../../provider/rules/some-of.js";
import { type Identity, identityOf } from "../../provider/rules/urn.js";
import type { ProgramFolder } from "../approve/files.js";
import { staleTexts } from "../approve/stale.js";
import { cleanLine, quote } from "./clean.js";
import { errorDiagnosticsIn, errorLinesOf, refusalsIn, refusedChangesIn, whyIncomplete } from "./errors.js";
import { approvalFloor, type FailOn } from "./fail-on.js";
import { filesOf, tidyWay } from "./files.js";
import { findingsOf } from "./findings.js";
import { factsIn, isUnseen } from "./message-facts.js";
import { isText, previewOf } from "./preview.js";
import type { Finding, Preview, Raw, StackReport } from "./types.js";

export interface StackOptions {
  source: string;
  failOn: FailOn;
  folder: string;
  nowMs: number;
  /** Digests that the file approves by now. */
  approved?: readonly string[];
  /** The program of this folder. Undefined if readers of the report may be elsewhere. */
  program?: ProgramFolder | undefined;
}

/** Shown for a document without a URN. */
export const UNKNOWN_NAME = "unknown";

export function stackReport(document: Raw, options: StackOptions): StackReport {
  const { source, failOn, folder, nowMs, approved, program } = options;
  const preview = previewOf(document);
  const identities = identitiesIn(preview);
  const { project = UNKNOWN_NAME, stack = UNKNOWN_NAME } = identities.find((one) => one !== undefined) ?? {};
  const ownStacks = stacksOf(identities);
  const approvals = readApprovals(approvalText(preview.config["compute:approve"]), nowMs);
  const facts = factsIn(preview.diagnostics);
  const { findings, problems } = findingsOf(preview.steps, {
    rules: {
      digests: new Set([...approvals.digests, ...(approved ?? [])]),
      onRestart: preview.config["compute:onRestart"],
    },
    facts,
    floor: approvalFloor(failOn),
    folder,
  });
  const errors = errorDiagnosticsIn(preview.diagnostics);
  const refusals = refusalsIn(errors);
  const { lines, refusedLines } = errorLinesOf(errors, refusals);
  const incomplete = [
    ...(errors.length > 0 ? [whyIncomplete(refusals)] : []),
    ...preview.problems,
    ...(ownStacks.length > 1 || ownStacks.includes(NO_STACK) ? [mixedStacks(ownStacks)] : []),
    ...problems,
  ];
  const files = program && filesOf(program, { preview: source, project, stack });
  const tidy = tidyWay(files, stack === UNKNOWN_NAME ? undefined : stack, folder);
  return {
    source: cleanLine(source),
    project: cleanLine(project),
    stack: cleanLine(stack),
    ownStacks,
    findings,
    incomplete,
    errors: lines,
    refusedLines,
    remarks: [
      ...(approvals.problem
        ? [
            `compute:approve can't be used, so nothing counts as approved until it is corrected: ${quote(cleanLine(approvals.problem, 300))}`,
          ]
        : []),
      // An incomplete preview does not tell which entries it needs.
      ...(approved ? [] : staleTexts(approvals, incomplete.length === 0 ? digestsIn(findings) : undefined, tidy)),
    ],
    approvals,
    refusedChanges: refusedChangesIn(refusals),
    refusedCount: new Set(refusals.map(({ error }) => error.urn)).size,
    ...(files ? { files } : {}),
    ...(folder === "" ? {} : { folder: cleanLine(folder) }),
    isUnseen: isUnseen(preview, facts, findings),
  };
}

/** All digests that approve something in this preview. */
export const digestsIn = (findings: readonly Finding[]): ReadonlySet<string> =>
  new Set(findings.flatMap(({ approval }) => approval?.accepted ?? []));

/** As Pulumi hands it to the provider: a text, or a list as JSON. Any other value approves nothing. */
function approvalText(value: unknown): string | undefined {
  if (value === undefined || isText(value)) return value;
  // A nested value is not an approval, and may be too deep to be written.
  return JSON.stringify(Array.isArray(value) ? value.map((one) => (typeof one === "object" ? null : one)) : null);
}

/**
 * Undefined for a text that is not a URN. Each step is of a resource; a message may be of none, and then its URN is empty or
 * absent.
 */
const identitiesIn = ({ steps, diagnostics }: Preview): (Identity | undefined)[] => [
  ...steps.map(({ urn }) => identityOf(urn)),
  ...diagnostics.flatMap(({ urn }) => (urn ? [identityOf(urn)] : [])),
];

/** The space keeps it apart from every `--name PROJECT/STACK`. */
const NO_STACK = "no stack";

const stacksOf = (identities: readonly (Identity | undefined)[]): string[] => [
  ...new Set(identities.map((one) => (one ? `${one.project}/${one.stack}` : NO_STACK))),
];

/** One line for people: the engine writes URNs of one stack only, so somebody made this document. */
const mixedStacks = (stacks: readonly string[]): string =>
  `its URNs belong to ${stackList(stacks)}: all URNs of a preview belong to one stack`;

export const stackList = (stacks: readonly string[]): string =>
  someOf(stacks, MOST_STACKS, (one) => (one === NO_STACK ? one : quote(cleanLine(one))));
const MOST_STACKS = 5;
