// Pieces of text that the Markdown and the terminal share.

import { approveCommandLine, uniqueChanges } from "../../provider/rules/approval-list.js";
import { isApprovable } from "./approval-words.js";
import { topLevelOf } from "./preview.js";
import type { Finding, OtherChange, Size, StackReport } from "./types.js";

/** Follows the sentence that `up` will fail. */
export const NO_APPROVAL = "An approval does not help. Do what the line says, and preview again.";

/** Of a preview that has not looked at the service. */
export const UNSEEN =
  "This preview had no key, or no answer from the service. It does not know the current computes: `up` may fail if one was changed by hand, exists already, or is gone.";

/** "size 1 → 4", with each value through `show`. */
export const changeText = ({ property, words, old, new: next }: OtherChange, show: (text: string) => string): string =>
  words === undefined ? `${show(property)} ${show(old)} → ${show(next)}` : `${show(property)} ${show(words)}`;

/** The changes of each kind in a row that offers no approval. */
const LIMIT = 6;

/**
 * The changes, worst first, and the names of the other properties that change. Where an approval is offered, all of them: nobody
 * should approve a change unseen. What is left out or cut is counted.
 */
export function changesOf(finding: Finding, show: (text: string) => string): string[] {
  const { causes, moreCauses = 0, noticeChanges, others, otherChanges } = finding;
  const limit = isApprovable(finding) ? Number.POSITIVE_INFINITY : LIMIT;
  const lines = noticeChanges === undefined ? causes.map((one) => changeText(one, show)) : [show(noticeChanges)];
  const valued = new Set(otherChanges.map(({ property }) => topLevelOf(property)));
  const rest = [
    ...otherChanges.map((one) => changeText(one, show)),
    ...others.filter((name) => !valued.has(name)).map(show),
  ];
  const names = rest.slice(0, limit).join(", ");
  const more = Math.max(lines.length - limit, 0) + moreCauses;
  return [
    ...lines.slice(0, limit),
    ...(more > 0 ? [`and ${more} more${limit === LIMIT ? "" : `: ${WHOLE} shows them`}`] : []),
    ...(names ? [`${lines.length > 0 ? "also " : ""}${names}${rest.length > limit ? ", …" : ""}`] : []),
    ...(limit === LIMIT ? [] : cutValues(finding)),
  ];
}

/** The command that shows the whole change. */
const WHOLE = "`pulumi preview --diff`";

/** How many values of the change are not shown to their ends. */
function cutValues({ causes, noticeChanges = "", otherChanges }: Finding): string[] {
  const values = [...causes, ...otherChanges].flatMap((one) => [one.property, one.words ?? [one.old, one.new]].flat());
  const count = [...values, noticeChanges].filter((value) => value.endsWith("…")).length;
  if (count === 0) return [];
  return [
    count === 1 ? `1 value is cut: ${WHOLE} shows all of it` : `${count} values are cut: ${WHOLE} shows all of them`,
  ];
}

/** The changes that a reader needs. Where the preview itself says that `up` will fail, its line names them. */
export const shownChanges = (finding: Finding, show: (text: string) => string): string[] =>
  finding.upFails?.at === undefined ? changesOf(finding, show) : [];

/** "4 → 16 GB"; one value if it does not change, empty if none is known. */
export function fromTo(before: number | string | undefined, after: number | string | undefined, unit = ""): string {
  const withUnit = (value: number | string) => (typeof value === "number" ? `${value}${unit}` : value);
  if (before === undefined) return after === undefined ? "" : withUnit(after);
  if (after === undefined || before === after) return withUnit(before);
  return typeof before === "number" && typeof after === "number"
    ? `${before} → ${after}${unit}`
    : `${withUnit(before)} → ${withUnit(after)}`;
}

const NOT_DOCUMENTED = "not documented";

export const memoryOf = ({ before, after }: Finding): string => fromTo(before?.memoryGb, after?.memoryGb, " GB");

export function connectionsOf({ before, after }: Finding): string {
  const connections = (size: Size | undefined) => size && (size.maxConnections ?? NOT_DOCUMENTED);
  return fromTo(connections(before), connections(after));
}

/** What follows the old host in the table. */
export const hostAfter = ({ impact }: Finding): string => (impact === "delete" ? "none" : "new host");

/** "20 GiB", "60 → 20 GiB". */
export const diskOf = ({ before, after }: Finding): string => fromTo(before?.diskGib, after?.diskGib, " GiB");

export const diskShrinks = ({ before, after }: Finding): boolean =>
  before !== undefined && after !== undefined && after.diskGib < before.diskGib;

/** The unapproved changes that a digest can approve. None while `compute:approve` is invalid: nothing can be added to it. */
export const approvableIn = ({ findings, approvals: { problem } }: StackReport): Finding[] =>
  problem === undefined ? findings.filter(isApprovable) : [];

/** The one command that approves these changes, and those that the preview refused; undefined if there are none. */
export function commandFor(
  report: StackReport,
  findings: readonly Finding[] = approvableIn(report),
): string | undefined {
  const { stack, refusedChanges, approvals } = report;
  const found = findings.flatMap(({ approval, name }) => (approval?.digest ? [{ digest: approval.digest, name }] : []));
  const refused = approvals.problem === undefined ? refusedChanges : [];
  const changes = uniqueChanges([...found, ...refused]);
  return changes.length === 0 ? undefined : approveCommandLine(changes, { stack });
}

/** The time at which the preview asked the service, "2026-05-04 12:00:05 UTC", or the first and the last time. */
export function seenAt(findings: readonly Finding[]): string | undefined {
  const times = findings.flatMap(({ seen }) => seen?.at ?? []).sort();
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const shown = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
  return first === last ? shown(first) : `${shown(first)} to ${shown(last)}`;
}
