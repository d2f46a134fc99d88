// The report in one line, and its exit code.

import { IMPACTS, type Impact, worstImpact } from "../../provider/rules/impact.js";
import { needsApproval } from "./approval-words.js";
import { type FailOn, failsReport } from "./fail-on.js";
import { IMPACT_WORDS } from "./impact-words.js";
import type { Finding, Report, StackReport } from "./types.js";

/** Also 1 and 2 for the command itself: `EXIT` in `cli/arguments.ts`. */
const EXITS = { passed: 0, unusable: 2, unapproved: 3 } as const;

export function exitCodeOf(
  stacks: readonly StackReport[],
  unusable: readonly string[],
  failOn: FailOn,
): Report["exitCode"] {
  if (isIncomplete({ stacks, unusable }) || countUpFailures(findingsIn(stacks)) > 0) return EXITS.unusable;
  return stacks.some(({ findings }) => findings.some((one) => failsReport(one, failOn)))
    ? EXITS.unapproved
    : EXITS.passed;
}

/** Whether a document is missing or incomplete. Then nobody knows all changes. */
export const isIncomplete = ({ stacks, unusable }: { stacks: readonly StackReport[]; unusable: readonly string[] }) =>
  unusable.length > 0 || stacks.length === 0 || stacks.some(({ incomplete }) => incomplete.length > 0);

type Ranked = Pick<Finding, "impact" | "upFails">;

/** For `sort`: computes at which `up` will fail come first, then the worst impact. */
export const worstFirst = (a: Ranked, b: Ranked): number =>
  Number(b.upFails !== undefined) - Number(a.upFails !== undefined) ||
  IMPACTS.indexOf(b.impact) - IMPACTS.indexOf(a.impact);

/** Counts the computes at which `pulumi up` will fail. */
export const countUpFailures = (findings: readonly Finding[]): number =>
  findings.filter(({ upFails }) => upFails !== undefined).length;

export const findingsIn = (stacks: readonly StackReport[]): Finding[] => stacks.flatMap(({ findings }) => findings);

export const computes = (count: number): string => `${count} compute${count === 1 ? "" : "s"}`;

/** ⛔ if the preview is incomplete or `up` will fail, else the sign of the worst impact. */
export function emojiFor(findings: readonly Finding[], isPreviewIncomplete: boolean): string {
  return isPreviewIncomplete || countUpFailures(findings) > 0
    ? FAILURE_SIGN
    : IMPACT_WORDS[worstImpact(findings.map(({ impact }) => impact))].sign;
}

export const FAILURE_SIGN = "⛔";

/** Counts everything, worst first: "1 compute is deleted. 2 computes restart, 1 may restart; 1 not approved". */
export function sentenceOf(stacks: readonly StackReport[], isPreviewIncomplete: boolean, failOn: FailOn): string {
  const findings = findingsIn(stacks);
  const failing = countUpFailures(findings);
  const failures = failing > 0 ? [`\`pulumi up\` will fail at ${computes(failing)}`] : [];
  const deletions = counted(findings, ["delete"]);
  const changes = counted(findings, [...IMPACTS].reverse().slice(1));
  if (isPreviewIncomplete) {
    const refused = stacks.reduce((sum, one) => sum + one.refusedCount, 0);
    const refusals = refused > 0 ? [`${refused} ${refused === 1 ? "change is" : "changes are"} refused`] : [];
    const known = [...failures, ...refusals, deletions, changes].filter(Boolean).join(", ");
    return `This preview is incomplete; ${known ? `known so far: ${known}` : "what it changes is not known"}`;
  }
  const fails = deletions && failOn.deletions ? ", which fails this check" : "";
  const parts = [
    ...failures,
    ...(deletions ? [`${deletions}${fails}`] : []),
    ...(changes ? [`${changes}${approvals(findings, failOn)}`] : []),
  ];
  return parts.length > 0 ? parts.join(". ") : harmless(findings);
}

function counted(findings: readonly Finding[], impacts: readonly Impact[]): string {
  const counts = impacts.flatMap((impact) => {
    const count = findings.filter((one) => one.impact === impact).length;
    if (count === 0 || impact === "none") return [];
    return [{ count, does: IMPACT_WORDS[impact][count === 1 ? "one" : "many"] }];
  });
  return counts.map(({ count, does }, at) => `${at === 0 ? computes(count) : count} ${does}`).join(", ");
}

function harmless(findings: readonly Finding[]): string {
  const count = (...ops: string[]) => findings.filter(({ op }) => ops.includes(op)).length;
  const [changed, created] = [count("update"), count("create")];
  const rest = findings.length - changed - created;
  const parts = [
    ...(changed > 0 ? [`${changed} changed in place`] : []),
    ...(created > 0 ? [`${created} created`] : []),
    ...(rest > 0 ? [`${rest} changed only in the state`] : []),
  ];
  const what = "Nothing in this preview restarts, stops, replaces or deletes a compute";
  return parts.length > 0 ? `${what}: ${parts.join(", ")}` : what;
}

function approvals(findings: readonly Finding[], failOn: FailOn): string {
  const asked = findings.filter(needsApproval);
  const open = asked.filter((one) => failsReport(one, failOn)).length;
  const given = asked.filter(({ approval }) => approval?.approved).length;
  if (asked.length === 0) return "";
  if (given === asked.length) return "; approved";
  if (open === 0) return given > 0 ? `; ${given} of ${asked.length} approved` : "";
  return `; ${open} not approved`;
}
