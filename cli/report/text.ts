// The report for a terminal.

import { escapeCommands } from "../escape.js";
import type { Io } from "../io.js";
import { type Colour, coloured, isColoured } from "../table.js";
import { approvalText } from "./approval-words.js";
import { withoutQuoteMarks } from "./clean.js";
import { shortCommand } from "./files.js";
import { commandFor, connectionsOf, diskOf, hostAfter, memoryOf, NO_APPROVAL, shownChanges, UNSEEN } from "./format.js";
import { IMPACT_WORDS } from "./impact-words.js";
import type { Finding, Report, StackReport } from "./types.js";
import { countUpFailures, isIncomplete, sentenceOf } from "./verdict.js";

type Paint = (text: string, colour: Colour) => string;
export function text(report: Report, io: Pick<Io, "out" | "env">): string {
  const isTerminal = io.out.isTTY;
  const paint: Paint = isColoured(io) ? coloured : (words) => words;
  const { stacks, unusable, failOn } = report;
  const lines: string[] = [];
  if (stacks.length !== 1 || unusable.length > 0) {
    lines.push(
      sentenceOf(stacks, isIncomplete(report), failOn),
      ...unusable.map((line) => paint(`  ${withoutQuoteMarks(line)}`, "red")),
    );
  }
  // Not `push(...)`: a call can have only so many arguments, and the document decides how many lines there are.
  const sections = stacks.flatMap((stack) => ["", ...section(stack, report, paint, isTerminal)]);
  return escapeCommands(`${[...lines, ...sections].join("\n").trim()}\n`);
}

function section(stack: StackReport, { failOn }: Report, paint: Paint, isTerminal: boolean): string[] {
  const { findings, incomplete, errors, remarks } = stack;
  const fails = countUpFailures(findings) > 0 ? [NO_APPROVAL] : [];
  return [
    `${stack.project}/${stack.stack}: ${sentenceOf([stack], incomplete.length > 0, failOn)}`,
    ...[...incomplete, ...errors, ...fails].map((line) => paint(`  ${withoutQuoteMarks(line)}`, "red")),
    ...remarks.map((line) => paint(`  ${withoutQuoteMarks(line)}`, "yellow")),
    ...findings.flatMap((finding) => ["", ...compute(finding, paint)]),
    ...(stack.isUnseen ? ["", `  ${UNSEEN}`] : []),
    ...approvalLines(stack, isTerminal),
  ];
}

/** @param isTerminal whether the reader is where the report is made: then the short line is enough */
function approvalLines(stack: StackReport, isTerminal: boolean): string[] {
  const command = commandFor(stack);
  if (command === undefined) return [];
  const short = shortCommand(stack);
  const what = stack.incomplete.length > 0 ? "what is known so far" : "all of it";
  const where = stack.folder ?? "the program's folder";
  const digests = [`  To approve ${what}, run this in ${where}, and commit the stack's file:`, `  ${command}`];
  if (short === undefined) return ["", ...digests];
  const first = [`  To approve ${what}, run this here, and commit ${stack.files?.config}:`, `  ${short}`];
  return ["", ...first, ...(isTerminal ? [] : [`  Or, without the preview's file, in ${where}:`, `  ${command}`])];
}

function compute(finding: Finding, paint: Paint): string[] {
  const { name, id, what, impact, effect, oldHost, notes, position, seen, upFails } = finding;
  const approved = approvalText(finding);
  const [memory, connections] = [memoryOf(finding), connectionsOf(finding)];
  const lines = [
    ...shownChanges(finding, (value) => value),
    ...(upFails ? [paint(withoutQuoteMarks(upFails.why), "red")] : effect ? [withoutQuoteMarks(effect)] : []),
    ...(seen ? [`${seen.state} at the preview, ${seen.at}`] : []),
    ...(memory ? [`memory ${memory}, disk ${diskOf(finding)}, max_connections ${connections}`] : []),
    ...(oldHost === undefined ? [] : [`host ${oldHost} → ${hostAfter(finding)}`]),
    ...notes.map(withoutQuoteMarks),
    ...(position ? [`${position.file}:${position.line}`] : []),
    ...(approved === undefined ? [] : [approved]),
  ];
  return [
    `  ${paint(what, IMPACT_WORDS[impact].colour)}  ${name}${id ? ` (${id})` : ""}`,
    ...lines.map((line) => `    ${line}`),
  ];
}
