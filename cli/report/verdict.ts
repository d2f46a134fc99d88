// What a report comes to: one line, and the exit code.

import { atLeast, IMPACTS, type Impact } from "../../provider/rules/restart.js";
import { worstOf } from "./judge.js";
import type { Finding, Report, StackReport } from "./types.js";

const EXITS = { fine: 0, unusable: 2, found: 3 } as const;

/** Whether the finding stands in the way. `none` lets everything pass. */
export const stops = ({ impact, approval }: Finding, failOn: Impact): boolean =>
  failOn !== "none" && atLeast(impact, failOn) && approval?.approved !== true;

export function exitCodeOf(
  stacks: readonly StackReport[],
  unusable: readonly string[],
  failOn: Impact,
): Report["exitCode"] {
  if (unusable.length > 0 || stacks.length === 0) return EXITS.unusable;
  if (stacks.some(({ incomplete }) => incomplete.length > 0)) return EXITS.unusable;
  return stacks.some(({ findings }) => findings.some((one) => stops(one, failOn))) ? EXITS.found : EXITS.fine;
}

export const findingsIn = (stacks: readonly StackReport[]): Finding[] => stacks.flatMap(({ findings }) => findings);

export const computes = (count: number): string => `${count} compute${count === 1 ? "" : "s"}`;

/** The worst of it as a sign that is seen from afar. */
export function signOf(findings: readonly Finding[], isIncomplete: boolean): string {
  return isIncomplete ? "⛔" : SIGN[worstOf(findings)];
}

export const SIGN: Record<Impact, string> = {
  none: "🟢",
  "may-restart": "🟡",
  restart: "🟠",
  stop: "🔴",
  "new-host": "🔴",
  delete: "🔴",
};

const DOES: Record<Exclude<Impact, "none">, [one: string, many: string]> = {
  delete: ["is deleted", "are deleted"],
  "new-host": ["gets a new host", "get new hosts"],
  stop: ["stops", "stop"],
  restart: ["restarts", "restart"],
  "may-restart": ["may restart", "may restart"],
};

/** Counts everything, worst first: "1 compute gets a new host, 2 restart; 1 of 3 is approved". */
export function sentenceOf(findings: readonly Finding[], isIncomplete: boolean, failOn: Impact): string {
  const counts = [...IMPACTS].reverse().flatMap((impact) => {
    const count = findings.filter((one) => one.impact === impact).length;
    if (count === 0 || impact === "none") return [];
    return [{ count, does: DOES[impact][count === 1 ? 0 : 1] }];
  });
  const felt = counts.map(({ count, does }, at) => `${at === 0 ? computes(count) : count} ${does}`).join(", ");
  if (isIncomplete)
    return `This preview is incomplete; ${felt ? `known so far: ${felt}` : "what it changes is not known"}`;
  if (!felt) return harmless(findings);
  return `${felt}${approvals(findings, failOn)}`;
}

function harmless(findings: readonly Finding[]): string {
  const count = (...ops: string[]) => findings.filter(({ op }) => ops.includes(op)).length;
  const [changed, created] = [count("update"), count("create")];
  const rest = findings.length - changed - created;
  const parts = [
    ...(changed > 0 ? [`${changed} changed in place`] : []),
    ...(created > 0 ? [`${created} created`] : []),
    ...(rest > 0 ? [`${rest} only in the state`] : []),
  ];
  const what = "Nothing in this preview restarts, stops, replaces or deletes a compute";
  return parts.length > 0 ? `${what}: ${parts.join(", ")}` : what;
}

function approvals(findings: readonly Finding[], failOn: Impact): string {
  const asked = findings.filter(({ approval }) => approval !== undefined);
  const open = findings.filter((one) => stops(one, failOn)).length;
  const given = asked.filter(({ approval }) => approval?.approved).length;
  if (asked.length === 0) return "";
  if (given === asked.length) return "; approved";
  if (open === 0) return given > 0 ? `; ${given} of ${asked.length} approved` : "";
  return `; ${open} not approved`;
}
