// The report for a pull request, within the number of bytes that a host takes for a comment.

import { clean, marked, plainName } from "./clean.js";
import { worse } from "./marker.js";
import { bytesOf, code } from "./markup.js";
import { approvalsOf, detailsOf, leftOut, notesOf, tableOf } from "./rows.js";
import { UNKNOWN_NAME } from "./stack.js";
import type { Finding, Report, StackReport } from "./types.js";
import { findingsIn, sentenceOf, signOf } from "./verdict.js";

interface Room {
  /** How many computes have a row: the worst of all stacks. */
  rows: number;
  details: boolean;
  /** How many deletions and new hosts without a row are named. */
  names: number;
  /** How many stacks have a section: the worst ones. */
  sections: number;
  /** How many lines about what is wrong a section has. */
  lines: number;
}

const MOST_LINES = 20;

export function markdown(report: Report, name: string | undefined, maxBytes: number): string {
  const all = findingsIn(report.stacks).length;
  const sections = report.stacks.length;
  const whole: Room = { rows: all, details: true, names: all, sections, lines: MOST_LINES };
  const bare = { ...whole, details: false };
  const write = (room: Room) => render(report, name, room);
  const fits = (room: Room) => bytesOf(write(room)) <= maxBytes;
  if (fits(whole)) return write(whole);
  const rows = largest(all, (count) => fits({ ...bare, rows: count }));
  if (rows !== undefined) return write({ ...bare, rows });
  const few = { ...bare, rows: 0, lines: 3 };
  const names = largest(all, (count) => fits({ ...few, names: count }));
  if (names !== undefined) return write({ ...few, names });
  const least = { ...few, names: 0, lines: 1 };
  return write({ ...least, sections: largest(sections, (count) => fits({ ...least, sections: count })) ?? 0 });
}

/** The largest count from 0 up that fits, if more never fits better. */
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
  const shown = new Set([...all].sort(byImpact).slice(0, room.rows));
  const isPartial = unusable.length > 0 || stacks.some(({ incomplete }) => incomplete.length > 0);
  const lines = [markerLine(stacks, name)];
  if (stacks.length !== 1 || unusable.length > 0 || room.sections < stacks.length) {
    // Without a document nothing else tells two failed previews apart.
    const whose = stacks.length === 0 && name !== undefined ? `${code(name)}: ` : "";
    lines.push(`## ${signOf(all, isPartial)} ${whose}${sentenceOf(all, isPartial, failOn)}`, "");
    lines.push(...limited(unusable, room.lines, (line) => `- ⛔ ${marked(line, code)}`));
  }
  // In the order of the inputs, but if there is no room for all then the worst.
  const kept = new Set([...stacks].sort(byStack).slice(0, room.sections));
  const sections = stacks.flatMap((stack) => (kept.has(stack) ? ["", ...section(stack, shown, report, room)] : []));
  const more = stacks.length - kept.size;
  const rest = more > 0 ? ["", `And ${more} more ${more === 1 ? "stack" : "stacks"}, counted above.`] : [];
  return `${[...lines, ...sections, ...rest]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

const byImpact = (a: Finding, b: Finding): number =>
  Number(worse(b.impact, a.impact)) - Number(worse(a.impact, b.impact));

const byStack = (a: StackReport, b: StackReport): number =>
  Number(b.incomplete.length > 0) - Number(a.incomplete.length > 0) ||
  (a.findings[0] && b.findings[0] ? byImpact(a.findings[0], b.findings[0]) : b.findings.length - a.findings.length);

/** Its only purpose is to be found again: the same at each run of the same pipeline. */
function markerLine(stacks: readonly StackReport[], name: string | undefined): string {
  const names = [...new Set(stacks.map(({ project, stack }) => `${project}/${stack}`))];
  const what = plainName(name ?? (names.length > 0 ? names.join(" ") : UNKNOWN_NAME));
  return `<!-- compute-endpoint report v1 ${what} -->`;
}

function section(stack: StackReport, shown: ReadonlySet<Finding>, { failOn }: Report, room: Room): string[] {
  const { findings, incomplete, errors, remarks } = stack;
  const rows = findings.filter((one) => shown.has(one));
  const isPartial = incomplete.length > 0;
  const said = limited(errors, Math.min(room.lines, 5), (line) => `  - ${marked(line, code)}`);
  return [
    `### ${signOf(findings, isPartial)} ${code(clean(`${stack.project}/${stack.stack}`))}: ${sentenceOf(findings, isPartial, failOn)}`,
    "",
    ...limited(incomplete, room.lines, (line) => `- ⛔ ${marked(line, code)}`),
    ...(errors.length > 0 ? ["- The preview said:", ...said] : []),
    ...remarks.map((line) => `- ⚠️ ${marked(line, code)}`),
    "",
    ...tableOf(rows),
    ...leftOut(
      findings.filter((one) => !shown.has(one)),
      room.names,
    ),
    ...approvalsOf(stack, rows),
    ...(room.details ? [...notesOf(rows), ...detailsOf(rows)] : []),
  ];
}

function limited(lines: readonly string[], most: number, show: (line: string) => string): string[] {
  const more = lines.length - most;
  return [...lines.slice(0, most).map(show), ...(more > 0 ? [`- and ${more} more`] : [])];
}
