// One stack's table and what stands below it, in Markdown.

import { IMPACTS } from "../../provider/rules/impact.js";
import { someOf } from "../../provider/rules/some-of.js";
import { approvalCell } from "./approval-words.js";
import { renderQuotes } from "./clean.js";
import { shortCommand } from "./files.js";
import {
  approvableIn,
  commandFor,
  connectionsOf,
  diskOf,
  diskShrinks,
  hostAfter,
  memoryOf,
  seenAt,
  shownChanges,
  UNSEEN,
} from "./format.js";
import { IMPACT_WORDS } from "./impact-words.js";
import { code } from "./markup.js";
import type { Finding, StackReport } from "./types.js";
import { computes, FAILURE_SIGN } from "./verdict.js";

const HEAD = [
  "compute",
  "what happens",
  "why",
  "at the preview",
  "memory",
  "disk",
  "max_connections",
  "host",
  "approval",
];
const FIXED_COLUMNS = 3;

/** Columns that are empty in all rows are left out. */
export function tableOf(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const rows = findings.map(cellsOf);
  const columns = HEAD.flatMap((_, at) => (at < FIXED_COLUMNS || rows.some((row) => row[at] !== "") ? [at] : []));
  const line = (cells: readonly string[]) => `| ${columns.map((at) => cells[at]).join(" | ")} |`;
  return [line(HEAD), line(HEAD.map(() => "---")), ...rows.map(line)];
}

function cellsOf(finding: Finding): string[] {
  const { name, impact, what, oldHost, upFails } = finding;
  const changes = shownChanges(finding, code);
  const sentence = upFails ? upFails.why : showsEffect(finding) ? finding.effect : undefined;
  const why = [...(sentence === undefined ? [] : [renderQuotes(sentence, code)]), ...changes].join("<br>");
  const happens = impact === "none" ? what : `**${what}**${impact === "restart" ? ", if active" : ""}`;
  return [
    code(name),
    upFails ? `${FAILURE_SIGN} **\`up\` will fail**` : `${IMPACT_WORDS[impact].sign} ${happens}`,
    why,
    finding.seen?.state ?? "",
    memoryOf(finding),
    `${diskShrinks(finding) ? "⚠️ " : ""}${diskOf(finding)}`,
    connectionsOf(finding),
    oldHost === undefined ? "" : `${code(oldHost)} → **${hostAfter(finding)}**`,
    approvalCell(finding, code),
  ];
}

/** Whether the row shows the effect, because it has no changes to list. */
export const showsEffect = ({ upFails, causes, noticeChanges }: Finding): boolean =>
  upFails === undefined && causes.length === 0 && noticeChanges === undefined;

/** The findings without a row: their number, and the first names of deletions and new hosts. */
export function leftOut(cut: readonly Finding[], names: number): string[] {
  if (cut.length === 0) return [];
  const counts = [...IMPACTS].reverse().flatMap((impact) => {
    const some = cut.filter((one) => one.impact === impact).length;
    return some === 0 ? [] : [`${some} ${IMPACT_WORDS[impact].cut}`];
  });
  const worst = cut.filter(({ impact }) => impact === "delete" || impact === "new-host");
  const named = worst.slice(0, names).map(({ name }) => code(name));
  const rest = worst.length - named.length;
  return [
    "",
    `Not in the table (size limit): ${computes(cut.length)}, ${counts.join(", ")}.`,
    ...(named.length > 0
      ? [`Deleted or with a new host: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`]
      : []),
  ];
}

const UNGUARDED =
  "No approval is asked for: `pulumi up` deletes what Pulumi's option `protect` does not keep. Look at each.";

/** Deletions stand apart: nobody can approve them. @param shown the findings that have a row */
export function deletionsOf(findings: readonly Finding[], shown: readonly Finding[]): string[] {
  const gone = findings.filter(({ impact }) => impact === "delete");
  if (gone.length === 0) return [];
  const rows = shown.filter(({ impact }) => impact === "delete");
  const named = rows.slice(0, MOST_NAMES).map(({ name }) => code(name));
  const rest = gone.length - named.length;
  const list = [...named, ...(rest > 0 ? [named.length > 0 ? `${rest} more` : computes(rest)] : [])].join(", ");
  return [`🔴 **Deleted: ${list}.** ${UNGUARDED}`, ""];
}
const MOST_NAMES = 20;

/** @param shown the findings that have a row; @param errorLines how many lines of errors are shown */
export function approvalsOf(whole: StackReport, shown: readonly Finding[], errorLines: number): string[] {
  const isCut = whole.refusedLines > errorLines;
  const report = isCut ? { ...whole, refusedChanges: [] } : whole;
  const rows = new Set(shown);
  const all = approvableIn(report);
  const open = all.filter((one) => rows.has(one));
  const command = commandFor(report, open);
  const rest = all.length - open.length + (isCut ? whole.refusedChanges.length : 0);
  if (command === undefined) return rest > 0 ? ["", leftToApprove(rest)] : [];
  const isRefused = open.some(({ approval }) => approval?.refused) || report.refusedChanges.length > 0;
  const count = open.length + report.refusedChanges.length;
  const which = count === 1 ? "this change" : `these ${count} changes`;
  // It approves all changes, so it is shown where all have a row.
  const short = rest === 0 ? shortCommand(report) : undefined;
  const where = report.folder === undefined ? "the program's folder" : code(report.folder);
  const refused = isRefused ? "`pulumi up` refuses what is not approved. " : "";
  return [
    "",
    ...(short === undefined
      ? []
      : [
          `${refused}To approve exactly ${which}, run this here, and commit ${code(report.files?.config ?? "")}:`,
          "",
          "```sh",
          short,
          "```",
          "",
        ]),
    short === undefined
      ? `${refused}To approve exactly ${which}, run this in ${where}, and commit the stack's file:`
      : `Or, without the preview's file, in ${where}:`,
    "",
    // People copy this into a shell: of the document's texts it has only plain names (`isPlainName`).
    "```sh",
    command,
    "```",
    ...(rest > 0 ? ["", leftToApprove(rest)] : []),
  ];
}

/** The command covers only changes with a row, or with all lines of their refusal: nobody should approve a change unseen. */
const leftToApprove = (count: number): string =>
  `No room for the ${count === 1 ? "approval of 1 change" : `approvals of ${count} changes`}: use \`--format text\` or a larger \`--max-bytes\`.`;

/** The time to which the column "at the preview" belongs, or that nobody has looked. */
export function seenNote({ isUnseen }: StackReport, findings: readonly Finding[]): string[] {
  if (isUnseen && findings.length > 0) return ["", UNSEEN];
  const time = seenAt(findings);
  return time === undefined ? [] : ["", `At the preview: ${time}. An idle compute has no connections to drop.`];
}

/** Each note once, with the names of its computes. */
export function notesOf(findings: readonly Finding[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, notes } of findings) {
    for (const note of notes) {
      const known = names.get(note);
      if (known) known.push(name);
      else names.set(note, [name]);
    }
  }
  const lines = [...names].map(([note, all]) => `- ${someOf(all, MOST_NAMES, code)}: ${renderQuotes(note, code)}`);
  return lines.length === 0 ? [] : ["", ...lines];
}
