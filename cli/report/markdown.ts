// The report for a pull request, within the number of bytes that a host takes for a comment.

import { cleanLine, commentName, renderQuotes } from "./clean.js";
import { detailsOf } from "./details.js";
import { NO_APPROVAL } from "./format.js";
import { bytesOf, code } from "./markup.js";
import { approvalsOf, deletionsOf, leftOut, notesOf, seenNote, tableOf } from "./rows.js";
import { UNKNOWN_NAME } from "./stack.js";
import type { Finding, Report, StackReport } from "./types.js";
import {
  countUpFailures,
  emojiFor,
  FAILURE_SIGN,
  findingsIn,
  isIncomplete,
  sentenceOf,
  worstFirst,
} from "./verdict.js";

interface Room {
  /** The number of rows. The worst computes of all stacks get them. */
  rows: number;
  details: boolean;
  /** The number of names listed for deletions and new hosts without a row. */
  names: number;
  /** The number of sections. The worst stacks get them. */
  sections: number;
  /** The most problem lines of each kind in a section. */
  lines: number;
}

const MOST_LINES = 20;
/** Of a failed preview that refused nothing. */
const MOST_ERRORS = 5;

export function markdown(report: Report, name: string | undefined, maxBytes: number): string {
  const all = findingsIn(report.stacks).length;
  const sections = report.stacks.length;
  const everything: Room = { rows: all, details: true, names: all, sections, lines: MOST_LINES };
  const withoutDetails = { ...everything, details: false };
  const write = (room: Room) => render(report, name, room);
  const fits = (room: Room) => bytesOf(write(room)) <= maxBytes;
  if (fits(everything)) return write(everything);
  const rows = largest(all, (count) => fits({ ...withoutDetails, rows: count }));
  if (rows !== undefined) return write({ ...withoutDetails, rows });
  const namesOnly = { ...withoutDetails, rows: 0, lines: 3 };
  const names = largest(all, (count) => fits({ ...namesOnly, names: count }));
  if (names !== undefined) return write({ ...namesOnly, names });
  const smallest = { ...namesOnly, names: 0, lines: 1 };
  return write({ ...smallest, sections: largest(sections, (count) => fits({ ...smallest, sections: count })) ?? 0 });
}

/** The largest count from 0 to `most` that fits. Binary search. `fits` must be monotonic. */
function largest(most: number, fits: (count: number) => boolean): number | undefined {
  if (!fits(0)) return undefined;
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function render(report: Report, name: string | undefined, room: Room): string {
  const { stacks, unusable, failOn } = report;
  const all = findingsIn(stacks);
  const shown = new Set([...all].sort(worstFirst).slice(0, room.rows));
  const isPreviewIncomplete = isIncomplete(report);
  const lines = [markerLine(stacks, name)];
  if (stacks.length !== 1 || unusable.length > 0 || room.sections < stacks.length) {
    // Without a document only the name tells two failed previews apart.
    const whose = stacks.length === 0 && name !== undefined ? `${code(name)}: ` : "";
    // Above the sections of stacks the line is their title.
    const level = stacks.length === 0 ? "###" : "##";
    lines.push(
      "",
      `${level} ${emojiFor(all, isPreviewIncomplete)} ${whose}${sentenceOf(stacks, isPreviewIncomplete, failOn)}`,
      "",
    );
    lines.push(...limited(unusable, room.lines, (line) => `- ${FAILURE_SIGN} ${renderQuotes(line, code)}`));
  }
  // In the order of the inputs. Without room for all of them, the worst ones stay.
  const kept = new Set([...stacks].sort(byStack).slice(0, room.sections));
  const sections = stacks.flatMap((stack) => (kept.has(stack) ? ["", ...section(stack, shown, report, room)] : []));
  const more = stacks.length - kept.size;
  const rest = more > 0 ? ["", `And ${more} more ${more === 1 ? "stack" : "stacks"}, counted above.`] : [];
  return `${[...lines, ...sections, ...rest]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

const byStack = (a: StackReport, b: StackReport): number =>
  Number(b.incomplete.length > 0) - Number(a.incomplete.length > 0) ||
  (a.findings[0] && b.findings[0] ? worstFirst(a.findings[0], b.findings[0]) : b.findings.length - a.findings.length);

/** A pipeline finds its comment by this line, which is the same at each run of it. */
function markerLine(stacks: readonly StackReport[], name: string | undefined): string {
  const names = [...new Set(stacks.map(({ project, stack }) => `${project}/${stack}`))];
  const what = commentName(name ?? (names.length > 0 ? names.join(" ") : UNKNOWN_NAME));
  return `<!-- compute-endpoint report v1 ${what} -->`;
}

function section(stack: StackReport, shown: ReadonlySet<Finding>, { failOn }: Report, room: Room): string[] {
  const { findings, incomplete, errors, remarks } = stack;
  const rows = findings.filter((one) => shown.has(one));
  const isPreviewIncomplete = incomplete.length > 0;
  const mostErrors = mostErrorsOf(stack, room);
  const shownErrors = limited(errors, mostErrors, (line) => `  - ${renderQuotes(line, code)}`);
  return [
    `### ${emojiFor(findings, isPreviewIncomplete)} ${code(cleanLine(`${stack.project}/${stack.stack}`))}: ${sentenceOf([stack], isPreviewIncomplete, failOn)}`,
    "",
    ...limited(incomplete, room.lines, (line) => `- ${FAILURE_SIGN} ${renderQuotes(line, code)}`),
    ...(errors.length > 0 ? ["- The preview said:", ...shownErrors] : []),
    ...(countUpFailures(findings) > 0 ? [`- ${FAILURE_SIGN} ${NO_APPROVAL}`] : []),
    ...remarks.map((line) => `- ⚠️ ${renderQuotes(line, code)}`),
    "",
    ...deletionsOf(findings, rows),
    ...tableOf(rows),
    ...seenNote(stack, rows),
    ...leftOut(
      findings.filter((one) => !shown.has(one)),
      room.names,
    ),
    ...approvalsOf(stack, rows, mostErrors),
    ...(room.details ? [...notesOf(rows), ...detailsOf(rows)] : []),
  ];
}

/** A refusal names the changes that its command approves, so its lines are left out only for want of room. */
function mostErrorsOf({ refusedChanges, refusedLines }: StackReport, { lines }: Room): number {
  if (refusedChanges.length === 0) return Math.min(lines, MOST_ERRORS);
  // + 1 for the line that counts the errors that are left out.
  return lines === MOST_LINES ? refusedLines + lines + 1 : lines;
}

function limited(lines: readonly string[], most: number, show: (line: string) => string): string[] {
  const more = lines.length - most;
  return [...lines.slice(0, most).map(show), ...(more > 0 ? [`- and ${more} more`] : [])];
}
