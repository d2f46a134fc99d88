// The report for a terminal.

import { shortDigest } from "../../provider/rules/approval.js";
import type { Impact } from "../../provider/rules/restart.js";
import type { Io } from "../io.js";
import { type Colour, isColoured } from "../table.js";
import { inert } from "../visible.js";
import { plain } from "./clean.js";
import type { Finding, Report, StackReport } from "./types.js";
import { findingsIn, sentenceOf } from "./verdict.js";
import { changesOf, commandsOf, connectionsOf, hostAfter, memoryOf } from "./words.js";

type Paint = (text: string, colour: Colour) => string;
const CODES: Record<Colour, number> = { green: 32, yellow: 33, red: 31, dim: 2 };
const COLOUR: Record<Impact, Colour> = {
  none: "green",
  "may-restart": "yellow",
  restart: "yellow",
  stop: "red",
  "new-host": "red",
  delete: "red",
};

export function text(report: Report, io: Pick<Io, "out" | "env">): string {
  const paint: Paint = isColoured(io)
    ? (words, colour) => `\u001b[${CODES[colour]}m${words}\u001b[0m`
    : (words) => words;
  const { stacks, unusable, failOn } = report;
  const lines: string[] = [];
  if (stacks.length !== 1 || unusable.length > 0) {
    lines.push(
      sentenceOf(findingsIn(stacks), isPartial(report), failOn),
      ...unusable.map((line) => paint(`  ${plain(line)}`, "red")),
    );
  }
  // Not `push(...)`: a call can have only so many arguments, and the document decides how many lines there are.
  const sections = stacks.flatMap((stack) => ["", ...section(stack, report, paint)]);
  return inert(`${[...lines, ...sections].join("\n").trim()}\n`);
}

const isPartial = ({ stacks, unusable }: Report): boolean =>
  unusable.length > 0 || stacks.some(({ incomplete }) => incomplete.length > 0);

function section(stack: StackReport, { failOn }: Report, paint: Paint): string[] {
  const { findings, incomplete, errors, remarks } = stack;
  const commands = new Map(commandsOf(stack).map(({ finding, command }) => [finding, command]));
  return [
    `${stack.project}/${stack.stack}: ${sentenceOf(findings, incomplete.length > 0, failOn)}`,
    ...[...incomplete, ...errors].map((line) => paint(`  ${plain(line)}`, "red")),
    ...remarks.map((line) => paint(`  ${plain(line)}`, "yellow")),
    ...findings.flatMap((finding) => ["", ...compute(finding, commands.get(finding), paint)]),
  ];
}

function compute(finding: Finding, command: string | undefined, paint: Paint): string[] {
  const { name, id, what, impact, effect, oldHost, notes, approval, position } = finding;
  const [memory, connections] = [memoryOf(finding), connectionsOf(finding)];
  const lines = [
    ...changesOf(finding, (value) => value),
    ...(effect ? [plain(effect)] : []),
    ...(memory ? [`memory ${memory}, max_connections ${connections}`] : []),
    ...(oldHost === undefined ? [] : [`host ${oldHost} → ${hostAfter(finding)}`]),
    ...notes.map(plain),
    ...(position ? [`${position.file}:${position.line}`] : []),
    ...(approval?.approved ? [`approved (${shortDigest(approval.digest ?? "")})`] : []),
    ...(approval?.why ? [`can't be approved by digest: ${approval.why}`] : []),
    ...(command ? [`to approve it: ${command}`] : []),
  ];
  return [`  ${paint(what, COLOUR[impact])}  ${name}${id ? ` (${id})` : ""}`, ...lines.map((line) => `    ${line}`)];
}
