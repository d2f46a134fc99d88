// The report for a terminal.

import { shortDigest } from "../../provider/rules/approval.js";
import type { Impact } from "../../provider/rules/impact.js";
import { escapeCommands } from "../escape.js";
import type { Io } from "../io.js";
import { type Colour, coloured, isColoured } from "../table.js";
import { withoutQuoteMarks } from "./clean.js";
import { changesOf, commandFor, connectionsOf, diskOf, hostAfter, memoryOf, NO_APPROVAL } from "./format.js";
import type { Finding, Report, StackReport } from "./types.js";
import { countUpFailures, isIncomplete, sentenceOf } from "./verdict.js";

type Paint = (text: string, colour: Colour) => string;
const COLOUR: Record<Impact, Colour> = {
  none: "green",
  "may-restart": "yellow",
  restart: "yellow",
  stop: "red",
  "new-host": "red",
  delete: "red",
};

export function text(report: Report, io: Pick<Io, "out" | "env">): string {
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
  const sections = stacks.flatMap((stack) => ["", ...section(stack, report, paint)]);
  return escapeCommands(`${[...lines, ...sections].join("\n").trim()}\n`);
}

function section(stack: StackReport, { failOn }: Report, paint: Paint): string[] {
  const { findings, incomplete, errors, remarks } = stack;
  const fails = countUpFailures(findings) > 0 ? [NO_APPROVAL] : [];
  const command = commandFor(stack);
  return [
    `${stack.project}/${stack.stack}: ${sentenceOf([stack], incomplete.length > 0, failOn)}`,
    ...[...incomplete, ...errors, ...fails].map((line) => paint(`  ${withoutQuoteMarks(line)}`, "red")),
    ...remarks.map((line) => paint(`  ${withoutQuoteMarks(line)}`, "yellow")),
    ...findings.flatMap((finding) => ["", ...compute(finding, paint)]),
    ...(command === undefined
      ? []
      : [
          "",
          `  To approve ${incomplete.length > 0 ? "what is known so far" : "all of it"}, run this in the program's folder, and commit the stack's file:`,
          `  ${command}`,
        ]),
  ];
}

function compute(finding: Finding, paint: Paint): string[] {
  const { name, id, what, impact, effect, oldHost, notes, approval, position, seen, upFails } = finding;
  const [memory, connections] = [memoryOf(finding), connectionsOf(finding)];
  const lines = [
    ...changesOf(finding, (value) => value),
    ...(upFails ? [paint(withoutQuoteMarks(upFails.why), "red")] : effect ? [withoutQuoteMarks(effect)] : []),
    ...(seen ? [`${seen.state} at the preview, ${seen.at}`] : []),
    ...(memory ? [`memory ${memory}, disk ${diskOf(finding)}, max_connections ${connections}`] : []),
    ...(oldHost === undefined ? [] : [`host ${oldHost} → ${hostAfter(finding)}`]),
    ...notes.map(withoutQuoteMarks),
    ...(position ? [`${position.file}:${position.line}`] : []),
    ...(approval?.approved ? [`approved (${shortDigest(approval.digest ?? "")})`] : []),
    ...(approval?.why ? [`can't be approved by digest: ${approval.why}`] : []),
    ...(approval && !approval.approved
      ? [
          `not approved${approval.refused ? ": `pulumi up` refuses it" : ""}${approval.digest ? ` (${shortDigest(approval.digest)})` : ""}`,
        ]
      : []),
  ];
  return [`  ${paint(what, COLOUR[impact])}  ${name}${id ? ` (${id})` : ""}`, ...lines.map((line) => `    ${line}`)];
}
