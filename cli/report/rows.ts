// One stack's table, what stands below it, and its folded details, in Markdown.

import { shortDigest } from "../../provider/rules/approval.js";
import type { Impact } from "../../provider/rules/restart.js";
import { marked } from "./clean.js";
import { code } from "./markup.js";
import type { Finding, StackReport } from "./types.js";
import { computes, SIGN } from "./verdict.js";
import { changesOf, commandsOf, connectionsOf, fromTo, hostAfter, memoryOf } from "./words.js";

const HEAD = ["compute", "what happens", "why", "memory", "max_connections", "host", "approval"];
const ALWAYS = 3;

/** Columns that are empty in all rows are left out. */
export function tableOf(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const rows = findings.map(cellsOf);
  const columns = HEAD.flatMap((_, at) => (at < ALWAYS || rows.some((row) => row[at] !== "") ? [at] : []));
  const line = (cells: readonly string[]) => `| ${columns.map((at) => cells[at]).join(" | ")} |`;
  return [line(HEAD), line(HEAD.map(() => "---")), ...rows.map(line)];
}

function cellsOf(finding: Finding): string[] {
  const { name, impact, what, approval, oldHost } = finding;
  const changes = changesOf(finding, code);
  // Without a change to name, the sentence: the notice's own, or that of a deletion.
  const isTold = finding.causes.length > 0 || finding.said !== undefined || finding.effect === undefined;
  const why = [...(isTold ? [] : [marked(finding.effect ?? "", code)]), ...changes].join("<br>");
  return [
    code(name),
    `${SIGN[impact]} ${impact === "none" ? what : `**${what}**${impact === "restart" ? ", if active" : ""}`}`,
    why,
    memoryOf(finding),
    connectionsOf(finding),
    oldHost === undefined ? "" : `${code(oldHost)} → **${hostAfter(finding)}**`,
    approval === undefined ? "" : approvalCell(approval),
  ];
}

function approvalCell({ digest, approved, why }: NonNullable<Finding["approval"]>): string {
  if (digest === undefined) return `not possible: ${why}`;
  const short = code(shortDigest(digest));
  return approved ? `✅ approved, ${short}` : short;
}

/** What the table leaves out: counted, and deletions and new hosts by name as far as there is room. */
export function leftOut(cut: readonly Finding[], names: number): string[] {
  if (cut.length === 0) return [];
  const count = (impact: Impact, does: string) => {
    const some = cut.filter((one) => one.impact === impact).length;
    return some === 0 ? [] : [`${some} ${does}`];
  };
  const counts = [
    ...count("delete", "deleted"),
    ...count("new-host", "with a new host"),
    ...count("stop", "stopped"),
    ...count("restart", "restarted"),
    ...count("may-restart", "perhaps restarted"),
    ...count("none", "without a restart"),
  ];
  const worst = cut.filter(({ impact }) => impact === "delete" || impact === "new-host");
  const named = worst.slice(0, names).map(({ name }) => code(name));
  const rest = worst.length - named.length;
  return [
    "",
    `Not in the table for want of room: ${computes(cut.length)}, ${counts.join(", ")}.`,
    ...(named.length > 0
      ? [`Deleted or with a new host: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`]
      : []),
  ];
}

export function approvalsOf(report: StackReport, shown: readonly Finding[]): string[] {
  const commands = commandsOf(report, shown);
  if (commands.length === 0) return [];
  // No names inside: what is copied into a shell must be ours.
  return [
    "",
    `To approve exactly ${commands.length === 1 ? "this change" : "these changes, in the order of the table"}, run in the program's folder with stack ${code(report.stack)}, and commit the stack's file:`,
    "",
    "```sh",
    ...commands.map(({ command }) => command),
    "```",
  ];
}

export function notesOf(findings: readonly Finding[]): string[] {
  const notes = findings.flatMap(({ name, notes }) => notes.map((note) => `- ${code(name)}: ${marked(note, code)}`));
  return notes.length === 0 ? [] : ["", ...notes];
}

export function detailsOf(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  return [
    "",
    `<details><summary>Details</summary>`,
    "",
    ...findings.flatMap(detailOf),
    "",
    "Memory and `max_connections` are the documented ones of the size, approximate. Clients should reconnect by themselves. What the preview left out (`--target`, `--exclude`) is not in it.",
    "",
    "</details>",
  ];
}

function detailOf({ name, id, urn, effect, before, after, position }: Finding): string[] {
  const range = (size: Finding["before"]) =>
    size && (size.minCu === size.maxCu ? `${size.maxCu} CU` : `${size.minCu} to ${size.maxCu} CU`);
  const size = fromTo(range(before), range(after));
  const lines = [
    ...(effect ? [marked(effect, code)] : []),
    ...(size ? [`size ${size}`] : []),
    ...(position ? [code(`${position.file}:${position.line}`)] : []),
    code(urn),
  ];
  return [`- ${code(name)}${id ? ` ${code(id)}` : ""}: ${lines.join("; ")}`];
}
