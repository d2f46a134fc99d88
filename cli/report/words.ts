// Pieces of text that the Markdown and the terminal share.

import { approveCommand } from "../../provider/rules/approval.js";
import type { Cause, Finding, Size, StackReport } from "./types.js";

/** "size 1 → 4", with each value through `show`. */
export const changeOf = ({ property, words, old, new: next }: Cause, show: (text: string) => string): string =>
  words === undefined ? `${show(property)} ${show(old)} → ${show(next)}` : `${show(property)} ${show(words)}`;

const LIMIT = 6;

/** The first changes, the worst ones on top, and the names of the others. */
export function changesOf({ causes, said, others }: Finding, show: (text: string) => string): string[] {
  const lines = said === undefined ? causes.map((one) => changeOf(one, show)) : [show(said)];
  const names = others.slice(0, LIMIT).map(show).join(", ");
  return [
    ...lines.slice(0, LIMIT),
    ...(lines.length > LIMIT ? [`and ${lines.length - LIMIT} more`] : []),
    ...(names ? [`${lines.length > 0 ? "also " : ""}${names}${others.length > LIMIT ? ", …" : ""}`] : []),
  ];
}

/** "4 → 16 GB"; one value where it stays, nothing where none is known. */
export function fromTo(before: number | string | undefined, after: number | string | undefined, unit = ""): string {
  const of = (value: number | string) => (typeof value === "number" ? `${value}${unit}` : value);
  if (before === undefined) return after === undefined ? "" : of(after);
  if (after === undefined || before === after) return of(before);
  return typeof before === "number" && typeof after === "number"
    ? `${before} → ${after}${unit}`
    : `${of(before)} → ${of(after)}`;
}

const NOT_DOCUMENTED = "not documented";

export const memoryOf = ({ before, after }: Finding): string => fromTo(before?.memoryGb, after?.memoryGb, " GB");

export function connectionsOf({ before, after }: Finding): string {
  const of = (size: Size | undefined) => size && (size.maxConnections ?? NOT_DOCUMENTED);
  return fromTo(of(before), of(after));
}

/** What stands where a host was. */
export const hostAfter = ({ impact }: Finding): string => (impact === "delete" ? "none" : "new host");

/** The commands that approve what is open, in the order of the findings; none where what stands there has to be corrected first. */
export function commandsOf(
  { findings, approvals: { count, alone, problem }, stack }: StackReport,
  shown: readonly Finding[] = findings,
) {
  if (problem !== undefined) return [];
  const open = findings.filter(({ approval }) => approval?.digest !== undefined && !approval.approved);
  const all = open.map((finding, at) => ({
    finding,
    command: approveCommand(finding.approval!.digest!, { count: count + at, ...(at === 0 && { alone }) }, stack),
  }));
  const rows = new Set(shown);
  return all.filter(({ finding }) => rows.has(finding));
}
